"""What report.json holds, a file a part: docs/reference/fields.md is made from it; tests compare it with real runs.

Where a field cannot be told, it is null.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from proctor.report.fields.gate import GateFields
from proctor.report.fields.models import ComparisonFields, CompositeFields, PublishedFields, RanksFields, SuspectFields
from proctor.report.fields.tasks import TaskFields
from proctor.results.run_info import RunFields


class TableFields(TypedDict):
    """A table that a task makes of its own.

    Args:
        benchmark: The benchmark.
        task: The task's short name.
        title: Its title.
        columns: The names of its columns; none where it could not be made.
        rows: Its rows.
        note: What there is to know about it.
    """

    benchmark: str
    task: str
    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str


class ReportFields(TypedDict):
    """report.json.

    Args:
        schema_version: 1.
        run: What the run was made with.
        tasks: A task and model each.
        composites: Scores over several tasks.
        comparisons: Models of the run, two by two.
        ranks: Their places.
        suspects: Gold answers worth a look.
        tables: Tables that tasks make of their own.
        published: Published figures.
        gate: With ``--gate`` or ``--baseline``.
        notes: What a reader should know, such as which runs were merged.
    """

    schema_version: int
    run: RunFields
    tasks: list[TaskFields]
    composites: list[CompositeFields]
    comparisons: list[ComparisonFields]
    ranks: list[RanksFields]
    suspects: list[SuspectFields]
    tables: NotRequired[list[TableFields]]
    published: NotRequired[list[PublishedFields]]
    gate: NotRequired[GateFields]
    notes: NotRequired[list[str]]
