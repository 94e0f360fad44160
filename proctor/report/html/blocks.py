"""JSON embedded in a page, compressed: small records in blocks that a browser unpacks when it needs one."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any, BinaryIO

from proctor._base.json_values import encoded

BLOCK_SIZE = 400_000
"""Bytes of JSON in a block: one is unpacked in about 10 ms, and a page of 2,791 cases and three models has about 60."""

USUAL_PACKING = 0.45
"""Bytes of a page for a byte of JSON, before any is packed."""


def packed(content: bytes) -> bytes:
    """Bytes as a page embeds them: deflated, and as base64, in which no character means anything to HTML."""
    return base64.b64encode(zlib.compress(content, 6))


def element(kind: str, content: bytes) -> bytes:
    """The script element, which no browser runs, that holds embedded JSON.

    Args:
        kind: What scripts find it by.
        content: The JSON, not yet packed.
    """
    return b'<script type="text/plain" data-block="%s">%s</script>\n' % (kind.encode(), packed(content))


class Blocks:
    """Writes records of one kind into a page as they come, so that no more than a block of them is in memory.

    Args:
        kind: The kind, by which the page's script finds them.
        page: The page.
        limit: Bytes of the page that these records may take; those that come later are left out.
    """

    def __init__(self, kind: str, page: BinaryIO, limit: int) -> None:
        self._kind = kind
        self._page = page
        self._left = limit
        self._waiting: list[bytes] = []
        self._size = 0
        self._count = 0
        self.starts: list[int] = []
        self._packed, self._raw = 0, 0

    def room(self, line: bytes) -> float:
        """Bytes of the page that a record in JSON takes, by how well those before it could be packed."""
        return len(line) * (self._packed / self._raw if self._raw else USUAL_PACKING)

    @property
    def full(self) -> bool:
        """Whether records are left out from now on."""
        return self._left <= 0

    def add(self, record: Mapping[str, Any]) -> int | None:
        """Add a record, and return its number, from 0; ``None`` if it is left out."""
        return None if self.full else self.add_line(encoded(record))

    def add_line(self, line: bytes) -> int | None:
        """The same for a record in JSON."""
        if self.full:
            return None
        self._waiting.append(line)
        self._size += len(line)
        self._count += 1
        if self._size >= BLOCK_SIZE:
            self.flush()
        return self._count - 1

    def flush(self) -> None:
        """Write the records that wait; `starts` then has the number of each block's first record."""
        if self._waiting:
            block = element(self._kind, b"[" + b",".join(self._waiting) + b"]")
            self._page.write(block)
            self._left -= len(block)
            self._packed, self._raw = self._packed + len(block), self._raw + self._size
            self.starts.append(self._count - len(self._waiting))
            self._waiting, self._size = [], 0
