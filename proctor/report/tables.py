"""The tables in which tasks say of themselves what no other task's report says; see `proctor.tasks.task.Task`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from proctor._base.errors import DataError
from proctor.report.artifacts import TaskRows
from proctor.tasks.extensions import ArtifactRow, Table
from proctor.tasks.task import Task


def add_tables(report: dict[str, Any], by_task: Sequence[TaskRows]) -> list[str]:
    """Add ``tables`` to a report: for each table ``benchmark``, ``task``, ``title``, ``columns``, ``rows``, ``note``.

    A task whose tables cannot be made has one without columns, whose note says why. Where that is because its code or
    data is not what the run was made with, the tables that the report already has of it are kept.

    Args:
        report: The content of report.json.
        by_task: The rows of each task that may have tables.

    Returns:
        What the user should know: which tables could not be made, and why.
    """
    former = report.pop("tables", [])
    found: list[dict[str, Any]] = []
    notes = []
    for rows in by_task:
        selected = rows.selected
        name = {"benchmark": selected.benchmark, "task": selected.task}
        try:
            task = rows.task
            if task.tables is None:
                continue
            by_model = rows.by_model
        except (LookupError, DataError) as problem:
            kept = [entry for entry in former if all(entry[field] == value for field, value in name.items())]
            made, failure = kept, None if kept else str(problem)
        else:
            made, failure = _made(task, by_model)
        if failure is not None:
            made = [{"title": "", "columns": [], "rows": [], "note": f"The tables could not be made: {failure}"}]
            notes.append(f"{selected.name}: tables could not be made: {failure}")
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
