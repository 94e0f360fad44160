"""Result rows: one JSON line per case and epoch, the only thing that reports and statistics are made from."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from proctor.appending import append_line
from proctor.calls import CallFailed, Json
from proctor.errors import DataError
from proctor.judging import JudgeFailed, Unmet, role_name

if TYPE_CHECKING:
    from proctor.conversation import Answered, Outcome
    from proctor.models.registry import Model
    from proctor.samples import Sample
    from proctor.task import Score, Task

SCHEMA_VERSION = 1
Status = Literal["scored", "unparsed", "refused", "truncated", "judge_failed", "error"]
STATUSES: tuple[str, ...] = get_args(Status)
MISSING = "missing"
"""The status, in reports alone, of a case that was selected but has no row."""

NOT_MEASURED = frozenset({"error", "judge_failed"})
"""Statuses of cases that say nothing about the model; their tests fail."""

Verdict = Literal["correct", "partial", "incorrect"]


class UsageFields(TypedDict):
    """Tokens of calls; ``None`` where no provider said."""

    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None


class RoleFields(TypedDict):
    """What a model in another role than the one under test did for a case; ``cost_usd`` is ``None`` if unknown."""

    model: str
    calls: int
    usage: UsageFields
    cost_usd: float | None
    latency_s: float | None


class CallFields(TypedDict):
    """One call of a case's conversation: what for, which one of those, its key, and whether and how it was answered."""

    role: str
    turn: int
    key: str
    source: str | None


class ScoredFields(TypedDict):
    """The fields of a row that follow from its sample, response and evidence."""

    status: Status
    scores: dict[str, dict[str, Any]]
    diagnostics: dict[str, float | None]
    prediction: Any
    spans: list[tuple[int, int]]
    error: str | None


class ResultRow(TypedDict):
    """One line of results.jsonl; DESIGN 3.3 says what each field means."""

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
    finish_reason: str | None
    usage: UsageFields
    cost_usd: float | None
    latency_s: float | None
    attempts: int
    source: str
    recorded_at: str | None
    prompt_sha256: str | None
    request_key: str | None
    calls: list[CallFields]
    judging: dict[str, RoleFields]
    error: str | None


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
        finish_reason=reply.finish_reason if reply else None,
        evidence=outcome.evidence,
        failure=outcome.failure,
    )
    answers = [answered for answered in outcome.calls if role_name(answered.role) not in task.roles]
    call = answers[0].call if answers else outcome.failed_call
    asked = call if call and call.messages else None  # built-in models and ready-made responses were not asked
    return ResultRow(
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
        finish_reason=reply.finish_reason if reply else None,
        usage=_usage(answers),
        cost_usd=_cost(answers),
        latency_s=_latency(answers) if answers and answers[0].source != "responses" else None,
        attempts=sum(answered.attempts for answered in outcome.calls) + outcome.failed_attempts,
        source=_source(outcome),
        recorded_at=answers[0].recorded_at if answers else None,
        prompt_sha256=asked.messages_sha256 if asked else None,
        request_key=asked.key if asked else None,
        calls=_calls(outcome),
        judging=_judging(answered for answered in outcome.calls if role_name(answered.role) in task.roles),
        error=scored["error"],
    )


def scored_fields(
    task: Task,
    sample: Sample,
    *,
    response: str | None,
    finish_reason: str | None,
    evidence: Json = None,
    failure: Exception | None = None,
) -> ScoredFields:
    """Score a response: the fields of a row that a run can be given anew without a call.

    Args:
        task: The task, which scores.
        sample: The sample.
        response: The response text; ``None`` if there is none.
        finish_reason: Why the response ended; see `proctor.calls.Reply`.
        evidence: What the task's judging found out about it, where it is judged.
        failure: Why there is no response, or no evidence.
    """
    score: Score | None = None
    if response is not None and failure is None:
        try:
            score = task.scored(sample, response, evidence)
        except Exception as problem:  # a scorer meets whatever a model writes; its failure must not pass as an answer
            failure = problem
    status = _status(score, finish_reason, failure)
    counts = score is not None and status in ("scored", "judge_failed")
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


def verdict(row: ResultRow, headline: str, scale: tuple[float, float] = (0.0, 1.0)) -> Verdict:
    """Whether a row's strict headline metric is all that can be had, the worst (or below), or between.

    Args:
        row: The row.
        headline: The metric.
        scale: Its worst value, and its best.
    """
    value, (worst, best) = row["scores"]["strict"][headline], scale
    if value >= best:
        return "correct"
    return "partial" if row["status"] == "scored" and value > worst else "incorrect"


def _status(score: Score | None, finish_reason: str | None, failure: Exception | None) -> Status:
    if score is None:
        return "judge_failed" if isinstance(failure, JudgeFailed) else "error"
    if finish_reason == "refusal":
        return "refused"
    if finish_reason == "length":
        return "truncated"
    if not score.parsed:
        return "unparsed"
    return "scored" if score.judged else "judge_failed"


def _told(failure: Exception) -> str:
    said = (
        str(failure)
        if isinstance(failure, CallFailed | JudgeFailed | Unmet)
        else f"{type(failure).__name__}: {failure}"
    )
    return said.encode("utf-8", "backslashreplace").decode()


def _calls(outcome: Outcome) -> list[CallFields]:
    sources = {(answered.role, answered.turn): answered.source for answered in outcome.calls}
    return [
        CallFields(role=slot.role, turn=slot.turn, key=key, source=sources.get((slot.role, slot.turn)))
        for slot, key in outcome.asked
    ]


def _judging(calls: Iterable[Answered]) -> dict[str, RoleFields]:
    by_role: dict[str, list[Answered]] = {}
    for answered in calls:
        by_role.setdefault(role_name(answered.role), []).append(answered)
    return {
        role: RoleFields(
            model=group[0].model.name,
            calls=len(group),
            usage=_usage(group),
            cost_usd=_cost(group),
            latency_s=_latency(group),
        )
        for role, group in by_role.items()
    }


def _latency(calls: Sequence[Answered]) -> float | None:
    """Seconds; ``None`` if an answer came out of a batch, whose time says nothing about the model."""
    if any(answered.batch for answered in calls):
        return None
    return round(sum(answered.latency_s for answered in calls), 3)


def _usage(calls: Sequence[Answered]) -> UsageFields:
    def total(name: str) -> int | None:
        counts = [count for answered in calls if (count := getattr(answered.reply.usage, name)) is not None]
        return sum(counts) if counts else None

    return UsageFields(
        input_tokens=total("input_tokens"),
        output_tokens=total("output_tokens"),
        cached_tokens=total("cached_tokens"),
        reasoning_tokens=total("reasoning_tokens"),
    )


def _cost(calls: Sequence[Answered]) -> float | None:
    costs = [answered.model.cost(answered.reply.usage, batch=answered.batch) for answered in calls]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _source(outcome: Outcome) -> str:
    """``responses`` for an answer made elsewhere; else ``live`` or ``recorded`` if any call was; else ``replayed``."""
    sources = {answered.source for answered in outcome.calls} | ({"live"} if outcome.failed_attempts else set())
    return next((source for source in ("responses", "live", "recorded") if source in sources), "replayed")


def append_row(file: Path, row: ResultRow) -> None:
    """Append a row to a results file; it is on disk when this returns."""
    append_line(file, encoded(row) + b"\n")


# One encoder for all rows: json.dumps builds a new one for every call that does not use its defaults.
_legible = json.JSONEncoder(ensure_ascii=False).encode


def encoded(value: Any, *, indent: int | None = None) -> bytes:
    """JSON in UTF-8, legible; escaped only where a model's text holds half a surrogate pair, which UTF-8 cannot."""
    try:
        if indent is None:
            return _legible(value).encode()
        # Piece by piece: the pieces of a large run's report are many times as large as their sum.
        pieces = map(str.encode, json.JSONEncoder(ensure_ascii=False, indent=indent).iterencode(value))
        return bytes(reduce(operator.iadd, pieces, bytearray()))
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()


def read_rows(file: Path, *, only: Sequence[str] = ()) -> Iterator[ResultRow]:
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
            except ValueError:
                if not line.endswith(b"\n"):
                    return
                text = line.decode("utf-8", "replace")
                raise DataError("not a result row", file=file, line=number, value=text) from None
            if not isinstance(row, dict) or row.get("schema_version") != SCHEMA_VERSION:
                problem = f"not a result row of schema version {SCHEMA_VERSION}"
                raise DataError(problem, file=file, line=number, value=row)
            # The schema vouches for the fields.
            yield {name: shared.of(row[name]) for name in only} if only else row  # type: ignore[misc]


class Shared:
    """Makes equal values of many rows one and the same object: names, statuses, scores, token counts.

    A row then takes a third of the memory. What it gives must not be changed.
    """

    MOST = 10_000
    """Values to remember. What many rows have in common comes early; the rest, such as ids, would fill the memory."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def of(self, value: Any) -> Any:
        """An object that is equal to *value*, a JSON value, in type too."""
        if isinstance(value, str):
            return self._one(value, value)
        if isinstance(value, dict):
            made = {self._one(name, name): self.of(part) for name, part in value.items()}
            # Parts are told apart by identity: equal ones are one object, and 1 is not 1.0.
            return self._one((*made, *map(id, made.values())), made)
        if isinstance(value, list):
            return [self.of(part) for part in value]
        if isinstance(value, float):
            return self._one((value, float), value)
        return value

    def _one(self, name: Any, value: Any) -> Any:
        known = self._known.get(name)
        if known is None and len(self._known) < self.MOST:
            self._known[name] = value
        return value if known is None else known
