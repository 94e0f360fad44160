"""Tables of text: words begin on the left, numbers end on the right, and no line ends in blanks."""

from __future__ import annotations

from proctor._base.text_table import aligned


def test_columns_are_as_wide_as_their_longest_cell() -> None:
    rows = [("task", "n", "verdict"), ("tsg/sgqa", "1,000", "better"), ("b/c", "7", "")]
    assert aligned(rows, words=(0, 2)) == [
        "task          n  verdict",
        "tsg/sgqa  1,000  better",
        "b/c           7",
    ]


def test_a_head_alone_is_a_table() -> None:
    assert aligned([("task", "n")], words=(0,)) == ["task  n"]
