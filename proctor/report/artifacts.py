"""Files in benchmarks' own formats, written beside the report; and the rows that tasks make them from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from proctor.data_sets import DataChanged
from proctor.errors import DataError
from proctor.results import MISSING, ResultRow, encoded, read_rows
from proctor.run import Run
from proctor.samples import Sample
from proctor.selection import SelectedTask, Selection
from proctor.task import ArtifactRow, Task

ARTIFACT_FIELDS = (
    *("benchmark", "task", "model", "sample_id", "sample_index", "epoch", "tags", "status", "scores", "diagnostics"),
    *("evidence", "judging", "prediction", "target", "response_text", "finish_reason", "source", "error"),
)
"""The fields of a row that say what was asked and what came of it; a large run's rows are long enough with these."""

UNANSWERED: Mapping[str, Any] = {
    "status": MISSING,
    **dict.fromkeys(("evidence", "prediction", "response_text", "finish_reason", "source", "error")),
    **{name: {} for name in ("scores", "diagnostics", "judging")},
}

SamplesOf = Callable[[SelectedTask, Task], Sequence[Sample]]
"""The samples of what a task was run on; raises `proctor.data_sets.DataChanged` or `DataError`."""


def save_artifacts(session: pytest.Session, run: Run, selection: Selection) -> list[str]:
    """Write the files that tasks give in their benchmarks' own formats, but for those on request.

    Args:
        session: pytest's session, which knows how test modules are imported.
        run: The run.
        selection: What it selected.

    Returns:
        What the user should know: which files were not written, and why.
    """
    notes = []
    for group in by_task(selection):
        task = load_task(session, run.root / group[0].module, f"{group[0].benchmark}/{group[0].task}")
        rows = read_rows(run.folder / "results.jsonl", only=ARTIFACT_FIELDS)
        try:
            for path, content in artifact_files(
                task, group, run.data.samples_of_run, rows, started=run.description["started"]
            ):
                write_artifact(run.folder / path, content)
        except (DataChanged, DataError, KeyError) as problem:
            notes.append(f"{task.name}: files made from its data were not written: {problem}")
    return notes


def by_task(selection: Selection) -> list[list[SelectedTask]]:
    """The models of each task that makes something of its rows."""
    groups: dict[tuple[str, str], list[SelectedTask]] = {}
    for selected in selection.tasks:
        if selected.has_artifact:
            groups.setdefault((selected.benchmark, selected.task), []).append(selected)
    return list(groups.values())


def artifact_files(
    task: Task,
    group: Sequence[SelectedTask],
    samples_of: SamplesOf,
    rows: Iterable[ResultRow],
    *,
    started: str,
    on_request: bool = False,
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files of a task, and what is in them.

    Args:
        task: The task.
        group: What was selected of it, by model.
        samples_of: Gives the samples.
        rows: The rows of the run, with `ARTIFACT_FIELDS`.
        started: When the run started, ISO 8601.
        on_request: Whether those on request are wanted too.

    Raises:
        KeyError: If a selected sample is not in the data.
        ValueError: If a file would not be in the folder.
    """
    wanted = [artifact for artifact in task.artifacts if on_request or not artifact.on_request]
    if not wanted:
        return
    by_model = rows_by_model(task, group, samples_of, rows)
    for artifact in wanted:
        for name, content in artifact.files(datetime.fromisoformat(started), by_model).items():
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or "\\" in name:
                raise ValueError(f"{task.name}: {name} is no path below the folder of the report")
            if path.suffix == ".jsonl":
                assert isinstance(content, Sequence)
                yield path, b"".join(encoded(line) + b"\n" for line in content)
            else:
                yield path, encoded(content, indent=2) + b"\n"


def write_artifact(file: Path, content: bytes) -> None:
    """Write a file that a task has made; its folders are made too."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def rows_by_model(
    task: Task, group: Sequence[SelectedTask], samples_of: SamplesOf, rows: Iterable[ResultRow]
) -> Mapping[str, Sequence[ArtifactRow]]:
    """All cases of a task by model, in the order of the selection: their rows, with the fields of their samples.

    Args:
        task: The task.
        group: What was selected of it, by model.
        samples_of: Gives the samples.
        rows: The rows of the run, with `ARTIFACT_FIELDS`; a case without one has the status ``missing``.

    Raises:
        KeyError: If a selected sample is not in the data.
    """
    found: dict[tuple[str, str, int], dict[str, Any]] = {
        (row["model"], row["sample_id"], row["epoch"]): row  # type: ignore[misc]  # the row is completed below
        for row in rows
        if (row["benchmark"], row["task"]) == (task.benchmark, task.short_name)
    }
    by_model: dict[str, list[ArtifactRow]] = {}
    for selected in group:
        by_id = {sample.id: sample for sample in samples_of(selected, task)}
        mine = by_model.setdefault(selected.model, [])
        for case in selected.cases:
            sample = by_id[case.sample_id]
            # Taken out, and not copied: a large run's rows are not held twice.
            row = found.pop((selected.model, case.sample_id, case.epoch), None) or {
                **UNANSWERED,
                "benchmark": selected.benchmark,
                "task": selected.task,
                "model": selected.model,
                "sample_id": case.sample_id,
                "sample_index": case.sample_index,
                "epoch": case.epoch,
                "tags": case.tags,
                "target": sample.target,
            }
            row["fields"] = sample.fields
            mine.append(row)
    return by_model


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
