"""Response files in the published format: what a model answered, beside the whole entry that it answered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from benchmarks.mixeval_x.entries import FREE_FORM, MULTIPLE_CHOICE, SUFFIXES
from proctor import Row
from proctor.models.registry import safe_file_name

ResultRow = Mapping[str, Any]
"""A result row with the sample's ``fields``."""

RowsByModel = Mapping[str, Sequence[ResultRow]]

TASK_SUFFIXES = {"text2action": "t2a", "image2action": "i2a", "text2image": "t2i"}
"""What tells the files of tasks with one kind of entries apart; questions have `SUFFIXES`."""

PICTURES = ("gen_1st_turn", "gen_2nd_turn")
"""The fields of an entry, and of a response, that name the pictures a model made."""


def text_response(row: Row) -> str:
    """The response of an entry that is answered in words."""
    return row.text("response")


def picture_response(row: Row) -> str:
    """The response of an entry that is answered with pictures: where they are, as a JSON object."""
    return pictures_text([row.text(name) for name in PICTURES])


def pictures_text(paths: Sequence[str]) -> str:
    """The response text that names two pictures; empty for one that was not made."""
    return json.dumps(dict(zip(PICTURES, paths, strict=True)), ensure_ascii=False)


def pictures_in(response: str) -> list[str]:
    """The two paths that a response text names; empty where it does not."""
    try:
        named = json.loads(response)
    except ValueError:
        named = None
    found = [named.get(name) for name in PICTURES] if isinstance(named, dict) else [None, None]
    return [path if isinstance(path, str) else "" for path in found]


def written_responses(_: datetime, rows: RowsByModel) -> dict[str, Any]:
    """The response files of all models, in the published layout. Of several epochs they have the first.

    Args:
        rows: A task's rows by model.

    Returns:
        The entries with responses by path; entries without one are left out.
    """
    files: dict[str, list[dict[str, Any]]] = {}
    for model, mine in rows.items():
        for row in in_order(mine):
            if row["response_text"] is not None:
                name = safe_file_name(model)
                path = f"mixeval_x/responses/{row['task']}/{name}/{name}_{suffix_of(row)}.jsonl"
                files.setdefault(path, []).append(answered(row))
    return files


def answered(row: ResultRow) -> dict[str, Any]:
    """The entry with the response in it."""
    response = row["response_text"]
    added = zip(PICTURES, pictures_in(response), strict=True) if row["task"] == "text2image" else {"response": response}
    return {**row["fields"]["entry"], **dict(added)}


def suffix_of(row: ResultRow) -> str:
    """What tells the file of this row apart."""
    kind = row["fields"].get("problem_type")
    return SUFFIXES[kind] if kind in (FREE_FORM, MULTIPLE_CHOICE) else TASK_SUFFIXES[row["task"]]


def in_order(rows: Iterable[ResultRow]) -> list[ResultRow]:
    """The rows of the first epoch, in the order of the data."""
    return sorted((row for row in rows if row["epoch"] == 1), key=lambda row: row["sample_index"])
