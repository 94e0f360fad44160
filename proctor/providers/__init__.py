"""Clients of the providers' APIs, through their official SDKs.

An SDK is imported when the first client of its kind is made; reading a reply needs none.
"""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast

from proctor.calls import Call, Reply
from proctor.errors import UsageError
from proctor.garbage import many_objects_that_stay

if TYPE_CHECKING:
    from proctor.models.registry import Model

__all__ = ["Client", "connect", "read_reply"]

_ADAPTERS = {
    "openai-chat": "proctor.providers.openai_chat",
    "openai-responses": "proctor.providers.openai_responses",
    "anthropic-messages": "proctor.providers.anthropic_messages",
    "openai-images": "proctor.providers.openai_images",
}
_QUIETEST = {
    "vcr": logging.WARNING,
    "httpx2": logging.WARNING,  # its line for each request holds the address, with user, password and query
    "httpcore2": logging.INFO,
    "openai": logging.INFO,
    "anthropic": logging.INFO,
}
"""The lowest level of each library's messages that hold no secret."""


class Client(Protocol):
    """A connection to one model that many threads may share."""

    def ready(self, call: Call) -> Callable[[], bytes]:
        """Do all that comes before the request, such as reading and converting the media of a question.

        Args:
            call: See `send`.

        Returns:
            What then asks once, as `send` does, and may be called again.

        Raises:
            CallFailed: If no request can be made of the call.
            DataError: For a medium that cannot be shown.
        """
        ...

    def send(self, call: Call) -> bytes:
        """Ask once, without retries.

        Args:
            call: What :meth:`proctor.models.registry.Model.call` of this client's model made.

        Returns:
            The body of the successful answer, which :func:`read_reply` understands.

        Raises:
            CallFailed: If there is no successful answer.
        """
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


class _Adapter(Protocol):
    def connect(self, model: Model, *, url: str, key: str, timeout: float) -> Client: ...

    def read_reply(self, body: bytes) -> Reply: ...


def connect(model: Model, *, timeout: float) -> Client:
    """Make a client for *model*; this imports its SDK and takes up to a second the first time.

    Args:
        model: The model.
        timeout: Seconds without a byte from the provider after which a call has failed.

    Raises:
        UsageError: If the API key is missing or malformed; it names the variable.
    """
    key = checked_key(model)
    with many_objects_that_stay():
        client = _adapter(model.api).connect(model, url=model.url(os.environ), key=key, timeout=timeout)
    _keep_secrets_out_of_logs()  # now that the SDK is imported, which takes a level from OPENAI_LOG or ANTHROPIC_LOG
    return client


def checked_key(model: Model) -> str:
    """The model's API key.

    Raises:
        UsageError: If it is missing or malformed; it names the variable.
    """
    key = model.key()
    if key is None:
        raise UsageError(f"model {model.name} needs an API key", remedy=f"set the environment variable {model.key_env}")
    if not key.isascii() or not key.isprintable() or " " in key:
        # Sent as it is, it would fail in the HTTP library with a message that holds the key.
        raise UsageError(f"{model.key_env} does not hold an API key: it has letters that no key has")
    return key


def read_reply(api: str, body: bytes) -> Reply:
    """What *body*, the answer of an endpoint that speaks *api*, says. Pure; imports no SDK.

    Raises:
        CallFailed: Of kind ``malformed`` if the body is not what the API promises; of the kind the body tells if it is
            an error that was sent with status 200.
    """
    return _adapter(api).read_reply(body)


def _adapter(api: str) -> _Adapter:
    return cast("_Adapter", importlib.import_module(_ADAPTERS[api]))


def _keep_secrets_out_of_logs() -> None:
    """Silence messages that hold headers or whole addresses: pytest puts captured logs into reports and files."""
    for name, level in _QUIETEST.items():
        logger = logging.getLogger(name)
        logger.setLevel(max(logger.getEffectiveLevel(), level))
