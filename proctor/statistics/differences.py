"""How sure a difference is: the same samples, measured twice.

docs/explanation/statistics.md gives formulas and sources.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from proctor.statistics.distributions import t_below, t_quantile, t_two_sided
from proctor.statistics.intervals import (
    LEVEL,
    Interval,
    Scale,
    Spread,
    clustered_spread,
    design_effect,
    participation,
)

POWER = 0.8
"""The chance with which the smallest detectable difference would have been shown."""
LEAST_SIZE = math.sqrt(1 / 3)
"""The root mean square of a difference of which nothing is known but that it lies between -1 and 1."""

Values = tuple[float, float]
"""The sum of a sample's values and their number, each the mean over its epochs."""


@dataclass(slots=True)
class Pair:
    """One cluster on both sides: sum and number of the values, and of the gains of its samples."""

    a: float = 0.0
    a_count: float = 0.0
    b: float = 0.0
    b_count: float = 0.0
    samples: int = 0
    gain: float = 0.0
    gain_squares: float = 0.0


@dataclass
class PairedSums:
    """Values of the same samples on two sides, summed up by cluster."""

    clusters: dict[str, Pair] = field(default_factory=dict)
    samples: int = 0
    a_better: int = 0
    b_better: int = 0

    def add(self, cluster: str, a: Values, b: Values) -> None:
        """Add a sample.

        Args:
            cluster: Its cluster.
            a: Its values on side a: one, or several where the metric is a mean over parts of samples.
            b: Its values on side b.
        """
        pair = self.clusters.setdefault(cluster, Pair())
        (a_sum, a_count), (b_sum, b_count) = a, b
        pair.a += a_sum
        pair.a_count += a_count
        pair.b += b_sum
        pair.b_count += b_count
        gain = (b_sum / b_count if b_count else 0.0) - (a_sum / a_count if a_count else 0.0)
        if abs(gain) < 1e-12:
            gain = 0.0  # what rounding made of equal means over epochs
        self.samples += 1
        self.a_better += gain < 0
        self.b_better += gain > 0
        pair.samples += 1
        pair.gain += gain
        pair.gain_squares += gain * gain


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much side b is above side a, and how sure that is.

    Args:
        a: The metric of side a on the paired samples.
        b: That of side b.
        value: ``b - a``; ``None`` without any pair.
        se: The standard error that interval and p value are made with.
        ci95: The 95 % interval.
        p: The two-sided p value of no difference.
        centre: The middle of the interval, before it is cut at the ends of the scale.
        freedom: The degrees of freedom of the standard error; ``None`` where there is no interval.
        n: The number of paired samples.
        clusters: From how many clusters they come.
        a_better: Samples in which side a was the better one.
        b_better: Samples in which side b did.
    """

    a: float | None
    b: float | None
    value: float | None
    se: float | None
    ci95: Interval | None
    p: float | None
    centre: float
    freedom: float | None
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
        numbers = (self.a, self.b, self.value, self.se)
        a, b, value, se = (None if number is None else number * factor for number in numbers)
        interval = None
        if self.ci95 is not None:
            low, high = sorted(end * factor for end in self.ci95)
            interval = (low, high)
        return replace(
            self,
            a=a,
            b=b,
            value=value,
            se=None if se is None else abs(se),
            ci95=interval,
            centre=self.centre * factor,
        )

    def p_below(self, margin: float) -> float | None:
        """The one-sided p value of "b is at most *margin* below a": small where it is farther below."""
        if self.se is None or self.freedom is None:
            return None
        return t_below((self.centre + margin) / self.se, self.freedom)

    def p_above(self, margin: float) -> float | None:
        """The one-sided p value of "b is *margin* below a, or farther": small where it is not."""
        below = self.p_below(margin)
        return None if below is None else 1 - below

    def detectable(self, tests: int = 1) -> float | None:
        """The smallest difference that samples such as these would show with 80 % power.

        Args:
            tests: How many differences are looked at together: Holm's first step asks more of each.
        """
        if self.se is None or self.freedom is None:
            return None
        shown = t_quantile(1 - (1 - LEVEL) / 2 / tests, self.freedom)
        return (shown + t_quantile(POWER, self.freedom)) * self.se


def difference(sums: PairedSums, scale: Scale) -> Difference:
    """Side b's mean less side a's, with the clustered standard error of the paired difference.

    Args:
        sums: The values, summed up.
        scale: What values the metric takes.
    """
    pairs = list(sums.clusters.values())
    a_count, b_count = math.fsum(pair.a_count for pair in pairs), math.fsum(pair.b_count for pair in pairs)
    counts = (sums.samples, len(pairs), sums.a_better, sums.b_better)
    if not a_count or not b_count:
        return Difference(None, None, None, None, None, None, 0.0, None, *counts)
    a, b = math.fsum(pair.a for pair in pairs) / a_count, math.fsum(pair.b for pair in pairs) / b_count
    # Both means may be over different numbers of values (pairs of graphs): each is linearised as a ratio.
    spread = clustered_spread(
        [(p.b - b * p.b_count) / b_count - (p.a - a * p.a_count) / a_count for p in pairs],
        [(p.a_count + p.b_count) / (a_count + b_count) for p in pairs],
    )
    if spread is None:
        return Difference(a, b, b - a, None, None, None, b - a, None, *counts)
    centre, spread = _with_one_win_each(b - a, sums, spread, scale)
    if not spread.variance:
        return Difference(a, b, b - a, 0.0, None, 1.0, 0.0, None, *counts)
    half = t_quantile((1 + LEVEL) / 2, spread.freedom) * spread.se
    low, high = centre - half, centre + half
    return Difference(
        a=a,
        b=b,
        value=b - a,
        se=spread.se,
        ci95=(low, high) if scale is Scale.OPEN else (max(-1.0, low), min(1.0, high)),
        p=t_two_sided(centre / spread.se, spread.freedom),
        centre=centre,
        freedom=spread.freedom,
        n=counts[0],
        clusters=counts[1],
        a_better=counts[2],
        b_better=counts[3],
    )


def _with_one_win_each(value: float, sums: PairedSums, spread: Spread, scale: Scale) -> tuple[float, Spread]:
    """The middle of the interval and its spread after Bonett & Price (2012).

    They add one case that side a wins and one that side b wins, so that a handful of discordant cases, or none, does
    not pass for certainty. With clusters the number of cases is the effective one. Where wins have other sizes than 1,
    these two have the root mean square of those that were seen, but on a scale from 0 to 1 no less than `LEAST_SIZE`:
    that none of many small gains was a large loss is no proof that there are none.
    """
    pairs = sums.clusters.values()
    mean = math.fsum(pair.gain for pair in pairs) / sums.samples
    # Rounding may leave a little less than nothing, or more.
    squares = [max(0.0, p.gain_squares - mean * (2 * p.gain - mean * p.samples)) for p in pairs]
    square = math.fsum(squares) / sums.samples
    if square < 1e-24:
        square, squares = 0.0, [0.0]
    effect = design_effect(
        spread.variance if square else 0.0,
        square / sums.samples,
        telling=participation(squares),
        worst=sums.samples / len(sums.clusters),
    )
    wins = sums.a_better + sums.b_better
    size_square = math.fsum(pair.gain_squares for pair in pairs) / wins if wins else float(scale is Scale.BINARY)
    if scale is not Scale.OPEN:
        size_square = max(size_square, LEAST_SIZE**2)
    n = sums.samples / effect
    centre = value * n / (n + 2)
    variance = ((square + value * value) * n + 2 * size_square) / (n + 2) - centre * centre
    return centre, Spread(max(0.0, variance) / (n + 2), spread.freedom)


def mean_difference(differences: Sequence[Difference]) -> Difference | None:
    """The mean of the differences of several tasks, each with the same weight; ``None`` if one of them has no interval.

    Tasks are independent samples: the variances add up. The degrees of freedom are Satterthwaite's (*Biometrics
    Bulletin* 2, 1946).
    """
    count = len(differences)
    variances = [(d.se**2, d.freedom) for d in differences if d.se is not None and d.freedom is not None]
    if not count or len(variances) < count:
        return None
    variance = math.fsum(v for v, _ in variances)
    freedom = variance**2 / math.fsum(v * v / df for v, df in variances)
    value = math.fsum(d.value or 0.0 for d in differences) / count
    centre = math.fsum(d.centre for d in differences) / count
    se = math.sqrt(variance) / count
    half = t_quantile((1 + LEVEL) / 2, freedom) * se
    return Difference(
        a=None,
        b=None,
        value=value,
        se=se,
        ci95=(centre - half, centre + half),
        p=t_two_sided(centre / se, freedom),
        centre=centre,
        freedom=freedom,
        n=sum(d.n for d in differences),
        clusters=sum(d.clusters for d in differences),
        a_better=sum(d.a_better for d in differences),
        b_better=sum(d.b_better for d in differences),
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P values adjusted for being several, by Holm's step-down method (1979); ``None`` stays, and counts as a test."""
    order = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(p_values) - rank)))
        adjusted[index] = highest
    return adjusted
