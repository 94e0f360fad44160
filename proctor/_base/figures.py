"""Scores, their intervals, money and times in digits, the same wherever a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proctor._base.errors import printable

LARGE = 10
"""Up to here scores have four decimals; on a scale that goes further, two."""

Ends = Sequence[float]
"""The worst value that a metric takes, and the best."""


def score(value: float | None, scale: Ends | None = None) -> str:
    """A score, or a dash where there is none.

    Args:
        value: The score.
        scale: The metric's worst value and its best, by which all scores on it have as many decimals: four, or two
            where it goes beyond 10. Without it the value itself tells.
    """
    return "–" if value is None else f"{value:.{2 if _is_large(scale, value) else 4}f}"


def interval(bounds: Sequence[float] | None, scale: Ends | None = None) -> str:
    """A 95 % interval in brackets, with a blank before it and a decimal less than scores; empty where there is none.

    Args:
        bounds: The lower and the upper one; ``None`` where there is no interval.
        scale: As of `score`.
    """
    if bounds is None:
        return ""
    digits = 1 if _is_large(scale, 0) else 3
    return f" [{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]"


def score_with_interval(estimate: Mapping[str, Any], scale: Ends | None = None) -> str:
    """A score, its standard deviation over epochs if there are several, and its interval; *scale* as of `score`."""
    epochs = estimate.get("epochs")
    spread = f" ±{score(epochs['sd'], scale)}" if epochs and epochs["sd"] is not None else ""
    return score(estimate["value"], scale) + spread + interval(estimate.get("ci95"), scale)


def _is_large(scale: Ends | None, value: float) -> bool:
    # Where less is better, as of seconds, the end of the scale is far from what is measured.
    return abs(value) >= LARGE if scale is None or scale[0] > scale[1] else max(map(abs, scale)) > LARGE


def scale_in_words(scale: Ends) -> str:
    """On what scale a metric is, and in which direction it gets better: ``0 to 1, higher is better``.

    Args:
        scale: Its worst value and its best.
    """
    worst, best = scale
    if worst > best:
        return f"lower is better, {worst:g} is the worst"
    return f"{worst:g} to {best:g}, higher is better"


def percent_with_interval(estimate: Mapping[str, Any]) -> str:
    """A score in percent and its interval."""
    if estimate["value"] is None:
        return "–"
    bounds = estimate["ci95"]
    return f"{estimate['value']:.2f} %" + ("" if bounds is None else f" [{bounds[0]:.1f}, {bounds[1]:.1f}]")


def table_cell(value: str | float | None) -> str:
    """A cell of a task's own table: whole numbers, such as counts, as they are, others as scores."""
    return score(value) if value is None or isinstance(value, float) else str(value)


def dollars(value: float | None, unknown: str = "unknown") -> str:
    """An amount of money with as many digits as it needs: two from a dollar on, four from a cent on, six below.

    Args:
        value: The amount; ``None`` if it is not known.
        unknown: What is said then.
    """
    if value is None:
        return unknown
    digits = 2 if value == 0 or value >= 1 else 4 if value >= 0.01 else 6
    return f"${value:,.{digits}f}"


def dollars_then(cost: float | None, spent: float | None) -> str:
    """What answers cost, told apart by when: spent by this run, and *then*, when replayed answers were recorded.

    Args:
        cost: Dollars of all answers; ``None`` if unknown.
        spent: Those of them that the run itself paid; ``None`` if unknown.
    """
    if cost is None or spent is None:
        return dollars(cost)
    then = cost - spent
    if then <= cost * 1e-9:
        return dollars(cost)
    return f"{dollars(then)} then" if spent == 0 else f"{dollars(spent)} + {dollars(then)} then"


def change(value: float | None) -> str:
    """A difference with its sign."""
    return "–" if value is None else f"{value:+.4f}"


def change_with_interval(comparison: Mapping[str, Any]) -> str:
    """A difference and its interval, all with signs."""
    bounds = comparison["ci95"]
    return change(comparison["difference"]) + ("" if bounds is None else f" [{bounds[0]:+.3f}, {bounds[1]:+.3f}]")


def probability(p: float | None) -> str:
    """A p value."""
    return "–" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def some(names: Sequence[str], most: int) -> str:
    """The first names of a list, made safe for a terminal, and how many more there are."""
    more = f", … ({len(names) - most} more)" if len(names) > most else ""
    return ", ".join(map(printable, names[:most])) + more


def duration(seconds: float) -> str:
    """Seconds in words that get coarser as they grow."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
