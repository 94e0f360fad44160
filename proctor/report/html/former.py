"""The former answers of cases that flipped against a gate's baseline, for the page of the run that is judged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from proctor._base.errors import UsageError
from proctor.report.html.blocks import Blocks
from proctor.report.html.flips import answers_of, shown_answers, shown_prompt
from proctor.results.identity import TaskModel
from proctor.results.manifest import FILE_NAME
from proctor.results.prompts import SavedPrompts
from proctor.results.saved_run import SavedRun

ROOM = 2_000_000
"""Bytes of a page for former answers."""


def write_former(
    page: BinaryIO, gate: Mapping[str, Any] | None, reports: Path, baseline: SavedRun | None
) -> dict[str, Any] | None:
    """Write the former answers into a page.

    Args:
        page: The page.
        gate: What came of the gate, as report.json holds it; ``None`` without one.
        reports: Where the baseline is looked for if it is not given: below this, under its id.
        baseline: The run that the gate compared with, if it is at hand.

    Returns:
        What the page finds them by: for each comparison the numbers of its samples, and where each block ``starts``;
        ``None`` where there is no baseline, or it cannot be read any more.
    """
    if gate is None or gate["baseline"] is None or not gate["against_baseline"]:
        return None
    try:
        if baseline is None:
            name = str(gate["baseline"])
            if Path(name).name != name or not (reports / name / FILE_NAME).is_file():
                return None
            baseline = SavedRun.load(reports / name)
        return _written(page, gate["against_baseline"], baseline)
    except UsageError:  # a line of the baseline, which may have changed since
        return None


def _written(page: BinaryIO, parts: list[Mapping[str, Any]], baseline: SavedRun) -> dict[str, Any]:
    names = [TaskModel(part["benchmark"], part["task"], part["a"]["model"]) for part in parts]
    wanted: dict[TaskModel, set[str]] = {}
    for name, part in zip(names, parts, strict=True):
        wanted.setdefault(name, set()).update(part["lost"], part["won"])
    answers = answers_of(baseline, wanted)
    prompts = SavedPrompts([baseline.folder])
    blocks = Blocks("former", page, ROOM)
    numbers: list[dict[str, int | None]] = []
    for name, part in zip(names, parts, strict=True):
        numbers.append({})
        for sample in (*part["lost"], *part["won"]):
            rows = answers.get((name, sample), [])
            record = {
                "answers": shown_answers(rows, part["metric"]),
                "prompt": shown_prompt(prompts, name.name, rows),
            }
            numbers[-1][sample] = blocks.add(record)
    blocks.flush()
    return {"numbers": numbers, "starts": blocks.starts}
