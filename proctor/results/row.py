"""Result rows: one JSON line per case and epoch, the only thing that reports and statistics are made from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict, get_args

from proctor._base.errors import DataError
from proctor._base.files import append_line
from proctor._base.json_values import Shared, encoded
from proctor.tasks.metrics import Headline

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


def seen_text(row: ResultRow) -> str | None:
    """The text of a response as a script reads it that knows of no thoughts in it."""
    seen = row.get("seen_text")
    return row["response_text"] if seen is None else seen


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
            yield shared.row(row, only) if only else row  # type: ignore[misc]
