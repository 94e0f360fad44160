"""What report.json holds of models beside one another: composites, comparisons, ranks, published figures."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from proctor.report.fields.estimates import Interval


class CompositeEstimateFields(TypedDict):
    """A composite score, in percent.

    Args:
        value: The score.
        se: Its standard error.
        ci95: Lower and upper end of its 95 % interval.
    """

    value: float | None
    se: float | None
    ci95: Interval


class CompositeFields(TypedDict):
    """A score over several tasks.

    Args:
        name: Its name.
        model: The model.
        tasks: The tasks that it is the mean of.
        missing: Those that it should have, and that were not run.
        official: By the published formulas.
        strict: With every failure as the worst value.
    """

    name: str
    model: str
    tasks: list[str]
    missing: NotRequired[list[str]]
    official: CompositeEstimateFields
    strict: CompositeEstimateFields


class SideFields(TypedDict):
    """One side of a comparison.

    Args:
        run: The run's id.
        model: The model.
        value: Its mean over the samples that both sides have.
    """

    run: str
    model: str
    value: float | None


class ComparisonFields(TypedDict):
    """Two models on the same samples.

    Args:
        benchmark: The benchmark.
        task: The task's short name.
        metric: The metric.
        family: ``official`` or ``strict``.
        headline: Whether it is the task's first metric.
        a: The one side.
        b: The other one.
        difference: b minus a.
        se: Its standard error, paired and clustered.
        ci95: Lower and upper end of its 95 % interval.
        p: The probability of such a difference by chance.
        p_holm: The same, for all comparisons of the run together (Holm).
        n: How many samples.
        clusters: In how many clusters.
        a_better: On how many samples a is better.
        b_better: On how many b is.
        detectable: The difference that would be shown with 80 % probability.
        verdict: Of b: ``better``, ``worse`` or that nothing is shown.
    """

    benchmark: str
    task: str
    metric: str
    family: str
    headline: bool
    a: SideFields
    b: SideFields
    difference: float | None
    se: float | None
    ci95: Interval
    p: float | None
    p_holm: float | None
    n: int
    clusters: int
    a_better: int
    b_better: int
    detectable: float | None
    verdict: str


class RankedFields(TypedDict):
    """A model's places.

    Args:
        model: The model.
        rank: The best and the worst place that it may have.
    """

    model: str
    rank: list[int]


class RanksFields(TypedDict):
    """The places of three or more models on a task.

    Args:
        benchmark: The benchmark.
        task: The task's short name.
        metric: The headline metric, strict.
        models: Each with its places.
        best: Those that may have the first one.
    """

    benchmark: str
    task: str
    metric: str
    models: list[RankedFields]
    best: list[str]


class SameAnswerFields(TypedDict):
    """A sample to which all models gave one and the same answer, which is not the gold one.

    Args:
        sample: The sample.
        prediction: That answer; null if it is long.
        target: The gold answer; null if it is long.
    """

    sample: str
    prediction: Any
    target: Any


class SuspectFields(TypedDict):
    """Samples of a task whose gold answer is worth a look.

    Args:
        benchmark: The benchmark.
        task: The task's short name.
        models: The models that were asked.
        all_wrong: Samples that all of them answered wrongly.
        same_other_answer: Samples that all of them answered alike, in another way than the gold answer.
    """

    benchmark: str
    task: str
    models: list[str]
    all_wrong: list[str]
    same_other_answer: list[SameAnswerFields]


class OwnFields(TypedDict):
    """A model of this run beside published ones.

    Args:
        model: The model.
        values: Its figures, a column each.
        differs: Why they do not compare.
    """

    model: str
    values: list[float | None]
    differs: list[str]


class PublishedFields(TypedDict):
    """A benchmark's published figures.

    Args:
        benchmark: The benchmark.
        source: Where they are from.
        columns: What the figures are.
        published: A row a model: its name, and its figures.
        own: The models of this run.
    """

    benchmark: str
    source: str
    columns: list[str]
    published: list[list[Any]]
    own: list[OwnFields]
