"""Which places models may have, as far as their paired differences tell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from proctor.statistics.comparison import Comparison

LEAST_MODELS = 3


def ranks(comparisons: Iterable[Comparison]) -> list[dict[str, Any]]:
    """For each task that three or more models were asked, the places that each may have.

    A model's best place is behind all that are shown to be better, its worst before all that are shown to be worse, by
    the headline metric in the strict family and with the p values adjusted for all comparisons.

    Args:
        comparisons: All comparisons of the models of a run.

    Returns:
        An entry per task: the ``models`` of which something was measured, with their ``rank``, the best and the worst
        place, and ``best``, those that may have the first place.
    """
    by_task: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in comparisons:
        if comparison.headline and comparison.family == "strict":
            task = comparison.pairing.b.task
            by_task.setdefault((task.benchmark, task.task), []).append(comparison)
    found = []
    for (benchmark, name), group in by_task.items():
        # A model of which nothing was measured has no place: it would pass for one that may be the best.
        group = [comparison for comparison in group if comparison.pairing.pairs]
        models = list(dict.fromkeys(side.task.model for c in group for side in (c.pairing.a, c.pairing.b)))
        if len(models) >= LEAST_MODELS:
            places = {model: _places(model, group, len(models)) for model in models}
            found.append(
                {
                    "benchmark": benchmark,
                    "task": name,
                    "metric": group[0].metric,
                    "models": [{"model": m, "rank": list(places[m])} for m in sorted(models, key=lambda m: places[m])],
                    "best": [model for model in models if places[model][0] == 1],
                }
            )
    return found


def _places(model: str, group: Iterable[Comparison], models: int) -> tuple[int, int]:
    above = below = 0
    for comparison in group:
        verdict = comparison.verdict
        if comparison.pairing.a.task.model == model:
            above += verdict == "better"
            below += verdict == "worse"
        elif comparison.pairing.b.task.model == model:
            above += verdict == "worse"
            below += verdict == "better"
    return 1 + above, models - below
