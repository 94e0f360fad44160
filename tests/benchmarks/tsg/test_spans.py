"""Where in a response the strict family's prediction stands: what a report marks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tsg_rows import samples, sgds_row, sgg_row, sgqa_row

from benchmarks.tsg.scene_graph import parse_graphs
from benchmarks.tsg.test_ma_sgg import TASK as MA_SGG
from benchmarks.tsg.test_sa_sgg import TASK as SA_SGG
from benchmarks.tsg.test_sgds import TASK as SGDS
from benchmarks.tsg.test_sgqa import TASK as SGQA
from proctor import Task

PIECES = st.sampled_from(["[", "]", "[mop stick]", " ", "\n", "\t", "A", "b", "[B]", "->", "a -> b -> c", "😀", "# 1"])
RESPONSES = st.lists(PIECES, max_size=12).map("".join)


def marked(task: Task, row: dict[str, Any], response: str) -> tuple[Any, list[str]]:
    """The prediction, and the parts of the response that it was read from."""
    found = task.scored(samples(task, row)[0], response, None)
    return found.prediction, [response[start:end] for start, end in found.spans]


@pytest.mark.parametrize(
    ("task", "row", "response", "parts"),
    [
        (SGQA, sgqa_row(), "First [wall], no: [ floor ].", [" floor "]),
        (SGQA, sgqa_row(), "floor", []),
        (SGDS, sgds_row(), "[A] or, rather, [B]", ["B"]),
        (SGDS, sgds_row(), " B\n", ["B"]),
        (SGDS, sgds_row(), "A good one is B", []),
        (
            SA_SGG,
            sgg_row(),
            "Here:\na -> b -> c\nd->e->f\n\nDone.\ng -> h -> i",
            ["a -> b -> c\nd->e->f", "g -> h -> i"],
        ),
        (MA_SGG, sgg_row(), "a -> b\n\n", []),
    ],
)
def test_the_parts_that_were_read_are_told(task: Task, row: dict[str, Any], response: str, parts: list[str]) -> None:
    assert marked(task, row, response)[1] == parts


@given(RESPONSES)
def test_one_part_holds_the_word_or_letter(response: str) -> None:
    for task, row in ((SGQA, sgqa_row()), (SGDS, sgds_row())):
        prediction, parts = marked(task, row, response)
        assert [part.strip() for part in parts] == ([] if prediction is None else [prediction])


@given(RESPONSES)
def test_the_parts_hold_all_triplets_and_no_other_line(response: str) -> None:
    graphs, parts = marked(MA_SGG, sgg_row(), response)
    read_alone = [triplet for part in parts for graph in parse_graphs(part) for triplet in graph]
    assert read_alone == [triplet for graph in graphs for triplet in graph]
    assert sum(len(part.split("\n")) for part in parts) == len(read_alone)
