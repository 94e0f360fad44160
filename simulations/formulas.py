"""The formulas of docs/explanation/statistics.md for many sets of values at once, and those of others to compare with.

A set is a row of an array; all sets have the same clusters, which stand side by side. tests/test_simulations.py checks
that what is computed here is what Proctor computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from proctor.statistics.differences import LEAST_SIZE
from proctor.statistics.intervals import LEAST_DESIGN_EFFECT, NORMAL_QUANTILE, WORST_CASE_WEIGHT

Array = Any  # of numpy, whose arithmetic knows no more of its types
Bounds = tuple[Array, Array]
RESAMPLES = 1000


@dataclass(frozen=True)
class Sums:
    """What clusters add up to, one row for each set of values.

    Args:
        sizes: The sizes of the clusters.
        totals: The sum of each cluster's values.
        squares: The sum of their squares.
    """

    sizes: Array
    totals: Array
    squares: Array

    @classmethod
    def of(cls, values: Array, sizes: Array) -> Sums:
        """The sums of values."""
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        return cls(sizes, np.add.reduceat(values, starts, axis=1), np.add.reduceat(values**2, starts, axis=1))

    @property
    def n(self) -> int:
        """How many values a set has."""
        return int(self.sizes.sum())

    @property
    def mean(self) -> Array:
        """The mean of each set."""
        return self.totals.sum(axis=1) / self.n

    @property
    def own(self) -> Array:
        """The squared deviations from the mean, summed up by cluster."""
        mean = self.mean[:, None]
        return np.maximum(0.0, self.squares - mean * (2 * self.totals - mean * self.sizes))

    @property
    def square(self) -> Array:
        """The mean squared deviation."""
        return self.own.sum(axis=1) / self.n

    @property
    def variance(self) -> Array:
        """The clustered variance of the mean, CR2."""
        influence = (self.totals - self.mean[:, None] * self.sizes) / self.n
        return (influence**2 / (1 - self.sizes / self.n)).sum(axis=1)

    @property
    def miller(self) -> Array:
        """The clustered variance without the correction for few clusters."""
        return (((self.totals - self.mean[:, None] * self.sizes) / self.n) ** 2).sum(axis=1)

    @property
    def freedom(self) -> float:
        """The degrees of freedom of CR2."""
        share = self.sizes / self.n
        weight = share**2 / (1 - share)
        return float(1 / ((share**2).sum() + weight.sum() ** 2 - (weight**2).sum()))


def ratio(above: Array, below: Array, otherwise: float) -> Array:
    """A quotient; *otherwise* where there is nothing to divide by."""
    return np.where(below > 1e-20, above / np.where(below > 1e-20, below, 1), otherwise)


def design_effect(variance: Array, independent: Array, telling: Array, worst: float) -> Array:
    """`proctor.statistics.intervals.design_effect`."""
    weight = telling**2
    drawn = (weight * ratio(variance, independent, worst) + WORST_CASE_WEIGHT * worst) / (weight + WORST_CASE_WEIGHT)
    return np.maximum(LEAST_DESIGN_EFFECT, drawn)


def participation(own: Array) -> Array:
    """`proctor.statistics.intervals.participation`."""
    return ratio(own.sum(axis=1) ** 2, (own**2).sum(axis=1), 0.0)


def wilson(mean: Array, n: Array | float, quantile: Array | float) -> Bounds:
    """`proctor.statistics.intervals.wilson`."""
    square = np.asarray(quantile) ** 2
    centre = (mean + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * np.sqrt(mean * (1 - mean) / n + square / (4 * n**2))
    return np.where(mean == 0, 0.0, centre - half), np.where(mean == 1, 1.0, centre + half)


def of_binary(sums: Sums) -> Bounds:
    """Proctor's interval of values of only 0 and 1."""
    mean, n, clusters = sums.mean, sums.n, len(sums.sizes)
    if clusters == n:
        return wilson(mean, float(n), NORMAL_QUANTILE)
    telling = np.minimum((sums.totals < sums.sizes).sum(axis=1), (sums.totals > 0).sum(axis=1))
    effect = design_effect(sums.variance, mean * (1 - mean) / n, telling, n / clusters)
    return wilson(mean, n / effect, np.where(telling > 0, stdtrit(sums.freedom, 0.975), NORMAL_QUANTILE))


def of_bounded(sums: Sums) -> Bounds:
    """Proctor's interval of values from 0 to 1; that of `of_binary` for sets of only 0 and 1."""
    mean, n, square = sums.mean, sums.n, sums.square
    if len(sums.sizes) == n:
        effective: Array = np.full(len(mean), n - 1.0)
    else:
        effect = design_effect(sums.variance, square / n, participation(sums.own), n / len(sums.sizes))
        effective = n / effect * (NORMAL_QUANTILE / stdtrit(sums.freedom, 0.975)) ** 2
    middle = (effective * mean + 0.5) / (effective + 1)
    variance = (square * effective + 0.5 * (mean**2 + (1 - mean) ** 2)) / ((effective + 1) * (effective + 2))
    weight = middle * (1 - middle) / variance - 1
    low, high = (betaincinv(middle * weight, (1 - middle) * weight, end) for end in (0.025, 0.975))
    binary = np.abs(sums.totals - sums.squares).sum(axis=1) < 1e-12
    low_of_two, high_of_two = of_binary(sums)
    return np.where(binary, low_of_two, np.minimum(low, mean)), np.where(binary, high_of_two, np.maximum(high, mean))


def plain(sums: Sums) -> Bounds:
    """All values taken for independent: the mean and 1.96 standard errors."""
    half = 1.96 * np.sqrt(sums.square / sums.n)
    return sums.mean - half, sums.mean + half


def miller(sums: Sums) -> Bounds:
    """The mean and 1.96 clustered standard errors (Miller, arXiv 2411.00640)."""
    half = 1.96 * np.sqrt(sums.miller)
    return sums.mean - half, sums.mean + half


def bca(sums: Sums, generator: np.random.Generator) -> Bounds:
    """The bootstrap of clusters, corrected for bias and acceleration (Efron, *JASA* 82, 1987)."""
    clusters = len(sums.sizes)
    weights = generator.multinomial(clusters, np.full(clusters, 1 / clusters), RESAMPLES).T.astype(float)
    means = np.sort((sums.totals @ weights) / (sums.sizes @ weights), axis=1)
    mean = sums.mean
    below = ((means < mean[:, None]).sum(axis=1) + (means == mean[:, None]).sum(axis=1) / 2) / RESAMPLES
    bias = ndtri(np.clip(below, 1 / RESAMPLES, 1 - 1 / RESAMPLES))
    left = (sums.totals.sum(axis=1)[:, None] - sums.totals) / (sums.n - sums.sizes)
    away = left.mean(axis=1)[:, None] - left
    acceleration = ratio((away**3).sum(axis=1), 6 * (away**2).sum(axis=1) ** 1.5, 0.0)
    ends = []
    for z in (-1.96, 1.96):
        level = ndtr(bias + (bias + z) / (1 - acceleration * (bias + z)))
        places = np.clip(np.round(level * (RESAMPLES - 1)).astype(int), 0, RESAMPLES - 1)
        ends.append(np.take_along_axis(means, places[:, None], axis=1)[:, 0])
    return ends[0], ends[1]


@dataclass(frozen=True)
class Paired:
    """Differences with one win more on each side, as `proctor.statistics.differences.difference` makes them.

    Args:
        centre: The middle of the interval.
        se: The standard error.
        freedom: Its degrees of freedom.
    """

    centre: Array
    se: Array
    freedom: float

    @classmethod
    def of(cls, gains: Sums, wins: Array, *, binary: bool) -> Paired:
        """The differences.

        Args:
            gains: What side b is above side a in each case.
            wins: In how many cases they differ.
            binary: Whether the values are only 0 and 1.
        """
        effect = design_effect(
            gains.variance, gains.square / gains.n, participation(gains.own), gains.n / len(gains.sizes)
        )
        size = np.maximum(ratio(gains.squares.sum(axis=1), wins, float(binary)), LEAST_SIZE**2)
        n = gains.n / effect
        centre = gains.mean * n / (n + 2)
        variance = ((gains.square + gains.mean**2) * n + 2 * size) / (n + 2) - centre**2
        return cls(centre, np.sqrt(np.maximum(variance, 0.0) / (n + 2)), gains.freedom)

    @classmethod
    def of_gains(cls, gains: Array, sizes: Array, *, binary: bool) -> Paired:
        """The differences of cases."""
        return cls.of(Sums.of(gains, sizes), (gains != 0).sum(axis=1), binary=binary)
