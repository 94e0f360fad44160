"""What a TSG-Bench row says about itself: its id, and the tags by which reports group it."""

from __future__ import annotations

from proctor import Row


def row_id(row: Row) -> str:
    """The id of a row: scenario, narrative variant and sentence, ``<data_id>-<doc_index>-<text_part_index>``.

    Raises:
        DataError: If one of the three is missing or of another type.
    """
    return f"{row.text('data_id')}-{row.integer('doc_index')}-{row.integer('text_part_index')}"


def origin_tags(row: Row) -> dict[str, str]:
    """The tags ``domain`` and ``scenario``, where the row has them; the official rows do not.

    Raises:
        DataError: If one is there but is not a string.
    """
    return {name: row.text(name) for name in ("domain", "scenario") if name in row.data}
