"""The score that a random sample of labels and a judge of all answers give together: prediction-powered inference.

Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, *Prediction-powered inference*, Science 382, 2023 (arXiv 2301.09633);
Angelopoulos, Duchi & Zrnic, *PPI++*, 2023 (arXiv 2311.01453). docs/explanation/statistics.md has the formulas, and what
they hold in simulations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.statistics.distributions import t_quantile, t_two_sided
from proctor.statistics.intervals import (
    LEVEL,
    NORMAL_QUANTILE,
    Interval,
    Scale,
    Spread,
    beta_interval,
    clustered_spread,
    participation,
    wilson,
)

PRIOR_WEIGHT = 2.0
"""How much the case that a judge tells nothing counts, against the square of the number of clusters that tell."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a judge says of an answer, and a person of those that were drawn.

    Args:
        cluster: The cluster of the answer; answers of one are not independent.
        judged: The judge's score, on a scale from 0 to 1; or by how much it is higher for another model's answer.
        label: The person's score, likewise; ``None`` for an answer that was not drawn.
    """

    cluster: str
    judged: float
    label: float | None


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A score by labels and judge together.

    Args:
        value: The score; ``None`` without labels.
        se: Its standard error; ``None`` with labels in fewer than two clusters.
        ci95: Its 95 % interval; ``None`` where the labels do not tell one.
        p: The two-sided p value of 0, for a difference.
        weight: λ, by how much the judge counts.
        labels: How many answers have a label.
        cases: How many have a judgment.
        clusters: From how many clusters the labels come.
    """

    value: float | None
    se: float | None
    ci95: Interval | None
    p: float | None
    weight: float
    labels: int
    cases: int
    clusters: int


@dataclass(frozen=True, slots=True)
class _Fit:
    """The estimate before anything is said of how sure it is.

    Args:
        value: The estimate.
        weight: λ.
        spread: Its variance; ``None`` with labels in fewer than two clusters.
        square: The mean square of the labels' deviations from their mean.
        effect: The variance as a multiple of that of the mean of as many independent labels without a judge.
    """

    value: float
    weight: float
    spread: Spread | None
    square: float
    effect: float


def calibrated_score(judgments: Sequence[Judgment], scale: Scale) -> Calibrated:
    """A mean score, its standard error and interval.

    Args:
        judgments: All judged answers; those with a label are a random sample of them.
        scale: What values labels take.
    """
    counts = _counts(judgments)
    fit = _fit(judgments)
    if fit is None:
        return Calibrated(None, None, None, None, 0.0, *counts)
    interval = None if fit.spread is None else _interval(fit, fit.spread, counts[0], scale)
    return Calibrated(fit.value, None if fit.spread is None else fit.spread.se, interval, None, fit.weight, *counts)


def calibrated_difference(judgments: Sequence[Judgment], scale: Scale) -> Calibrated:
    """By how much one model is above another, from judgments and labels that are such differences themselves.

    One label by which either model is ahead is added to the effective number of labels, as Bonett & Price (2012) do for
    paired proportions, so that a few labels that all agree do not pass for certainty; see
    `proctor.statistics.differences`.

    Args:
        judgments: For each sample what the judge, and the labels of those that were drawn, say of the difference.
        scale: What values the two labels of a sample take.
    """
    counts = _counts(judgments)
    fit = _fit(judgments)
    if fit is None:
        return Calibrated(None, None, None, None, 0.0, *counts)
    if fit.spread is None:
        return Calibrated(fit.value, None, None, None, fit.weight, *counts)
    size = 1.0 if scale is not Scale.OPEN else fit.square + fit.value**2
    n = counts[0] / fit.effect
    centre = fit.value * n / (n + 2)
    variance = ((fit.square + fit.value**2) * n + 2 * size) / (n + 2) - centre * centre
    se = math.sqrt(max(0.0, variance) / (n + 2))
    if not se:
        return Calibrated(fit.value, 0.0, None, 1.0, fit.weight, *counts)
    half = t_quantile((1 + LEVEL) / 2, fit.spread.freedom) * se
    low, high = centre - half, centre + half
    return Calibrated(
        fit.value,
        se,
        (low, high) if scale is Scale.OPEN else (max(-1.0, low), min(1.0, high)),
        t_two_sided(centre / se, fit.spread.freedom),
        fit.weight,
        *counts,
    )


def _counts(judgments: Sequence[Judgment]) -> tuple[int, int, int]:
    labelled = [one.cluster for one in judgments if one.label is not None]
    return len(labelled), len(judgments), len(set(labelled))


def _fit(judgments: Sequence[Judgment]) -> _Fit | None:
    """The mean of the labels, moved by λ times what the judge says of all answers beyond what it says of these.

    λ is the slope of the labels on the judgments by least squares. That is the λ of PPI++ with the least variance,
    Cov(Y, f) / ((1 + n/N) Var f), written for the mean judgment over all answers instead of the N without a label; in
    sampling it is the regression estimator (Cochran, *Sampling Techniques*, 1977, section 12.7).
    """
    pairs = [(one.judged, one.label) for one in judgments if one.label is not None]
    if not pairs:
        return None
    n, cases = len(pairs), len(judgments)
    judged = math.fsum(f for f, _ in pairs) / n
    label = math.fsum(y for _, y in pairs) / n
    spread_of_judged = math.fsum((f - judged) ** 2 for f, _ in pairs)
    together = math.fsum((f - judged) * (y - label) for f, y in pairs)
    weight = together / spread_of_judged if spread_of_judged > 1e-24 else 0.0
    of_all = math.fsum(one.judged for one in judgments) / cases
    influences: Counter[str] = Counter()
    shares: Counter[str] = Counter()
    deviations: dict[str, float] = {}
    for one in judgments:
        influence = weight * (one.judged - of_all) / cases
        if one.label is not None:
            influence += (one.label - label - weight * (one.judged - judged)) / n
            shares[one.cluster] += 1
            deviations[one.cluster] = deviations.get(one.cluster, 0.0) + (one.label - label) ** 2
        influences[one.cluster] += influence  # type: ignore[assignment]
    # With a label a cluster CR2 makes the factor n / (n - 1) of the part with labels, and n - 1 degrees of freedom.
    spread = (
        clustered_spread([influences[c] for c in influences], [shares[c] / n for c in influences])
        if len(shares) > 1
        else None
    )
    square = math.fsum(deviations.values()) / n
    return _Fit(label + weight * (of_all - judged), weight, spread, square, _effect(spread, square, deviations, n))


def _effect(spread: Spread | None, square: float, deviations: dict[str, float], n: int) -> float:
    """The variance as a multiple of that of n independent labels, drawn towards what it is if the judge tells nothing.

    The plain ratio is a poor guess while few labels are of the rarer kind: a judge then looks perfect that is not. So
    it is drawn towards the mean number of labels in a cluster, as `proctor.statistics.intervals.design_effect` is; k
    clusters that tell weigh k² against `PRIOR_WEIGHT`. Both rules rest on simulation.
    """
    worst = n / len(deviations)
    if spread is None or square < 1e-24:
        return worst
    weight = participation(list(deviations.values())) ** 2
    return max(1e-9, (weight * spread.variance * n / square + PRIOR_WEIGHT * worst) / (weight + PRIOR_WEIGHT))


def _interval(fit: _Fit, spread: Spread, labels: int, scale: Scale) -> Interval | None:
    quantile = t_quantile((1 + LEVEL) / 2, spread.freedom)
    if scale is Scale.OPEN:
        return (fit.value - quantile * spread.se, fit.value + quantile * spread.se) if spread.variance else None
    value, n = min(1.0, max(0.0, fit.value)), labels / fit.effect
    if scale is Scale.BINARY:
        return wilson(value, n, quantile)
    return beta_interval(value, fit.square, n * (NORMAL_QUANTILE / quantile) ** 2)
