"""The tables in which tasks say of themselves what no other task's report says; see `proctor.tasks.task.Task`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from proctor._base.errors import DataError
from proctor.report.artifacts import RowsOf, SamplesOf, TaskOf, by_task, rows_by_model
from proctor.results.manifest import Manifest
from proctor.tasks.extensions import ArtifactRow, Table
from proctor.tasks.task import Task


def add_tables(
    report: dict[str, Any],
    manifest: Manifest,
    task_of: TaskOf,
    samples_of: SamplesOf,
    rows_of: RowsOf,
) -> list[str]:
    """Add ``tables`` to a report: for each table ``benchmark``, ``task``, ``title``, ``columns``, ``rows``, ``note``.

    A task whose tables cannot be made has one without columns, whose note says why. Where that is because its code or
    data is not what the run was made with, the tables that the report already has of it are kept.

    Args:
        report: The content of report.json.
        manifest: What the run selected.
        task_of: Gives the tasks.
        samples_of: Gives their samples.
        rows_of: Gives their rows.

    Returns:
        What the user should know: which tables could not be made, and why.
    """
    former = report.pop("tables", [])
    found: list[dict[str, Any]] = []
    notes = []
    for group in by_task(manifest):
        name = {"benchmark": group[0].benchmark, "task": group[0].task}
        try:
            task = task_of(group[0])
            if task.tables is None:
                continue
            by_model = rows_by_model(task, group, samples_of, rows_of(group[0].name), unusable=True)
        except (LookupError, DataError) as problem:
            kept = [entry for entry in former if all(entry[field] == value for field, value in name.items())]
            made, failure = kept, None if kept else str(problem)
        else:
            made, failure = _made(task, by_model)
        if failure is not None:
            made = [{"title": "", "columns": [], "rows": [], "note": f"The tables could not be made: {failure}"}]
            notes.append(f"{group[0].name}: tables could not be made: {failure}")
        found += [{**name, **entry} for entry in made]
    report["tables"] = found
    return notes


def _made(task: Task, by_model: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str | None]:
    """A task's tables, or why there are none."""
    make: Callable[[Mapping[str, list[ArtifactRow]]], Iterable[Table]] | None = task.tables
    assert make is not None
    try:
        return [_fields(table) for table in make(by_model)], None
    except Exception as problem:  # a mistake in a benchmark's code must not cost the report of what was measured
        return [], f"{type(problem).__name__}: {problem}"


def _fields(table: Table) -> dict[str, Any]:
    for row in table.rows:
        if len(row) != len(table.columns):
            raise ValueError(f"table {table.title!r} has {len(table.columns)} columns, and a row of {len(row)} cells")
    return {
        "title": table.title,
        "columns": [str(column) for column in table.columns],
        "rows": [[_value(cell) for cell in row] for row in table.rows],
        "note": table.note,
    }


def _value(cell: object) -> str | float | None:
    """A cell as JSON holds it, which knows no number that is none."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return None
    if cell is None or isinstance(cell, (str, float)) or (isinstance(cell, int) and not isinstance(cell, bool)):
        return cell
    raise TypeError(f"a cell must be a text, a number or None, not {cell!r}")
