"""Scores over several tasks, such as SGI-Score: the mean of the tasks' headline metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from proctor.results.manifest import ManifestTask
from proctor.tasks.score import FAMILIES


class Percent(NamedTuple):
    """A task's headline metric in percent of full marks; ``None`` where it is not known."""

    value: float | None
    se: float | None
    lower: float | None
    upper: float | None


def composites(tasks: Iterable[tuple[ManifestTask, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The composite scores of each model.

    A composite is the mean over those of its tasks that were run, each with the same weight, of the headline metric in
    percent of full marks. Tasks are independent samples: the standard error is √(Σ se²) / k for k tasks, and the 95 %
    interval is made of theirs by the method of Zou & Donner (Statistics in Medicine 27, 2008), which lets no task that
    was solved throughout pass for certain: value − √(Σ (v − lower)²) / k to value + √(Σ (upper − v)²) / k.

    Args:
        tasks: Each task and model, with its part of report.json.

    Returns:
        For each composite and model: ``name``, ``model``, the ``tasks`` it is the mean of, those that are ``missing``
        from it, and by family ``value``, ``se`` and ``ci95``; null where one of the tasks has none.
    """
    groups: dict[tuple[str, str], list[tuple[ManifestTask, Mapping[str, Any]]]] = {}
    for task, part in tasks:
        if task.composite:
            groups.setdefault((task.composite, task.model), []).append((task, part))
    return [
        {
            "name": name,
            "model": model,
            "tasks": (ran := [task.name for task, _ in group]),
            "missing": [task for task in group[0][0].composite_tasks if task not in ran],
            **{family: _mean([_percent(task, part, family) for task, part in group]) for family in FAMILIES},
        }
        for (name, model), group in groups.items()
    ]


def _percent(task: ManifestTask, part: Mapping[str, Any], family: str) -> Percent:
    found, (worst, best) = part["metrics"][task.headline][family], task.scale
    value, se, (low, high) = found["value"], found["se"], found["ci95"] or (None, None)
    if worst < best:
        full = 100 / best
        return Percent(*(None if number is None else number * full for number in (value, se, low, high)))
    # Less is better: the way from the worst value to the best is what full marks are for.
    full = 100 / (worst - best or 1.0)
    of = [None if number is None else (worst - number) * full for number in (value, high, low)]
    return Percent(of[0], None if se is None else se * full, of[1], of[2])


def _mean(scores: Sequence[Percent]) -> dict[str, float | list[float] | None]:
    count = len(scores)
    value = _added([score.value for score in scores])
    if value is None:
        return {"value": None, "se": None, "ci95": None}
    se = _added([score.se and score.se**2 for score in scores])
    below = _added([None if s.value is None or s.lower is None else (s.value - s.lower) ** 2 for s in scores])
    above = _added([None if s.value is None or s.upper is None else (s.upper - s.value) ** 2 for s in scores])
    mean = value / count
    return {
        "value": mean,
        "se": None if se is None else math.sqrt(se) / count,
        "ci95": None
        if below is None or above is None
        else [mean - math.sqrt(below) / count, mean + math.sqrt(above) / count],
    }


def _added(numbers: Sequence[float | None]) -> float | None:
    """The sum; ``None`` if one of the numbers is not known."""
    known = [number for number in numbers if number is not None]
    return math.fsum(known) if len(known) == len(numbers) else None
