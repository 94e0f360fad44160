"""What a measured case says in its result row: scores, costs, and who was asked what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from proctor._base.errors import DataError
from proctor._base.json_values import Json
from proctor.results.exchanges import exchanges
from proctor.results.row import (
    SCHEMA_VERSION,
    AnswererFields,
    CallFields,
    NotNeeded,
    ResultRow,
    RoleFields,
    ScoredFields,
    Status,
    UsageFields,
)
from proctor.tasks.call import CallFailed, Unread
from proctor.tasks.judge import JudgeFailed, MissingRequirement, role_name

if TYPE_CHECKING:
    from proctor.conversations.outcome import Answered, FailedCall, Outcome
    from proctor.models.registry import Model
    from proctor.tasks.sample import Sample
    from proctor.tasks.score import Score
    from proctor.tasks.task import Task

SHOWN_REPLY = 200  # characters of what a judge said


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
        name = (call_id.role, call_id.turn)
        call = CallFields(role=call_id.role, turn=call_id.turn, key=key, source=sources.get(name))
        call.update(said.get(name, {}))
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
