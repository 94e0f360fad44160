"""How often a difference is shown where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from scipy.special import stdtr, stdtrit

from simulations.formulas import Array, Paired, Sums
from simulations.table import percent, printed

RUNS = 4000
NUMBERS = (10, 20, 50, 100, 300, 1000)

Draw = Callable[[np.random.Generator, tuple[int, int]], Array]


def _of(values: tuple[float, ...], shares: tuple[float, ...]) -> Draw:
    ends = np.cumsum(shares)
    return lambda generator, shape: np.array([*values, 0.0])[np.searchsorted(ends, generator.random(shape))]


def _redrawn(share: float) -> Draw:
    return lambda generator, shape: np.where(
        generator.random(shape) < share, generator.random(shape) - generator.random(shape), 0.0
    )


GAINS: Mapping[str, tuple[Draw, bool]] = {
    "10 % won, 10 % lost": (_of((1.0, -1.0), (0.1, 0.1)), True),
    "1 % won, 1 % lost": (_of((1.0, -1.0), (0.01, 0.01)), True),
    "7.5 % +1, 10 % −1, 5 % +0.5": (_of((1.0, -1.0, 0.5), (0.075, 0.1, 0.05)), False),
    "18 % +0.1, 2 % −0.9": (_of((0.1, -0.9), (0.18, 0.02)), False),
    "45 % +0.1, 5 % −0.9": (_of((0.1, -0.9), (0.45, 0.05)), False),
    "9 % +0.2, 2 % −0.9": (_of((0.2, -0.9), (0.09, 0.02)), False),
    "all drawn anew, uniform": (_redrawn(1.0), False),
    "20 % drawn anew, uniform": (_redrawn(0.2), False),
    "normal, sd 0.1": (lambda generator, shape: np.clip(generator.normal(0, 0.1, shape), -1, 1), False),
}
"""Differences whose mean is 0, and whether they are of values of only 0 and 1."""


def tables() -> Iterator[str]:
    """The tables."""
    generator = np.random.default_rng(20)
    yield f"### Differences shown where there are none, at p < 0.05 ({RUNS:,} sets each; here (paired t))"
    rows, worst = [], 0.0
    for name, (draw, binary) in GAINS.items():
        cells = []
        for n in NUMBERS:
            gains = draw(generator, (RUNS if n < 1000 else RUNS // 2, n))
            quantile = stdtrit(n - 1, 0.975)
            found = Paired.of_gains(gains, np.ones(n, dtype=int), binary=binary)
            here = float((np.abs(found.centre) > quantile * found.se).mean())
            error = np.sqrt(Sums.of(gains, np.ones(n, dtype=int)).variance)
            # Equal differences that are not 0 have no error at all: t takes them for certain.
            t_test = float((np.abs(gains.mean(axis=1)) > quantile * error + 1e-12).mean())
            worst = max(worst, here)
            cells.append(f"{percent(here)} ({100 * t_test:.0f})")
        rows.append((name, *cells))
    yield printed(("differences", *(f"n = {n}" for n in NUMBERS)), rows)
    yield f"Here: at most {percent(worst)}."
    yield "### p where one side wins all of n cases (here, and by the sign test)"
    rows = []
    for n in (3, 4, 5, 6, 8, 10):
        found = Paired.of_gains(np.ones((1, n)), np.ones(n, dtype=int), binary=True)
        p = 2 * stdtr(n - 1, -found.centre / found.se)[0]
        rows.append((str(n), f"{p:.3f}", f"{2 * 0.5**n:.3f}"))
    yield printed(("n", "here", "sign test"), rows)
