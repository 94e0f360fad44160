"""Whether a run is worse than a former one: one decision for the whole suite, and a verdict for each of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from proctor.statistics.comparison import Comparison, Pairing, comparison_fields, pooled_difference
from proctor.statistics.differences import Difference, holm, mean_difference
from proctor.statistics.intervals import ends

FAMILY = "strict"
LEVEL = 0.025
"""The one-sided error of each of the two ways in which a suite is found worse: by its mean, or by one of its parts."""

Verdict = Literal["worse", "no worse", "undecided"]
HOLDS: dict[str, bool | None] = {"worse": False, "no worse": True, "undecided": None}


def worth(pairing: Pairing, metric: str) -> float:
    """What to multiply a difference in a metric with, so that 1 is the way from its worst value to its best."""
    worst, best = pairing.b.task.metrics[metric], pairing.b.task.best.get(metric, 1.0)
    return 1 / (best - worst) if best != worst else 1.0


@dataclass(frozen=True)
class Part:
    """One comparison with the baseline: a task of a model.

    Args:
        comparison: The comparison.
        gain: Its difference in shares of the way from the worst value to the best; below 0 is worse.
        margin: How far it may be below, in units of the metric.
        share: The margin in shares of that way.
    """

    comparison: Comparison
    gain: Difference
    margin: float
    share: float

    @classmethod
    def of(cls, comparison: Comparison, margin: float) -> Part:
        """A comparison, looked at in the direction in which its metric gets better."""
        factor = worth(comparison.pairing, comparison.metric)
        return cls(comparison, comparison.difference.scaled(factor), margin, margin * abs(factor))

    @property
    def no_worse(self) -> bool:
        """Whether this part alone is shown to be no worse than its margin."""
        p = self.gain.p_above(self.share)
        return p is not None and p < LEVEL


def against_baseline(
    comparisons: Iterable[Comparison], margin_of: Callable[[str], float]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the suite's decision is, and that of each part, as report.json holds them.

    The suite is worse if the mean of its tasks' differences is shown to be below the mean margin (one-sided 2.5 %), or
    any part is below its own, by Holm's method at one-sided 2.5 %: noise alone does either in less than 5 % of suites.
    It is no worse if the mean is shown to be above the mean margin, and no part could not be compared.

    Args:
        comparisons: All comparisons of the run with the baseline.
        margin_of: How far each task may be below the baseline.
    """
    parts = [
        Part.of(comparison, margin_of(comparison.pairing.b.name))
        for comparison in comparisons
        if comparison.headline and comparison.family == FAMILY
    ]
    adjusted = holm([part.gain.p_below(part.share) for part in parts])
    entries = [_entry(part, p, len(parts)) for part, p in zip(parts, adjusted, strict=True)]
    return _suite(parts, entries), entries


def _entry(part: Part, p_holm: float | None, parts: int) -> dict[str, Any]:
    pairing, metric = part.comparison.pairing, part.comparison.metric
    lost, won = pairing.flipped(metric, FAMILY)
    verdict: Verdict = "undecided"
    if p_holm is not None and p_holm < LEVEL:
        verdict = "worse"
    elif part.no_worse:
        verdict = "no worse"
    return {
        **comparison_fields(part.comparison),
        "margin": part.margin,
        "p_worse": part.gain.p_below(part.share),
        "p_worse_holm": p_holm,
        "detectable": part.comparison.difference.detectable(parts),
        "verdict": verdict,
        "holds": HOLDS[verdict],
        "less_is_better": pairing.less_is_better(metric),
        "lost": lost,
        "won": won,
        "unpaired": pairing.unpaired,
        "data_differs": pairing.data_differs,
    }


def task_gains(pairings: Sequence[Pairing]) -> list[tuple[str, Difference]]:
    """Each task's difference in its headline metric over all its models, as a share of the way from worst to best."""
    by_task: dict[str, list[Pairing]] = {}
    for pairing in pairings:
        by_task.setdefault(pairing.b.name, []).append(pairing)
    return [
        (task, pooled_difference(group, metric, FAMILY).scaled(worth(group[0], metric)))
        for task, group in by_task.items()
        for metric in [group[0].b.task.headline]
    ]


def _suite(parts: Sequence[Part], entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    gains = task_gains([part.comparison.pairing for part in parts])
    compared = [(task, gain) for task, gain in gains if gain.freedom is not None]
    mean = mean_difference([gain for _, gain in compared])
    shares = {part.comparison.pairing.b.name: part.share for part in parts}
    margin = sum(shares[task] for task, _ in compared) / len(compared) if compared else 0.0
    p = mean.p_below(margin) if mean is not None else None
    p_above = mean.p_above(margin) if mean is not None else None
    verdict: Verdict = "undecided"
    if (p is not None and p < LEVEL) or any(entry["verdict"] == "worse" for entry in entries):
        verdict = "worse"
    elif p_above is not None and p_above < LEVEL and all(part.gain.freedom is not None for part in parts):
        verdict = "no worse"
    return {
        "tasks": len(compared),
        "difference": mean and mean.value,
        "se": mean and mean.se,
        "ci95": mean and ends(mean.ci95),
        "n": mean.n if mean is not None else 0,
        "clusters": mean.clusters if mean is not None else 0,
        "margin": margin,
        "p_worse": p,
        "worse_in_the_mean": p is not None and p < LEVEL,
        "detectable": mean and mean.detectable(),
        "not_compared": [
            f"{part.comparison.pairing.b.name} {part.comparison.pairing.b.task.model}"
            for part in parts
            if part.gain.freedom is None
        ],
        "verdict": verdict,
    }
