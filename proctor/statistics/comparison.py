"""Models compared on the cases that both answered: within a run, or one run with another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

from proctor.errors import UsageError
from proctor.results import MISSING, NOT_MEASURED, SCHEMA_VERSION, ResultRow
from proctor.selection import SelectedTask, Selection, case_name
from proctor.statistics.aggregates import FAMILIES, Measured, measured_cases, metric_values
from proctor.statistics.differences import Difference, PairedSums, difference, holm
from proctor.statistics.intervals import LEVEL, Scale, Units
from proctor.statistics.suspects import brief

Verdict = Literal["better", "worse", "no difference shown"]
UNMEASURED = NOT_MEASURED | {MISSING}
COMPARED_FIELDS = ("benchmark", "task", "model", "sample_id", "epoch", "status", "scores")
"""The fields of a row that comparisons are made from; beside them its target."""


@dataclass(frozen=True)
class Side:
    """One model's answers to one task in one run."""

    run: str
    task: SelectedTask
    cases: Sequence[Measured]

    @property
    def name(self) -> str:
        """The task's full name."""
        return f"{self.task.benchmark}/{self.task.task}"

    @property
    def by_case(self) -> dict[tuple[str, int], Measured]:
        """The cases by sample and epoch."""
        return {(measured.case.sample_id, measured.case.epoch): measured for measured in self.cases}


@dataclass
class Pairing:
    """The cases of two sides, paired by sample and epoch, and those that have no partner.

    Args:
        a: One side.
        b: The other side.
        pairs: The cases that both sides measured, against the same gold answer.
        unpaired: Names of the other cases, by the reason.
    """

    a: Side
    b: Side
    pairs: list[tuple[Measured, Measured]] = field(default_factory=list)
    unpaired: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, a: Side, b: Side) -> Pairing:
        """Pair the cases of two sides."""
        pairing = cls(a, b)
        others = b.by_case
        for key, mine in a.by_case.items():
            other = others.pop(key, None)
            if other is None:
                reason = "only in a"
            elif mine.status in UNMEASURED or other.status in UNMEASURED:
                both = mine.status in UNMEASURED and other.status in UNMEASURED
                reason = f"not measured in {'both' if both else 'a' if mine.status in UNMEASURED else 'b'}"
            elif _target(mine) != _target(other):
                reason = "gold answer differs"
            else:
                pairing.pairs.append((mine, other))
                continue
            pairing.unpaired.setdefault(reason, []).append(case_name(*key))
        if others:
            pairing.unpaired["only in b"] = [case_name(*key) for key in others]
        return pairing

    @property
    def data_differs(self) -> bool:
        """Whether the two sides were measured on different data files."""
        return self.a.task.data_sha256 != self.b.task.data_sha256

    def measured_by(self, metric: str) -> Iterator[tuple[Measured, Measured]]:
        """The pairs both of whose cases are measured by a metric."""
        return (pair for pair in self.pairs if all(side.case.measured_by(metric) for side in pair))

    def difference(self, metric: str, family: str) -> Difference:
        """By how much side b is above side a in a metric."""
        worst, best = self.b.task.metrics[metric], self.b.task.best.get(metric, 1.0)
        units = Units.of(worst, best)
        sums, scale, one_each = PairedSums(), units.scale, True
        for mine, other in self.measured_by(metric):
            a, b = (list(map(units.share, metric_values(side, metric, family, worst))) for side in (mine, other))
            for value in (*a, *b):
                scale = scale.with_value(value)
            one_each = one_each and len(a) == len(b) == 1
            sums.add(other.case.cluster, a, b)
        found = difference(sums, Scale.UNIT if scale is Scale.BINARY and not one_each else scale).scaled(units.size)
        return found.with_less_better() if self.less_is_better(metric) else found

    def less_is_better(self, metric: str) -> bool:
        """Whether a lower value is the better one, as of a runtime: its worst value is above its best."""
        return self.b.task.metrics[metric] > self.b.task.best.get(metric, 1.0)

    def flipped(self, metric: str, family: str) -> tuple[list[str], list[str]]:
        """Names of the cases in which side b did worse than side a, and of those in which it did better."""
        worst = self.b.task.metrics[metric]
        lost: list[str] = []
        won: list[str] = []
        for mine, other in self.measured_by(metric):
            a, b = (_mean(metric_values(side, metric, family, worst)) for side in (mine, other))
            if a != b:
                worse = (b < a) != self.less_is_better(metric)
                (lost if worse else won).append(case_name(other.case.sample_id, other.case.epoch))
        return lost, won


def _target(measured: Measured) -> object:
    return measured.row.get("target") if measured.row else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@dataclass(frozen=True)
class Comparison:
    """One metric of two sides.

    Args:
        pairing: The paired cases.
        metric: The metric.
        family: The score family.
        difference: By how much side b is above side a.
        p_holm: The p value, adjusted for all comparisons that are shown together.
    """

    pairing: Pairing
    metric: str
    family: str
    difference: Difference
    p_holm: float | None = None

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
    for place, comparison in enumerate(found):
        groups.setdefault((comparison.family, comparison.headline), []).append(place)
    for places in groups.values():
        adjusted = holm([found[place].difference.p for place in places])
        for place, p in zip(places, adjusted, strict=True):
            found[place] = replace(found[place], p_holm=p)
    return found


def compared(row: ResultRow) -> ResultRow:
    """A row with no more than comparisons need, for a reader that holds all rows of a large run at once."""
    kept: Any = {name: row[name] for name in COMPARED_FIELDS}  # type: ignore[literal-required]
    kept["target"] = brief(row["target"])
    short: ResultRow = kept
    return short


def sides(selection: Selection, rows: Iterable[ResultRow]) -> list[Side]:
    """Each task and model of a run with its cases.

    Args:
        selection: What the run selected.
        rows: Its rows, as `compared` or `proctor.report.content.reported` leaves them.
    """
    all_rows = list(rows)
    run = str(selection.run["id"])
    return [Side(run, task, measured_cases(task, all_rows)) for task in selection.tasks]


def pairs_within(all_sides: Sequence[Side]) -> Iterator[Pairing]:
    """Each two models of a run on each task that both were asked."""
    for a, b in combinations(all_sides, 2):
        if a.name == b.name:
            yield Pairing.of(a, b)


def pairs_between(a_sides: Sequence[Side], b_sides: Sequence[Side]) -> list[Pairing]:
    """The same model in two runs, on each task that both have; if each run has one model, that with that."""
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
        "ci95": None if found.ci95 is None else list(found.ci95),
        "p": found.p,
        "p_holm": comparison.p_holm,
        "n": found.n,
        "clusters": found.clusters,
        "a_better": found.a_better,
        "b_better": found.b_better,
        "detectable": found.detectable,
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
    """The output of ``proctor compare --json``."""
    return {
        "schema_version": SCHEMA_VERSION,
        "pairings": [pairing_fields(pairing) for pairing in pairings],
        "comparisons": [comparison_fields(comparison) for comparison in comparisons],
    }
