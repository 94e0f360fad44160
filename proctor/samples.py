"""Data files: JSONL rows in, samples out, and an error that names the place for anything else."""

from __future__ import annotations

import codecs
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from proctor.calls import sha256_of
from proctor.errors import DataError

ToldBy = Literal["", "content", "number"]
SHOWN = 100  # characters of a text that is not JSON
CONTENT_ID_LENGTH = 12  # hex digits: a collision within 100,000 rows has a chance of 2 in 100,000


@dataclass(frozen=True, slots=True)
class Sample:
    """One question to a model.

    Args:
        id: Unique within the task and stable under reordering of the file.
        fields: What the prompt and the scorer use.
        target: The gold answer, as it goes into result rows.
        cluster: What samples share that share context; they are not independent. Default: the sample alone.
        metrics: Names of the task's metrics that this sample is measured by; empty for all of them.
        tags: Metadata by which a report groups and ``-k`` selects, such as ``{"domain": "cooking"}``.
        index: Position among the task's samples in the order of the file, from 0; set by `read_samples`.
        row_hash: The hash of the data row; set by `read_samples`.
        id_may_repeat: Whether the data set is known to give one id to several rows, which are then told apart; else
            that is an error.
        told_by: What tells the sample apart from others of the same published id: nothing, the content of the row, or
            a number where all of the row is the same; set by `read_samples`.
    """

    id: str
    fields: Mapping[str, Any]
    target: Any
    cluster: str = ""
    metrics: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    index: int = 0
    row_hash: RowHash | None = field(default=None, repr=False, compare=False)
    id_may_repeat: bool = False
    told_by: ToldBy = ""

    @property
    def row_sha256(self) -> str:
        """Hash of the data row; empty without one."""
        return "" if self.row_hash is None else self.row_hash.value


class RowHash:
    """The hash of a row's content, made when it is first wanted: of a large file that takes as long as to read it.

    Args:
        content: The row's JSON object; or its text in the file, which takes a tenth of the memory.
    """

    __slots__ = ("_content", "_value")

    def __init__(self, content: bytes | Mapping[str, Any]) -> None:
        self._content = content
        self._value = ""

    @property
    def value(self) -> str:
        """SHA-256 (hex) of the row's canonical JSON."""
        if not self._value:
            content = self._content
            self._value = sha256_of(json.loads(content) if isinstance(content, bytes) else content)
            self._content = b""
        return self._value


class Row:
    """One parsed line of a data file, with field access that fails with a `DataError`.

    Args:
        data: The JSON object.
        file: Where it stands.
        line: Its line number, from 1.
        text: Its JSON, as it stands there.
    """

    __slots__ = ("data", "file", "hash", "line")

    def __init__(self, data: Mapping[str, Any], file: Path, line: int, text: bytes | None = None) -> None:
        self.data = data
        self.file = file
        self.line = line
        self.hash = RowHash(data if text is None else text)

    @property
    def sha256(self) -> str:
        """Hash of the row's content."""
        return self.hash.value

    @property
    def content_id(self) -> str:
        """An id made from the row's content, for data sets whose rows have none."""
        return self.sha256[:CONTENT_ID_LENGTH]

    def without(self, *names: str) -> Row:
        """The row without some fields."""
        return Row({name: value for name, value in self.data.items() if name not in names}, self.file, self.line)

    def error(
        self, field_path: str, problem: str, *, value: object = DataError.NO_VALUE, remedy: str = ""
    ) -> DataError:
        """A `DataError` at *field_path* of this row, for the caller to raise."""
        return DataError(problem, file=self.file, line=self.line, field=field_path, value=value, remedy=remedy)

    def text(self, name: str) -> str:
        """The string in field *name*."""
        value: str = self.typed(name, str, "a string")
        return value

    def integer(self, name: str) -> int:
        """The integer in field *name* (``true`` and ``false`` are not integers)."""
        value: int = self.typed(name, int, "an integer")
        return value

    def sequence(self, name: str) -> list[Any]:
        """The list in field *name*; it must not be empty."""
        value: list[Any] = self.typed(name, list, "a list")
        if not value:
            raise self.error(name, "must not be empty", value=value)
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """The object in field *name*."""
        value: dict[str, Any] = self.typed(name, dict, "an object")
        return value

    def typed(self, name: str, kind: type, kind_name: str) -> Any:
        """The value of field *name*, checked to be of *kind*."""
        if name not in self.data:
            raise self.error(name, "is missing", remedy=f"The row has: {', '.join(map(str, self.data)) or 'no field'}.")
        value = self.data[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(name, f"must be {kind_name}", value=value)
        return value


def read_rows(file: Path) -> Iterable[Row]:
    """Read a file of JSON objects strictly: one a line, without blank lines; or one JSON array of them. UTF-8.

    Raises:
        DataError: Naming file, line and what is wrong.
    """
    try:
        content = file.read_bytes().removeprefix(codecs.BOM_UTF8)
    except FileNotFoundError:
        raise DataError(
            "no such data file", file=file, remedy="Check the path, or --dataset BENCH/TASK=PATH."
        ) from None
    except OSError as problem:
        raise DataError(f"cannot be read: {problem.strerror}", file=file) from None
    if not content.strip():
        raise DataError("the data file is empty", file=file, remedy="It needs one JSON object a line.")
    if content.lstrip().startswith(b"["):
        yield from _rows_of_array(content, file)
        return
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, raw in enumerate(lines, 1):
        try:
            data = json.loads(raw)
        except UnicodeDecodeError as problem:
            raise DataError(f"not UTF-8: {problem.reason} at byte {problem.start}", file=file, line=number) from None
        except json.JSONDecodeError as problem:
            where = f"column {problem.colno}"
            remedy = "Each line must hold one whole JSON object." if raw.strip() else "Remove the blank line."
            raise DataError(
                f"not JSON: {problem.msg} ({where})",
                file=file,
                line=number,
                value=raw.decode("utf-8", "replace"),
                remedy=remedy,
            ) from None
        except (RecursionError, ValueError) as problem:
            raise DataError(f"not usable JSON: {problem}", file=file, line=number) from None
        yield _row(data, file, number, raw)


def _rows_of_array(content: bytes, file: Path) -> Iterable[Row]:
    """The rows of a file that holds one JSON array of them, each with the line that it begins in."""
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        raise DataError(f"not UTF-8: {problem.reason} at byte {problem.start}", file=file) from None
    decoder, line, counted = json.JSONDecoder(), 1, 0
    place = _after_blanks(text, text.index("[") + 1)
    if text.startswith("]", place):
        raise DataError("the list is empty", file=file, remedy="It needs one JSON object an entry.")
    mark = ","
    while mark == ",":
        line, counted = line + text.count("\n", counted, place), place
        try:
            data, end = decoder.raw_decode(text, place)
        except (RecursionError, ValueError) as problem:
            said = getattr(problem, "msg", problem)
            at = 1 + text.count("\n", 0, getattr(problem, "pos", place))
            raise DataError(f"not JSON: {said}", file=file, line=at, value=text[place : place + SHOWN]) from None
        yield _row(data, file, line, text[place:end].encode())
        place = _after_blanks(text, end)
        mark, place = text[place : place + 1], _after_blanks(text, place + 1)
        if mark not in (",", "]"):
            at = 1 + text.count("\n", 0, end)
            raise DataError(
                "not JSON: behind an entry stands neither a comma nor the end of the list", file=file, line=at
            )
    if place < len(text):
        raise DataError("not JSON: more stands behind the list", file=file, line=1 + text.count("\n", 0, place))


def _after_blanks(text: str, place: int) -> int:
    while text[place : place + 1] in (" ", "\n", "\r", "\t"):
        place += 1
    return place


def _row(data: Any, file: Path, line: int, text: bytes) -> Row:
    if b"\\u" in text and b"\\ud" in text.lower() and not is_unicode(data):
        raise DataError(
            "holds half of a surrogate pair, which is no character",
            file=file,
            line=line,
            remedy="Write the character itself, or both \\u escapes of it.",
        )
    if not isinstance(data, dict):
        raise DataError("must be a JSON object", file=file, line=line, value=data)
    return Row(data, file, line, text)


def is_unicode(data: Any) -> bool:
    """Whether all text in *data*, parsed from JSON, can be written in UTF-8."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def read_samples(
    files: Path | Sequence[Path], samples_of: Callable[[Row], Iterable[Sample]], *, without: Sequence[str] = ()
) -> list[Sample]:
    """All samples of a data file, or of several in order, with their index and row hash set.

    Args:
        files: The files.
        samples_of: Turns a row into its samples; raises what `Row.error` gives for a row that it cannot use.
        without: Fields of a row that do not belong to its samples.

    Raises:
        DataError: For a line that cannot be used, or two samples with one id where that is not foreseen.
    """
    samples: list[Sample] = []
    first: dict[str, tuple[int, int, int]] = {}  # index, row and line of the first sample of each id
    repeated: dict[str, list[int]] = {}
    rows = (row for file in ([files] if isinstance(files, Path) else files) for row in read_rows(file))
    for number, whole in enumerate(rows):
        row = whole.without(*without) if without else whole
        for sample in samples_of(row):
            index, earlier, line = first.setdefault(sample.id, (len(samples), number, row.line))
            if index != len(samples):
                if earlier == number or not (sample.id_may_repeat or sample.id == row.content_id):
                    raise DataError(
                        f"sample id {sample.id!r} was already used in line {line}",
                        file=row.file,
                        line=row.line,
                        remedy="Give each row an id of its own, or remove the copy.",
                    )
                repeated.setdefault(sample.id, [index]).append(len(samples))
            samples.append(replace(sample, cluster=sample.cluster or sample.id, index=len(samples), row_hash=row.hash))
    for sample_id, indices in repeated.items():
        _tell_apart(sample_id, samples, indices)
    if repeated and len({sample.id for sample in samples}) < len(samples):
        raise DataError("ids that are told apart by a suffix meet an id that has it already", file=row.file)
    return samples


def _tell_apart(sample_id: str, samples: list[Sample], indices: Sequence[int]) -> None:
    """Give samples of one id ids of their own, which do not depend on the order of the rows.

    Different rows are told apart by their content, each of them, since none is more entitled to the bare id; rows that
    are equal in everything by a number.
    """
    contents = {samples[index].row_sha256 for index in indices}
    seen: Counter[str] = Counter()
    for index in indices:
        sample = samples[index]
        own_id = sample_id if len(contents) == 1 else f"{sample_id}-{sample.row_sha256[:CONTENT_ID_LENGTH]}"
        seen[own_id] += 1
        copy = f"-copy{seen[own_id]}" if seen[own_id] > 1 else ""
        told_by: ToldBy = "number" if copy else "content" if len(contents) > 1 else ""
        samples[index] = replace(sample, id=own_id + copy, told_by=told_by)


def notes_on(samples: Iterable[Sample]) -> tuple[str, ...]:
    """What the reader of a report should know about the ids of a data file's samples."""
    told_by = Counter(sample.told_by for sample in samples)
    notes = []
    if told_by["content"]:
        notes.append(
            f"samples told apart by a hash of their row, their published ids being equal: {told_by['content']}"
        )
    if told_by["number"]:
        notes.append(
            f"samples that are exact copies of others: {told_by['number']} (their ids end in -copy2 and so on; they "
            "count as cases, in the cluster of the first)"
        )
    return tuple(notes)


def choose(samples: Sequence[Sample], *, limit: int | None, shuffle: int | None) -> list[Sample]:
    """The first *limit* samples, after shuffling with the seed *shuffle*; ``None`` leaves that step out."""
    chosen = list(samples)
    if shuffle is not None:
        random.Random(shuffle).shuffle(chosen)
    return chosen if limit is None else chosen[:limit]
