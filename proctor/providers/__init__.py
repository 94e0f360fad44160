"""Clients of the providers' APIs: through their official SDKs, but for OpenAI's APIs that take JSON and answer in it.

An SDK is imported when the first client of its kind is made; reading a reply needs none.
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, cast

from proctor._base.errors import UsageError
from proctor._base.garbage import many_objects_that_stay
from proctor._base.json_values import Json
from proctor.providers.connection import Client
from proctor.providers.patience import Patience
from proctor.tasks.call import Call, Reply

if TYPE_CHECKING:
    from proctor.models.registry import Model

__all__ = ["Client", "connect", "read_reply", "request_body"]

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


class _Adapter(Protocol):
    def connect(self, model: Model, *, url: str, key: str, patience: Patience) -> Client: ...

    def body(self, call: Call, model: Model) -> Mapping[str, Json]: ...

    def read_reply(self, body: bytes) -> Reply: ...


def connect(
    model: Model, *, timeout: float, silence: float | None = None, given_up: threading.Event | None = None
) -> Client:
    """Make a client for *model*; this imports what it needs and takes up to a second the first time.

    Args:
        model: The model.
        timeout: Seconds from a request to the last byte of its answer, after which a call has failed.
        silence: Seconds without a byte from the provider after which it has failed; *timeout* by default.
        given_up: Once it is set, no answer is waited for any more.

    Raises:
        UsageError: If the API key is missing or malformed; it names the variable.
    """
    key = checked_key(model)
    patience = Patience(timeout, timeout if silence is None else silence, given_up=given_up or threading.Event())
    with many_objects_that_stay():
        adapter, urls = _adapter(model.api), model.urls(os.environ)
        clients: dict[str, Client] = {url: adapter.connect(model, url=url, key=key, patience=patience) for url in urls}
    _keep_secrets_out_of_logs()  # now that the SDK is imported, which takes a level from OPENAI_LOG or ANTHROPIC_LOG
    if len(clients) == 1:
        return clients[urls[0]]
    from proctor.providers.several_endpoints import SeveralEndpoints

    return SeveralEndpoints(clients)


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


def request_body(call: Call, model: Model) -> Mapping[str, Json]:
    """The JSON that is sent for a call, to an API that takes JSON. Pure; imports no SDK.

    Raises:
        CallFailed: If no request can be made of the call.
        DataError: For a medium that cannot be shown.
    """
    return _adapter(model.api).body(call, model)


def _adapter(api: str) -> _Adapter:
    return cast("_Adapter", importlib.import_module(_ADAPTERS[api]))


def _keep_secrets_out_of_logs() -> None:
    """Silence messages that hold headers or whole addresses: pytest puts captured logs into reports and files."""
    for name, level in _QUIETEST.items():
        logger = logging.getLogger(name)
        logger.setLevel(max(logger.getEffectiveLevel(), level))
