"""report.json: what was measured, made from a run's selection and rows alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from statistics import stdev
from typing import Any

from proctor._base.files import write_whole
from proctor._base.json_values import Shared, encoded
from proctor.report.artifacts import SAMPLE_FIELDS
from proctor.report.not_measured import not_measured
from proctor.results.manifest import Manifest, ManifestTask
from proctor.results.row import MISSING, NOT_NEEDED, SCHEMA_VERSION, ResultRow
from proctor.statistics.aggregates import (
    Measured,
    by_epoch,
    by_tag,
    cost,
    diagnostics,
    latency,
    metrics_of,
    spent,
    status_counts,
    usage,
)
from proctor.statistics.answerers import answerers
from proctor.statistics.comparison import compare, comparison_fields, pairs_within, sides
from proctor.statistics.composites import composites
from proctor.statistics.judging_costs import judging_costs
from proctor.statistics.label_errors import brief, suspects
from proctor.statistics.ranks import ranks
from proctor.statistics.repetitions import repetitions
from proctor.tasks.sample import case_name

REPORTED_FIELDS = (
    *("benchmark", "task", "model", "sample_id", "epoch", "status", "scores", "diagnostics"),
    *("usage", "cost_usd", "spent_usd", "latency_s", "attempts", "source", "recorded_at"),
    *("judging", "answered_by", "error", "prediction", "target"),
)
"""The fields of a row that a report is made from."""


def reported(row: ResultRow, shared: Shared, *, whole: Sequence[str] = ()) -> ResultRow:
    """A row with no more than a report needs, for a reader that holds all rows of a large run at once.

    Args:
        row: The row.
        shared: Takes up what rows have in common.
        whole: Further fields to keep. If there are any, predictions and gold answers are kept as they are; else short.
    """
    if whole:
        kept: Any = shared.row(row, dict.fromkeys((*REPORTED_FIELDS, *whole)), later=SAMPLE_FIELDS)
    else:
        short = {**row, "prediction": brief(row["prediction"]), "target": brief(row["target"])}
        kept = shared.row(short, REPORTED_FIELDS)
    result: ResultRow = kept
    return result


def build_report(manifest: Manifest, rows: Iterable[ResultRow], *, finished: datetime) -> dict[str, Any]:
    """The content of report.json; see `proctor.report.fields.ReportFields`.

    Args:
        manifest: What the run set out to measure.
        rows: What it measured.
        finished: When it ended.
    """
    started = datetime.fromisoformat(manifest.run["started"])
    measured = sides(manifest, rows)
    tasks = [_task_report(side.task, side.cases) for side in measured]
    comparisons = compare(pairs_within(measured))
    return {
        "schema_version": SCHEMA_VERSION,
        "run": {**manifest.run, "duration_s": round((finished - started).total_seconds(), 3)},
        "tasks": tasks,
        "composites": composites(zip(manifest.tasks, tasks, strict=True)),
        "comparisons": [comparison_fields(comparison) for comparison in comparisons],
        "ranks": ranks(comparisons),
        "suspects": suspects((side.task, side.cases) for side in measured),
    }


def save_report(report: dict[str, Any], folder: Path) -> None:
    """Write report.json into a run's folder, whole or not at all."""
    write_whole(folder / "report.json", encoded(report, indent=1) + b"\n")


def _task_report(task: ManifestTask, cases: Sequence[Measured]) -> dict[str, Any]:
    counts = status_counts(cases)
    table = MetricTable(task, cases)
    return {
        "benchmark": task.benchmark,
        "task": task.task,
        "model": task.model,
        "model_api_id": task.model_api_id,
        "expected": len(cases),
        "status": counts,
        "failures": {
            status: [_case_name(measured) for measured in cases if measured.status == status]
            for status in counts
            if status not in ("scored", NOT_NEEDED) and counts[status]
        },
        "not_measured": not_measured(cases),
        "scales": {name: [worst, task.best.get(name, 1.0)] for name, worst in task.metrics.items()},
        "metrics": table.with_sensitivity(),
        "diagnostics": {name: value.fields() for name, value in diagnostics(cases).items()},
        "by_tag": {
            tag: {
                value: {"expected": len(indices), "metrics": table.over(indices)} for value, indices in groups.items()
            }
            for tag, groups in by_tag(cases).items()
        },
        "usage": usage(cases),
        "cost_usd": cost(cases),
        "spent_usd": spent(cases),
        "latency_s": latency(cases),
        **({} if (found := repetitions(task, cases)) is None else {"repetitions": found}),
        "judging": judging_costs(task, cases),
        "answered_by": answerers(task, cases),
        "data_file": task.data_file,
        "data_sha256": task.data_sha256,
        "data_notes": list(task.data_notes),
        "odd_rows": list(task.odd_rows),
        "unusable_rows": list(task.unusable_rows),
        "responses": task.responses,
        "prompt_sha256": dict(task.prompt_sha256),
        "scorer_sha256": task.scorer_sha256,
        "cases_sha256": _cases_sha256(cases),
        "role_models": dict(task.role_models),
        "scale": list(task.scale),
        "samples": {
            "selected": len({measured.case.sample_id for measured in cases}),
            "in_data": task.samples_in_data,
        },
        "cassette": {"file": task.cassette_file, **_cassette_report(cases)},
    }


def _cases_sha256(cases: Sequence[Measured]) -> str:
    """Hash of what was selected: two runs with the same one have the same cases."""
    names = sorted(_case_name(measured) for measured in cases)
    return hashlib.sha256("\n".join(names).encode(errors="replace")).hexdigest()


def _case_name(measured: Measured) -> str:
    return case_name(measured.case.sample_id, measured.case.epoch)


class MetricTable:
    """The metrics of a task's cases, over all of them or over some.

    Args:
        task: The task and model.
        cases: All its cases.
    """

    def __init__(self, task: ManifestTask, cases: Sequence[Measured]) -> None:
        self._cases = cases
        self._metrics = metrics_of(task, cases)
        self._clusters = [measured.case.cluster for measured in cases]
        self._epochs = by_epoch(cases)

    def over(self, indices: Sequence[int]) -> dict[str, Any]:
        """The metrics over the cases with these indices, as report.json holds them."""
        epochs: list[list[int]] = []
        if len(self._epochs) > 1:
            chosen = set(indices)
            epochs = [[index for index in epoch if index in chosen] for epoch in self._epochs]
        found: dict[str, Any] = {}
        for metric in self._metrics:
            entry = metric.estimate(self._clusters, indices).fields()
            if epochs:
                values = [metric.estimate(self._clusters, epoch).value for epoch in epochs if epoch]
                entry |= _spread(values)
            found.setdefault(metric.name, {})[metric.family] = entry
        return found

    def with_sensitivity(self) -> dict[str, Any]:
        """The metrics over all cases, and what other rules for cases without a readable answer would make of them."""
        found = self.over(range(len(self._cases)))
        scored = [index for index, measured in enumerate(self._cases) if measured.status == "scored"]
        for metric in self._metrics:
            families = found[metric.name]
            families[metric.family]["sensitivity"] = {
                "scored_only": _short(metric.estimate(self._clusters, scored).fields()),
                "official": _short(families["official"]),
            }
        return found


def _spread(values: Sequence[float | None]) -> dict[str, Any]:
    """What a metric was in each epoch, and the standard deviation of that; nothing if there is one epoch."""
    if len(values) < 2:
        return {}
    known = [value for value in values if value is not None]
    return {"epochs": {"values": list(values), "sd": stdev(known) if len(known) > 1 else None}}


def _short(entry: dict[str, Any]) -> dict[str, Any]:
    return {"value": entry["value"], "n": entry["n"]}


def _cassette_report(cases: Sequence[Measured]) -> dict[str, Any]:
    dates = sorted(
        m.row["recorded_at"]
        for m in cases
        if m.row and m.row["recorded_at"] and m.row["source"] in ("replayed", "recorded")
    )
    return {"recorded": len(dates), "first": dates[0] if dates else None, "last": dates[-1] if dates else None}


def missing_cases(report: dict[str, Any]) -> list[str]:
    """Names of the cases that were selected but have no row, each with its task and model."""
    return [
        f"{task['benchmark']}/{task['task']}[{task['model']}-{case}]"
        for task in report["tasks"]
        for case in task["failures"].get(MISSING, [])
    ]
