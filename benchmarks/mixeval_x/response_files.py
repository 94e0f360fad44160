"""Response files in the published format: what a model answered, beside the whole entry that it answered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.mixeval_x.entries import FREE_FORM, MULTIPLE_CHOICE, SUFFIXES, in_published_words
from benchmarks.mixeval_x.media_files import made_picture
from benchmarks.mixeval_x.run_settings import Settings
from proctor import Media, Row, safe_file_name

ResultRow = Mapping[str, Any]
"""A result row with the sample's ``fields``."""

RowsByModel = Mapping[str, Sequence[ResultRow]]

TEXT2IMAGE = "text2image"
TASK_SUFFIXES = {"text2action": "t2a", "image2action": "i2a", TEXT2IMAGE: "t2i"}
"""What tells the files of tasks with one kind of entries apart; questions have `SUFFIXES`."""

TASK_NAMES = (*(f"{kind}2text{hard}" for kind in ("image", "video", "audio") for hard in ("", "_hard")), *TASK_SUFFIXES)
"""All tasks that have response files: what folders are called that hold those of one."""

PICTURES = ("gen_1st_turn", "gen_2nd_turn")
"""The fields of an entry, and of a response, that name the pictures a model made."""

ENDS = ("finish_reason_1st_turn", "finish_reason_2nd_turn")
"""The fields that say why a turn ended without its picture, where that is known."""

COPIES = "pictures"
"""The folder, beside a response file, of the pictures that it names."""


def text_response(row: Row) -> str:
    """The response of an entry that is answered in words; what is no text in Python's words, as it is graded."""
    if "response" not in row.data:
        raise row.error("response", "is missing", remedy="Give each entry its response, or leave the entry out.")
    response = row.data["response"]
    if not isinstance(response, str):
        row.odd("response", "something else than a text", value=response)
    return str(response)


def picture_response(row: Row) -> str:
    """The response of an entry that is answered with pictures: where they are, as a JSON object."""
    if not any(name in row.data for name in PICTURES):
        raise row.error(PICTURES[0], "is missing", remedy=f"{' and '.join(PICTURES)} name the pictures.")
    paths = []
    for name in PICTURES:
        path = row.data.get(name)
        if not isinstance(path, str):
            row.odd(name, "no path of a picture", value=path)
        paths.append(path if isinstance(path, str) else "")
    return pictures_text(paths, [row.data.get(name) for name in ENDS])


def picture_end(row: Row) -> object:
    """Why the response of an entry that is answered with pictures ended: as its first turn that brought none."""
    return next((end for name in ENDS if (end := row.data.get(name)) is not None), row.data.get("finish_reason"))


def pictures_text(paths: Sequence[str], ends: Sequence[object] = ()) -> str:
    """The response text that names two pictures.

    Args:
        paths: Their paths; empty for one that was not made.
        ends: Why each turn ended, told where it is not simply that all was said.
    """
    told = {name: end for name, end in zip(ENDS, ends, strict=False) if isinstance(end, str) and end != "stop"}
    return json.dumps({**dict(zip(PICTURES, paths, strict=True)), **told}, ensure_ascii=False)


def pictures_in(response: str) -> list[str]:
    """The two paths that a response text names; empty where it does not."""
    named = _named_in(response)
    found = [named.get(name) for name in PICTURES]
    return [path if isinstance(path, str) else "" for path in found]


def _named_in(response: str) -> Mapping[str, Any]:
    try:
        named = json.loads(response)
    except (ValueError, RecursionError):
        return {}
    return named if isinstance(named, dict) else {}


def written_responses(settings: Settings, _: datetime, rows: RowsByModel) -> dict[str, Any]:
    """The response files of all models, in the published layout. Of several epochs they have the first.

    Args:
        settings: Where pictures may be.
        rows: A task's rows by model.

    Returns:
        The entries with responses by path; entries without one are left out. Pictures that models made lie beside the
        file that names them.
    """
    files: dict[str, Any] = {}
    for model, mine in rows.items():
        for row in in_order(mine):
            if row["response_text"] is not None:
                name = safe_file_name(model)
                folder = f"mixeval_x/responses/{row['task']}/{name}"
                files.setdefault(f"{folder}/{name}_{suffix_of(row)}.jsonl", []).append(answered(settings, row))
                files |= {f"{folder}/{copy}": picture.file for copy, picture in copies(settings, row).items()}
    return files


def answered(settings: Settings, row: ResultRow, folder: str = "") -> dict[str, Any]:
    """The entry with the response in it, and why it ended, if it was cut or refused.

    Args:
        settings: Where pictures may be.
        row: The row.
        folder: How to get to the folder of the response files, for a file elsewhere; empty, or ending in a slash.
    """
    response, entry = row["response_text"], row["fields"]["entry"]
    if row["task"] == TEXT2IMAGE:
        paths = [f"{folder}{copy}" if picture else said for said, copy, picture in _copied(settings, row)]
        ends = {name: end for name, end in _named_in(response).items() if name in ENDS}
        return {**entry, **dict(zip(PICTURES, paths, strict=True)), **ends}
    end = row.get("finish_reason")
    whole = {**entry, "response": response, **({} if end in ("stop", None) else {"finish_reason": end})}
    kind = row["fields"].get("problem_type")
    return whole if kind is None else in_published_words(whole, kind)


def copies(settings: Settings, row: ResultRow) -> dict[str, Media]:
    """The pictures of a row's response that are there, by the path of their copy beside the response file."""
    if row["task"] != TEXT2IMAGE:
        return {}
    return {copy: picture for _, copy, picture in _copied(settings, row) if picture is not None}


def _copied(settings: Settings, row: ResultRow) -> Iterator[tuple[str, str, Media | None]]:
    """For each turn the path that the response says, that of the copy, and the picture, if there is one."""
    for said in pictures_in(row["response_text"]):
        picture = made_picture(settings, said, row["fields"]["folder"])
        yield said, "" if picture is None else f"{COPIES}/{picture.sha256}{_suffix(picture.file)}", picture


def _suffix(file: Path) -> str:
    suffix = file.suffix.lower()
    return suffix if suffix.isascii() and suffix[1:].isalnum() else ""


def suffix_of(row: ResultRow) -> str:
    """What tells the file of this row apart."""
    kind = row["fields"].get("problem_type")
    return SUFFIXES[kind] if kind in (FREE_FORM, MULTIPLE_CHOICE) else TASK_SUFFIXES[row["task"]]


def in_order(rows: Iterable[ResultRow]) -> list[ResultRow]:
    """The rows of the first epoch, in the order of the data."""
    return sorted((row for row in rows if row["epoch"] == 1), key=lambda row: row["sample_index"])
