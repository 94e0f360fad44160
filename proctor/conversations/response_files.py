"""A benchmark's own files of responses: their entries are whole rows of data, so that they need no data file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError
from proctor._base.json_values import sha256_of
from proctor.conversations.responses import Responses
from proctor.models.registry import Model
from proctor.tasks.call import FinishReason, Reply, Usage
from proctor.tasks.extensions import ResponseFiles
from proctor.tasks.oddities import Findings, Oddity
from proctor.tasks.row import Row, read_rows
from proctor.tasks.sample import Sample
from proctor.tasks.task import Task

ENDS: Mapping[str, FinishReason] = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "eos", "completed"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens"), "length"),
    "other": "other",
    **dict.fromkeys(("refusal", "content_filter", "safety", "prohibited_content"), "refusal"),
}
"""What others call the ends of responses, in lower case."""

TOKENS: Mapping[str, Sequence[str]] = {
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "cached_tokens": ("cached_tokens",),
    "reasoning_tokens": ("reasoning_tokens",),
}
"""What others call counts of tokens."""


def entry_files(folder: Path, model: Model, task: Task) -> tuple[Path, ...]:
    """The files of entries that a model has answered for a task; see `proctor.tasks.extensions.ResponseFiles`.

    Args:
        folder: What ``--responses`` names.
        model: The model.
        task: The task.

    Returns:
        The files that exist; none for a task without such files.

    Raises:
        DataError: If the first entry of a file cannot be read that must say which task it belongs to.
    """
    files = task.response_files
    if files is None:
        return ()
    named = task_named(folder, files)
    for name in model.folder_names:
        of_task = _in(folder / task.short_name / name, name, files.suffixes)
        if of_task:
            return of_task
        alone = _in(folder / name, name, files.suffixes)
        if alone and (task.short_name == named if named else files.recognises(_first_entry(alone[0]))):
            return alone
    return ()


def task_named(folder: Path, files: ResponseFiles) -> str | None:
    """The task whose name a folder has, as it was given or where a link leads to; ``None`` if it is none's."""
    names = (folder.absolute().name, folder.resolve().name)
    return next((name for name in names if name in files.tasks), None)


def _first_entry(file: Path) -> Row:
    return next(row for row in read_rows(file) if row.broken is None)


def files_offered(folder: Path, model: Model, task: Task) -> set[Path]:
    """All files that may be meant to hold a model's answers to a task: what lies where its files of entries do."""
    if task.response_files is None:
        return set()
    return {
        file
        for name in model.folder_names
        for file in (
            *(folder / task.short_name / name).glob("*.jsonl"),
            *_in(folder / name, name, task.response_files.suffixes),
        )
    }


def _in(folder: Path, name: str, suffixes: Iterable[str]) -> tuple[Path, ...]:
    files = (folder / f"{name}_{suffix}.jsonl" for suffix in suffixes)
    return tuple(file for file in files if file.is_file())


def read_entry_responses(
    files: Sequence[Path], task: Task, samples: Sequence[Sample], findings: Findings, shown: Callable[[Path], Path]
) -> Responses:
    """The responses in a model's files of entries; of an unusable entry there is none.

    Args:
        files: The files.
        task: The task.
        samples: The samples that the same files gave, one an entry.
        findings: Takes up what is odd or unusable in the responses.
        shown: What messages call a file.

    Raises:
        DataError: If not every entry gave one sample.
    """
    assert task.response_files is not None
    rows = [row for file in files for row in read_rows(file, shown_file=shown(file))]
    if len(rows) != len(samples):
        raise DataError(f"{len(rows)} entries hold {len(samples)} samples; each must hold one", file=files[0].parent)
    replies: dict[tuple[str, int], Reply | DataError] = {}
    for row, sample in zip(rows, samples, strict=True):
        if sample.error is not None:
            continue
        known = len(row.oddities)
        try:
            text = task.response_files.response(row)
            replies[sample.id, 1] = Reply(text, _end(row, task.response_files.end(row)), _usage(row))
        except DataError as problem:
            replies[sample.id, 1] = problem
            findings.unusable.append(Oddity.of_error(problem, file=row.shown_file, line=row.line, cases=1))
        findings.odd.extend(row.oddities[known:])
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return Responses(file=files[0].parent, sha256=digest.hexdigest(), replies=replies, entries=len(rows))


def _end(row: Row, told: object) -> FinishReason:
    """Why a response ended; graders do not ask, so that no word for it makes an entry unusable."""
    if told is None:
        return "stop"
    if isinstance(told, str) and told.lower() in ENDS:
        return ENDS[told.lower()]
    row.odd("finish_reason", "an end that is not known", value=told)
    return "other"


def _usage(row: Row) -> Usage:
    """The counts of tokens under the names that are known, if there are any."""
    usage: Any = row.data.get("usage")
    if not isinstance(usage, dict):
        return Usage()
    found = {
        ours: next((usage[name] for name in names if _is_count(usage.get(name))), None)
        for ours, names in TOKENS.items()
    }
    return Usage(**found)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def entries_sha256(samples: Iterable[Sample]) -> str:
    """The hash of the entries without the responses in them: the same for all models that answered the same ones."""
    return sha256_of([sample.row_sha256 for sample in samples])
