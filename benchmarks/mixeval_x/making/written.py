"""Response files in the official layout, with responses written by hand."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.mixeval_x.making import responses_a, responses_b
from benchmarks.mixeval_x.making.entries import Entry

AS_ARRAY = ("audio2text", responses_b.MODEL)
"""The one file that is a JSON array over several lines, since readers have to take both forms."""

ALL_RESPONSES = {author.MODEL: author.RESPONSES for author in (responses_a, responses_b)}


def kind_of(entry: Entry) -> str:
    """How the name of the file ends in which the entry belongs: ``ff``, ``mp`` or ``t2a``."""
    kinds: dict[object, str] = {"free-form": "ff", "single-choice": "mp", None: "t2a"}
    return kinds[entry.get("problem_type")]


def answered(entries: list[Entry], responses: dict[str, str]) -> dict[str, list[Entry]]:
    """The entries of each kind with their responses.

    Args:
        entries: a whole task.
        responses: by kind and the entry's number among those of its kind, such as ``mp-3``.

    Raises:
        ValueError: If an entry has no response or a response no entry.
    """
    by_kind: dict[str, list[Entry]] = {}
    unused = dict(responses)
    for entry in entries:
        same = by_kind.setdefault(kind_of(entry), [])
        key = f"{kind_of(entry)}-{len(same) + 1}"
        if key not in unused:
            raise ValueError(f"no response was written for {key}: {entry}")
        same.append({**entry, "response": unused.pop(key)})
    if unused:
        raise ValueError(f"no entry belongs to the responses {sorted(unused)}")
    return by_kind


def save_responses(tasks: dict[str, list[Entry]], folder: Path) -> list[Path]:
    """Write ``<task>/<model>/<model>_<kind>.jsonl`` for every model and every task it has responses for.

    Returns:
        The files written.

    Raises:
        OSError: If a file cannot be written.
        ValueError: If entries and responses do not belong together.
    """
    paths = []
    for model, by_task in ALL_RESPONSES.items():
        for task, responses in by_task.items():
            place = folder / task / model
            place.mkdir(parents=True, exist_ok=True)
            for kind, entries in answered(tasks[task], responses).items():
                paths.append(place / f"{model}_{kind}.jsonl")
                lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
                array = json.dumps(entries, ensure_ascii=False, indent=4) + "\n"
                text = array if (task, model) == AS_ARRAY else lines
                paths[-1].write_text(text, encoding="utf-8", newline="\n")
    return paths
