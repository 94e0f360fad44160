"""What a random sample of labels makes of a judge's scores: how often intervals hold the truth, and false verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, stdtrit

from proctor.statistics.intervals import NORMAL_QUANTILE
from proctor.statistics.prediction_powered import PRIOR_WEIGHT
from simulations.formulas import Array, Bounds
from simulations.populations import GRADE_SHARES, GRADES
from simulations.table import percent, printed

RUNS = 4000
ANSWERS = 1000
LABELS = (60, 100, 200)


@dataclass(frozen=True)
class Judge:
    """How a judge errs on right and wrong answers.

    Args:
        right: The chance that a right answer is called right.
        wrong: The chance that a wrong one is called wrong.
    """

    right: float
    wrong: float

    def of(self, truth: Array, generator: np.random.Generator) -> Array:
        """What it says of answers."""
        drawn = generator.random(truth.shape)
        return np.where(truth == 1, drawn < self.right, drawn >= self.wrong).astype(float)


SCORES = (
    (0.5, Judge(0.9, 0.9)),
    (0.5, Judge(0.98, 0.98)),
    (0.5, Judge(1.0, 1.0)),
    (0.7, Judge(0.6, 0.6)),
    (0.7, Judge(1.0, 0.5)),
    (0.3, Judge(0.95, 0.99)),
    (0.8, Judge(0.9, 0.7)),
    (0.8, Judge(0.99, 0.95)),
    (0.9, Judge(0.95, 0.6)),
    (0.9, Judge(1.0, 0.0)),
    (0.95, Judge(0.95, 0.8)),
    (0.95, Judge(0.98, 0.95)),
    (0.98, Judge(0.99, 0.9)),
)
"""The share of right answers, and the judge."""

GRADERS = ((0.0, 0.2), (0.5, 0.2), (0.9, 0.6))
"""The share of answers that a judge grades anew, and the share of these that get one grade more; others get any."""

FAVOURED = (
    (0.6, 0.5, Judge(0.9, 0.85), Judge(0.93, 0.8)),
    (0.6, 0.5, Judge(0.9, 0.8), Judge(0.96, 0.68)),
    (0.6, 0.9, Judge(0.97, 0.97), Judge(1.0, 0.9)),
    (0.9, 0.5, Judge(0.95, 0.8), Judge(0.97, 0.75)),
    (0.95, 0.5, Judge(0.95, 0.9), Judge(1.0, 0.5)),
)
"""The share of right answers of two equal models, how many questions are alike for both, and the judge of either."""


@dataclass(frozen=True)
class Calibration:
    """What `proctor.statistics.prediction_powered` makes of sets with labels, one a row, each answer its own cluster.

    Args:
        value: The calibrated score, or difference.
        variance: Its variance.
        square: The mean square of the labels' deviations from their mean.
        effect: The variance as a multiple of that without a judge, drawn towards 1.
        labels: How many answers have a label: the first ones of each row.
    """

    value: Array
    variance: Array
    square: Array
    effect: Array
    labels: int

    @classmethod
    def of(cls, judged: Array, truth: Array, labels: int) -> Calibration:
        """Calibrate."""
        f, y = judged[:, :labels], truth[:, :labels]
        f_off, y_off = f - f.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
        scatter = (f_off**2).sum(axis=1)
        weight = (f_off * y_off).sum(axis=1) / np.where(scatter > 0, scatter, 1)
        of_all = judged.mean(axis=1)
        influence = weight[:, None] * (judged - of_all[:, None]) / judged.shape[1]
        influence[:, :labels] += (y_off - weight[:, None] * f_off) / labels
        squares = influence**2
        variance = squares[:, :labels].sum(axis=1) * labels / (labels - 1) + squares[:, labels:].sum(axis=1)
        deviations = y_off**2
        square, fourth = deviations.mean(axis=1), (deviations**2).sum(axis=1)
        some = square > 0
        telling = np.where(some, (labels * square) ** 2 / np.where(some, fourth, 1), 0.0) ** 2
        ratio = variance * labels / np.where(some, square, 1)
        effect = np.where(some, (telling * ratio + PRIOR_WEIGHT) / (telling + PRIOR_WEIGHT), 1.0)
        return cls(y.mean(axis=1) + weight * (of_all - f.mean(axis=1)), variance, square, effect, labels)

    @property
    def quantile(self) -> float:
        """That of t."""
        return float(stdtrit(self.labels - 1, 0.975))

    @property
    def of_grades(self) -> Bounds:
        """The intervals of scores from 0 to 1."""
        mean = np.clip(self.value, 0, 1)
        n = self.labels / self.effect * (NORMAL_QUANTILE / self.quantile) ** 2
        middle = (n * mean + 0.5) / (n + 1)
        variance = (self.square * n + 0.5 * (mean**2 + (1 - mean) ** 2)) / ((n + 1) * (n + 2))
        weight = middle * (1 - middle) / variance - 1
        low, high = (betaincinv(middle * weight, (1 - middle) * weight, end) for end in (0.025, 0.975))
        return np.minimum(low, mean), np.maximum(high, mean)

    @property
    def interval(self) -> Bounds:
        """The intervals of scores of 0 and 1."""
        value, n, square = np.clip(self.value, 0, 1), self.labels / self.effect, self.quantile**2
        centre = (value + square / (2 * n)) / (1 + square / n)
        half = np.sqrt(square) / (1 + square / n) * np.sqrt(value * (1 - value) / n + square / (4 * n * n))
        return np.where(value == 0, 0, centre - half), np.where(value == 1, 1, centre + half)

    @property
    def difference(self) -> Bounds:
        """The middle of the interval of a difference, and its standard error."""
        n = self.labels / self.effect
        centre = self.value * n / (n + 2)
        variance = ((self.square + self.value**2) * n + 2) / (n + 2) - centre**2
        return centre, np.sqrt(np.maximum(0, variance) / (n + 2))


def tables() -> Iterator[str]:
    """The tables."""
    generator = np.random.default_rng(20)
    yield f"### Intervals that hold the truth ({RUNS:,} sets of {ANSWERS:,} answers; here (± t · se))"
    yield from _coverage(generator)
    yield f"### Verdicts on two equal models whose judge favours one ({RUNS:,} sets of {ANSWERS:,} answers)"
    yield printed(
        ("right", "alike", "judge of a", "judge of b", "judged alone", *(f"{n} labels" for n in (30, *LABELS))),
        (_false_verdicts(*setting, generator) for setting in FAVOURED),
    )


def _told(judge: Judge) -> str:
    return f"{judge.right:g} / {judge.wrong:g}"


def _coverage(generator: np.random.Generator) -> Iterator[str]:
    rows: list[tuple[str, ...]] = []
    held: list[float] = []
    for truth, judge in SCORES:
        bias = judge.right * truth + (1 - judge.wrong) * (1 - truth) - truth
        cells, width = [], 0.0
        for labels in LABELS:
            right = (generator.random((RUNS, ANSWERS)) < truth).astype(float)
            found = Calibration.of(judge.of(right, generator), right, labels)
            cells.append(_held(found, found.interval, truth, held))
            if labels == LABELS[0]:
                width = _width(found.interval) / _width(Calibration.of(np.zeros_like(right), right, labels).interval)
        rows.append((f"{truth:g}", _told(judge), f"{bias:+.3f}", *cells, f"{width:.2f}"))
    truth = float(GRADES @ GRADE_SHARES)
    for wrong, high in GRADERS:
        cells, bias, width = [], 0.0, 0.0
        for labels in LABELS:
            right, judged = _graded(wrong, high, generator)
            found = Calibration.of(judged, right, labels)
            cells.append(_held(found, found.of_grades, truth, held))
            bias = float(judged.mean() - truth)
            if labels == LABELS[0]:
                width = _width(found.of_grades) / _width(Calibration.of(np.zeros_like(right), right, labels).of_grades)
        told = f"{wrong:g} graded anew, {high:g} of these up"
        rows.append((f"five grades, {truth:.3f}", told, f"{bias:+.3f}", *cells, f"{width:.2f}"))
    yield printed(("right", "judge", "bias", *(f"{n} labels" for n in LABELS), "width at 60"), rows)
    inside = sum(0.93 <= share <= 0.97 for share in held)
    ends = f"{percent(min(held))} to {percent(max(held))}"
    yield f"Here: {ends} over {len(held)} settings, {inside} of them from 93 to 97 %."


def _graded(wrong: float, high: float, generator: np.random.Generator) -> tuple[Array, Array]:
    """Five grades, and what a judge makes of them."""
    shape = (RUNS, ANSWERS)
    ends = np.cumsum(GRADE_SHARES)[:-1]
    right, other = (GRADES[np.searchsorted(ends, generator.random(shape))] for _ in "ab")
    raised = np.minimum(1.0, right + 0.25)
    error = np.where(generator.random(shape) < high, raised, other)
    return right, np.where(generator.random(shape) < wrong, error, right)


def _held(found: Calibration, interval: Bounds, truth: float, held: list[float]) -> str:
    """How often intervals hold the truth, and how often those of t would."""
    low, high = interval
    here = float(((low <= truth) & (truth <= high)).mean())
    held.append(here)
    plain = np.abs(found.value - truth) <= found.quantile * np.sqrt(found.variance)
    return f"{percent(here)} ({100 * plain.mean():.0f})"


def _width(interval: Bounds) -> float:
    return float((interval[1] - interval[0]).mean())


def _false_verdicts(truth: float, alike: float, a: Judge, b: Judge, generator: np.random.Generator) -> list[str]:
    shape = (RUNS, ANSWERS)
    of_a = (generator.random(shape) < truth).astype(float)
    of_b = np.where(generator.random(shape) < alike, of_a, generator.random(shape) < truth).astype(float)
    judged, right = b.of(of_b, generator) - a.of(of_a, generator), of_b - of_a
    error = judged.std(axis=1, ddof=1) / np.sqrt(ANSWERS)
    shown = np.abs(judged.mean(axis=1)) > stdtrit(ANSWERS - 1, 0.975) * error
    cells = [f"{truth:g}", f"{alike:g}", _told(a), _told(b), percent(float(shown.mean()))]
    for labels in (30, *LABELS):
        found = Calibration.of(judged, right, labels)
        centre, se = found.difference
        cells.append(percent(float((np.abs(centre) > found.quantile * se).mean())))
    return cells
