"""What is recorded: a line of figures for each cassette in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from proctor._base.errors import UsageError, printable
from proctor._base.text_table import aligned
from proctor.recordings.cassette import checked_lines
from proctor.recordings.computed import FOLDER as COMPUTED
from proctor.recordings.leak_detector import Detector
from proctor.recordings.recording import Recording

SCHEMA_VERSION = 1
SHOWN_DAMAGED = 5
COLUMNS = ("benchmark", "task", "model", "cases", "recordings", "first", "last", "size", "bytes each", "damaged lines")
TEXT_COLUMNS = frozenset({"benchmark", "task", "model", "first", "last"})


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line of a cassette that cannot be used: its number, and what is wrong with it."""

    line: int
    problem: str


@dataclass(frozen=True, slots=True)
class CassetteSummary:
    """One cassette in figures.

    Args:
        file: The cassette.
        benchmark: Its benchmark.
        task: Its task.
        model: Its model.
        cases: How many samples (times epochs) it has recordings of.
        recordings: How many recordings it holds.
        first: When the first of them was made, ISO 8601; ``None`` if there is none.
        last: When the last of them was made.
        size: Its bytes.
        damaged: Its lines that cannot be used.
    """

    file: Path
    benchmark: str
    task: str
    model: str
    cases: int
    recordings: int
    first: str | None
    last: str | None
    size: int
    damaged: tuple[DamagedLine, ...]

    @property
    def bytes_per_recording(self) -> int | None:
        """Size by number; ``None`` where there is no recording."""
        return round(self.size / self.recordings) if self.recordings else None


def recorded_in(folder: Path, detector: Detector) -> Iterator[CassetteSummary]:
    """The cassettes in a folder and the folders below it, by path.

    Args:
        folder: The cassettes folder, or a benchmark's or a task's in it.
        detector: Finds secrets that no recording may hold.

    Raises:
        UsageError: If there is no such folder, or a file cannot be read.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}", remedy="Name the folder that holds the recordings.")
    for file in sorted(file for file in folder.rglob("*.jsonl") if file.parent.name != COMPUTED):
        try:
            yield _summary(file, detector)
        except OSError as problem:
            raise UsageError(f"{file} cannot be read: {problem.strerror}") from None


def _summary(file: Path, detector: Detector) -> CassetteSummary:
    content = file.read_bytes()
    cases: set[tuple[str, int]] = set()
    dates: list[str] = []
    damaged: list[DamagedLine] = []
    for number, _, found in checked_lines(content, detector):
        if isinstance(found, Recording):
            cases.add((found.call_id.sample, found.call_id.epoch))
            dates.append(str(found.recorded_at))
        else:
            damaged.append(DamagedLine(number, str(found)))
    path = file.resolve()
    return CassetteSummary(
        file=file,
        benchmark=path.parent.parent.name,
        task=path.parent.name,
        model=unquote(file.stem.replace("~", "/")),
        cases=len(cases),
        recordings=len(dates),
        first=min(dates, default=None),
        last=max(dates, default=None),
        size=len(content),
        damaged=tuple(damaged),
    )


def table(found: Sequence[CassetteSummary]) -> list[str]:
    """The cassettes as aligned lines of text, and below them the damaged lines."""
    rows = [COLUMNS, *(tuple(map(printable, _row(cassette))) for cassette in found)]
    lines = aligned(rows, words=[number for number, name in enumerate(COLUMNS) if name in TEXT_COLUMNS])
    for cassette in found:
        lines += [f"{cassette.file}:{d.line}: {printable(d.problem)}" for d in cassette.damaged[:SHOWN_DAMAGED]]
        if len(cassette.damaged) > SHOWN_DAMAGED:
            lines.append(f"{cassette.file}: … and {len(cassette.damaged) - SHOWN_DAMAGED} more, listed by --json")
    return lines


def as_json(found: Sequence[CassetteSummary]) -> dict[str, Any]:
    """The cassettes for programs to read."""
    return {
        "schema_version": SCHEMA_VERSION,
        "cassettes": [
            {
                "file": str(cassette.file),
                "benchmark": cassette.benchmark,
                "task": cassette.task,
                "model": cassette.model,
                "cases": cassette.cases,
                "recordings": cassette.recordings,
                "first": cassette.first,
                "last": cassette.last,
                "bytes": cassette.size,
                "bytes_per_recording": cassette.bytes_per_recording,
                "damaged": [{"line": damaged.line, "problem": damaged.problem} for damaged in cassette.damaged],
            }
            for cassette in found
        ],
    }


def _row(cassette: CassetteSummary) -> Iterator[str]:
    yield from (cassette.benchmark, cassette.task, cassette.model)
    yield from (str(cassette.cases), str(cassette.recordings))
    yield from ((date or "–")[:10] for date in (cassette.first, cassette.last))
    yield f"{cassette.size / 1000:,.1f} kB"
    yield "–" if cassette.bytes_per_recording is None else str(cassette.bytes_per_recording)
    yield str(len(cassette.damaged) or "–")
