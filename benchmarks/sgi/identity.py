"""What an SGI-Bench row says about itself."""

from __future__ import annotations

from proctor import Row


def row_idx(row: Row) -> str:
    """The row's own id, ``idx``: a string, or an integer.

    Raises:
        DataError: If it is missing, empty or of another type.
    """
    idx = row.data.get("idx")
    if isinstance(idx, int) and not isinstance(idx, bool):
        return str(idx)
    text = row.text("idx")
    if not text.strip():
        raise row.error("idx", "must not be empty", value=text)
    return text
