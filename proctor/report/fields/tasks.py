"""What report.json holds of a task and model."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from proctor.report.fields.estimates import EstimateFields, RepetitionFields


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
