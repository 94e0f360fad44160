"""A benchmark's own files of responses: their entries are whole rows of data, so that they need no data file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from proctor.calls import sha256_of
from proctor.errors import DataError
from proctor.models.registry import Model
from proctor.responses import Responses, read_reply
from proctor.samples import Sample, read_rows
from proctor.task import Task


def entry_files(folder: Path, model: Model, task: Task) -> tuple[Path, ...]:
    """The files of entries that a model has answered for a task; see `proctor.task.ResponseFiles`.

    Args:
        folder: What ``--responses`` names.
        model: The model.
        task: The task.

    Returns:
        The files that exist; none for a task without such files.

    Raises:
        DataError: If the first entry of a file cannot be read that must say which task it belongs to.
    """
    if task.response_files is None:
        return ()
    for name in model.folder_names:
        of_task = _in(folder / task.short_name / name, name, task.response_files.suffixes)
        if of_task:
            return of_task
        alone = _in(folder / name, name, task.response_files.suffixes)
        recognises = task.response_files.recognises
        if alone and (folder.resolve().name == task.short_name or recognises(next(iter(read_rows(alone[0]))))):
            return alone
    return ()


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


def read_entry_responses(files: Sequence[Path], task: Task, samples: Sequence[Sample]) -> Responses:
    """The responses in a model's files of entries.

    Args:
        files: The files.
        task: The task.
        samples: The samples that the same files gave, one an entry.

    Raises:
        DataError: For an entry that holds no response, or if not every entry gave one sample.
    """
    assert task.response_files is not None
    rows = [row for file in files for row in read_rows(file)]
    if len(rows) != len(samples):
        raise DataError(f"{len(rows)} entries hold {len(samples)} samples; each must hold one", file=files[0].parent)
    replies = {}
    for row, sample in zip(rows, samples, strict=True):
        end = row.data.get("finish_reason")
        replies[sample.id, 1] = read_reply(row, task.response_files.response(row), end, task.response_files.fields[0])
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return Responses(file=files[0].parent, sha256=digest.hexdigest(), replies=replies, entries=len(rows))


def entries_sha256(samples: Iterable[Sample]) -> str:
    """The hash of the entries without the responses in them: the same for all models that answered the same ones."""
    return sha256_of([sample.row_sha256 for sample in samples])
