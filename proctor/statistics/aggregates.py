"""Aggregates of result rows. Pure functions of what was selected and what was measured."""

from __future__ import annotations

import math
import re
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from proctor.results.identity import CaseKey, TaskModel
from proctor.results.manifest import Manifest, ManifestCase, ManifestTask
from proctor.results.row import MISSING, NOT_NEEDED, STATUSES, UNMEASURED, ResultRow
from proctor.statistics.intervals import Estimate, Scale, Units, estimate
from proctor.tasks.sample import ROW_ID
from proctor.tasks.score import FAMILIES


@dataclass(frozen=True, slots=True)
class Measured:
    """A selected case and its row, if it finished."""

    case: ManifestCase
    row: ResultRow | None

    @property
    def status(self) -> str:
        """The row's status, or ``missing``."""
        return self.row["status"] if self.row else MISSING


def measured_cases(manifest: Manifest, rows: Iterable[ResultRow]) -> list[list[Measured]]:
    """For each task of *manifest* every selected case with its row. A case with two rows counts with the last."""
    found: defaultdict[TaskModel, dict[CaseKey, ResultRow]] = defaultdict(dict)
    for row in rows:
        found[TaskModel.of(row)][CaseKey.of(row)] = row
    return [[Measured(case, found[task.identity].get(case.key)) for case in task.cases] for task in manifest.tasks]


def status_counts(cases: Sequence[Measured]) -> dict[str, int]:
    """How many cases have each status; all statuses, also those that did not occur."""
    counts = Counter(measured.status for measured in cases)
    return {status: counts[status] for status in (*STATUSES, MISSING)}


def metric_values(measured: Measured, name: str, family: str, worst: float) -> list[float]:
    """The values that a case adds to a metric's mean, in one score family.

    The strict family counts every selected case, a missing one with the *worst* value, but none that was not needed.
    The official family counts what the published grader would have seen: the cases with an answer; where its scores
    hold ``pairs``, the published aggregate is the mean over the pairs of all samples.

    Args:
        measured: The case, and its row if it has one.
        name: The metric.
        family: ``official`` or ``strict``.
        worst: The metric's value for a failure.
    """
    if measured.status == NOT_NEEDED:
        return []
    scores = measured.row["scores"][family] if measured.row else {}
    if "pairs" in scores:
        return [pair[name] for pair in scores["pairs"]]
    if name in scores:
        return [scores[name]]
    if not measured.case.measured_by(name):
        return []
    return [worst] if family == "strict" else []


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of a task in one score family, case by case.

    Args:
        name: The metric.
        family: The score family.
        scale: What values it takes in this run, in *units*.
        units: What it is looked at in.
        totals: For each case the sum of its values.
        counts: For each case the number of its values.
        squares: For each case the sum of their squares, in *units*.
        measured: For each case whether it says anything about the model.
    """

    name: str
    family: str
    scale: Scale
    units: Units
    totals: Sequence[float]
    counts: Sequence[int]
    squares: Sequence[float]
    measured: Sequence[bool]

    @classmethod
    def of(cls, cases: Iterable[Measured], name: str, family: str, worst: float, best: float = 1.0) -> Metric:
        """The metric of these cases; *worst* is the value that the strict family gives to failures.

        Args:
            cases: The selected cases, measured or not.
            name: The metric.
            family: ``official`` or ``strict``.
            worst: The value that the strict family gives to failures.
            best: The other end of the scale.
        """
        totals, counts, squares, units = array("d"), array("l"), array("d"), Units.of(worst, best)
        scale, known = units.scale, list[bool]()
        for measured in cases:
            values = metric_values(measured, name, family, worst)
            square = 0.0
            for value in values:
                share = units.share(value)
                scale = scale.with_value(share)
                square += share * share
            totals.append(values[0] if len(values) == 1 else math.fsum(values))
            counts.append(len(values))
            squares.append(square)
            known.append(bool(values) and measured.status not in UNMEASURED)
        return cls(name, family, scale, units, totals, counts, squares, known)

    def estimate(self, clusters: Sequence[str], indices: Iterable[int]) -> Estimate:
        """The metric over some of the cases; it has no value where none of them was measured.

        One that could not be measured counts with the worst value in the strict family, but only beside others: alone
        it would be a score of nothing.

        Args:
            clusters: The cluster of each case.
            indices: Which cases, by their index.
        """
        sums: dict[str, list[float]] = {}
        origin, size = self.units.origin, self.units.size
        any_measured = False
        for index in indices:
            count = self.counts[index]
            if count:
                any_measured = any_measured or self.measured[index]
                total = (self.totals[index] - count * origin) / size
                _add(sums, clusters[index], total, count, self.squares[index])
        return estimate(sums if any_measured else {}, self.scale).outside(self.units)


def metrics_of(task: ManifestTask, cases: Sequence[Measured]) -> list[Metric]:
    """Each metric of a task in each family.

    Args:
        task: The task.
        cases: All its cases.
    """
    return [
        Metric.of(cases, name, family, worst, task.best.get(name, 1.0))
        for name, worst in task.metrics.items()
        for family in FAMILIES
    ]


def diagnostics(cases: Iterable[Measured]) -> dict[str, Estimate]:
    """The mean of each diagnostic over the cases that it applies to."""
    sums: defaultdict[str, dict[str, list[float]]] = defaultdict(dict)
    scales: dict[str, Scale] = {}
    for measured in cases:
        for name, value in (measured.row["diagnostics"] if measured.row else {}).items():
            if value is not None:
                _add(sums[name], measured.case.cluster, value, 1, value * value)
                scales[name] = scales.get(name, Scale.BINARY).with_value(value)
    return {name: estimate(sums[name], scales[name]) for name in sorted(sums)}


def _add(sums: dict[str, list[float]], cluster: str, total: float, count: int, square: float) -> None:
    found = sums.get(cluster)
    if found is None:
        sums[cluster] = [total, count, square]
    else:
        found[0] += total
        found[1] += count
        found[2] += square


def by_epoch(cases: Iterable[Measured]) -> list[list[int]]:
    """The indices of the cases of each epoch, in the order of the epochs."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for index, measured in enumerate(cases):
        groups[measured.case.epoch].append(index)
    return [groups[epoch] for epoch in sorted(groups)]


def by_tag(cases: Iterable[Measured]) -> dict[str, dict[str, list[int]]]:
    """The indices of the cases grouped by each tag's values, ``{tag: {value: indices}}``; numbers sort as numbers."""
    groups: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, measured in enumerate(cases):
        for tag, value in measured.case.tags.items():
            if tag != ROW_ID:
                groups[tag][value].append(index)
    return {
        tag: {value: groups[tag][value] for value in sorted(groups[tag], key=_numbers_first)} for tag in sorted(groups)
    }


def _numbers_first(value: str) -> tuple[int, str]:
    """Sorts ``2`` and ``2-5`` before ``10``, and words last."""
    digits = re.match(r"\d+", value)
    return (int(digits[0]) if digits else sys.maxsize, value)


def usage(cases: Sequence[Measured]) -> dict[str, int | None]:
    """Tokens of all cases; ``None`` where no provider said."""
    total: dict[str, int | None] = {}
    for name in ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens"):
        counts = [c for m in cases if m.row and (c := _field(m.row["usage"], name)) is not None]
        total[name] = sum(counts) if counts else None
    return total


def cost(cases: Sequence[Measured]) -> float | None:
    """Dollars of all answers, those that could not be used included; ``None`` if the price of any is not known.

    Failed requests that brought no answer cost nothing.
    """
    # An answer has a latency; one out of a batch has none, but a date; one made elsewhere may have neither.
    costs = [
        m.row["cost_usd"]
        for m in cases
        if m.row and (_timed(m.row) or m.row["source"] == "responses" or m.row["cost_usd"] is not None)
    ]
    known = [c for c in costs if c is not None]
    return sum(known) if len(known) == len(costs) else None


def spent(cases: Sequence[Measured]) -> float | None:
    """What of `cost` the run itself paid for, in dollars; the rest was paid for when answers were recorded."""
    return total_spent((m.row["source"], m.row) for m in cases if m.row)


def total_spent(parts: Iterable[tuple[str, Mapping[str, Any]]]) -> float | None:
    """The sum of what rows, or parts of them, say was spent, each with the source of its row.

    Where a row from before there was ``spent_usd`` does not say, what was not replayed counts.
    """
    total = 0.0
    for source, part in parts:
        paid = part.get("spent_usd")
        if paid is None:
            paid = 0.0 if source in ("replayed", "responses") else part["cost_usd"]
        if paid is None:
            return None
        total += paid
    return total


def _timed(row: ResultRow) -> bool:
    return row["latency_s"] is not None or row["recorded_at"] is not None


def latency(cases: Sequence[Measured]) -> dict[str, float | None]:
    """Median and 95th percentile of the seconds a case's answers took when they were made."""
    seconds = [m.row["latency_s"] for m in cases if m.row and m.row["latency_s"] is not None]
    if not seconds:
        return {"p50": None, "p95": None}
    p95 = quantiles(seconds, n=20, method="inclusive")[-1] if len(seconds) > 1 else seconds[0]
    return {"p50": round(median(seconds), 3), "p95": round(p95, 3)}


def _field(fields: Mapping[str, Any], name: str) -> int | None:
    value: int | None = fields[name]
    return value
