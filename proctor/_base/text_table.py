"""Tables of text for terminals."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def aligned(rows: Sequence[Sequence[str]], *, words: Collection[int]) -> list[str]:
    """Rows as lines, whose columns stand two blanks apart; no line ends in blanks.

    Args:
        rows: Their cells, the head's first; each row has as many.
        words: The columns, from 0, that begin on the left; numbers end on the right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column in words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
