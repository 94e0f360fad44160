"""Models compared on the cases that both answered: within a run, or one run with another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

from proctor._base.errors import UsageError
from proctor.results.manifest import Manifest, ManifestTask
from proctor.results.row import NOT_NEEDED, SCHEMA_VERSION, UNMEASURED, ResultRow
from proctor.statistics.aggregates import Measured, measured_cases, metric_values
from proctor.statistics.differences import Difference, PairedSums, Values, difference, holm
from proctor.statistics.intervals import LEVEL, Scale, Units, ends
from proctor.statistics.label_errors import brief
from proctor.tasks.sample import case_name
from proctor.tasks.score import FAMILIES

Verdict = Literal["better", "worse", "no difference shown"]
ROUNDING = 1e-12
COMPARED_FIELDS = ("benchmark", "task", "model", "sample_id", "epoch", "status", "scores")
"""The fields of a row that comparisons are made from; beside them its target."""


@dataclass(frozen=True)
class Side:
    """One model's answers to one task in one run."""

    run: str
    task: ManifestTask
    cases: Sequence[Measured]

    @property
    def name(self) -> str:
        """The task's full name."""
        return self.task.name

    @property
    def by_sample(self) -> dict[str, list[Measured]]:
        """The cases by sample."""
        found: dict[str, list[Measured]] = {}
        for measured in self.cases:
            found.setdefault(measured.case.sample_id, []).append(measured)
        return found


@dataclass
class Pairing:
    """The samples of two sides, paired, and the cases that have no partner.

    A sample that was asked several times counts once: its epochs are averaged on each side.

    Args:
        a: One side.
        b: The other side.
        pairs: For each sample that both sides measured, against the same gold answer, its measured cases on both.
        unpaired: Names of the other cases, by the reason.
    """

    a: Side
    b: Side
    pairs: list[tuple[Sequence[Measured], Sequence[Measured]]] = field(default_factory=list)
    unpaired: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, a: Side, b: Side) -> Pairing:
        """Pair the samples of two sides."""
        pairing = cls(a, b)
        others = b.by_sample
        for sample, cases in a.by_sample.items():
            partners = others.pop(sample, None)
            if partners is None:
                pairing._leave_out("only in a", cases)
                continue
            mine, theirs = ([m for m in side if m.status not in UNMEASURED] for side in (cases, partners))
            if mine and theirs and _target(mine[0]) != _target(theirs[0]):
                pairing._leave_out("gold answer differs", cases)
                continue
            if mine and theirs:
                pairing.pairs.append((mine, theirs))
            lost = [{m.case.epoch for m in side if m.status in UNMEASURED} for side in (cases, partners)]
            pairing._leave_out("not measured in both", [m for m in cases if m.case.epoch in lost[0] & lost[1]])
            pairing._leave_out("not measured in a", [m for m in cases if m.case.epoch in lost[0] - lost[1]])
            pairing._leave_out("not measured in b", [m for m in partners if m.case.epoch in lost[1] - lost[0]])
        for cases in others.values():
            pairing._leave_out("only in b", cases)
        return pairing

    def _leave_out(self, reason: str, cases: Iterable[Measured]) -> None:
        # What nobody needed is not missed.
        names = [case_name(m.case.sample_id, m.case.epoch) for m in cases if m.status != NOT_NEEDED]
        if names:
            self.unpaired.setdefault(reason, []).extend(names)

    @property
    def data_differs(self) -> bool:
        """Whether the two sides were measured on different data files."""
        return self.a.task.data_sha256 != self.b.task.data_sha256

    def measured_by(self, metric: str) -> Iterator[tuple[Sequence[Measured], Sequence[Measured]]]:
        """The pairs whose samples are measured by a metric."""
        return (pair for pair in self.pairs if all(side[0].case.measured_by(metric) for side in pair))

    def difference(self, metric: str, family: str) -> Difference:
        """By how much side b is above side a in a metric."""
        found = pooled_difference([self], metric, family)
        return found.with_less_better() if self.less_is_better(metric) else found

    def less_is_better(self, metric: str) -> bool:
        """Whether a lower value is the better one, as of a runtime: its worst value is above its best."""
        return self.b.task.metrics[metric] > self.b.task.best.get(metric, 1.0)

    def flipped(self, metric: str, family: str) -> tuple[list[str], list[str]]:
        """Names of the samples in which side b did worse than side a, and of those in which it did better.

        Args:
            metric: By which metric.
            family: ``official`` or ``strict``.
        """
        worst = self.b.task.metrics[metric]
        lost: list[str] = []
        won: list[str] = []
        for pair in self.measured_by(metric):
            a, b = (
                total / count if count else 0.0 for total, count in (_values(s, metric, family, worst) for s in pair)
            )
            if abs(b - a) > ROUNDING:
                worse = (b < a) != self.less_is_better(metric)
                (lost if worse else won).append(pair[1][0].case.sample_id)
        return lost, won


def pooled_difference(pairings: Sequence[Pairing], metric: str, family: str) -> Difference:
    """By how much the sides b are above the sides a in a metric, over all pairings: several models on one task.

    Args:
        pairings: Pairings of one task.
        metric: The metric.
        family: The score family.
    """
    task = pairings[0].b.task
    worst = task.metrics[metric]
    units = Units.of(worst, task.best.get(metric, 1.0))
    sums, scale, one_each = PairedSums(), units.scale, True
    for pairing in pairings:
        for pair in pairing.measured_by(metric):
            for measured in (*pair[0], *pair[1]):
                values = metric_values(measured, metric, family, worst)
                one_each = one_each and len(values) == 1
                for value in values:
                    scale = scale.with_value(units.share(value))
            a, b = (_shares(_values(side, metric, family, worst), units) for side in pair)
            sums.add(pair[1][0].case.cluster, a, b)
    return difference(sums, Scale.UNIT if scale is Scale.BINARY and not one_each else scale).scaled(units.size)


def _values(epochs: Sequence[Measured], metric: str, family: str, worst: float) -> Values:
    """The sum and the number of a sample's values, averaged over its epochs."""
    found = [metric_values(measured, metric, family, worst) for measured in epochs]
    return sum(map(math.fsum, found)) / len(found), sum(map(len, found)) / len(found)


def _shares(values: Values, units: Units) -> Values:
    total, count = values
    return (total - count * units.origin) / units.size, count


def _target(measured: Measured) -> object:
    return brief(measured.row.get("target")) if measured.row else None


@dataclass(frozen=True)
class Comparison:
    """One metric of two sides.

    Args:
        pairing: The paired cases.
        metric: The metric.
        family: The score family.
        difference: By how much side b is above side a.
        p_holm: The p value, adjusted for all comparisons that are shown together.
        together: How many these are.
    """

    pairing: Pairing
    metric: str
    family: str
    difference: Difference
    p_holm: float | None = None
    together: int = 1

    @property
    def headline(self) -> bool:
        """Whether the metric is the one that decides a case's verdict."""
        return self.metric == self.pairing.b.task.headline

    @property
    def verdict(self) -> Verdict:
        """What the set shows of side b, measured against side a."""
        if self.p_holm is None or self.p_holm >= 1 - LEVEL or not self.difference.value:
            return "no difference shown"
        return "better" if (self.difference.value > 0) != self.pairing.less_is_better(self.metric) else "worse"


def compare(pairings: Iterable[Pairing]) -> list[Comparison]:
    """All metrics that both sides of each pairing have, in both families.

    p values are adjusted by Holm's method over all pairings: the headline metrics of one family together, and its other
    metrics together, so that looking at precision and recall does not cost the headline metric power.
    """
    found = [
        Comparison(pairing, metric, family, pairing.difference(metric, family))
        for pairing in pairings
        for metric in pairing.b.task.metrics
        if metric in pairing.a.task.metrics
        for family in FAMILIES
    ]
    groups: dict[tuple[str, bool], list[int]] = {}
    for index, comparison in enumerate(found):
        groups.setdefault((comparison.family, comparison.headline), []).append(index)
    for indices in groups.values():
        adjusted = holm([found[index].difference.p for index in indices])
        for index, p in zip(indices, adjusted, strict=True):
            found[index] = replace(found[index], p_holm=p, together=len(indices))
    return found


def compared(row: ResultRow) -> ResultRow:
    """A row with no more than comparisons need, for a reader that holds all rows of a large run at once."""
    kept: Any = {name: row[name] for name in COMPARED_FIELDS}  # type: ignore[literal-required]
    kept["target"] = brief(row["target"])
    short: ResultRow = kept
    return short


def sides(manifest: Manifest, rows: Iterable[ResultRow]) -> list[Side]:
    """Each task and model of a run with its cases.

    Args:
        manifest: What the run selected.
        rows: Its rows, as `compared` or `proctor.report.build.reported` leaves them.
    """
    run, cases = str(manifest.run["id"]), measured_cases(manifest, rows)
    return [Side(run, task, of_task) for task, of_task in zip(manifest.tasks, cases, strict=True)]


def pairs_within(all_sides: Sequence[Side]) -> Iterator[Pairing]:
    """Each two models of a run on each task that both were asked."""
    for a, b in combinations(all_sides, 2):
        if a.name == b.name:
            yield Pairing.of(a, b)


def pairs_between(a_sides: Sequence[Side], b_sides: Sequence[Side]) -> list[Pairing]:
    """The same model in two runs, on each task that both have; if each run has one model, that with that.

    Args:
        a_sides: Tasks and models of run a.
        b_sides: Tasks and models of run b.

    Raises:
        UsageError: If they have no task in common.
    """
    models = matched_models(
        [side.task.model for side in a_sides], [side.task.model for side in b_sides], a_sides[0].run, b_sides[0].run
    )
    partners = {(side.name, side.task.model): side for side in a_sides}
    found = [
        Pairing.of(partners[side.name, models[side.task.model]], side)
        for side in b_sides
        if (side.name, models.get(side.task.model)) in partners
    ]
    if not found:
        raise UsageError(f"the runs {a_sides[0].run} and {b_sides[0].run} have no task in common")
    return found


def matched_models(a_models: Iterable[str], b_models: Iterable[str], a_run: str, b_run: str) -> Mapping[str, str]:
    """Which model of run a each model of run b is compared with.

    Args:
        a_models: Names of run a's.
        b_models: Names of run b's.
        a_run: What run a is called.
        b_run: What run b is called.

    Raises:
        UsageError: If they share none and have more than one each.
    """
    a_names, b_names = list(dict.fromkeys(a_models)), list(dict.fromkeys(b_models))
    shared = {name: name for name in b_names if name in a_names}
    if shared:
        return shared
    if len(a_names) == len(b_names) == 1:
        return {b_names[0]: a_names[0]}
    raise UsageError(
        f"the runs {a_run} and {b_run} have no model in common: {', '.join(a_names)}; {', '.join(b_names)}",
        remedy="Compare runs of the same models, or of one model each.",
    )


def comparison_fields(comparison: Comparison) -> dict[str, Any]:
    """A comparison as report.json and ``proctor compare --json`` hold it."""
    a, b, found = comparison.pairing.a, comparison.pairing.b, comparison.difference
    return {
        "benchmark": b.task.benchmark,
        "task": b.task.task,
        "metric": comparison.metric,
        "family": comparison.family,
        "headline": comparison.headline,
        "a": {"run": a.run, "model": a.task.model, "value": found.a},
        "b": {"run": b.run, "model": b.task.model, "value": found.b},
        "difference": found.value,
        "se": found.se,
        "ci95": ends(found.ci95),
        "p": found.p,
        "p_holm": comparison.p_holm,
        "n": found.n,
        "clusters": found.clusters,
        "a_better": found.a_better,
        "b_better": found.b_better,
        "detectable": found.detectable(comparison.together),
        "verdict": comparison.verdict,
    }


def pairing_fields(pairing: Pairing) -> dict[str, Any]:
    """What was paired, and what was not, as ``proctor compare --json`` holds it."""
    a, b = pairing.a, pairing.b
    return {
        "benchmark": b.task.benchmark,
        "task": b.task.task,
        "a": {"run": a.run, "model": a.task.model},
        "b": {"run": b.run, "model": b.task.model},
        "paired": len(pairing.pairs),
        "unpaired": pairing.unpaired,
        "data_differs": pairing.data_differs,
    }


def as_json(pairings: Sequence[Pairing], comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """The output of ``proctor compare --json``.

    Args:
        pairings: What is compared.
        comparisons: What came of it: one for each metric of a pairing.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "pairings": [pairing_fields(pairing) for pairing in pairings],
        "comparisons": [comparison_fields(comparison) for comparison in comparisons],
    }
