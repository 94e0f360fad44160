"""What report.json holds: docs/reference/fields.md is made from it, and tests compare it with real runs.

Where a field cannot be told, it is null.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from proctor.results.run_info import RunFields

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


class TagFields(TypedDict):
    """The cases with one value of a tag.

    Args:
        expected: How many were selected.
        metrics: By metric and family.
    """

    expected: int
    metrics: dict[str, dict[str, EstimateFields]]


class LatencyFields(TypedDict):
    """Seconds that answers took, where that was measured.

    Args:
        p50: Half of them took no longer.
        p95: 95 % of them took no longer.
    """

    p50: float | None
    p95: float | None


class TokenFields(TypedDict):
    """Tokens of calls, where providers counted them.

    Args:
        input_tokens: Of prompts.
        output_tokens: Of answers.
        cached_tokens: Of prompts, from a cache.
        reasoning_tokens: Of answers, thoughts; not told of judges.
    """

    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: NotRequired[int | None]


class JudgingFields(TypedDict):
    """What a model in another role than the one under test did.

    Args:
        model: The model.
        prescribed: Whom the benchmark prescribes.
        as_prescribed: Whether that is who judged.
        calls: How many calls.
        cases: How many cases had any.
        usage: Their tokens.
        cost_usd: What they cost when they were made, in dollars.
        spent_usd: What of it this run paid for.
    """

    model: str
    prescribed: str | None
    as_prescribed: bool | None
    calls: int
    cases: int
    usage: TokenFields
    cost_usd: float | None
    spent_usd: float | None


class AnsweredByFields(TypedDict):
    """Who answered, as the answers themselves state it.

    Args:
        role: ``answer``, or the role of a judge.
        model: The model that the answers name.
        provider: Who served it.
        fingerprint: Which build of it.
        cases: How many cases it answered.
        asked_for: Whether that is the model that was asked.
    """

    role: str
    model: str | None
    provider: str | None
    fingerprint: str | None
    cases: int
    asked_for: bool | None


class SamplesFields(TypedDict):
    """How much of the data was selected.

    Args:
        selected: How many samples were selected.
        in_data: How many the data file holds; 0 where that is not known.
    """

    selected: int
    in_data: int


class CassetteFields(TypedDict):
    """The recordings that answered.

    Args:
        file: The file, relative to the project.
        recorded: How many answers are from it.
        first: When the first of them was recorded.
        last: When the last one was.
        stale: Recordings of calls that have changed.
        unused: Recordings that no case used; null unless the run was a full one.
        pruned: How many were removed.
    """

    file: str | None
    recorded: int
    first: str | None
    last: str | None
    stale: NotRequired[list[str] | None]
    unused: NotRequired[list[str] | None]
    pruned: NotRequired[int | None]


class PublishedTaskFields(TypedDict):
    """Whether a task's figures compare with published ones.

    Args:
        compares: Whether they do.
        differs: Why they do not.
    """

    compares: bool
    differs: list[str]


class ReasonFields(TypedDict):
    """Why some cases could not be measured.

    Args:
        status: Their status.
        told: The first line of the error, if there is one.
        cases: How many cases it holds for.
    """

    status: str
    told: str
    cases: int


class NotMeasuredFields(TypedDict):
    """The cases that could not be measured; those that were not needed are not among them.

    Args:
        cases: How many there are.
        because: Why, each reason once, the commonest first.
    """

    cases: int
    because: list[ReasonFields]


class TaskFields(TypedDict):
    """A task and model.

    Args:
        benchmark: The benchmark.
        task: The task's short name.
        model: The model's name.
        model_api_id: The provider's id of it.
        expected: How many cases were selected.
        status: How many cases have each status.
        failures: By status other than ``scored``, the names of the cases.
        not_measured: What could not be measured, and why.
        scales: Each metric's worst value and its best.
        metrics: By metric and family.
        diagnostics: By name; they explain scores and are no part of them.
        by_tag: By tag and its value.
        usage: Tokens of the model under test.
        cost_usd: What its answers cost when they were made, in dollars.
        spent_usd: What of it this run paid for.
        latency_s: How long they took.
        repetitions: With ``--epochs``.
        judging: By role.
        answered_by: Who answered, as the answers state it.
        data_file: The data file, relative to the project where possible.
        data_sha256: Its hash.
        data_notes: What a reader should know about the ids of its samples.
        odd_rows: What is odd in its rows, as in selection.json.
        unusable_rows: What makes rows unusable.
        responses: Where answers that were made elsewhere come from, as in selection.json.
        prompt_sha256: Hash of each prompt template by name.
        scorer_sha256: Hash of the code that scores; empty if it is not known.
        cases_sha256: Hash of the names of the selected cases: runs with the same one have the same cases.
        role_models: The models in the task's other roles, by role.
        scale: The worst value of the headline metric, and the one that makes a case correct.
        samples: How many samples were selected, and how many the data holds.
        cassette: The recordings that answered.
        published: Where the benchmark has published figures.
    """

    benchmark: str
    task: str
    model: str
    model_api_id: str
    expected: int
    status: dict[str, int]
    failures: dict[str, list[str]]
    not_measured: NotMeasuredFields
    scales: dict[str, list[float]]
    metrics: dict[str, dict[str, EstimateFields]]
    diagnostics: dict[str, EstimateFields]
    by_tag: dict[str, dict[str, TagFields]]
    usage: TokenFields
    cost_usd: float | None
    spent_usd: float | None
    latency_s: LatencyFields
    repetitions: NotRequired[RepetitionFields]
    judging: dict[str, JudgingFields]
    answered_by: list[AnsweredByFields]
    data_file: str
    data_sha256: str
    data_notes: list[str]
    odd_rows: list[Any]
    unusable_rows: list[Any]
    responses: Any
    prompt_sha256: dict[str, str]
    scorer_sha256: str
    cases_sha256: str
    role_models: dict[str, str]
    scale: list[float]
    samples: SamplesFields
    cassette: CassetteFields
    published: NotRequired[PublishedTaskFields]


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


class TableFields(TypedDict):
    """A table that a task makes of its own.

    Args:
        benchmark: The benchmark.
        task: The task's short name.
        title: Its title.
        columns: The names of its columns; none where it could not be made.
        rows: Its rows.
        note: What there is to know about it.
    """

    benchmark: str
    task: str
    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str


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


class ReportFields(TypedDict):
    """report.json.

    Args:
        schema_version: 1.
        run: What the run was made with.
        tasks: A task and model each.
        composites: Scores over several tasks.
        comparisons: Models of the run, two by two.
        ranks: Their places.
        suspects: Gold answers worth a look.
        tables: Tables that tasks make of their own.
        published: Published figures.
        gate: With ``--gate`` or ``--baseline``.
        notes: What a reader should know, such as which runs were merged.
    """

    schema_version: int
    run: RunFields
    tasks: list[TaskFields]
    composites: list[CompositeFields]
    comparisons: list[ComparisonFields]
    ranks: list[RanksFields]
    suspects: list[SuspectFields]
    tables: NotRequired[list[TableFields]]
    published: NotRequired[list[PublishedFields]]
    gate: NotRequired[GateFields]
    notes: NotRequired[list[str]]
