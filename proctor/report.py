"""report.json: what was measured, made from a run's selection and rows alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from statistics import stdev
from typing import Any

from proctor.results import MISSING, SCHEMA_VERSION, ResultRow, encoded
from proctor.selection import SelectedTask, Selection, case_name
from proctor.statistics import (
    Estimate,
    Measured,
    by_epoch,
    by_tag,
    cost,
    diagnostics,
    latency,
    measured_cases,
    metrics,
    status_counts,
    usage,
)

REPORTED_FIELDS = (
    *("benchmark", "task", "model", "sample_id", "epoch", "status", "scores", "diagnostics"),
    *("usage", "cost_usd", "latency_s", "attempts", "source", "recorded_at", "calls"),
)
"""The fields of a row that a report, and what is said of recordings, is made from."""


def build_report(selection: Selection, rows: Iterable[ResultRow], *, finished: datetime) -> dict[str, Any]:
    """The content of report.json (DESIGN 3.5).

    Args:
        selection: What the run set out to measure.
        rows: What it measured.
        finished: When it ended.
    """
    all_rows = list(rows)
    started = datetime.fromisoformat(selection.run["started"])
    return {
        "schema_version": SCHEMA_VERSION,
        "run": {**selection.run, "duration_s": round((finished - started).total_seconds(), 3)},
        "tasks": [_task_report(task, measured_cases(task, all_rows)) for task in selection.tasks],
    }


def save_report(report: dict[str, Any], folder: Path) -> None:
    """Write report.json into a run's folder."""
    (folder / "report.json").write_bytes(encoded(report, indent=1) + b"\n")


def _task_report(task: SelectedTask, cases: Sequence[Measured]) -> dict[str, Any]:
    counts = status_counts(cases)
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
            if status != "scored" and counts[status]
        },
        "metrics": _metrics_report(task, cases),
        "diagnostics": {name: _estimate(value) for name, value in diagnostics(cases).items()},
        "by_tag": {
            tag: {
                value: {"expected": len(group), "metrics": _metrics_report(task, group)}
                for value, group in groups.items()
            }
            for tag, groups in by_tag(cases).items()
        },
        "usage": usage(cases),
        "cost_usd": cost(cases),
        "latency_s": latency(cases),
        "data_file": task.data_file,
        "data_sha256": task.data_sha256,
        "prompt_sha256": dict(task.prompt_sha256),
        "cassette": {"file": task.cassette_file, **_cassette_report(cases)},
    }


def _case_name(measured: Measured) -> str:
    return case_name(measured.case.sample_id, measured.case.epoch)


def _metrics_report(task: SelectedTask, cases: Sequence[Measured]) -> dict[str, Any]:
    overall = metrics(cases, task.metrics)
    epochs = [metrics(group, task.metrics) for group in by_epoch(cases)]
    return {
        name: {
            family: {**_estimate(value), **_spread([epoch[name][family].value for epoch in epochs])}
            for family, value in families.items()
        }
        for name, families in overall.items()
    }


def _spread(values: Sequence[float | None]) -> dict[str, Any]:
    """What a metric was in each epoch, and the standard deviation of that; nothing if there is one epoch."""
    if len(values) < 2:
        return {}
    known = [value for value in values if value is not None]
    return {"epochs": {"values": list(values), "sd": stdev(known) if len(known) > 1 else None}}


def _estimate(estimate: Estimate) -> dict[str, Any]:
    # se and ci95 are in the contract; they stay null until the statistics for clustered samples are there.
    return {
        "value": estimate.value,
        "se": None,
        "ci95": None,
        "n": estimate.n,
        "clusters": estimate.clusters,
    }


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
