"""How many calls ``--stop-when-decided`` saves, and how often it is right."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr, stdtrit

from proctor.gates.sequential import DEFAULT_MARGIN, ERROR, LEAST_CLUSTERS, LOOKS
from proctor.gates.spending import ErrorSpending
from simulations.formulas import Array, Paired
from simulations.suites import FULL_TSG, gains
from simulations.table import percent, printed

RUNS = 2000
BATCH = 250
DROPS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.10, 0.30)


def tables() -> Iterator[str]:
    """The tables."""
    generator = np.random.default_rng(22)
    cases = sum(task.cases for task in FULL_TSG)
    told = f"{cases:,} calls, margin {DEFAULT_MARGIN:g}, {RUNS:,} runs each"
    yield f"### --stop-when-decided on the full TSG tasks ({told})"
    rows = []
    for drop in DROPS:
        found = np.concatenate([_outcomes(drop, BATCH, generator) for _ in range(RUNS // BATCH)])
        asked, worse, no_worse = found.mean(axis=0)
        rows.append(
            (
                f"−{100 * drop:g} points" if drop else "none",
                percent(1 - asked),
                percent(worse),
                percent(no_worse),
                percent(abs(1 - worse - no_worse)),
            )
        )
    yield printed(("change in each task", "calls saved", "worse", "no worse", "undecided"), rows)


def _outcomes(drop: float, runs: int, generator: np.random.Generator) -> Array:
    """For each run the part of the calls that it made, and whether it was found worse, or no worse."""
    spending = ErrorSpending(ERROR)
    drawn = [gains(task, runs, drop, generator) for task in FULL_TSG]
    orders = [generator.permutation(task.cases) for task in FULL_TSG]
    asked, worse, no_worse = np.ones(runs), np.zeros(runs, dtype=bool), np.zeros(runs, dtype=bool)
    for look in range(1, LOOKS + 1):
        fraction = look / LOOKS
        still = np.flatnonzero(~worse & ~no_worse)
        firsts = [np.sort(order[: round(fraction * len(order))]) for order in orders]
        sizes = [np.unique(f // task.size, return_counts=True)[1] for f, task in zip(firsts, FULL_TSG, strict=True)]
        if min(map(len, sizes)) < 2 or sum(map(len, sizes)) < LEAST_CLUSTERS or not len(still):
            continue
        parts = [
            Paired.of_gains(of_task[np.ix_(still, first)], size, binary=task.binary)
            for task, of_task, first, size in zip(FULL_TSG, drawn, firsts, sizes, strict=True)
        ]
        centre = np.mean([part.centre for part in parts], axis=0)
        variance = sum(part.se**2 for part in parts)
        freedom = variance**2 / sum(part.se**4 / part.freedom for part in parts)
        se = np.sqrt(variance) / len(parts)
        bound = stdtrit(freedom, ndtr(spending.bound(fraction)))
        fine = centre - bound * se > -DEFAULT_MARGIN
        bad = ~fine & (centre + bound * se < 0)
        asked[still[fine | bad]] = fraction
        no_worse[still[fine]] = True
        worse[still[bad]] = True
    return np.stack([asked, worse, no_worse], axis=1)
