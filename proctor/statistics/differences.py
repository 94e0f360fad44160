"""How sure a difference is: the same cases, measured twice. docs/statistics.md gives the formulas and their sources."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from proctor.statistics.intervals import (
    LEVEL,
    Interval,
    Scale,
    Spread,
    clustered_spread,
    design_effect,
    t_quantile,
    t_two_sided,
)

POWER = 0.8
"""The chance with which the smallest detectable difference would have been shown."""


@dataclass(slots=True)
class Pair:
    """The values of one cluster on both sides: sum and number of *a* and of *b*."""

    a: float = 0.0
    a_count: int = 0
    b: float = 0.0
    b_count: int = 0
    discordant: int = 0


@dataclass
class PairedSums:
    """Values of the same cases on two sides, summed up by cluster."""

    clusters: dict[str, Pair] = field(default_factory=dict)
    cases: int = 0
    a_better: int = 0
    b_better: int = 0

    def add(self, cluster: str, a: Sequence[float], b: Sequence[float]) -> None:
        """Add a case.

        Args:
            cluster: Its cluster.
            a: Its values on side a: one, or several where the metric is a mean over parts of samples.
            b: Its values on side b.
        """
        pair = self.clusters.setdefault(cluster, Pair())
        a_sum, b_sum = math.fsum(a), math.fsum(b)
        pair.a += a_sum
        pair.a_count += len(a)
        pair.b += b_sum
        pair.b_count += len(b)
        self.cases += 1
        gain = (b_sum / len(b) if b else 0.0) - (a_sum / len(a) if a else 0.0)
        self.a_better += gain < 0
        self.b_better += gain > 0
        pair.discordant += gain != 0


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much side b is above side a, and how sure that is.

    Args:
        a: The metric of side a on the paired cases.
        b: That of side b.
        value: ``b - a``; ``None`` without any pair.
        se: The standard error that interval and p value are made with.
        ci95: The 95 % interval.
        p: The two-sided p value of no difference.
        detectable: The smallest difference that this set would have shown with 80 % power.
        n: The number of paired cases.
        clusters: From how many clusters they come.
        a_better: Cases in which side a was the better one.
        b_better: Cases in which side b did.
    """

    a: float | None
    b: float | None
    value: float | None
    se: float | None
    ci95: Interval | None
    p: float | None
    detectable: float | None
    n: int
    clusters: int
    a_better: int
    b_better: int

    def with_less_better(self) -> Difference:
        """The same of a metric whose lower values are the better ones."""
        return replace(self, a_better=self.b_better, b_better=self.a_better)

    def scaled(self, factor: float) -> Difference:
        """The same of values that are *factor* times as large."""
        if factor == 1:
            return self
        numbers = (self.a, self.b, self.value, self.se, self.detectable)
        a, b, value, se, detectable = (None if number is None else number * factor for number in numbers)
        interval = None if self.ci95 is None else (self.ci95[0] * factor, self.ci95[1] * factor)
        return replace(self, a=a, b=b, value=value, se=se, ci95=interval, detectable=detectable)


def difference(sums: PairedSums, scale: Scale) -> Difference:
    """Side b's mean less side a's, with the clustered standard error of the paired difference.

    Args:
        sums: The values, summed up.
        scale: What values the metric takes.
    """
    pairs = list(sums.clusters.values())
    a_count, b_count = sum(pair.a_count for pair in pairs), sum(pair.b_count for pair in pairs)
    counts = (sums.cases, len(pairs), sums.a_better, sums.b_better)
    if not a_count or not b_count:
        return Difference(None, None, None, None, None, None, None, *counts)
    a, b = math.fsum(pair.a for pair in pairs) / a_count, math.fsum(pair.b for pair in pairs) / b_count
    # Both means may be over different numbers of values (pairs of graphs): each is linearised as a ratio.
    spread = clustered_spread(
        [(p.b - b * p.b_count) / b_count - (p.a - a * p.a_count) / a_count for p in pairs],
        [(p.a_count + p.b_count) / (a_count + b_count) for p in pairs],
    )
    centre, spread = _adjusted(b - a, sums, spread, scale)
    if spread is None or not spread.variance:
        se, p = (None, None) if spread is None else (0.0, 1.0 if a == b else None)
        return Difference(a, b, b - a, se, None, p, None, *counts)
    quantile = t_quantile((1 + LEVEL) / 2, spread.freedom)
    low, high = centre - quantile * spread.se, centre + quantile * spread.se
    return Difference(
        a=a,
        b=b,
        value=b - a,
        se=spread.se,
        ci95=(low, high) if scale is Scale.OPEN else (max(-1.0, low), min(1.0, high)),
        p=t_two_sided(centre / spread.se, spread.freedom),
        detectable=(quantile + t_quantile(POWER, spread.freedom)) * spread.se,
        n=counts[0],
        clusters=counts[1],
        a_better=counts[2],
        b_better=counts[3],
    )


def _adjusted(value: float, sums: PairedSums, spread: Spread | None, scale: Scale) -> tuple[float, Spread | None]:
    """The middle of the interval and its spread: as they are, or where that fails, by Bonett & Price (2012).

    They add one case that side a wins and one that side b wins, so that a handful of discordant cases, or none, does
    not pass for certainty. With clusters the number of cases is the effective one.
    """
    none_seen = spread is not None and spread.variance < 1e-24
    if spread is None or scale is Scale.OPEN or (scale is Scale.UNIT and not none_seen):
        return value, Spread(0.0, spread.freedom) if spread and none_seen else spread
    clusters = len(sums.clusters)
    if scale is Scale.BINARY:
        square = (sums.a_better + sums.b_better) / sums.cases
        effect = design_effect(
            spread.variance,
            max(0.0, square - value * value) / sums.cases,
            telling=sum(pair.discordant > 0 for pair in sums.clusters.values()),
            worst=sums.cases / clusters,
        )
        cases = sums.cases / effect
    else:
        square, cases = value * value, float(clusters)
    centre = value * cases / (cases + 2)
    variance = ((square * cases + 2) / (cases + 2) - centre * centre) / (cases + 2)
    return centre, Spread(variance, spread.freedom)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P values adjusted for being several, by Holm's step-down method (1979); ``None`` stays, and counts as a test."""
    order = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted
