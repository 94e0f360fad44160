"""Aggregates of result rows. Pure functions of what was selected and what was measured."""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, quantiles
from typing import Any

from proctor.results import MISSING, STATUSES, ResultRow
from proctor.selection import SelectedCase, SelectedTask

FAMILIES = ("official", "strict")


@dataclass(frozen=True, slots=True)
class Measured:
    """A selected case and its row, if it finished."""

    case: SelectedCase
    row: ResultRow | None

    @property
    def status(self) -> str:
        """The row's status, or ``missing``."""
        return self.row["status"] if self.row else MISSING


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric's value.

    Args:
        value: The mean; ``None`` if there is nothing to take a mean of.
        n: How many values it is the mean of.
        clusters: From how many clusters these come.
    """

    value: float | None
    n: int
    clusters: int


def measured_cases(task: SelectedTask, rows: Iterable[ResultRow]) -> list[Measured]:
    """Every selected case of *task* with its row. A case with two rows (a rerun) counts with the last."""
    found = {
        (row["sample_id"], row["epoch"]): row
        for row in rows
        if (row["benchmark"], row["task"], row["model"]) == (task.benchmark, task.task, task.model)
    }
    return [Measured(case, found.get((case.sample_id, case.epoch))) for case in task.cases]


def status_counts(cases: Sequence[Measured]) -> dict[str, int]:
    """How many cases have each status; all statuses, also those that did not occur."""
    counts = Counter(measured.status for measured in cases)
    return {status: counts[status] for status in (*STATUSES, MISSING)}


def metric(cases: Sequence[Measured], name: str, family: str, worst: float) -> Estimate:
    """A metric over cases, in one score family.

    The strict family counts every selected case, a missing one with the *worst* value. The official family counts
    what the published grader would have seen: the cases with an answer; where its scores hold ``pairs``, the
    published aggregate is the mean over the pairs of all samples.
    """
    values: list[float] = []
    clusters: set[str] = set()
    for measured in cases:
        scores = measured.row["scores"][family] if measured.row else {}
        if "pairs" in scores:
            mine = [pair[name] for pair in scores["pairs"]]
        elif name in scores:
            mine = [scores[name]]
        else:
            mine = [worst] if family == "strict" else []
        values += mine
        if mine:
            clusters.add(measured.case.cluster)
    return Estimate(fmean(values) if values else None, len(values), len(clusters))


def metrics(cases: Sequence[Measured], worst: Mapping[str, float]) -> dict[str, dict[str, Estimate]]:
    """Each metric in each family: ``{metric: {family: estimate}}``."""
    return {name: {family: metric(cases, name, family, value) for family in FAMILIES} for name, value in worst.items()}


def diagnostics(cases: Sequence[Measured]) -> dict[str, Estimate]:
    """The mean of each diagnostic over the cases that it applies to."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    clusters: defaultdict[str, set[str]] = defaultdict(set)
    for measured in cases:
        for name, value in (measured.row["diagnostics"] if measured.row else {}).items():
            if value is not None:
                values[name].append(value)
                clusters[name].add(measured.case.cluster)
    return {name: Estimate(fmean(values[name]), len(values[name]), len(clusters[name])) for name in sorted(values)}


def by_epoch(cases: Sequence[Measured]) -> list[list[Measured]]:
    """The cases of each epoch, in the order of the epochs."""
    groups: defaultdict[int, list[Measured]] = defaultdict(list)
    for measured in cases:
        groups[measured.case.epoch].append(measured)
    return [groups[epoch] for epoch in sorted(groups)]


def by_tag(cases: Sequence[Measured]) -> dict[str, dict[str, list[Measured]]]:
    """The cases grouped by each tag's values: ``{tag: {value: cases}}``; numbers sort as numbers."""
    groups: defaultdict[str, defaultdict[str, list[Measured]]] = defaultdict(lambda: defaultdict(list))
    for measured in cases:
        for tag, value in measured.case.tags.items():
            groups[tag][value].append(measured)
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
    """Dollars of all answers; ``None`` if the price of any of them is not known. Failed requests cost nothing."""
    costs = [m.row["cost_usd"] for m in cases if m.row and m.row["latency_s"] is not None]
    known = [c for c in costs if c is not None]
    return sum(known) if len(known) == len(costs) else None


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
