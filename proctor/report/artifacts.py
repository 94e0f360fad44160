"""Files in benchmarks' own formats, written beside the report; and the rows that tasks make them from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from proctor._base.json_values import encoded
from proctor.results.manifest import Manifest, ManifestTask
from proctor.results.row import MISSING, NOT_NEEDED, ResultRow, seen_text
from proctor.tasks.extensions import ArtifactRow
from proctor.tasks.sample import Sample
from proctor.tasks.task import Task

ARTIFACT_FIELDS = (
    *("benchmark", "task", "model", "sample_id", "epoch", "status", "scores", "diagnostics"),
    *("evidence", "judging", "prediction", "target", "response_text", "finish_reason", "source", "error"),
    "seen_text",
)
"""The fields of a row that say what was asked and what came of it; a large run's rows are long enough with these.

What is the same for all runs comes from the sample: `SAMPLE_FIELDS`.
"""

SAMPLE_FIELDS = ("sample_index", "tags", "fields")

UNANSWERED: Mapping[str, Any] = {
    "status": MISSING,
    **dict.fromkeys(("evidence", "prediction", "response_text", "finish_reason", "source", "error")),
    **{name: {} for name in ("scores", "diagnostics", "judging")},
}

TaskOf = Callable[[ManifestTask], Task]
"""The task that was selected, as the project defines it today; raises a `LookupError` if it does not."""

SamplesOf = Callable[[ManifestTask, Task], Sequence[Sample]]
"""The samples of what a task was run on; raises a `LookupError` if that is not there any more."""

RowsOf = Callable[[str], Iterable[ResultRow]]
"""The rows of a task by its name, with `ARTIFACT_FIELDS`."""


def by_task(manifest: Manifest) -> list[list[ManifestTask]]:
    """The models of each task that makes something of its rows."""
    groups: dict[str, list[ManifestTask]] = {}
    for selected in manifest.tasks:
        if selected.has_artifact:
            groups.setdefault(selected.name, []).append(selected)
    return list(groups.values())


def artifact_files(
    task: Task,
    group: Sequence[ManifestTask],
    samples_of: SamplesOf,
    rows: Iterable[ResultRow],
    *,
    started: str,
    on_request: bool = False,
) -> Iterator[tuple[PurePosixPath, bytes | Path]]:
    """The files of a task, and what is in them: their content, or a file of which they are copies.

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
            if isinstance(content, Path):
                yield path, content
            elif path.suffix == ".jsonl":
                assert isinstance(content, Sequence)
                yield path, b"".join(encoded(line) + b"\n" for line in content)
            else:
                yield path, encoded(content, indent=2) + b"\n"


def rows_by_model(
    task: Task,
    group: Sequence[ManifestTask],
    samples_of: SamplesOf,
    rows: Iterable[ResultRow],
    *,
    unusable: bool = False,
) -> Mapping[str, Sequence[ArtifactRow]]:
    """All cases of a task by model, in the order of the selection: their rows, with the fields of their samples.

    Args:
        task: The task.
        group: What was selected of it, by model.
        samples_of: Gives the samples.
        rows: The rows of the run, with `ARTIFACT_FIELDS`; a case without one, or that was not needed, has the status
            ``missing``.
        unusable: Whether cases of rows that can neither be asked nor graded are wanted. They have no fields, and no
            tool of the benchmark's own would know them, but they count.

    Raises:
        KeyError: If a selected sample is not in the data.
    """
    found: dict[tuple[str, str, int], dict[str, Any]] = {
        (row["model"], row["sample_id"], row["epoch"]): row  # type: ignore[misc]  # the row is completed below
        for row in rows
        if (row["benchmark"], row["task"]) == (task.benchmark, task.short_name) and row["status"] != NOT_NEEDED
    }
    by_model: dict[str, list[ArtifactRow]] = {}
    for selected in group:
        by_id = {sample.id: sample for sample in samples_of(selected, task)}
        mine = by_model.setdefault(selected.model, [])
        for case in selected.cases:
            sample = by_id[case.sample_id]
            if sample.error is not None and not unusable:
                continue
            # Taken out, and not copied: a large run's rows are not held twice.
            row = found.pop((selected.model, case.sample_id, case.epoch), None) or {
                **UNANSWERED,
                "benchmark": selected.benchmark,
                "task": selected.task,
                "model": selected.model,
                "sample_id": case.sample_id,
                "epoch": case.epoch,
                "target": sample.target,
            }
            row["sample_index"], row["tags"] = case.sample_index, case.tags
            row["fields"] = sample.fields
            row["response_text"] = seen_text(row)  # type: ignore[arg-type]  # what the benchmark's own tools would read
            mine.append(row)
    return by_model
