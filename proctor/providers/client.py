"""What the clients of all three APIs share: one request, its failures, its parameters."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from proctor._base.json_values import Json
from proctor.models.efforts import PARAMETER as EFFORT
from proctor.models.registry_file import EXTRA_BODY
from proctor.providers import bodies
from proctor.providers.failures import of_exception
from proctor.providers.patience import Patience
from proctor.tasks.call import CallFailed, Reply, Usage

if TYPE_CHECKING:
    import httpx2

    from proctor.models.registry import Model
    from proctor.tasks.call import Call

T = TypeVar("T")
Request = Callable[[], bytes]
"""Sends what has been made ready, once, and returns the body of the answer."""

REACH_SECONDS = 10.0  # for the list of an endpoint's models; one that takes longer is there, and busy
WRONG_KEY = re.compile(r"\b401\b.*(?:invalid|incorrect|wrong)\b.*\bkey\b", re.IGNORECASE)
"""How endpoints refuse a key. Others that they refuse may only lack the right to list models."""


def list_timeout() -> httpx2.Timeout:
    """How long to wait for the list of an endpoint's models."""
    from proctor.providers.http_client import timeouts

    return timeouts(Patience(None, REACH_SECONDS))


class SdkClient:
    """A :class:`proctor.providers.Client` around one SDK client, which is safe for threads.

    Args:
        ready: Makes the request of a call ready, which is then sent through the SDK.
        read_reply: Reads that body; a body it cannot read is a failed call.
        usage_of: What a body says was used, of which no more may be there than that.
        close: Closes the SDK client.
        list_models: Asks the endpoint for its models.
        url: The endpoint, for messages.
        key: The API key, to be kept out of messages.
    """

    def __init__(
        self,
        ready: Callable[[Call], Request],
        read_reply: Callable[[bytes], Reply],
        usage_of: Callable[[bodies.Object], Usage],
        close: Callable[[], None],
        list_models: Callable[[], object],
        *,
        url: str,
        key: str,
    ) -> None:
        self._ready = ready
        self._read_reply = read_reply
        self._usage_of = usage_of
        self._close = close
        self._list_models = list_models
        self._url = url
        self._key = key

    def ready(self, call: Call) -> Request:
        """Make a request ready; see :meth:`proctor.providers.Client.ready`."""
        request = self._told(lambda: self._ready(call))

        def send() -> bytes:
            body = self._told(request, sends=True)
            self._check(body)
            return body.removeprefix(codecs.BOM_UTF8)

        return send

    def send(self, call: Call) -> bytes:
        """Ask once; see :meth:`proctor.providers.Client.send`."""
        return self.ready(call)()

    def reach(self) -> Sequence[str]:
        """See :meth:`proctor.providers.Client.reach`."""
        import httpx2

        try:
            self._list_models()
        except Exception as error:
            failure = of_exception(error, url=self._url, key=self._key)
            cause = error if isinstance(error, httpx2.HTTPError) else error.__cause__ or error
        else:
            return ()
        nobody = isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError))
        if isinstance(failure, CallFailed) and (nobody or WRONG_KEY.search(str(failure))):
            raise failure
        return ()

    def _check(self, body: bytes) -> None:
        """Raise a CallFailed, with what it may cost, for a body that cannot be read."""
        try:
            self._read_reply(body)
        except CallFailed as failure:
            found = bodies.salvaged(body)
            with suppress(CallFailed):  # for a count beyond all reason
                failure.usage = self._usage_of(found)
            counted = (failure.usage.input_tokens or 0) + (failure.usage.output_tokens or 0)
            failure.billable = counted > 0 or not found.get("error")
            raise

    def _told(self, work: Callable[[], T], *, sends: bool = False) -> T:
        """What *work* returns; its failure as the one that is told."""
        try:
            return work()
        except CallFailed as error:
            failure: Exception = error
        except Exception as error:
            failure = of_exception(error, url=self._url, key=self._key)
        if sends and isinstance(failure, CallFailed):
            from proctor.providers.http_client import answer_has_begun  # which the SDK has imported long since

            failure.billable = answer_has_begun()
        # Raised out here, a failure has no context: the SDK's exception holds the headers of request and response.
        raise failure

    def close(self) -> None:
        """Close the connections."""
        self._close()


def wire_parameters(call: Call, model: Model) -> dict[str, Json]:
    """The call's parameters under the names that *model*'s endpoint knows; a name of the wire, if given, wins.

    What stands in ``extra_body`` is sent beside the others, as with OpenAI's SDK.
    """
    parameters = dict(call.parameters)
    level, extra = parameters.pop(EFFORT, None), parameters.pop(EXTRA_BODY, None)
    renamed = {model.rename[name]: value for name, value in parameters.items() if name in model.rename}
    sent = {name: value for name, value in parameters.items() if name not in model.rename}
    sent = {**(extra if isinstance(extra, Mapping) else {}), **renamed, **sent}
    if isinstance(level, str):
        for name, value in model.effort.wire(level).items():
            own = sent.get(name, value)
            both = isinstance(own, Mapping) and isinstance(value, Mapping)
            sent[name] = {**value, **own} if both else own  # type: ignore[dict-item]  # which mypy does not see
    return sent
