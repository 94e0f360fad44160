"""``--responses``: answers that were made elsewhere, read from files."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args
from urllib.parse import unquote

from proctor._base.errors import DataError, UsageError
from proctor.models.registry import Model
from proctor.providers import thoughts
from proctor.tasks.call import FinishReason, Reply, Usage
from proctor.tasks.extensions import ADDED
from proctor.tasks.row import Row, whole_rows
from proctor.tasks.sample import Sample, case_name
from proctor.tasks.samples import samples_of_row
from proctor.tasks.task import Task

API = "responses"
"""What a model speaks that is known by its responses alone."""

FINISH_REASONS = get_args(FinishReason)
CaseKey = tuple[str, int]
"""Sample id and epoch."""


@dataclass(frozen=True)
class Responses:
    """The responses of one model to one task.

    Args:
        file: The file they stand in, or the folder of several files; it need not exist.
        sha256: Its hash; empty if there is none.
        replies: The responses by sample id and epoch, or why one cannot be used. Of several to one sample the first
            one counts.
        entries: How many responses the file holds.
        extra: Those that answer no sample of the data file: what they say they answer.
        duplicates: The cases that are answered more than once.
    """

    file: Path
    sha256: str = ""
    replies: Mapping[CaseKey, Reply | DataError] = field(default_factory=dict)
    entries: int = 0
    extra: Sequence[str] = ()
    duplicates: Sequence[str] = ()


def models_in(folder: Path) -> tuple[str, ...]:
    """The names of the models that have responses in a folder.

    Raises:
        UsageError: If there is no such folder, or none of a model in it.
    """
    try:
        folders = [entry for entry in folder.iterdir() if entry.is_dir()]
        below = [entry for of_task in folders for entry in of_task.iterdir() if entry.is_dir()]
        names = sorted({entry.name for entry in (*folders, *below) if any(entry.glob("*.jsonl"))})
    except OSError as problem:
        raise UsageError(f"--responses {folder}: {problem.strerror}") from None
    if not names:
        raise UsageError(
            f"--responses {folder}: no responses there",
            remedy="They are expected in <model>/<task>.jsonl, a response a line, or in the layout of the benchmark's "
            "own files.",
        )
    return tuple(unquote(name.replace("~", "/")) for name in names)


def file_of(folder: Path, model: Model, task: Task) -> Path:
    """Where a model's responses to a task are, or should be."""
    names = (f"{task.short_name}.jsonl", f"{task.benchmark}.{task.short_name}.jsonl")
    files = [folder / mine / name for mine in model.folder_names for name in reversed(names)]
    return next((file for file in files if file.exists()), files[1])


def read_responses(file: Path, task: Task, samples: Sequence[Sample]) -> Responses:
    """Read a model's responses to a task.

    A line is ``{"sample_id": …, "response": …}``, with ``epoch``, ``finish_reason`` and ``usage`` if they are known;
    or the entry of the data file with ``response`` added, a list of them where the entry holds several samples. A
    response that is ``null`` is none: its case is missing, and the others are scored.

    Args:
        file: The file; if it does not exist, there is no response.
        task: The task.
        samples: All samples of its data file.

    Raises:
        DataError: For a line that is neither.
    """
    if not file.exists():
        return Responses(file)
    by_id = {sample.id: sample for sample in samples}
    by_row: defaultdict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_row[sample.row_sha256].append(sample)
    replies: dict[CaseKey, Reply] = {}
    found: Counter[CaseKey] = Counter()
    extra: list[str] = []
    entries = 0
    for row in whole_rows(file):
        for name, epoch, reply in _by_id(row) if "sample_id" in row.data else _by_entry(row, task, by_row):
            entries += 1
            if name not in by_id:
                extra.append(case_name(name, epoch))
                continue
            found[name, epoch] += 1
            replies.setdefault((name, epoch), reply)
    return Responses(
        file=file,
        sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
        replies=replies,
        entries=entries,
        extra=extra,
        duplicates=[case_name(*context) for context, count in found.items() if count > 1],
    )


def _by_id(row: Row) -> Iterator[tuple[str, int, Reply]]:
    epoch = row.integer("epoch") if "epoch" in row.data else 1
    name, response = row.text("sample_id"), row.there("response")
    if response is not None:
        yield name, epoch, provided_reply(row, response, row.data.get("finish_reason"), "response")


def _by_entry(row: Row, task: Task, by_row: Mapping[str, list[Sample]]) -> Iterator[tuple[str, int, Reply]]:
    if "response" not in row.data:
        raise row.error("response", "is missing", remedy="Give each entry its response, or leave the entry out.")
    entry = Row({name: value for name, value in row.data.items() if name not in ADDED}, row.file, row.line)
    answered = by_row.get(entry.sha256)
    if answered is None:
        yield f"line {row.line}", 1, Reply("")
        return
    size = len(samples_of_row(entry, task.samples_of))
    ids = [sample.id for sample in answered[:size]]
    if len(answered) > size:
        del answered[:size]  # a row that is in the data twice: the next such entry answers the second one
    responses, ends = row.data["response"], row.data.get("finish_reason")
    if responses is None:
        return
    if size == 1:
        yield ids[0], 1, provided_reply(row, responses, ends, "response")
        return
    if not isinstance(responses, list) or len(responses) != size:
        raise row.error("response", f"must be a list of the {size} responses to this entry", value=responses)
    if ends is not None and (not isinstance(ends, list) or len(ends) != size):
        raise row.error("finish_reason", f"must be a list of {size}, as there are responses", value=ends)
    for number, (name, response) in enumerate(zip(ids, responses, strict=True)):
        if response is not None:
            yield name, 1, provided_reply(row, response, ends[number] if ends else None, f"response[{number}]")


def provided_reply(row: Row, response: Any, end: Any, context: str) -> Reply:
    """A response that stands in a row.

    Args:
        row: The row.
        response: The response.
        end: Why it ended, if that is known.
        context: The field of the response.

    Raises:
        DataError: If they are not what they should be.
    """
    if not isinstance(response, str):
        raise row.error(context, "must be a string", value=response)
    if end is not None and end not in FINISH_REASONS:
        raise row.error("finish_reason", f"must be one of {', '.join(FINISH_REASONS)}", value=end)
    return thoughts.apart(Reply(response, end or "stop", _usage(row)))


def _usage(row: Row) -> Usage:
    usage = row.data.get("usage")
    if usage is None:
        return Usage()
    fields = Usage.__slots__
    if not isinstance(usage, dict) or not all(
        name in fields and isinstance(count, int) and count >= 0 for name, count in usage.items()
    ):
        raise row.error("usage", f"must be an object of token counts: {', '.join(fields)}", value=usage)
    return Usage(**usage)
