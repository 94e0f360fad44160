"""Result rows: one JSON line per case and epoch, the only thing that reports and statistics are made from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from proctor.appending import append_line
from proctor.calls import CallFailed
from proctor.errors import DataError

if TYPE_CHECKING:
    from proctor.conversation import Answered, Outcome
    from proctor.models import Model
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
    """Tokens of all calls of a case; ``None`` where no provider said."""

    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None


class CallFields(TypedDict):
    """One call of a case's conversation: what for, which one of those, its key, and whether and how it was answered."""

    role: str
    turn: int
    key: str
    source: str | None


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
    prediction: Any
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
    error: str | None


def result_row(*, run_id: str, task: Task, model: Model, sample: Sample, epoch: int, outcome: Outcome) -> ResultRow:
    """Score what a conversation led to.

    Args:
        run_id: The run.
        task: The task, which scores the reply.
        model: The model, which prices it.
        sample: The sample.
        epoch: The repetition, from 1.
        outcome: What the conversation led to.
    """
    failure = outcome.failure
    score: Score | None = None
    if outcome.reply is not None:
        try:
            score = task.score(sample, outcome.reply.text)
        except Exception as problem:  # a scorer meets whatever a model writes; its failure must not pass as an answer
            failure = problem
    status = _status(outcome, score)
    worst = dict(task.metrics)
    answer = next((answered for answered in outcome.calls if answered.role == "answer"), None)
    call = answer.call if answer else outcome.failed_call
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
        status=status,
        scores={
            "official": dict(score.official) if score else {},
            "strict": dict(score.strict) if score and status == "scored" else worst,
        },
        diagnostics=dict(score.diagnostics) if score else {},
        prediction=score.prediction if score else None,
        target=sample.target,
        response_text=outcome.reply.text if outcome.reply else None,
        finish_reason=outcome.reply.finish_reason if outcome.reply else None,
        usage=_usage(outcome.calls),
        cost_usd=_cost(model, outcome.calls),
        latency_s=round(sum(answered.latency_s for answered in outcome.calls), 3) if outcome.calls else None,
        attempts=sum(answered.attempts for answered in outcome.calls) + outcome.failed_attempts,
        source=_source(outcome),
        recorded_at=answer.recorded_at if answer else None,
        prompt_sha256=call.messages_sha256 if call else None,
        request_key=call.key if call else None,
        calls=_calls(outcome),
        error=None if failure is None else _told(failure),
    )


def verdict(row: ResultRow, headline: str) -> Verdict:
    """Whether a row's strict headline metric is 1, 0 (or below) or between."""
    value = row["scores"]["strict"][headline]
    if value >= 1:
        return "correct"
    return "partial" if row["status"] == "scored" and value > 0 else "incorrect"


def _status(outcome: Outcome, score: Score | None) -> Status:
    if outcome.reply is None or score is None:
        return "error"
    if outcome.reply.finish_reason == "refusal":
        return "refused"
    if outcome.reply.finish_reason == "length":
        return "truncated"
    return "scored" if score.parsed else "unparsed"


def _told(failure: Exception) -> str:
    said = str(failure) if isinstance(failure, CallFailed) else f"{type(failure).__name__}: {failure}"
    return said.encode("utf-8", "backslashreplace").decode()


def _calls(outcome: Outcome) -> list[CallFields]:
    sources = {(answered.role, answered.turn): answered.source for answered in outcome.calls}
    return [
        CallFields(role=slot.role, turn=slot.turn, key=key, source=sources.get((slot.role, slot.turn)))
        for slot, key in outcome.asked
    ]


def _usage(calls: list[Answered]) -> UsageFields:
    def total(name: str) -> int | None:
        counts = [count for answered in calls if (count := getattr(answered.reply.usage, name)) is not None]
        return sum(counts) if counts else None

    return UsageFields(
        input_tokens=total("input_tokens"),
        output_tokens=total("output_tokens"),
        cached_tokens=total("cached_tokens"),
        reasoning_tokens=total("reasoning_tokens"),
    )


def _cost(model: Model, calls: list[Answered]) -> float | None:
    costs = [model.cost(answered.reply.usage) for answered in calls]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _source(outcome: Outcome) -> str:
    """``live`` or ``recorded`` if any call was; a case is replayed only if all its calls were."""
    sources = {answered.source for answered in outcome.calls} | ({"live"} if outcome.failed_attempts else set())
    return next((source for source in ("live", "recorded", "responses") if source in sources), "replayed")


def append_row(file: Path, row: ResultRow) -> None:
    """Append a row to a results file; it is on disk when this returns."""
    append_line(file, encoded(row) + b"\n")


# One encoder for all rows: json.dumps builds a new one for every call that does not use its defaults.
_legible = json.JSONEncoder(ensure_ascii=False).encode


def encoded(value: Any, *, indent: int | None = None) -> bytes:
    """JSON in UTF-8, legible; escaped only where a model's text holds half a surrogate pair, which UTF-8 cannot."""
    try:
        text = _legible(value) if indent is None else json.dumps(value, ensure_ascii=False, indent=indent)
        return text.encode()
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
            yield {name: row[name] for name in only} if only else row  # type: ignore[misc]  # the schema vouches for them
