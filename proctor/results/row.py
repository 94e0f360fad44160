"""Result rows: one JSON line per case and epoch, the only thing that reports and statistics are made from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, get_args

from proctor._base.errors import DataError
from proctor._base.files import append_line
from proctor._base.json_values import Json, Shared, encoded
from proctor.results.exchanges import exchanges
from proctor.tasks.call import CallFailed, Unread
from proctor.tasks.judge import JudgeFailed, MissingRequirement, role_name
from proctor.tasks.metrics import Headline

if TYPE_CHECKING:
    from proctor.conversations.outcome import Answered, FailedCall, Outcome
    from proctor.models.registry import Model
    from proctor.tasks.sample import Sample
    from proctor.tasks.score import Score
    from proctor.tasks.task import Task

SCHEMA_VERSION = 1
ROWS_NAME = "results.jsonl"
Status = Literal["scored", "unparsed", "refused", "truncated", "tool_call", "judge_failed", "error", "not_needed"]
STATUSES: tuple[str, ...] = get_args(Status)
MISSING = "missing"
"""The status, in reports alone, of a case that was selected but has no row."""

NOT_MEASURED = frozenset({"error", "judge_failed"})
"""Statuses of cases that say nothing about the model; their tests fail."""

NOT_NEEDED = "not_needed"
"""The status of a case that was not asked because what the run was to decide was decided without it."""

UNMEASURED = NOT_MEASURED | {MISSING, NOT_NEEDED}
"""Statuses, in reports, of cases that say nothing about the model, whatever the reason."""

SHOWN_REPLY = 200  # characters of what a judge said

Correctness = Literal["correct", "partial", "incorrect"]


class UsageFields(TypedDict):
    """Tokens of calls; ``None`` where no provider said.

    Args:
        input_tokens: Of prompts.
        output_tokens: Of answers.
        cached_tokens: Of prompts, from a cache.
        reasoning_tokens: Of answers, thoughts.
    """

    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None


class AnswererFields(TypedDict):
    """Who answered, as the answers state it; ``None`` where they do not.

    Args:
        model: The model that they name.
        provider: Who served it.
        fingerprint: Which build of it.
    """

    model: str | None
    provider: str | None
    fingerprint: str | None


class RoleFields(TypedDict):
    """What a model in another role than the one under test did for a case; ``cost_usd`` is ``None`` if unknown.

    Rows from before there were ``model_api_id``, ``answered_by`` and ``spent_usd`` are without them.

    Args:
        model: The model's name.
        calls: How many calls.
        usage: Their tokens.
        cost_usd: What they cost, in dollars.
        latency_s: How long they took, in seconds.
        model_api_id: The provider's id of the model.
        answered_by: Who answered, as the answers state it.
        spent_usd: What of it this run paid for.
    """

    model: str
    calls: int
    usage: UsageFields
    cost_usd: float | None
    latency_s: float | None
    spent_usd: NotRequired[float | None]
    model_api_id: NotRequired[str]
    answered_by: NotRequired[list[AnswererFields]]


class CallFields(TypedDict):
    """One call of a case's conversation: what for, which one of those, its key, and whether and how it was answered.

    Args:
        role: ``answer``, or what a judge was asked as.
        turn: Which one of those, from 0.
        key: The hash of model, messages and parameters, by which a recording is found.
        source: ``replayed``, ``recorded``, ``live``, …; null if it was not answered.
        prompt: What a model in another role than the one under test was asked, unless a former call has the same key.
        reply: What such a model said.
    """

    role: str
    turn: int
    key: str
    source: str | None
    prompt: NotRequired[str]
    reply: NotRequired[str]


class ScoredFields(TypedDict):
    """The fields of a row that follow from its sample, response and evidence."""

    status: Status
    scores: dict[str, dict[str, Any]]
    diagnostics: dict[str, float | None]
    prediction: Any
    spans: list[tuple[int, int]]
    error: str | None


class ResultRow(TypedDict):
    """One line of results.jsonl.

    ``cost_usd`` is what its answers cost when they were made, and ``spent_usd`` what of it this run paid for.
    The answer stands in ``response_text`` alone, and what the model thought before in ``reasoning_text``. Where a
    server left thoughts in the text, ``seen_text`` has all of it. Rows from before there were these are without them.
    ``response_media`` is there where the answer stands for media: their ``kind``, ``path`` and ``sha256``.

    Args:
        schema_version: 1.
        run_id: The run.
        benchmark: The benchmark.
        task: The task's short name.
        model: The model's name.
        model_api_id: The provider's id of it.
        sample_id: The sample.
        sample_index: Its place in the data file, from 0.
        epoch: The repetition, from 1.
        cluster: What samples that hang together have in common; intervals respect it.
        tags: What the sample is about, by name.
        status: ``scored``, ``unparsed``, ``refused``, ``truncated``, ``judge_failed``, ``error`` or ``not_needed``.
        scores: By family, ``official`` and ``strict``, each metric; ``pairs`` where a mean is over pairs of the case.
        diagnostics: By name; they explain scores and are no part of them.
        evidence: What judges said or programs computed, which the score was made from.
        prediction: What was read from the response.
        spans: Where in the response that stands: first character, and the one after the last.
        target: The gold answer.
        response_text: The answer.
        reasoning_text: What the model thought before.
        seen_text: The answer with thoughts in it, where the server left them there.
        response_media: The media that it stands for.
        finish_reason: ``stop``, ``length``, ``refusal``, …
        usage: Tokens of the model under test.
        cost_usd: What its answers cost when they were made, in dollars.
        spent_usd: What of it this run paid for.
        latency_s: How long they took, in seconds.
        attempts: Requests of the case, those that failed included.
        source: ``responses``, ``live``, ``recorded`` or ``replayed``.
        recorded_at: When the answer was recorded.
        prompt_sha256: The hash of the first prompt's messages.
        request_key: The key of the first call.
        calls: The calls, judges' included.
        judging: By role, what judges did.
        answered_by: Who answered, as the answers state it.
        endpoints: Which addresses were asked live, of models that have several; in the order of the calls.
        error: Why the case could not be measured, or what is doubtful about it.
    """

    schema_version: int
    run_id: str
    benchmark: str
    task: str
    model: str
    model_api_id: str
    sample_id: str
    sample_index: int
    epoch: int
    cluster: str
    tags: dict[str, str]
    status: Status
    scores: dict[str, dict[str, Any]]
    diagnostics: dict[str, float | None]
    evidence: Any
    prediction: Any
    spans: list[tuple[int, int]]
    target: Any
    response_text: str | None
    reasoning_text: NotRequired[str | None]
    seen_text: NotRequired[str | None]
    finish_reason: str | None
    usage: UsageFields
    cost_usd: float | None
    spent_usd: NotRequired[float | None]
    latency_s: float | None
    attempts: int
    source: str
    recorded_at: str | None
    prompt_sha256: str | None
    request_key: str | None
    calls: list[CallFields]
    judging: dict[str, RoleFields]
    answered_by: NotRequired[list[AnswererFields]]
    response_media: NotRequired[list[dict[str, str]]]
    endpoints: NotRequired[list[str]]
    error: str | None


class NotNeeded(Exception):
    """A case need not be asked: what the run was to decide is decided without it."""


def result_row(*, run_id: str, task: Task, model: Model, sample: Sample, epoch: int, outcome: Outcome) -> ResultRow:
    """Score what a conversation led to.

    Args:
        run_id: The run.
        task: The task, which scores the reply.
        model: The model under test.
        sample: The sample.
        epoch: The repetition, from 1.
        outcome: What the conversation led to.
    """
    reply = outcome.reply
    scored = scored_fields(
        task,
        sample,
        response=reply.text if reply else None,
        seen=reply.seen if reply else None,
        finish_reason=reply.finish_reason if reply else None,
        evidence=outcome.evidence,
        failure=outcome.failure,
    )
    answers = [answered for answered in outcome.calls if role_name(answered.role) not in task.roles]
    judges = [answered for answered in outcome.calls if role_name(answered.role) in task.roles]
    failed = [call for call in outcome.failed_calls if role_name(call.role) not in task.roles]
    sent = outcome.sent(task.roles)
    row = ResultRow(
        schema_version=SCHEMA_VERSION,
        run_id=run_id,
        benchmark=task.benchmark,
        task=task.short_name,
        model=model.name,
        model_api_id=model.api_id,
        sample_id=sample.id,
        sample_index=sample.index,
        epoch=epoch,
        cluster=sample.cluster,
        tags=dict(sample.tags),
        status=scored["status"],
        scores=scored["scores"],
        diagnostics=scored["diagnostics"],
        evidence=outcome.evidence,
        prediction=scored["prediction"],
        spans=scored["spans"],
        target=sample.target,
        response_text=reply.text if reply else None,
        reasoning_text=(reply.reasoning or None) if reply else None,
        seen_text=reply.seen if reply else None,
        finish_reason=reply.finish_reason if reply else None,
        usage=_usage(answers, failed),
        cost_usd=_cost(answers, failed),
        spent_usd=_spent(answers, failed),
        latency_s=_latency(answers) if answers and answers[0].source != "responses" else None,
        attempts=sum(answered.attempts for answered in outcome.calls) + outcome.failed_attempts,
        source=_source(outcome),
        recorded_at=answers[0].recorded_at if answers else None,
        prompt_sha256=sent.messages_sha256 if sent else None,
        request_key=sent.key if sent else None,
        calls=_calls(outcome, judges),
        judging=_judging(judges, [call for call in outcome.failed_calls if role_name(call.role) in task.roles]),
        answered_by=_answerers(answers),
        error=scored["error"] or _unexplained(scored["status"], outcome.judge_problem, judges),
    )
    if endpoints := [answered.endpoint for answered in outcome.calls if answered.endpoint is not None]:
        row["endpoints"] = endpoints
    return row


def seen_text(row: ResultRow) -> str | None:
    """The text of a response as a script reads it that knows of no thoughts in it."""
    seen = row.get("seen_text")
    return row["response_text"] if seen is None else seen


def scored_fields(
    task: Task,
    sample: Sample,
    *,
    response: str | None,
    finish_reason: str | None,
    seen: str | None = None,
    evidence: Json = None,
    failure: Exception | None = None,
) -> ScoredFields:
    """Score a response: the fields of a row that a run can be given anew without a call.

    Args:
        task: The task, which scores.
        sample: The sample.
        response: The response text; ``None`` if there is none.
        finish_reason: Why the response ended; see `proctor.tasks.call.Reply`.
        seen: The text that the official family is computed from, where thoughts stand in it; see the same.
        evidence: What the task's judging found out about it, where it is judged.
        failure: Why there is no response, or no evidence.
    """
    score: Score | None = None
    failure = sample.error or failure
    if response is not None and failure is None:
        try:
            score = task.scored(sample, response, evidence)
            if seen is not None:
                score = replace(score, official=task.scored(sample, seen, evidence).official)
        except Exception as problem:  # a scorer meets whatever a model writes; its failure must not pass as an answer
            failure = problem
    status = _status(score, finish_reason, failure)
    counts = score is not None and (score.strict_stands or status in ("scored", "judge_failed"))
    return ScoredFields(
        status=status,
        scores={
            "official": dict(score.official) if score else {},
            "strict": dict(score.strict) if score and counts else task.metrics_of(sample),
        },
        diagnostics=dict(score.diagnostics) if score else {},
        prediction=score.prediction if score else None,
        spans=list(score.spans) if score else [],
        error=_told(failure) if failure is not None else (score.problem or None) if score else None,
    )


def correctness(row: ResultRow, task: Headline) -> Correctness:
    """Whether a row's strict headline metric is all that can be had, the worst (or below), or between.

    Args:
        row: The row.
        task: Its task, which says which metric that is and on what scale.
    """
    value, (worst, best) = row["scores"]["strict"][task.headline], task.scale
    if worst > best:
        value, worst, best = -value, -worst, -best
    if value >= best:
        return "correct"
    return "partial" if row["status"] == "scored" and value > worst else "incorrect"


def _status(score: Score | None, finish_reason: str | None, failure: Exception | None) -> Status:
    if isinstance(failure, NotNeeded):
        return "not_needed"
    if score is None:
        return "judge_failed" if isinstance(failure, JudgeFailed) else "error"
    if finish_reason == "refusal":
        return "refused"
    if finish_reason == "length":
        return "truncated"
    if finish_reason == "tool_call":
        return "tool_call"
    if not score.parsed:
        return "unparsed"
    return "scored" if score.judged else "judge_failed"


def _unexplained(status: Status, problem: str, judges: Sequence[Answered]) -> str | None:
    """What is known of a failure to judge that the task does not explain."""
    if status != "judge_failed":
        return None
    if problem:
        return problem
    if not judges:
        return "no judge was asked"
    last, times = judges[-1], sum(answered.role == judges[-1].role for answered in judges)
    return f"{last.model.name} as {last.role}: asked {times} times; last reply: {brief(last.reply.text)!r}"


def brief(reply: str) -> str:
    """The start of a judge's reply, for a message."""
    return reply if len(reply) <= SHOWN_REPLY else f"{reply[:SHOWN_REPLY]}…"


def _told(failure: Exception) -> str:
    said = (
        str(failure)
        if isinstance(failure, CallFailed | JudgeFailed | NotNeeded | MissingRequirement | DataError)
        else f"{type(failure).__name__}: {failure}"
    )
    return said.encode("utf-8", "backslashreplace").decode()


def _calls(outcome: Outcome, judges: Sequence[Answered]) -> list[CallFields]:
    said: Mapping[tuple[str, int], Any] = exchanges(judges)
    sources = {(answered.role, answered.turn): answered.source for answered in outcome.calls}
    calls = []
    for call_id, key in outcome.asked:
        place = (call_id.role, call_id.turn)
        call = CallFields(role=call_id.role, turn=call_id.turn, key=key, source=sources.get(place))
        call.update(said.get(place, {}))
        calls.append(call)
    return calls


def _judging(calls: Iterable[Answered], failed: Iterable[FailedCall]) -> dict[str, RoleFields]:
    answered_by_role: dict[str, list[Answered]] = {}
    for answered in calls:
        answered_by_role.setdefault(role_name(answered.role), []).append(answered)
    failed_by_role: dict[str, list[FailedCall]] = {}
    for call in failed:
        failed_by_role.setdefault(role_name(call.role), []).append(call)
    fields = {}
    for role in answered_by_role | failed_by_role:
        group, lost = answered_by_role.get(role, []), failed_by_role.get(role, [])
        asked = (group[0] if group else lost[0]).model
        fields[role] = RoleFields(
            model=asked.name,
            model_api_id=asked.api_id,
            calls=len(group),
            usage=_usage(group, lost),
            cost_usd=_cost(group, lost),
            spent_usd=_spent(group, lost),
            latency_s=_latency(group) if group else None,
            answered_by=_answerers(group),
        )
    return fields


def _answerers(calls: Iterable[Answered]) -> list[AnswererFields]:
    """Who answered, each once; nobody where nothing is stated."""
    stated = dict.fromkeys(answered.reply.answerer for answered in calls)
    return [
        AnswererFields(model=one.model, provider=one.provider, fingerprint=one.fingerprint)
        for one in stated
        if any(one)
    ]


def _latency(calls: Sequence[Answered]) -> float | None:
    """Seconds; ``None`` if nobody took the time, or an answer came out of a batch, whose time says nothing."""
    seconds = [None if answered.batch else answered.latency_s for answered in calls]
    known = [taken for taken in seconds if taken is not None]
    return round(sum(known), 3) if len(known) == len(seconds) else None


def _usage(calls: Sequence[Answered], failed: Sequence[FailedCall]) -> UsageFields:
    """The tokens that providers counted, those of answers that could not be used included."""
    usages = [answered.reply.usage for answered in calls]
    usages += [unread.usage for _, unread in _unread(calls, failed)]

    def total(name: str) -> int | None:
        counts = [count for usage in usages if (count := getattr(usage, name)) is not None]
        return sum(counts) if counts else None

    return UsageFields(
        input_tokens=total("input_tokens"),
        output_tokens=total("output_tokens"),
        cached_tokens=total("cached_tokens"),
        reasoning_tokens=total("reasoning_tokens"),
    )


def _cost(calls: Sequence[Answered], failed: Sequence[FailedCall]) -> float | None:
    """Dollars; answers that could not be used count as if they had to be paid for."""
    costs = [answered.cost for answered in calls]
    costs += [model.cost(unread.assumed) for model, unread in _unread(calls, failed)]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _spent(calls: Sequence[Answered], failed: Sequence[FailedCall]) -> float | None:
    """The dollars of calls that were made just now; what was replayed was paid for then."""
    made = [answered for answered in calls if answered.source in ("recorded", "live")]
    return _cost(made, failed) if made or failed else 0.0


def _unread(calls: Iterable[Answered], failed: Iterable[FailedCall]) -> Iterator[tuple[Model, Unread]]:
    """The answers that could not be used, before others that could and of calls without any."""
    for answered in calls:
        yield from ((answered.model, unread) for unread in answered.unread)
    for call in failed:
        yield from ((call.model, unread) for unread in call.unread)


def _source(outcome: Outcome) -> str:
    """``responses`` for an answer made elsewhere; else ``live`` or ``recorded`` if any call was; else ``replayed``."""
    sources = {answered.source for answered in outcome.calls} | ({"live"} if outcome.failed_live else set())
    return next((source for source in ("responses", "live", "recorded") if source in sources), "replayed")


def encoded_row(row: ResultRow) -> bytes:
    """The line of a results file that holds a row, without its newline.

    xdist sends text as UTF-8, which half a surrogate pair in an answer is not; JSON escapes it.
    """
    return encoded(row)


def decoded_row(line: bytes) -> ResultRow:
    """The row that `encoded_row` has encoded."""
    row: ResultRow = json.loads(line)
    return row


def append_result(file: Path, row: ResultRow | bytes) -> None:
    """Append a row to a results file; it is on disk when this returns.

    Args:
        file: The file.
        row: The row, or its line as a worker has made it with `encoded_row`.

    Raises:
        ValueError: If that is not one line that begins and ends as a row does.
    """
    line = row if isinstance(row, bytes) else encoded_row(row)
    if not line.startswith(b'{"schema_version": ') or not line.endswith(b"}") or b"\n" in line:
        raise ValueError(f"not the line of a result row: {line[:100]!r}")
    append_line(file, line + b"\n")


def read_results(file: Path, *, only: Sequence[str] = ()) -> Iterator[ResultRow]:
    """The rows of a results file; a torn last line, which a killed run may leave, is left out.

    Args:
        file: The file; if it does not exist, there are no rows.
        only: The fields to keep, for a reader that holds all rows of a large run at once; all, if none is named.

    Raises:
        DataError: For any other line that is not a row of this schema version.
    """
    if not file.exists():
        return
    shared = Shared()
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row: Any = json.loads(line)
            except (ValueError, RecursionError):
                if not line.endswith(b"\n"):
                    return
                text = line.decode("utf-8", "replace")
                raise DataError("not a result row", file=file, line=number, value=text) from None
            if not isinstance(row, dict) or row.get("schema_version") != SCHEMA_VERSION:
                problem = f"not a result row of schema version {SCHEMA_VERSION}"
                raise DataError(problem, file=file, line=number, value=row)
            # The schema vouches for the fields.
            yield {name: shared.of(row.get(name)) for name in only} if only else row  # type: ignore[misc]
