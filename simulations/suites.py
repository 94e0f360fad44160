"""Suites that are run twice: how much a model's answers change from run to run, and a drop put in by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulations.formulas import Array


@dataclass(frozen=True)
class SimulatedTask:
    """A task as it is drawn.

    Args:
        clusters: How many clusters.
        size: Cases in each.
        mean: The mean score.
        binary: Whether its scores are only 0 and 1; else a third are 0, and the others from a Beta distribution.
        models: How many models are asked.
    """

    clusters: int
    size: int
    mean: float
    binary: bool
    models: int = 1

    @property
    def sizes(self) -> Array:
        """The sizes of the clusters, with all models in them."""
        return np.full(self.clusters, self.size * self.models)

    @property
    def cases(self) -> int:
        """How many cases."""
        return self.clusters * self.size * self.models


# The sizes of the published files, and the scores of a good model.
FULL_TSG = (
    SimulatedTask(100, 5, 0.848, True),
    SimulatedTask(250, 1, 0.964, True),
    SimulatedTask(1188, 1, 0.592, False),
    SimulatedTask(853, 1, 0.440, False),
)
SA_SGG = 2
NINE_TASKS = (
    *((SimulatedTask(t.clusters, t.size, t.mean, t.binary)) for t in FULL_TSG),
    SimulatedTask(318, 1, 0.15, True),
    SimulatedTask(315, 1, 0.40, False),
    SimulatedTask(271, 1, 0.35, True),
    SimulatedTask(68, 1, 0.33, False),
    SimulatedTask(100, 1, 0.70, False),
)


def with_models(tasks: Sequence[SimulatedTask], models: int) -> list[SimulatedTask]:
    """The same tasks, asked of several models."""
    return [SimulatedTask(t.clusters, t.size, t.mean, t.binary, models) for t in tasks]


def gains(task: SimulatedTask, runs: int, drop: float, generator: np.random.Generator) -> Array:
    """What a second run scores above a first one in each case, cluster by cluster.

    A case is easy or hard for a model: its chance (or its typical score) is its own, and in part its cluster's. Half of
    the answers come out as before, the others are given anew. A *drop* turns as many answers to 0 as it needs.

    Args:
        task: The task.
        runs: How many pairs of runs.
        drop: By how much the second run is worse in the mean.
        generator: What it is drawn with.
    """
    shape = (runs, task.clusters, task.size * task.models)
    cluster = generator.normal(0, 0.6, (runs, task.clusters, 1)) if task.size > 1 else 0.0
    if task.binary:
        logit = np.log(task.mean / (1 - task.mean)) * 1.6 + cluster + generator.normal(0, 1.6, shape)
        chance = 1 / (1 + np.exp(-logit))
        first, second = (generator.random(shape) < chance for _ in range(2))
    else:
        own = generator.beta(1.5, 1.5, shape) * min(1.0, 1.5 * task.mean)
        zero = generator.random(shape) < 1 / 3
        first, second = (
            np.where(zero & (generator.random(shape) < 0.8), 0.0, np.clip(own + generator.normal(0, 0.25, shape), 0, 1))
            for _ in range(2)
        )
    kept = generator.random(shape) < 0.5
    second = np.where(kept, first, second).astype(float)
    if drop:
        second = second * (generator.random(shape) >= drop / second.mean())
    return (second - first).reshape(runs, -1)
