"""The tap at the HTTP layer: vcrpy sees every exchange, and the call that caused it keeps it.

vcrpy is entered once per process, before any thread starts, since its patching is not safe with one cassette per
thread. Which call an exchange belongs to is known from a context variable of the thread that makes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from proctor._base.garbage import many_objects_that_stay
from proctor._base.http import redact, without_account
from proctor.media.generated import form_fields, without_media, without_pictures
from proctor.recordings.recording import compact
from proctor.recordings.secrets import Secrets

KEPT_REQUEST_HEADERS: frozenset[str] = frozenset()
KEPT_RESPONSE_HEADERS = frozenset({"content-type"})
"""All that is ever kept of headers: everything else may carry a key, a cookie or an account, or says nothing."""


class Exchange:
    """The last HTTP exchange that a call made; earlier ones were retries and leave no trace."""

    def __init__(self) -> None:
        self._seen: tuple[Mapping[str, Any], Mapping[str, Any], bool] | None = None

    def take(self, request: Mapping[str, Any], response: Mapping[str, Any], *, whole_prompts: bool) -> None:
        """Keep a request, and all of its answer but the body: that is had unpacked, and checked, elsewhere.

        Args:
            request: As vcrpy writes it.
            response: As vcrpy writes it.
            whole_prompts: Whether the request's body is to be recorded.
        """
        self._seen = (request, {"status": response["status"], "headers": response["headers"]}, whole_prompts)

    def interaction(self, body: bytes, secrets: Secrets) -> dict[str, Any] | None:
        """The exchange as vcrpy writes it, cleaned; ``None`` if nothing listened.

        Args:
            body: The body of the answer, unpacked, from which secrets are removed.
            secrets: What is removed elsewhere: a server may echo one in a header, a prompt may hold one.
        """
        if self._seen is None:
            return None
        request, response, whole_prompts = self._seen
        return cleaned(request, response, body, secrets, whole_prompts=whole_prompts)


_current: ContextVar[Exchange | None] = ContextVar("proctor_exchange", default=None)


@contextmanager
def capture() -> Iterator[Exchange]:
    """Keep the HTTP exchange made by this thread inside the ``with`` block."""
    exchange = Exchange()
    token = _current.set(exchange)
    try:
        yield exchange
    finally:
        _current.reset(token)


@contextmanager
def listening(*, whole_prompts: bool) -> Iterator[None]:
    """Patch the HTTP libraries, through vcrpy, so that `capture` sees what passes.

    Args:
        whole_prompts: Keep request bodies too, not only the hash that the recording's origin holds.
    """
    with many_objects_that_stay():
        from vcr.cassette import Cassette

    class Tap(Cassette):  # type: ignore[misc]  # vcrpy ships no types
        """A vcrpy cassette that plays nothing, stores nothing, and hands each exchange to its call."""

        def _load(self) -> None: ...

        def _save(self, force: bool = False) -> None: ...

        def can_play_response_for(self, request: Any) -> bool:  # noqa: ARG002  # vcrpy's signature
            return False

        def append(self, request: Any, response: Any) -> None:
            exchange = _current.get()
            if exchange is not None:
                exchange.take(request._to_dict(), response, whole_prompts=whole_prompts)

    from proctor.providers.http_client import listened_to

    with Tap.use(path="proctor", record_mode="all"), listened_to():
        yield


def cleaned(
    request: Mapping[str, Any], response: Mapping[str, Any], body: bytes, secrets: Secrets, *, whole_prompts: bool
) -> dict[str, Any]:
    """An interaction without anything that identifies or authorises who recorded it.

    Args:
        request: The request as vcrpy writes it.
        response: Status and headers of the answer, as vcrpy writes them.
        body: Its body, from which secrets are removed.
        secrets: What is removed elsewhere.
        whole_prompts: Whether to keep the request's body.
    """
    clean = secrets.removed_from_text
    answer = body.decode("utf-8", "surrogateescape")
    prompt = _prompt(request) if whole_prompts else None
    status, headers = response["status"], _kept(response["headers"], KEPT_RESPONSE_HEADERS)
    return {
        "request": {
            "method": request["method"],
            "uri": clean(without_account(request["uri"])),
            "body": prompt and clean(prompt),
            "headers": _kept(request["headers"], KEPT_REQUEST_HEADERS),
        },
        "response": {
            "status": {"code": status["code"], "message": clean(str(status["message"] or ""))},
            "headers": {name: [clean(value) for value in values] for name, values in headers.items()},
            "body": {"string": compact(without_pictures(answer if _succeeded(response) else _error(answer)))},
        },
    }


def _prompt(request: Mapping[str, Any]) -> str | None:
    """The request's body; a hash stands for each medium in it."""
    body = request["body"]
    kind = next((value for name, value in request["headers"].items() if name.lower() == "content-type"), "")
    kind = kind if isinstance(kind, str) else str(kind[0])
    if kind.startswith("multipart/form-data"):
        return form_fields(kind, body if isinstance(body, bytes) else b"".join(body or ()))
    text = body.decode("utf-8", "surrogateescape") if isinstance(body, bytes) else body
    return without_media(text) if isinstance(text, str) else None


def _succeeded(response: Mapping[str, Any]) -> bool:
    return int(response["status"]["code"]) < 400


def _error(answer: str) -> str:
    """An error that is an answer too, such as a picture that is not drawn: without the ids that its text may quote."""
    try:
        error = json.loads(answer)["error"]
        kept = {name: redact(str(error[name])) for name in ("code", "type", "message") if error.get(name)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return answer
    return json.dumps({"error": kept}, ensure_ascii=False)


def interaction_of(uri: str, prompt: str | None, body: bytes, secrets: Secrets) -> dict[str, Any]:
    """What an exchange of a request and its answer would have left, for an answer that came in another way.

    Args:
        uri: Where the request would have gone.
        prompt: The request, if it is to be kept.
        body: The answer's body, from which secrets are removed.
        secrets: What is removed elsewhere.
    """
    request: dict[str, Any] = {"method": "POST", "uri": uri, "body": prompt, "headers": {}}
    response = {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": "application/json"}}
    return cleaned(request, response, body, secrets, whole_prompts=prompt is not None)


def _kept(headers: Mapping[str, Any], allowed: frozenset[str]) -> dict[str, list[str]]:
    """The headers of the allow-list, names in lower case, each with a list of values as vcrpy writes them."""
    return {
        name.lower(): [value] if isinstance(value, str) else [str(part) for part in value]
        for name, value in headers.items()
        if name.lower() in allowed
    }
