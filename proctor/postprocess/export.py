"""``proctor export``: a run's responses as files that Proctor (``--responses``) and other tools read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from proctor._base.errors import UsageError
from proctor._base.files import write_whole
from proctor._base.json_values import encoded
from proctor.models.registry import safe_file_name
from proctor.postprocess.project import Project
from proctor.results.identity import CaseKey, TaskModel
from proctor.results.manifest import ManifestTask
from proctor.results.row import ResultRow, seen_text
from proctor.results.saved_run import SavedRun
from proctor.run.data import Unavailable
from proctor.tasks.extensions import ADDED
from proctor.tasks.sample import case_name
from proctor.tasks.samples import samples_of_row

EXPORTED_FIELDS = (
    *("benchmark", "task", "model", "sample_id", "epoch", "response_text", "seen_text", "finish_reason", "usage"),
)
Responses = Mapping[CaseKey, ResultRow]
"""The rows with a response."""


@dataclass(frozen=True)
class Exported:
    """A file that was written.

    Args:
        file: The file.
        cases: How many responses it holds.
        without: The names of the cases without a response, which it does not hold.
    """

    file: Path
    cases: int
    without: Sequence[str] = ()


def export_responses(run: SavedRun, folder: Path) -> list[Exported]:
    """Write ``<model>/<task>.jsonl``, one response a line, in the order of the selection.

    A line has ``sample_id``, ``response``, ``finish_reason``, and ``usage`` if the provider counted tokens; ``epoch``
    from the second on. Where two benchmarks of the run have a task of the same name, the file is called
    ``<benchmark>.<task>.jsonl``.

    Args:
        run: The run.
        folder: Where to write.

    Raises:
        OSError: If a file cannot be written.
        DataError: If a row cannot be read.
    """
    found = _responses(run)
    return [
        _written(_file(folder, run, task), task, found, _response_lines(task, found[task.identity]))
        for task in run.manifest.tasks
    ]


def export_entries(project: Project, run: SavedRun, folder: Path) -> list[Exported]:
    """Write ``<model>/<task>.jsonl``, the entries of the data file with the field ``response`` added.

    Where an entry holds several samples, ``response`` is a list in their order, with ``null`` where there is none.
    ``finish_reason`` is added in the same shape where a response did not come to its end.

    Args:
        project: The project, whose data is used.
        run: The run.
        folder: Where to write.

    Raises:
        UsageError: If the data is not there or has changed, or the layout cannot hold this run.
        OSError: If a file cannot be written.
        DataError: If a row cannot be read.
    """
    for task in run.manifest.tasks:
        if any(case.epoch > 1 for case in task.cases):
            raise UsageError(
                f"{task.name} has several epochs, and an entry holds one response",
                remedy="Use --layout proctor.",
            )
    found = _responses(run)
    exported = []
    for task in run.manifest.tasks:
        try:
            lines = list(_entry_lines(project, task, found[task.identity]))
        except Unavailable as problem:
            raise UsageError(
                f"{task.name}: {problem}; its entries are not known",
                remedy="Put back what the run was made with, or use --layout proctor.",
            ) from None
        exported.append(_written(_file(folder, run, task), task, found, lines))
    return exported


def _responses(run: SavedRun) -> Mapping[TaskModel, Responses]:
    last: defaultdict[TaskModel, dict[CaseKey, ResultRow]] = defaultdict(dict)
    for row in run.rows(only=EXPORTED_FIELDS):  # a case with two rows counts with the last
        last[TaskModel.of(row)][CaseKey.of(row)] = row
    answered: defaultdict[TaskModel, Responses] = defaultdict(dict)
    for name, rows in last.items():
        answered[name] = {case_key: row for case_key, row in rows.items() if row["response_text"] is not None}
    return answered


def _file(folder: Path, run: SavedRun, task: ManifestTask) -> Path:
    """Where a task's responses go."""
    clash = any(other.task == task.task and other.benchmark != task.benchmark for other in run.manifest.tasks)
    stem = f"{task.benchmark}.{task.task}" if clash else task.task
    return folder / safe_file_name(task.model) / f"{stem}.jsonl"


def _written(file: Path, task: ManifestTask, found: Mapping[TaskModel, Responses], lines: Iterable[Any]) -> Exported:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, (encoded(line) + b"\n" for line in lines))
    mine = found[task.identity]
    case_keys = [case.key for case in task.cases]
    without = [case_name(*case_key) for case_key in case_keys if case_key not in mine]
    return Exported(file, len(case_keys) - len(without), without)


def _response_lines(task: ManifestTask, found: Responses) -> Iterator[dict[str, Any]]:
    for case in task.cases:
        row = found.get(case.key)
        if row is not None:
            usage = {name: count for name, count in row["usage"].items() if count is not None}
            yield {
                "sample_id": case.sample_id,
                **({"epoch": case.epoch} if case.epoch > 1 else {}),
                "response": seen_text(row),
                "finish_reason": row["finish_reason"],
                **({"usage": usage} if usage else {}),
            }


def _entry_lines(project: Project, selected: ManifestTask, found: Responses) -> Iterator[dict[str, Any]]:
    task = project.task(selected)
    samples = iter(project.samples(selected, task))
    chosen = {case.sample_id for case in selected.cases}
    for entry in project.rows(selected, task):
        own = list(islice(samples, len(samples_of_row(entry, task.samples_of))))
        rows = [found.get(CaseKey(sample.id, 1)) if sample.id in chosen else None for sample in own]
        if not any(rows):
            continue
        for name in ADDED:
            if name in entry.data:
                raise entry.error(name, "the layout 'entry' adds a field of that name", remedy="Use --layout proctor.")
        responses = [seen_text(row) if row else None for row in rows]
        ends = [row["finish_reason"] if row else None for row in rows]
        cut = any(end not in ("stop", None) for end in ends)
        alone = len(own) == 1
        yield {
            **entry.data,
            "response": responses[0] if alone else responses,
            **({"finish_reason": ends[0] if alone else ends} if cut else {}),
        }
