"""Why a request failed: from an SDK's exception, a status or an error object to a CallFailed that holds no secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proctor._base.http import host_of, redact, retry_after
from proctor.tasks.call import CallFailed

# Words by which providers name a condition that the status alone does not tell.
_NO_CREDIT = re.compile(
    r"insufficient_quota|billing_error|credit balance is too low|insufficient credits", re.IGNORECASE
)
_NO_MODEL = re.compile(r"model_not_found|not a valid model|invalid model name", re.IGNORECASE)

_KIND_OF_NAME = {
    "rate_limit_exceeded": "rate_limit",
    "rate_limit_error": "rate_limit",
    "overloaded_error": "server",
    "api_error": "server",
    "server_error": "server",
    "timeout_error": "timeout",
    "authentication_error": "authentication",
    "permission_error": "authentication",
    "not_found_error": "unknown_model",
    "model_not_found": "unknown_model",
    "invalid_request_error": "rejected",
    "invalid_prompt": "rejected",
    "request_too_large": "rejected",
}


def of_error_object(
    error: object, *, key: str = "", status: int | None = None, wait: float | None = None
) -> CallFailed:
    """The failure that an API's error object tells.

    Args:
        error: The value of the body's ``error``, or the whole body where there is none.
        key: The API key in use.
        status: HTTP status; left out if the error came with status 200, as OpenRouter does: then its code counts.
        wait: Seconds the provider asked to wait.
    """
    fields = error if isinstance(error, Mapping) else {}
    names = [str(fields[name]) for name in ("code", "type") if fields.get(name) not in (None, "")]
    message = fields.get("message")
    text = message if isinstance(message, str) else error if isinstance(error, str) else ""
    code = status if status is not None else next((int(name) for name in names if name.isdecimal()), None)
    kind = _kind(code, names, text, fields)
    said = redact(text, key=key) or redact(" ".join(names), key=key) or "no message"
    param = fields.get("param")
    return CallFailed(
        f"{code}: {said}" if code is not None else said,
        kind=kind,
        retry_after=wait,
        parameter=param if isinstance(param, str) and param else None,
        status=code,
    )


def _kind(code: int | None, names: list[str], text: str, fields: Mapping[str, Any]) -> str:
    told = " ".join((*names, text))
    if code == 402 or _NO_CREDIT.search(told):
        return "quota"
    if code == 403 and isinstance(fields.get("metadata"), Mapping) and "reasons" in fields["metadata"]:
        return "rejected"  # OpenRouter's moderation refuses this prompt, not this account
    if code == 404 or (code in (None, 400) and _NO_MODEL.search(told)):
        return "unknown_model"
    if code is None:
        return next((_KIND_OF_NAME[name] for name in names if name in _KIND_OF_NAME), "server")
    by_code = {401: "authentication", 403: "authentication", 408: "timeout", 409: "server", 429: "rate_limit"}
    return by_code.get(code, "server" if code >= 500 else "rejected")


def of_exception(error: Exception, *, url: str, key: str) -> Exception:
    """The failure that an SDK's exception tells.

    Args:
        error: What the SDK raised. Both SDKs have the same classes, so they are told apart by their attributes.
        url: The endpoint, of which scheme and host are shown.
        key: The API key in use.

    Returns:
        A CallFailed; or, where the exception is none of the provider or the network, that exception itself: a player
        of recordings under the SDK raises its own, which one SDK wraps.
    """
    import httpx2

    response = getattr(error, "response", None)
    if isinstance(response, httpx2.Response):
        return of_error_object(
            _error_of(getattr(error, "body", None)),
            key=key,
            status=response.status_code,
            wait=retry_after(response.headers),
        )
    cause = error if isinstance(error, (httpx2.HTTPError, OSError)) else error.__cause__ or error
    if isinstance(cause, CallFailed):  # of our own HTTP client
        return cause
    if isinstance(cause, httpx2.TimeoutException):
        kind = "timeout" if isinstance(cause, httpx2.ReadTimeout) else "connection"  # which has not sent all of it
        return CallFailed(f"no answer from {host_of(url)} in time ({type(cause).__name__})", kind=kind)
    if isinstance(cause, httpx2.TooManyRedirects):  # the next request would go the same way
        return CallFailed(f"{host_of(url)} redirects to itself without end", kind="rejected")
    if isinstance(cause, httpx2.DecodingError):
        return CallFailed(f"malformed answer: {redact(str(cause), key=key)}", kind="malformed")
    if isinstance(cause, (httpx2.HTTPError, OSError)):
        said = redact(str(cause), key=key) or type(cause).__name__
        kind = "unreachable" if isinstance(cause, httpx2.ConnectError) else "connection"
        return CallFailed(f"no connection to {host_of(url)}: {said}", kind=kind)
    if isinstance(cause, UnicodeEncodeError):
        return CallFailed("the request holds lone surrogates, which no text may", kind="rejected")
    return cause if isinstance(cause, Exception) else error


def _error_of(body: object) -> object:
    """The innermost error object: one SDK hands over the whole body, the other its ``error``."""
    inner = body.get("error") if isinstance(body, Mapping) else None
    return body if inner is None else inner
