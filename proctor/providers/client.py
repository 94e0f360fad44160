"""What the clients of all three APIs share: one request, its failures, its parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from proctor.calls import CallFailed, Json, Reply
from proctor.providers.failures import of_exception

if TYPE_CHECKING:
    import httpx2

    from proctor.calls import Call
    from proctor.models.registry import Model

T = TypeVar("T")
Request = Callable[[], bytes]
"""Sends what has been made ready, once, and returns the body of the answer."""

CONNECT_SECONDS = 10.0  # a host that does not even take the connection by then is down


class SdkClient:
    """A :class:`proctor.providers.Client` around one SDK client, which is safe for threads.

    Args:
        ready: Makes the request of a call ready, which is then sent through the SDK.
        read_reply: Reads that body; a body it cannot read is a failed call.
        close: Closes the SDK client.
        url: The endpoint, for messages.
        key: The API key, to be kept out of messages.
    """

    def __init__(
        self,
        ready: Callable[[Call], Request],
        read_reply: Callable[[bytes], Reply],
        close: Callable[[], None],
        *,
        url: str,
        key: str,
    ) -> None:
        self._ready = ready
        self._read_reply = read_reply
        self._close = close
        self._url = url
        self._key = key

    def ready(self, call: Call) -> Request:
        """Make a request ready; see :meth:`proctor.providers.Client.ready`."""
        request = self._told(lambda: self._ready(call))
        return lambda: self._told(lambda: self._read(request()))

    def send(self, call: Call) -> bytes:
        """Ask once; see :meth:`proctor.providers.Client.send`."""
        return self.ready(call)()

    def _read(self, body: bytes) -> bytes:
        self._read_reply(body)
        return body

    def _told(self, work: Callable[[], T]) -> T:
        """What *work* returns; its failure as the one that is told."""
        try:
            return work()
        except CallFailed as error:
            failure: Exception = error
        except Exception as error:
            failure = of_exception(error, url=self._url, key=self._key)
        # Raised out here, a failure has no context: the SDK's exception holds the headers of request and response.
        raise failure

    def close(self) -> None:
        """Close the connections."""
        self._close()


def wire_parameters(call: Call, model: Model) -> dict[str, Json]:
    """The call's parameters under the names that *model*'s endpoint knows; a name of the wire, if given, wins."""
    renamed = {model.rename[name]: value for name, value in call.parameters.items() if name in model.rename}
    return renamed | {name: value for name, value in call.parameters.items() if name not in model.rename}


def timeouts(seconds: float) -> httpx2.Timeout:
    """Timeouts for a client whose answers may take *seconds* to begin."""
    import httpx2

    return httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
