"""Small SGI-Bench rows in the official schemas, for the tests of the tasks that are not run as programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proctor import Row, Sample, Task

FILE = Path("rows.jsonl")
LINE = 7

PROTOCOL = """\
cells = <Spin down>(
    sample="culture",
    time="3 min"
)
lysate = <Lyse>(
    sample=cells,
    buffer="P2"
)
dna = <Elute>(
    sample=lysate
)"""


def deep_research_row(**changes: Any) -> dict[str, Any]:
    """A question with a number for an answer."""
    return {
        "idx": "dr-1",
        "question": "A bucket takes 12 L, and 0.05 L/s run into it. After how many minutes is it full?",
        "steps": ["12 / 0.05 = 240 s.", "240 / 60 = 4 min."],
        "answer": "4",
        "discipline": "physics",
        "type": "properties",
    } | changes


def wet_experiment_row(**changes: Any) -> dict[str, Any]:
    """A protocol of three steps."""
    return {"question": "Isolate the DNA.", "answer": PROTOCOL, "discipline": "life"} | changes


def idea_generation_row(**changes: Any) -> dict[str, Any]:
    """A task with a reference idea of three steps."""
    return {
        "question": "Make tea stay warm.",
        "core_idea": "A cup with a wall of wax. The wax melts at 60 degrees and keeps the tea there.",
        "related_work": "{'Jug': 'A jug with a cosy.', 'Flask': 'A flask with a vacuum.'}",
        "existing_solutions": "{'Plate': 'A heated plate.'}",
        "challenge": "Tea cools.",
        "limitation": "Plates need a socket.",
        "motivation": "Warm tea.",
        "task_objective": "Keep tea at 60 degrees.",
        "keywords": ["wax", "latent heat"],
        "implementation_steps": "{'1': 'Melt wax', '2': 'Fill the wall', '3': 'Measure the tea'}",
        "implementation_order": "['1-2', '2-3']",
        "evaluation_metrics": "{'Time': 'Minutes above 55 degrees'}",
        "data": "Ten cups.",
        "expected_outcome": "An hour.",
        "related_work_test": "{'Mug': 'A mug with a battery.'}",
        "discipline": "energy",
    } | changes


def sample(task: Task, data: dict[str, Any]) -> Sample:
    """The sample of a row, as standing in line 7 of rows.jsonl."""
    (only,) = task.samples_of(Row(data, FILE, LINE))
    return only
