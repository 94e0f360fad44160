"""The answers of cases that two sides scored or answered differently, for a page that sets them side by side."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from proctor.media.medium import Media
from proctor.results.identity import TaskModel
from proctor.results.prompts import SavedPrompts
from proctor.results.saved_run import SavedRun

LONGEST = 50_000
"""Characters of an answer or a prompt that such a page holds."""
Wanted = Mapping[TaskModel, Collection[str]]
Answers = Mapping[tuple[TaskModel, str], Sequence[Mapping[str, Any]]]


def answers_of(run: SavedRun, wanted: Wanted) -> Answers:
    """What a run has of some samples, epoch by epoch; of a case with two rows the last.

    Args:
        run: The run.
        wanted: The samples by task and model.
    """
    found: dict[tuple[TaskModel, str], dict[int, Mapping[str, Any]]] = {}
    for row in run.rows():
        of = TaskModel.of(row)
        if row["sample_id"] in wanted.get(of, ()):
            found.setdefault((of, row["sample_id"]), {})[row["epoch"]] = row
    return {name: [rows[epoch] for epoch in sorted(rows)] for name, rows in found.items()}


def shown_answers(rows: Sequence[Mapping[str, Any]], metric: str) -> list[dict[str, Any]]:
    """What a page shows of a sample's rows."""
    return [
        {
            "epoch": row["epoch"],
            "status": row["status"],
            "score": row["scores"]["strict"].get(metric),
            "response_text": _cut(row["response_text"]),
            "prediction": row["prediction"],
            "error": _cut(row["error"]),
        }
        for row in rows
    ]


def shown_prompt(prompts: SavedPrompts, task: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The prompt of a sample's first row: its ``sha256``, and the ``text`` if the run kept it.

    Args:
        prompts: Those that the run kept.
        task: The task's name.
        rows: The sample's rows.
    """
    sent = rows[0]["prompt_sha256"] if rows else None
    prompt = prompts.first(task, rows[0]["sample_id"], sent) if rows else None
    if prompt is None or sent not in (prompt.sha256, None):
        return {"sha256": sent, "text": None}
    return {"sha256": prompt.sha256, "text": _cut("".join(_pieces(prompt.pieces)))}


def _pieces(pieces: Sequence[object]) -> Iterator[str]:
    for piece in pieces:
        yield f"[{piece.kind}: {piece.file.name}]" if isinstance(piece, Media) else str(piece)


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"
