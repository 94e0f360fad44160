"""What a TSG-Bench row says about itself: its id, and the tags by which reports group it."""

from __future__ import annotations

from proctor import Row


def row_id(row: Row) -> str:
    """The id of a row: scenario, narrative variant and sentence, ``<data_id>-<doc_index>-<text_part_index>``.

    Nothing is asked or graded with it, so that the row's content does where one of the three is missing.
    """
    return row.identify("data_id", "doc_index", "text_part_index")


def origin_tags(row: Row) -> dict[str, str]:
    """The tags ``domain`` and ``scenario``, where the row has them; the official rows do not."""
    return row.labels("domain", "scenario")
