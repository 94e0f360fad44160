"""What must never stand in a recording: keys, tokens, cookies, and headers that say who asked.

Recordings are made without any of it; this is the check of those that come from elsewhere, and of our own work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.recordings.recorder import KEPT_REQUEST_HEADERS, KEPT_RESPONSE_HEADERS
from proctor.recordings.secrets import Secrets

SHORTEST_KEY = 16
"""A shorter value of a key variable, such as ``anything`` for a local server, may be a word of any text."""


class Detector:
    """Finds secrets in the lines of a cassette.

    Args:
        values: Secrets by what they are called in messages, such as the variable that holds them.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self._secrets = Secrets(values, shortest=SHORTEST_KEY)

    def lines_with_secrets(self, content: bytes) -> dict[int, str]:
        """The number of each line that holds a secret, with what kind it is."""
        found: dict[int, str] = {}
        for before, kind in self._secrets.found(content):
            found.setdefault(before + 1, kind)
        return found

    def split_over(self, line: bytes) -> bool:
        """Whether several texts of a line hold a secret together."""
        return self._secrets.split_over(line)


def foreign_header(interaction: Mapping[str, Any]) -> str | None:
    """The first header of an interaction that recordings do not keep."""
    for half, kept in (("request", KEPT_REQUEST_HEADERS), ("response", KEPT_RESPONSE_HEADERS)):
        for name in interaction[half]["headers"]:
            if name.lower() not in kept:
                return f"the {half} header {name.lower()}"
    return None
