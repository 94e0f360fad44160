"""How often a gate against a baseline fails: on noise, and on drops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import stdtr, stdtrit

from proctor.gates.baseline import LEVEL
from simulations.formulas import Array, Paired
from simulations.suites import FULL_TSG, NINE_TASKS, SA_SGG, SimulatedTask, gains, with_models
from simulations.table import percent, printed

RUNS = 2000
BATCH = 250


def tables() -> Iterator[str]:
    """The tables."""
    generator = np.random.default_rng(21)
    alone = [0.03 if place == SA_SGG else 0.0 for place in range(len(FULL_TSG))]
    settings: list[tuple[str, Sequence[SimulatedTask], Sequence[float]]] = [
        ("noise, 4 comparisons: the full TSG tasks", FULL_TSG, [0.0] * 4),
        ("noise, 8 comparisons: these for 2 models", with_models(FULL_TSG, 2), [0.0] * 4),
        ("noise, 27 comparisons: 9 tasks for 3 models", with_models(NINE_TASKS, 3), [0.0] * 9),
        ("−3 points in all four full TSG tasks", FULL_TSG, [0.03] * 4),
        ("−3 points in SA-SGG alone", FULL_TSG, alone),
        ("−1 point in all four", FULL_TSG, [0.01] * 4),
    ]
    yield f"### How often a gate without a margin fails ({RUNS:,} suites each)"
    rows = []
    for name, tasks, drops in settings:
        found = np.concatenate([_outcomes(tasks, drops, BATCH, generator) for _ in range(RUNS // BATCH)])
        rows.append((name, *(percent(float(share)) for share in found.mean(axis=0))))
    yield printed(("suite", "any interval below 0 (before)", "by the mean", "by a part", "fails"), rows)


def _outcomes(
    tasks: Sequence[SimulatedTask], drops: Sequence[float], runs: int, generator: np.random.Generator
) -> Array:
    """For each suite whether the old rule fails, the mean is worse, a part is, and either."""
    means, parts = [], []
    for task, drop in zip(tasks, drops, strict=True):
        drawn = gains(task, runs, drop, generator)
        means.append(Paired.of_gains(drawn, task.sizes, binary=task.binary))
        of_model = drawn.reshape(runs, task.clusters, task.size, task.models)
        sizes = np.full(task.clusters, task.size)
        parts += [
            Paired.of_gains(of_model[..., model].reshape(runs, -1), sizes, binary=task.binary)
            for model in range(task.models)
        ]
    p = np.stack([stdtr(part.freedom, part.centre / part.se) for part in parts])
    old = np.any([part.centre + stdtrit(part.freedom, 0.975) * part.se < 0 for part in parts], axis=0)
    variances = np.stack([mean.se**2 for mean in means])
    freedom = variances.sum(axis=0) ** 2 / sum(v**2 / mean.freedom for v, mean in zip(variances, means, strict=True))
    centre = np.mean([mean.centre for mean in means], axis=0)
    by_mean = stdtr(freedom, centre / (np.sqrt(variances.sum(axis=0)) / len(means))) < LEVEL
    by_part = p.min(axis=0) * len(parts) < LEVEL  # Holm's first step: without it there is no second
    return np.stack([old, by_mean, by_part, by_mean | by_part], axis=1)
