"""Why a request failed: from an SDK's exception, a status or an error object to a CallFailed that holds no secret."""

from __future__ import annotations

import email.utils
import math
import re
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from proctor.calls import CallFailed

LONGEST_MESSAGE = 500
HIDDEN = "[hidden]"

_SECRETS = re.compile(
    r"""
      \b(?:sk|pk|rk|key)-[\w*-]{4,}[\w*.-]*   # keys, also the half-masked ones that error messages quote
    | \b(?:org|proj|user|acct|acc|account|wrkspc|workspace|team
        |req|request|gen|chatcmpl|msg|resp)[-_](?=[\w-]*\d)[\w-]{6,}
    | \b(?:Bearer|Basic)\s+[\w.~+/=-]+
    | \b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b   # UUIDs: Anthropic's organisations
    | [\w.+-]+@[\w-]+\.[\w.-]+
    | (?<=://)[^\s/@]+@
    | \b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]{32,}\b
    """,
    re.VERBOSE | re.IGNORECASE,
)

# Words by which providers name a condition that the status alone does not tell.
_NO_CREDIT = re.compile(
    r"insufficient_quota|billing_error|credit balance is too low|insufficient credits", re.IGNORECASE
)
_NO_MODEL = re.compile(r"model_not_found|not a valid model", re.IGNORECASE)

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


def redact(text: str, *, key: str = "") -> str:
    """*text* on one line, shortened, without what a terminal would obey or what looks like a key or an account.

    Args:
        text: A message from outside.
        key: The API key in use, hidden wherever it stands.
    """
    text = " ".join(text.split())
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    if key:
        text = text.replace(key, HIDDEN)
    text = _SECRETS.sub(HIDDEN, text[: 4 * LONGEST_MESSAGE])
    return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE - 1]}…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait that a response asks for: ``retry-after-ms``, or ``retry-after`` as seconds or as a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


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
    return CallFailed(f"{code}: {said}" if code is not None else said, kind=kind, retry_after=wait)


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
    if isinstance(cause, httpx2.TimeoutException):
        return CallFailed(f"no answer from {_host(url)} in time ({type(cause).__name__})", kind="timeout")
    if isinstance(cause, (httpx2.DecodingError, httpx2.TooManyRedirects)):
        return CallFailed(f"malformed answer: {redact(str(cause), key=key)}", kind="malformed")
    if isinstance(cause, (httpx2.HTTPError, OSError)):
        said = redact(str(cause), key=key) or type(cause).__name__
        return CallFailed(f"no connection to {_host(url)}: {said}", kind="connection")
    if isinstance(cause, UnicodeEncodeError):
        return CallFailed("the request holds lone surrogates, which no text may", kind="rejected")
    return cause if isinstance(cause, Exception) else error


def _error_of(body: object) -> object:
    """The innermost error object: one SDK hands over the whole body, the other its ``error``."""
    inner = body.get("error") if isinstance(body, Mapping) else None
    return body if inner is None else inner


def _host(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
