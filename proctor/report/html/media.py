"""The pictures, clips and sounds of a page: a small picture of each, once, as far as there is room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO

from proctor._base.errors import DataError
from proctor.media.medium import Media
from proctor.report.html.blocks import Blocks
from proctor.report.html.thumbnails import thumbnail

NO_ROOM = "not in this page, which was cut to a size that browsers open"


class PageMedia:
    """Writes what a page shows of media into it.

    Args:
        page: The page.
        limit: Bytes of the page that this may take; what comes later is left out.
    """

    def __init__(self, page: BinaryIO, limit: int) -> None:
        self._blocks = Blocks("media", page, limit)
        self._numbers: dict[tuple[str, str], int | None] = {}
        self.flush: Callable[[], None] = self._blocks.flush

    @property
    def starts(self) -> list[int]:
        """The number of each block's first record."""
        return self._blocks.starts

    @property
    def left_out(self) -> int:
        """How many media there was no room for."""
        return sum(number is None for number in self._numbers.values())

    def reference(self, medium: Media) -> dict[str, Any]:
        """What stands for a medium in a prompt or an answer.

        Returns:
            ``kind``, the file's ``name`` alone, its hash ``sha256``, and the ``number`` of the record that shows it. In
            the place of a number stands a ``note`` that says why there is none.
        """
        known: dict[str, Any] = {"kind": medium.kind, "name": medium.file.name}
        try:
            known["sha256"] = medium.sha256
        except (OSError, DataError):
            return {**known, "sha256": None, "note": "the file cannot be read"}
        name = (medium.kind, medium.sha256)
        if name not in self._numbers:
            self._numbers[name] = None if self._blocks.full else self._blocks.add(thumbnail(medium))
        number = self._numbers[name]
        return {**known, "note": NO_ROOM} if number is None else {**known, "number": number}
