"""Files in benchmarks' own formats, written beside the report; and the rows that tasks make them from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from proctor._base.json_values import encoded
from proctor.results.identity import TaskModel
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


class TaskRows:
    """The rows of one task that makes files or tables of them, put together when they are first wanted.

    Args:
        group: What was selected of it, by model.
        rows: Its rows, with `ARTIFACT_FIELDS`.
        task_of: Gives the task.
        samples_of: Gives its samples.
    """

    def __init__(
        self, group: Sequence[ManifestTask], rows: Sequence[ResultRow], task_of: TaskOf, samples_of: SamplesOf
    ) -> None:
        self._group = group
        self._rows = rows
        self._task_of = task_of
        self._samples_of = samples_of

    @property
    def selected(self) -> ManifestTask:
        """The task, as it was selected for one of the models."""
        return self._group[0]

    @cached_property
    def task(self) -> Task:
        """The task, as the project defines it today.

        Raises:
            LookupError: If it does not.
        """
        return self._task_of(self.selected)

    @cached_property
    def by_model(self) -> Mapping[str, Sequence[ArtifactRow]]:
        """All cases by model, in the order of the selection: their rows, with the fields of their samples.

        Cases of rows that can neither be asked nor graded have no fields. A case without a row, or that was not needed,
        has the status ``missing``.

        Raises:
            LookupError: If the data is not there any more, or holds a selected sample no longer.
        """
        return {selected.model: [row for row, _ in cases] for selected, cases in self._cases}

    @property
    def usable_by_model(self) -> Mapping[str, Sequence[ArtifactRow]]:
        """The same without those that no tool of the benchmark's own would know: they can neither be asked nor graded.

        Raises:
            LookupError: As `by_model`.
        """
        return {selected.model: [row for row, usable in cases if usable] for selected, cases in self._cases}

    @cached_property
    def _cases(self) -> list[tuple[ManifestTask, list[tuple[ArtifactRow, bool]]]]:
        """By model each case's row, and whether its row of data is usable."""
        found: dict[tuple[str, str, int], dict[str, Any]] = {
            (row["model"], row["sample_id"], row["epoch"]): row  # type: ignore[misc]  # the row is completed below
            for row in self._rows
            if row["status"] != NOT_NEEDED
        }
        by_model = []
        for selected in self._group:
            by_id = {sample.id: sample for sample in self._samples_of(selected, self.task)}
            mine: list[tuple[ArtifactRow, bool]] = []
            for case in selected.cases:
                sample = by_id[case.sample_id]
                row = found.get((selected.model, case.sample_id, case.epoch)) or {
                    **UNANSWERED,
                    "benchmark": selected.benchmark,
                    "task": selected.task,
                    "model": selected.model,
                    "sample_id": case.sample_id,
                    "epoch": case.epoch,
                    "target": sample.target,
                }
                row["sample_index"], row["tags"] = case.sample_index, case.tags
                # Completed, and not copied: a large run's rows are not held twice.
                row["fields"] = sample.fields
                row["response_text"] = seen_text(row)  # type: ignore[arg-type]  # what the benchmark's tools would read
                mine.append((row, sample.error is None))
            by_model.append((selected, mine))
        return by_model


def rows_by_task(
    manifest: Manifest, rows: Iterable[ResultRow], task_of: TaskOf, samples_of: SamplesOf
) -> list[TaskRows]:
    """The rows of each task that makes files or tables of its rows.

    Args:
        manifest: What the run selected.
        rows: Its rows, those of such tasks with `ARTIFACT_FIELDS`.
        task_of: Gives the tasks.
        samples_of: Gives their samples.
    """
    groups: dict[str, list[ManifestTask]] = {}
    for selected in manifest.tasks:
        if selected.has_artifact:
            groups.setdefault(selected.name, []).append(selected)
    found: dict[str, list[ResultRow]] = {name: [] for name in groups}
    for row in rows if groups else ():
        if (name := TaskModel.of(row).name) in found:
            found[name].append(row)
    return [TaskRows(group, found[name], task_of, samples_of) for name, group in groups.items()]


def artifact_files(
    rows: TaskRows, *, started: str, on_request: bool = False
) -> Iterator[tuple[PurePosixPath, bytes | Path]]:
    """The files of a task, and what is in them: their content, or a file of which they are copies.

    Args:
        rows: The rows that they are made from.
        started: When the run started, ISO 8601.
        on_request: Whether those on request are wanted too.

    Raises:
        LookupError: If the task or its data is not there any more.
        ValueError: If a file would not be in the folder.
    """
    task = rows.task
    for artifact in task.artifacts:
        if artifact.on_request and not on_request:
            continue
        for name, content in artifact.files(datetime.fromisoformat(started), rows.usable_by_model).items():
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
