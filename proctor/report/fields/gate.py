"""What report.json holds of ``--gate`` and ``--baseline``."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from proctor.report.fields.estimates import Interval
from proctor.report.fields.models import ComparisonFields


class FloorFields(TypedDict):
    """A bound of a gate.

    Args:
        task: The task.
        model: The model.
        metric: The metric.
        family: ``official`` or ``strict``.
        value: What was measured.
        ci95: Lower and upper end of its 95 % interval.
        bound: Which kind of bound; the value that is asked for stands under its name.
        holds: Whether it does; null where that cannot be told.
        at_least: The value itself must not be below.
        at_most: The value itself must not be above.
        shown_at_least: It must be shown not to be below.
        shown_at_most: It must be shown not to be above.
        shown_below: It must not be shown to be below.
        shown_above: It must not be shown to be above.
    """

    task: str
    model: str
    metric: str
    family: str
    value: float | None
    ci95: Interval
    bound: str
    holds: bool | None
    at_least: NotRequired[float]
    at_most: NotRequired[float]
    shown_at_least: NotRequired[float]
    shown_at_most: NotRequired[float]
    shown_below: NotRequired[float]
    shown_above: NotRequired[float]


class AgainstFields(ComparisonFields):
    """A task and model compared with the baseline: a is the baseline, b this run.

    Args:
        margin: How far it may be below, in units of the metric.
        p_worse: The probability of so low a value if it is not below the margin.
        p_worse_holm: The same, for all of them together (Holm).
        holds: Whether it is no worse; null where nothing is shown.
        less_is_better: Whether a lower value is the better one.
        lost: The cases that were better before.
        won: Those that are better now.
        unpaired: By reason, the cases that are not compared.
        data_differs: Whether the data file is another one.
    """

    margin: float
    p_worse: float | None
    p_worse_holm: float | None
    holds: bool | None
    less_is_better: bool
    lost: list[str]
    won: list[str]
    unpaired: dict[str, list[str]]
    data_differs: bool


class GateFields(TypedDict):
    """What came of ``--gate`` and ``--baseline``.

    Args:
        file: The file of bounds.
        baseline: The id of the former run.
        holds: Whether it holds; null where nothing is shown either way, or a case was not measured.
        unmeasured: How many cases were not.
        floors: Each bound.
        suite: The verdict over all tasks together: ``difference``, ``ci95``, ``margin``, ``verdict`` and more.
        decision: With ``--stop-when-decided``, what was decided, in its place.
        against_baseline: Each task and model.
    """

    file: str | None
    baseline: str | None
    holds: bool | None
    unmeasured: int
    floors: list[FloorFields]
    suite: Any
    decision: Any
    against_baseline: list[AgainstFields]
