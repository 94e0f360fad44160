"""``--responses``: answers that were made elsewhere, read from files."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args
from urllib.parse import unquote

from proctor.calls import Call, FinishReason, Reply, Usage
from proctor.conversation import Answered, Conversation
from proctor.errors import UsageError
from proctor.models.registry import Model
from proctor.samples import Row, Sample, read_rows
from proctor.selection import SelectedTask, case_name
from proctor.task import ADDED, Task

API = "responses"
"""What a model speaks that is known by its responses alone."""

FINISH_REASONS = get_args(FinishReason)
SHOWN = 5  # names in a note; report.json lists all
Place = tuple[str, int]
"""Sample id and epoch."""


@dataclass(frozen=True)
class Responses:
    """The responses of one model to one task.

    Args:
        file: The file they stand in, or the folder of several files; it need not exist.
        sha256: Its hash; empty if there is none.
        replies: The responses by sample id and epoch. Of several to one sample the first one counts.
        entries: How many responses the file holds.
        extra: Those that answer no sample of the data file: what they say they answer.
        duplicates: The cases that are answered more than once.
    """

    file: Path
    sha256: str = ""
    replies: Mapping[Place, Reply] = field(default_factory=dict)
    entries: int = 0
    extra: Sequence[str] = ()
    duplicates: Sequence[str] = ()


class GivenAnswer(Conversation):
    """A conversation whose answer exists already; it is judged as any other."""

    def _answer(self) -> Reply:
        place = self._place
        assert place.given is not None
        reply = place.given.replies[self._sample.id, self._epoch]
        call = Call(model=place.model.api_id, messages=(), parameters={})
        self.outcome.calls.append(Answered("answer", place.model, call, reply, "responses", 0.0, 0, None))
        return reply


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
    or the entry of the data file with ``response`` added, a list of them where the entry holds several samples.

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
    replies: dict[Place, Reply] = {}
    found: Counter[Place] = Counter()
    extra: list[str] = []
    entries = 0
    for row in read_rows(file):
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
        duplicates=[case_name(*place) for place, count in found.items() if count > 1],
    )


def notes_on_responses(task: SelectedTask) -> Iterator[str]:
    """What the user should know about the file of a task's responses."""
    given = task.responses or {}
    for names, one, more in (
        (given.get("extra"), "response without a sample", "responses without a sample"),
        (given.get("duplicates"), "sample with several responses", "samples with several responses"),
    ):
        if names:
            what = one if len(names) == 1 else more
            rule = ", of which the first counts" if names is given["duplicates"] else ""
            listed = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
            yield f"{task.benchmark}/{task.task} {task.model}: {len(names)} {what}{rule}: {listed}"


def _by_id(row: Row) -> Iterator[tuple[str, int, Reply]]:
    epoch = row.integer("epoch") if "epoch" in row.data else 1
    yield (
        row.text("sample_id"),
        epoch,
        read_reply(row, row.data.get("response"), row.data.get("finish_reason"), "response"),
    )


def _by_entry(row: Row, task: Task, by_row: Mapping[str, list[Sample]]) -> Iterator[tuple[str, int, Reply]]:
    if "response" not in row.data:
        raise row.error("response", "is missing", remedy="Give each entry its response, or leave the entry out.")
    entry = Row({name: value for name, value in row.data.items() if name not in ADDED}, row.file, row.line)
    answered = by_row.get(entry.sha256)
    if answered is None:
        yield f"line {row.line}", 1, Reply("")
        return
    size = sum(1 for _ in task.samples_of(entry))
    ids = [sample.id for sample in answered[:size]]
    if len(answered) > size:
        del answered[:size]  # a row that is in the data twice: the next such entry answers the second one
    responses, ends = row.data["response"], row.data.get("finish_reason")
    if size == 1:
        yield ids[0], 1, read_reply(row, responses, ends, "response")
        return
    if not isinstance(responses, list) or len(responses) != size:
        raise row.error("response", f"must be a list of the {size} responses to this entry", value=responses)
    if ends is not None and (not isinstance(ends, list) or len(ends) != size):
        raise row.error("finish_reason", f"must be a list of {size}, as there are responses", value=ends)
    for number, (name, response) in enumerate(zip(ids, responses, strict=True)):
        if response is not None:
            yield name, 1, read_reply(row, response, ends[number] if ends else None, f"response[{number}]")


def read_reply(row: Row, response: Any, end: Any, place: str) -> Reply:
    """A response that stands in a row.

    Args:
        row: The row.
        response: The response.
        end: Why it ended, if that is known.
        place: The field of the response.

    Raises:
        DataError: If they are not what they should be.
    """
    if not isinstance(response, str):
        raise row.error(place, "must be a string", value=response)
    if end is not None and end not in FINISH_REASONS:
        raise row.error("finish_reason", f"must be one of {', '.join(FINISH_REASONS)}", value=end)
    return Reply(response, end or "stop", _usage(row))


def _usage(row: Row) -> Usage:
    given = row.data.get("usage")
    if given is None:
        return Usage()
    fields = Usage.__slots__
    if not isinstance(given, dict) or not all(
        name in fields and isinstance(count, int) and count >= 0 for name, count in given.items()
    ):
        raise row.error("usage", f"must be an object of token counts: {', '.join(fields)}", value=given)
    return Usage(**given)
