"""What must never stand in a recording: keys, tokens, cookies, and headers that say who asked.

Recordings are made without any of it; this is the check of those that come from elsewhere, and of our own work.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from proctor.recordings.recorder import KEPT_REQUEST_HEADERS, KEPT_RESPONSE_HEADERS

SHORTEST_KEY = 16
"""A shorter value of a key variable, such as ``anything`` for a local server, may be a word of any text."""


def _word(start: bytes, rest: bytes) -> tuple[bytes, bytes]:
    """A shape that is not inside a longer word, though it may follow the n of an escaped line break."""
    return start, rb"(?:(?<![A-Za-z0-9_+/=-]%b)|(?<=\\[nrt]%b))" % (start, start) + rest


SHAPES: Sequence[tuple[str, bytes, bytes]] = (
    (
        "an API key",
        *_word(rb"sk-", rb"(?:(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{20}|[A-Za-z0-9]{32})[A-Za-z0-9_-]*"),
    ),
    ("an API key", *_word(rb"AIza", rb"[A-Za-z0-9_-]{35}")),
    ("an API key", *_word(rb"hf_", rb"[A-Za-z0-9]{30,}")),
    ("an API key", *_word(rb"gsk_", rb"[A-Za-z0-9]{40,}")),
    ("an API key", *_word(rb"xai-", rb"[A-Za-z0-9]{40,}")),
    # At least one digit: "bearer authentication/authorization" is prose.
    ("a bearer token", rb"earer ", rb"(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{20,}=*"),
    ("a cookie header", rb"ookie: ", rb"[A-Za-z0-9_.-]+=[^\s;\"\\]{8,}"),
)
"""What it is, the literal it begins with, and the pattern of the rest.

They are few and precise, since a model may write about keys.
"""


class Detector:
    """Finds secrets in the lines of a cassette.

    Args:
        values: Secrets by what they are called in messages, such as the variable that holds them.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        known = (
            (f"the value of {name}", value.encode(), b"")
            for name, value in values.items()
            if len(value) >= SHORTEST_KEY
        )
        self._shapes = [(kind, start, re.compile(re.escape(start) + rest)) for kind, start, rest in (*known, *SHAPES)]

    def lines_with_secrets(self, content: bytes) -> dict[int, str]:
        """The number of each line that holds a secret, with what kind it is."""
        found: dict[int, str] = {}
        for kind, start, pattern in self._shapes:
            if start in content:  # ten times as fast as the pattern, and rarely true
                for match in pattern.finditer(content):
                    found.setdefault(content.count(b"\n", 0, match.start()) + 1, kind)
        return found


def foreign_header(interaction: Mapping[str, Any]) -> str | None:
    """The first header of an interaction that recordings do not keep."""
    for half, kept in (("request", KEPT_REQUEST_HEADERS), ("response", KEPT_RESPONSE_HEADERS)):
        for name in interaction[half]["headers"]:
            if name.lower() not in kept:
                return f"the {half} header {name.lower()}"
    return None
