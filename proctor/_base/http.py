"""Odds and ends of HTTP: addresses and texts without secrets, and how long a server asks to wait."""

from __future__ import annotations

import email.utils
import math
import random
import re
import time
from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit, urlunsplit

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

SHORTEST_SECRET, LONGEST_WORD = 8, 15
_BEFORE_A_KEY = (
    r"(?i:(?:bearer|basic|authorization|(?:api|access|auth|secret|virtual|invalid|incorrect|wrong)[-_ ]?(?:key|token))"
    r"(?:\W{1,4}(?:provided|given|passed|received|is|was))?\W{1,8})"
)

LONGEST_BACKOFF = 120.0
"""Seconds. Nothing is held for longer, whatever a server asks."""

FIRST_DELAY = 0.5
LONGEST_DELAY = 60.0
"""Seconds between two attempts where the server does not say."""


def without_account(uri: str) -> str:
    """An address without what may say who asks: user, password and query."""
    parts = urlsplit(uri)
    host = parts.hostname or ""
    address = f"{host}:{parts.port}" if parts.port else host
    return urlunsplit((parts.scheme, address, parts.path, "", ""))


def host_of(url: str) -> str:
    """Scheme, host and port of an address, without user and password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def is_placeholder(key: str) -> bool:
    """Whether a key may be a word of any text, as ``x``, ``abc``, ``anything`` or ``lm-studio`` for a local server.

    Such a one is hidden only where it stands as a key; see `as_a_key`. Any other is hidden wherever it stands.
    """
    plain = key.replace("-", "").replace("_", "").isalpha()
    return len(key) < SHORTEST_SECRET or (len(key) <= LONGEST_WORD and plain)


@cache
def as_a_key(key: str) -> re.Pattern[str]:
    """Where a short key stands as one: right behind ``Bearer``, ``api_key`` and the like, which is the first group."""
    return re.compile(rf"({_BEFORE_A_KEY}){re.escape(key)}(?!\w)")


def redact(text: str, *, key: str = "") -> str:
    """*text* on one line, shortened, without what a terminal would obey or what looks like a key or an account.

    Args:
        text: A message from outside.
        key: The API key in use, hidden wherever it stands; a short one only where it stands as a key.
    """
    text = " ".join(text.split())
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    if key:
        text = as_a_key(key).sub(rf"\1{HIDDEN}", text) if is_placeholder(key) else text.replace(key, HIDDEN)
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


def delay_before_retry(attempt: int, retry_after: float | None) -> float:
    """Seconds to wait after failed attempt number *attempt*: what the provider asked, else exponential with jitter."""
    if retry_after is not None:
        return min(retry_after, LONGEST_BACKOFF)
    return min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** (attempt - 1)) * random.uniform(0.75, 1.25)
