"""How far a judge and a person, or two judges, agree, and to which side a judge errs.

Cohen, *A coefficient of agreement for nominal scales*, Educational and Psychological Measurement 20, 1960; with
weights: Psychological Bulletin 70, 1968. The standard error is that of the delta method (Fleiss, Cohen & Everitt,
Psychological Bulletin 72, 1969), from the influence of each cluster.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.statistics.differences import Difference, PairedSums, difference
from proctor.statistics.distributions import t_quantile
from proctor.statistics.intervals import (
    LEVEL,
    NORMAL_QUANTILE,
    Estimate,
    Interval,
    Scale,
    beta_interval,
    clustered_spread,
    design_effect,
    estimate,
    participation,
    wilson,
)

SAME = 1e-9
"""Scores that are no farther apart are the same."""


@dataclass(frozen=True, slots=True)
class RatedTwice:
    """An answer that two have rated, on a scale from 0 to 1.

    Args:
        cluster: Its cluster; answers of one are not independent.
        judge: What the judge says.
        reference: What the person says, or another judge.
    """

    cluster: str
    judge: float
    reference: float


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance.

    Args:
        value: 1 for full agreement, 0 for that of chance; ``None`` where both always say the same.
        ci95: Its 95 % interval; ``None`` with fewer than two clusters.
    """

    value: float | None
    ci95: Interval | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a set of answers tells of a judge.

    Args:
        same: The share of answers that both give the same score.
        kappa: Agreement beyond chance, with quadratic weights where there are more than two scores.
        constant: The share that a judge would get right who always gives the score that the reference gives most.
        constant_score: That score.
        bias: The judge's mean less the reference's.
    """

    same: Estimate
    kappa: Kappa
    constant: float | None
    constant_score: float | None
    bias: Difference


def agreement(answers: Sequence[RatedTwice], scale: Scale) -> Agreement:
    """What these answers tell of a judge.

    Args:
        answers: The answers.
        scale: What values scores take.
    """
    same: dict[str, list[float]] = {}
    sums = PairedSums()
    for one in answers:
        equal = float(abs(one.judge - one.reference) <= SAME)
        cluster = same.setdefault(one.cluster, [0.0, 0, 0.0])
        cluster[0] += equal
        cluster[1] += 1
        cluster[2] += equal
        sums.add(one.cluster, (one.reference, 1), (one.judge, 1))
    most = Counter(one.reference for one in answers).most_common(1)
    return Agreement(
        same=estimate(same, Scale.BINARY),
        kappa=kappa(answers),
        constant=most[0][1] / len(answers) if most else None,
        constant_score=most[0][0] if most else None,
        bias=difference(sums, scale),
    )


def kappa(answers: Sequence[RatedTwice]) -> Kappa:
    """Cohen's kappa with quadratic weights, which is his plain kappa where there are two scores.

    1 - D / C: D is the mean squared distance of the two scores, E(x - y)², and C what it is where the same scores are
    paired at random, E x² + E y² - 2 E x E y. Near full agreement the delta method is certain of too much. So its
    variance only tells the effective number of answers. The interval is the one that D, a mean of values from 0 to 1,
    has with as many (see `proctor.statistics.intervals`), put into 1 - D / C.
    """
    n = len(answers)
    if not n:
        return Kappa(None, None)
    mean_x, mean_y = (math.fsum(scores) / n for scores in zip(*((a.judge, a.reference) for a in answers), strict=True))
    distances = [(one.judge - one.reference) ** 2 for one in answers]
    by_chance = [
        x * x + y * y - 2 * x * mean_y - 2 * y * mean_x + 2 * mean_x * mean_y
        for x, y in ((one.judge, one.reference) for one in answers)
    ]
    distance, chance = math.fsum(distances) / n, math.fsum(by_chance) / n
    if chance <= SAME:
        return Kappa(None, None)
    sizes = Counter(one.cluster for one in answers)
    influences, squares = dict.fromkeys(sizes, 0.0), dict.fromkeys(sizes, 0.0)
    for one, found, expected in zip(answers, distances, by_chance, strict=True):
        influences[one.cluster] += (found - distance / chance * expected) / n
        squares[one.cluster] += (found - distance) ** 2
    value = 1 - distance / chance
    spread = clustered_spread(list(influences.values()), [size / n for size in sizes.values()])
    if spread is None:
        return Kappa(value, None)
    square = math.fsum(squares.values()) / n
    effect = design_effect(
        spread.variance,
        square / n,
        telling=participation(list(squares.values())),
        worst=n / len(sizes),
    )
    quantile = t_quantile((1 + LEVEL) / 2, spread.freedom)
    binary = all(one.judge in (0, 1) and one.reference in (0, 1) for one in answers)
    low, high = (
        wilson(distance, n / effect, quantile)
        if binary
        else beta_interval(distance, square, n / effect * (NORMAL_QUANTILE / quantile) ** 2)
    )
    return Kappa(value, (max(-1.0, 1 - high / chance), 1 - low / chance))
