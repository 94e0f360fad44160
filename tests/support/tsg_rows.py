"""Small TSG-Bench rows in the schemas of the official files, for the tests of the four tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proctor import Row, Sample, Task

FILE = Path("rows.jsonl")
LINE = 7

PICK_UP = [["person", "verb", "pick-up"], ["pick-up", "dobj", "mop-stick"], ["pick-up", "with", "hand1"]]
SWEEP = [["person", "verb", "sweep"], ["sweep", "dobj", "floor"], ["sweep", "with", "mop-stick"]]


def sgqa_row(**changes: Any) -> dict[str, Any]:
    """A row with two questions."""
    return {
        "data_id": "d1",
        "doc_index": 2,
        "text_part_index": 9,
        "context_graphs": [PICK_UP, SWEEP],
        "qa_pairs": [{"Q": "What was picked up?", "A": "mop-stick"}, {"Q": "What was swept?", "A": "floor"}],
    } | changes


def sgds_row(**changes: Any) -> dict[str, Any]:
    """A row with five candidates, of which B is right."""
    return {
        "target_sentence": "The floor was swept.",
        "position": 1,
        "variations": ["It was wet.", "The floor was swept.", "The wall was swept.", "Nobody swept.", "It was lost."],
        "triplet": SWEEP,
        "context_graphs": [PICK_UP],
    } | changes


def sgg_row(*graphs: Any, **changes: Any) -> dict[str, Any]:
    """A row with the given gold graphs, else with one."""
    return {
        "data_id": "d1",
        "doc_index": 1,
        "text_part_index": 4,
        "context": "The mop stick stood in a corner.",
        "target_sentence": "It was picked up.",
        "graph_id": [5],
        "is_repeatable": False,
        "graphs": [{"action_id": 5, "triplets": graph, "objects": []} for graph in graphs or [PICK_UP]],
        "verbs": ["pick-up"],
        "mandatory_space": {
            "verb": ["pick-up", "sweep"],
            "relationship": ["dobj", "with", "verb"],
            "object": ["person", "mop-stick", "floor", "hand1", "hand2"],
        },
        "context_graphs": [],
    } | changes


def samples(task: Task, data: dict[str, Any]) -> list[Sample]:
    """The samples of one row, as standing in line 7 of rows.jsonl."""
    return list(task.samples_of(Row(data, FILE, LINE)))
