"""Result files in a benchmark's own format, written beside the report."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from proctor.models.registry import safe_file_name
from proctor.results import MISSING, ResultRow, encoded, read_rows
from proctor.run import Run
from proctor.samples import Sample
from proctor.selection import SelectedTask
from proctor.task import Task

ARTIFACT_FIELDS = (
    *("benchmark", "task", "model", "sample_id", "sample_index", "epoch", "status", "scores"),
    *("prediction", "target", "response_text", "finish_reason", "error"),
)
"""The fields of a row that say what was asked and what came of it; a large run's rows are long enough with these."""


UNANSWERED = {"status": MISSING, "response_text": None, "prediction": None}


def save_artifact(session: pytest.Session, run: Run, selected: SelectedTask) -> tuple[str, ...]:
    """Write a task's result file for one model, if the task has one.

    Args:
        session: pytest's session, which knows how test modules are imported.
        run: The run.
        selected: The task and model.

    Returns:
        What the user should know: that the file was not written, and why.
    """
    if not selected.has_artifact:
        return ()
    data_file = run.root / selected.data_file
    if not data_file.exists() or hashlib.sha256(data_file.read_bytes()).hexdigest() != selected.data_sha256:
        return (f"{selected.data_file} changed during the run: the result file made from it was not written",)
    task = load_task(session, run.root / selected.module, f"{selected.benchmark}/{selected.task}")
    rows = read_rows(run.folder / "results.jsonl", only=ARTIFACT_FIELDS)
    name, content = artifact_file(selected, task, run.samples(task), rows, started=run.description["started"])
    (run.folder / name).write_bytes(content)
    return ()


def artifact_file(
    selected: SelectedTask, task: Task, samples: Iterable[Sample], rows: Iterable[ResultRow], *, started: str
) -> tuple[str, bytes]:
    """A task's result file for one model: its name, and its content.

    Args:
        selected: The task and model.
        task: The task, which must have an artifact.
        samples: The samples of its data file.
        rows: The rows of the run, with `ARTIFACT_FIELDS`.
        started: When the run started, ISO 8601.

    Raises:
        KeyError: If a selected sample is not among *samples*.
    """
    assert task.artifact is not None
    by_id = {sample.id: sample for sample in samples}
    mine = {
        (row["sample_id"], row["epoch"]): row
        for row in rows
        if (row["benchmark"], row["task"], row["model"]) == (selected.benchmark, selected.task, selected.model)
    }
    answered = [
        {
            **UNANSWERED,
            "sample_id": case.sample_id,
            "sample_index": case.sample_index,
            "epoch": case.epoch,
            "target": by_id[case.sample_id].target,
            **mine.pop((case.sample_id, case.epoch), {}),  # popped: a large run's rows are not held twice
            "fields": by_id[case.sample_id].fields,
        }
        for case in selected.cases
    ]
    start = datetime.fromisoformat(started)
    name = task.artifact.file_name(safe_file_name(selected.model), f"{start:%Y%m%d_%H%M%S}")
    content = task.artifact.content(selected.model, f"{start:%Y-%m-%dT%H:%M:%S}", answered)
    return name, encoded(content, indent=2) + b"\n"


def load_task(session: pytest.Session, module: Path, name: str) -> Task:
    """The task of that name, from the test module that defines it, imported as pytest imports it.

    Raises:
        LookupError: If the module no longer defines it.
    """
    collector: Any = pytest.Module.from_parent(session, path=module)
    for value in vars(collector.obj).values():
        if isinstance(value, Task) and value.name == name:
            return value
    raise LookupError(f"{module} defines no task named {name!r}")
