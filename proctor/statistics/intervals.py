"""How sure a mean is: standard errors and 95 % intervals of values that come in clusters.

docs/explanation/statistics.md gives every formula with its source, and says why each was chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from statistics import NormalDist
from typing import Any

from proctor.statistics.distributions import beta_quantile, t_quantile

LEVEL = 0.95
NORMAL_QUANTILE = NormalDist().inv_cdf((1 + LEVEL) / 2)
WORST_CASE_WEIGHT = 0.5
LEAST_DESIGN_EFFECT = 0.5
"""Less is taken for chance: the cases of a cluster would have to be less alike than any others."""

Interval = tuple[float, float]
ClusterSums = Mapping[str, Sequence[float]]
"""Sum, number, and sum of the squares of the values of each cluster."""


class Scale(Enum):
    """What values a metric takes, as far as its values in a run say."""

    BINARY = "only 0 and 1"
    UNIT = "from 0 to 1"
    OPEN = "any number"

    @classmethod
    def of(cls, values: Iterable[float], worst: float) -> Scale:
        """The scale of a metric with these values; one whose *worst* value is not 0 is on a scale of its own."""
        scale = cls.BINARY if worst == 0 else cls.OPEN
        for value in values:
            if scale is cls.OPEN:
                break
            scale = scale.with_value(value)
        return scale

    def with_value(self, value: float) -> Scale:
        """The scale of a metric on this scale that also takes *value*."""
        if value in (0, 1) or self is Scale.OPEN:
            return self
        return Scale.UNIT if 0 < value < 1 else Scale.OPEN


@dataclass(frozen=True, slots=True)
class Units:
    """What a metric is looked at in: shares of what can be had, so that grades from 1 to 10 are treated as 0 to 1 are.

    Args:
        origin: The value that is a share of 0.
        size: How far above it a share of 1 is.
        scale: What shares there are before any value is known.
    """

    origin: float
    size: float
    scale: Scale

    @classmethod
    def of(cls, worst: float, best: float) -> Units:
        """The units of a metric with these values; one whose worst value is not below its best has any values.

        But a metric from 1 down to 0, such as a rate of errors, is a share as one from 0 to 1 is.
        """
        if 0 < worst < best:
            return cls(worst, best - worst, Scale.BINARY)
        if worst >= best:
            return cls(0.0, 1.0, Scale.BINARY if (worst, best) == (1, 0) else Scale.OPEN)
        return cls(0.0, best or 1.0, Scale.of((), worst))

    def share(self, value: float) -> float:
        """A value in these units."""
        return (value - self.origin) / self.size


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric's value and how sure it is.

    Args:
        value: The mean; ``None`` if there is nothing to take a mean of.
        se: Its clustered standard error; ``None`` with fewer than two clusters.
        ci95: Its 95 % interval; ``None`` where the values do not tell one.
        n: How many values it is the mean of.
        clusters: From how many clusters these come.
    """

    value: float | None
    se: float | None
    ci95: Interval | None
    n: int
    clusters: int

    def outside(self, units: Units) -> Estimate:
        """The same of values that were given in *units*."""
        origin, size = units.origin, units.size
        if (origin, size) == (0, 1):
            return self
        interval = None if self.ci95 is None else (origin + self.ci95[0] * size, origin + self.ci95[1] * size)
        return replace(
            self,
            value=None if self.value is None else origin + self.value * size,
            se=None if self.se is None else self.se * size,
            ci95=interval,
        )

    def fields(self) -> dict[str, Any]:
        """The same as report.json holds it."""
        return {
            "value": self.value,
            "se": self.se,
            "ci95": ends(self.ci95),
            "n": self.n,
            "clusters": self.clusters,
        }


def ends(interval: Interval | None) -> list[float] | None:
    """An interval as report.json holds it."""
    return None if interval is None else list(interval)


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of a mean (or of a difference of means) and the degrees of freedom of that variance."""

    variance: float
    freedom: float

    @property
    def se(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)


def clustered_spread(influences: Sequence[float], shares: Sequence[float]) -> Spread | None:
    """The variance of an estimate from each cluster's influence on it; ``None`` with fewer than two clusters.

    This is Miller's clustered standard error (arXiv 2411.00640, section 2.2) with the small-sample correction CR2 of
    Bell & McCaffrey (2002), which for a mean divides a cluster's squared influence by 1 minus its share of the values;
    with clusters of one size that is the factor G / (G - 1). The degrees of freedom are theirs too, for values that are
    alike within and between clusters; with clusters of one size they are G - 1.

    Args:
        influences: For a mean, the sum of a cluster's deviations from it, divided by the number of all values.
        shares: Each cluster's share of the values.
    """
    if len(influences) < 2:
        return None
    variance = squares = leverage = leverage_squares = 0.0
    for influence, share in zip(influences, shares, strict=True):
        variance += influence * influence / (1 - share)
        weight = share * share / (1 - share)
        squares += share * share
        leverage += weight
        leverage_squares += weight * weight
    return Spread(variance, 1 / (squares + leverage * leverage - leverage_squares))


def estimate(sums: ClusterSums, scale: Scale) -> Estimate:
    """The mean of clustered values, its standard error and interval.

    Args:
        sums: The values of each cluster, summed up.
        scale: What values the metric takes.
    """
    n = int(sum(count for _, count, _ in sums.values()))
    if not n:
        return Estimate(None, None, None, 0, 0)
    value = math.fsum(total for total, _, _ in sums.values()) / n
    spread = clustered_spread(
        [(total - value * count) / n for total, count, _ in sums.values()], [count / n for _, count, _ in sums.values()]
    )
    if spread is not None and spread.variance < 1e-24 * max(1.0, value * value):
        spread = Spread(0.0, spread.freedom)  # what rounding left of no variance at all
    se = None if spread is None else spread.se
    return Estimate(value, se, _interval(value, n, sums, spread, scale), n, len(sums))


def _interval(value: float, n: int, sums: ClusterSums, spread: Spread | None, scale: Scale) -> Interval | None:
    if scale is Scale.OPEN:
        if spread is None or not spread.variance:
            return None  # nothing tells how far values vary between clusters
        half = _quantile(spread) * spread.se
        return value - half, value + half
    if spread is None:
        # No distribution on a scale from 0 to 1 varies more than one of only 0 and 1, and clusters cannot be more alike
        # inside than all the same: one cluster tells no less than one such value.
        return wilson(value, 1, NORMAL_QUANTILE)
    return _of_binary(value, n, sums, spread) if scale is Scale.BINARY else _of_bounded(value, n, sums, spread)


def _of_binary(value: float, n: int, sums: ClusterSums, spread: Spread) -> Interval:
    clusters = len(sums)
    if clusters == n:
        return wilson(value, n, NORMAL_QUANTILE)
    with_failure = sum(total < count for total, count, _ in sums.values())
    with_success = sum(total > 0 for total, _, _ in sums.values())
    telling = min(with_failure, with_success)
    effect = design_effect(spread.variance, value * (1 - value) / n, telling=telling, worst=n / clusters)
    return wilson(value, n / effect, _quantile(spread) if telling else NORMAL_QUANTILE)


def _of_bounded(value: float, n: int, sums: ClusterSums, spread: Spread) -> Interval:
    # A cluster's squared deviations from the mean. Rounding may leave a little less than nothing.
    squares = [max(0.0, s - value * (2 * total - value * count)) for total, count, s in sums.values()]
    square = math.fsum(squares) / n
    if len(sums) == n:
        return beta_interval(value, square, n - 1)
    effect = design_effect(spread.variance, square / n, telling=participation(squares), worst=n / len(sums))
    # Few clusters tell their own variance badly: as t is to the normal quantile.
    return beta_interval(value, square, n / effect * (NORMAL_QUANTILE / _quantile(spread)) ** 2)


def _quantile(spread: Spread) -> float:
    return t_quantile((1 + LEVEL) / 2, spread.freedom)


def participation(squares: Sequence[float]) -> float:
    """How many clusters a variance comes from: (Σ q)² / Σ q², which is their number where all are alike.

    Args:
        squares: Each cluster's squared deviations.
    """
    fourth = math.fsum(square * square for square in squares)
    return math.fsum(squares) ** 2 / fourth if fourth else 0.0


def design_effect(variance: float, independent: float, *, telling: float, worst: float) -> float:
    """By how much clusters enlarge the variance of a mean of values from 0 to 1.

    The plain ratio of both variances is a poor guess while a rare value is found in a few clusters only: these may be
    alike inside, or not, by chance. So it is drawn towards *worst*, which is what clusters of all the same values give,
    the more the fewer clusters tell. docs/explanation/statistics.md shows the coverage with and without.

    Args:
        variance: The clustered variance.
        independent: What it would be if all values were independent.
        telling: How many clusters hold the rarer value, or from how many the variance comes (`participation`).
        worst: The mean size of the clusters.
    """
    ratio = variance / independent if independent else worst
    weight = telling * telling
    return max(LEAST_DESIGN_EFFECT, (weight * ratio + WORST_CASE_WEIGHT * worst) / (weight + WORST_CASE_WEIGHT))


def wilson(proportion: float, n: float, quantile: float) -> Interval:
    """Wilson's score interval (1927) of a proportion of *n* values, which need not be a whole number."""
    square = quantile * quantile
    centre = (proportion + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * math.sqrt(proportion * (1 - proportion) / n + square / (4 * n * n))
    low = 0.0 if proportion == 0 else max(0.0, centre - half)
    return low, 1.0 if proportion == 1 else min(1.0, centre + half)


@lru_cache(maxsize=64)  # both score families have as a rule the same values
def beta_interval(mean: float, square: float, n: float) -> Interval:
    """The interval of a mean of values from 0 to 1: the central 95 % of a Beta distribution.

    It has the mean and the variance that the mean of the values has when half a value of 0 and half a value of 1 are
    added to them, so that a few values at one end do not pass for certainty. For values of only 0 and 1 that is all but
    the interval of Jeffreys.

    Args:
        mean: The mean of the values.
        square: The mean of their squared deviations from it.
        n: Their effective number.
    """
    middle = (n * mean + 0.5) / (n + 1)
    variance = (square * n + 0.5 * (mean**2 + (1 - mean) ** 2)) / ((n + 1) * (n + 2))
    weight = middle * (1 - middle) / variance - 1
    ends = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    low, high = (beta_quantile(middle * weight, (1 - middle) * weight, end) for end in ends)
    return min(low, mean), max(high, mean)
