"""What was handed to a provider and has not come back: one file a batch, so that nothing is paid for twice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError, UsageError
from proctor._base.files import write_whole
from proctor.recordings.recording import CallId

FOLDER = Path(".proctor", "batches")
SCHEMA_VERSION = 1
Kinds = type | tuple[type, ...]
OPTIONAL_TEXT = (str, type(None))
BATCH_FIELDS: dict[str, Kinds] = {"model": str, "uri": str, "batch_id": OPTIONAL_TEXT}
CALL_FIELDS: dict[str, Kinds] = {"key": str, "origin": dict, "cassette": str, "prompt": OPTIONAL_TEXT}


@dataclass(frozen=True, slots=True)
class SentCall:
    """A call in a batch.

    Args:
        call_id: Its place.
        key: Its key.
        origin: What it was made from.
        cassette: Where its recording goes, relative to the project's folder.
        prompt: The request, if recordings keep it.
    """

    call_id: CallId
    key: str
    origin: Mapping[str, Any]
    cassette: str
    prompt: str | None = None


@dataclass(frozen=True)
class EndedBatch:
    """What a batch brought.

    Args:
        at: When that was fetched, ISO 8601, UTC.
        state: The provider's word for how it ended.
        recorded: How many answers were recorded.
        without_answer: How many calls have none; they may be submitted again.
    """

    at: str
    state: str
    recorded: int
    without_answer: int


@dataclass(frozen=True)
class Batch:
    """A batch.

    Args:
        mark: Our name for it, which is also the file's.
        model: Name of the model.
        uri: Where a live request would go.
        prepared_at: When it was prepared, ISO 8601, UTC.
        calls: Its calls by our names for them; forgotten once it has ended.
        batch_id: The provider's name for it; ``None`` while nobody knows whether it was handed over.
        ended: What it brought; ``None`` until that was fetched.
    """

    mark: str
    model: str
    uri: str
    prepared_at: str
    calls: Mapping[str, SentCall] = field(repr=False)
    batch_id: str | None = None
    ended: EndedBatch | None = None


class Batches:
    """The batches of a project.

    Args:
        root: The project's folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / FOLDER

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the batches against every other process that would submit or fetch.

        Raises:
            UsageError: If they, or recordings, cannot be written. What was handed over by then is found again.
        """
        from filelock import FileLock

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            ignore = self.root / FOLDER.parts[0] / ".gitignore"
            if not ignore.exists():
                ignore.write_text("# What is on its way is this machine's business.\n*\n")
            with FileLock(self.folder / ".lock", thread_local=False):
                yield
        except OSError as problem:
            raise UsageError(
                f"{problem.filename or self.folder}: {problem.strerror or problem}",
                remedy="When that is mended, give the same command again: nothing is sent or lost twice.",
            ) from None

    def all(self) -> list[Batch]:
        """All batches, oldest first.

        Raises:
            DataError: For a file that is none.
        """
        return [self._load(file) for file in sorted(self.folder.glob("*.json"))]

    def _load(self, file: Path) -> Batch:
        try:
            content = json.loads(file.read_bytes())
            if content.pop("schema_version") != SCHEMA_VERSION:
                raise DataError(f"not of schema version {SCHEMA_VERSION}", file=file)
            calls = {
                name: SentCall(call_id=CallId(*sent.pop("slot")), **sent) for name, sent in content["calls"].items()
            }
            ended = None if content["ended"] is None else EndedBatch(**content["ended"])
            batch = Batch(**{**content, "calls": calls, "ended": ended})
            _check(batch, file)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as problem:
            raise DataError(
                f"not the record of a batch: {problem}",
                file=file,
                remedy="Ask the provider what became of the batch, then remove the file; its answers are not recorded.",
            ) from None
        else:
            return batch

    def save(self, batch: Batch) -> None:
        """Write a batch down; it is on disk when this returns."""
        calls = {name: asdict(sent) for name, sent in batch.calls.items()}
        for sent in calls.values():
            sent["slot"] = list(sent.pop("call_id"))
        ended = asdict(batch.ended) if batch.ended else None
        content = {"schema_version": SCHEMA_VERSION, **vars(batch), "calls": calls, "ended": ended}
        write_whole(self._file(batch), json.dumps(content).encode() + b"\n", durable=True)

    def forget(self, batch: Batch) -> None:
        """Remove a batch that was never handed over."""
        self._file(batch).unlink()

    def end(self, batch: Batch, ended: EndedBatch) -> None:
        """Write down what a batch brought, and let go of its calls."""
        self.save(replace(batch, calls={}, ended=ended))

    def _file(self, batch: Batch) -> Path:
        return self.folder / f"{batch.mark}.json"


def _check(batch: Batch, file: Path) -> None:
    """Raise a `ValueError` for what only a hand has written: found out here, it harms no batch and no recording."""
    if batch.mark != file.stem:
        raise ValueError(f"it is that of {batch.mark!r}")
    if datetime.fromisoformat(batch.prepared_at).tzinfo is None:
        raise ValueError("'prepared_at' has no time zone")
    for name, kinds in BATCH_FIELDS.items():
        if not isinstance(getattr(batch, name), kinds):
            raise ValueError(f"{name!r} is of a wrong type")  # noqa: TRY004  # one kind of error for one kind of file
    for sent in batch.calls.values():
        wrong = [name for name, kinds in CALL_FIELDS.items() if not isinstance(getattr(sent, name), kinds)]
        wrong += ["slot"] * (tuple(map(type, sent.call_id)) != (str, int, str, int))
        if wrong:
            raise ValueError(f"{wrong[0]!r} of a call is of a wrong type")
