"""What report.json holds of a measured figure: its value, and how sure it is."""

from __future__ import annotations

from typing import NotRequired, TypedDict

Interval = list[float] | None


class CountFields(TypedDict):
    """A value over fewer cases, in short.

    Args:
        value: The mean.
        n: How many values it is the mean of.
    """

    value: float | None
    n: int


class SensitivityFields(TypedDict):
    """What other rules for cases without a readable answer would make of a metric.

    Args:
        scored_only: Only cases of status ``scored`` count.
        official: The official family.
    """

    scored_only: CountFields
    official: CountFields


class SpreadFields(TypedDict):
    """A metric from epoch to epoch.

    Args:
        values: Its value in each epoch.
        sd: Their standard deviation.
    """

    values: list[float | None]
    sd: float | None


class EstimateFields(TypedDict):
    """A mean and how sure it is.

    Args:
        value: The mean.
        se: Its standard error, clusters respected.
        ci95: Lower and upper end of its 95 % interval.
        n: How many values it is the mean of.
        clusters: In how many clusters they are.
        epochs: Where there are several.
        sensitivity: In a task's ``metrics``.
    """

    value: float | None
    se: float | None
    ci95: Interval
    n: int
    clusters: int
    epochs: NotRequired[SpreadFields]
    sensitivity: NotRequired[SensitivityFields]


class RepeatedFields(TypedDict):
    """A mean over samples that were asked several times.

    Args:
        value: The mean.
        se: Its standard error, clusters respected.
        ci95: Lower and upper end of its 95 % interval.
        n: How many samples it is the mean of.
        clusters: In how many clusters they are.
        left_out: How many samples were not measured often enough.
        reason: Why there is no value.
    """

    value: float | None
    se: float | None
    ci95: Interval
    n: int
    clusters: int
    left_out: int
    reason: NotRequired[str]


class VarianceFields(TypedDict):
    """Where the scatter of values comes from.

    Args:
        within: From epoch to epoch.
        between: From sample to sample.
    """

    within: float | None
    between: float | None


class RepetitionFields(TypedDict):
    """What ``--epochs`` shows.

    Args:
        metric: The headline metric, which it is about.
        epochs: How many.
        pass_at: By k, how many samples are right in at least one of k epochs.
        pass_all: By k, how many are right in all of k.
        majority: How many are right by what most epochs answered.
        variance: Where the scatter comes from.
    """

    metric: str
    epochs: int
    pass_at: dict[str, RepeatedFields]
    pass_all: dict[str, RepeatedFields]
    majority: RepeatedFields
    variance: VarianceFields
