"""Sets of scores, drawn: what answers to benchmarks look like, with a mean that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import ndtr

from simulations.formulas import Array

GRADES = np.array([0, 0.25, 0.5, 0.75, 1.0])
GRADE_SHARES = np.array([0.02, 0.03, 0.10, 0.35, 0.50])
OUT_OF_TEN = np.arange(10) / 9
OUT_OF_TEN_SHARES = np.array([0.05, 0, 0, 0, 0, 0.02, 0.03, 0.10, 0.30, 0.50])


def _steps(values: Array, shares: Array) -> Callable[[Array], Array]:
    ends = np.cumsum(shares)[:-1]
    return lambda u: values[np.searchsorted(ends, u)]


def _with_zeros(share: float) -> Callable[[Array], Array]:
    return lambda u: np.where(u < share, 0.0, (u - share) / (1 - share))


def _with_ones(share: float, other: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda u: np.where(u >= 1 - share, 1.0, other(u / (1 - share)))


SCORES: Mapping[str, tuple[Callable[[Array], Array], float]] = {
    "uniform": (lambda u: u, 0.5),
    "30 % 0, rest uniform": (_with_zeros(0.3), 0.35),
    "70 % 0, rest uniform": (_with_zeros(0.7), 0.15),
    "90 % 0, rest uniform": (_with_zeros(0.9), 0.05),
    "60 % 1, rest uniform": (_with_ones(0.6, lambda u: u), 0.8),
    "90 % 1, rest uniform": (_with_ones(0.9, lambda u: u), 0.95),
    "97 % 1, rest 0.2": (_with_ones(0.97, lambda u: 0.2 + 0 * u), 0.97 + 0.03 * 0.2),
    "90 % 1, rest 0.9": (_with_ones(0.9, lambda u: 0.9 + 0 * u), 0.99),
    "95 % 0, rest 0.5": (lambda u: np.where(u < 0.95, 0.0, 0.5), 0.025),
    "45 % 0, 45 % 1, rest 0.5": (lambda u: np.where(u < 0.45, 0.0, np.where(u < 0.55, 0.5, 1.0)), 0.5),
    "five grades, half full marks": (_steps(GRADES, GRADE_SHARES), float(GRADES @ GRADE_SHARES)),
    "ten grades, some 0": (_steps(OUT_OF_TEN, OUT_OF_TEN_SHARES), float(OUT_OF_TEN @ OUT_OF_TEN_SHARES)),
}
"""Scores from 0 to 1: a function of a number drawn uniformly from 0 to 1, and the mean."""


def uniform(runs: int, sizes: Array, alike: float, generator: np.random.Generator) -> Array:
    """Numbers from 0 to 1 whose normal scores have this correlation inside clusters."""
    shape = (runs, int(sizes.sum()))
    if not alike:
        return generator.random(shape)
    shared = generator.standard_normal((runs, len(sizes)))[:, np.repeat(np.arange(len(sizes)), sizes)]
    return ndtr(alike**0.5 * shared + (1 - alike) ** 0.5 * generator.standard_normal(shape))


def binary(runs: int, sizes: Array, truth: float, alike: float, generator: np.random.Generator) -> Array:
    """Values of 0 and 1 with this correlation inside clusters: a cluster's chance is drawn from a Beta distribution."""
    chances = np.full((runs, len(sizes)), truth)
    if alike:
        strength = (1 - alike) / alike
        chances = generator.beta(truth * strength, (1 - truth) * strength, chances.shape)
    return (generator.random((runs, int(sizes.sum()))) < np.repeat(chances, sizes, axis=1)).astype(float)
