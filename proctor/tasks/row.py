"""The rows of data files, and the readers of their fields: strict ones, lenient ones, and how to say what is odd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError, excerpt
from proctor._base.json_lines import JsonLine, read_json_lines
from proctor._base.json_values import is_unicode
from proctor.tasks.oddities import Oddity
from proctor.tasks.sample import RowHash, Sample

CONTENT_ID_LENGTH = 12  # hex digits: a collision within 100,000 rows has a chance of 2 in 100,000


class Row:
    """One entry of a data file.

    *Strict* readers (`text`, `integer`, `sequence`, `mapping`) raise a `DataError`, by which the row is unusable: they
    are for what asking and grading need. *Lenient* readers (`get`, `textual`, `listed`, `label`, `identify`) take what
    is there, and note as odd what is not as it should be: they are for all else.

    Args:
        data: The JSON object.
        file: Where it stands.
        line: Its line number, from 1.
        text: Its JSON, as it stands there.
        shown_file: What messages call the file; default: its path.
        broken: Why there is no JSON object, if that is so; *data* is then empty.
    """

    __slots__ = ("broken", "data", "escapes", "file", "hash", "id", "line", "oddities", "shown_file")

    def __init__(
        self,
        data: Mapping[str, Any],
        file: Path,
        line: int,
        text: bytes | None = None,
        *,
        shown_file: Path | None = None,
        broken: DataError | None = None,
    ) -> None:
        self.data = data
        self.file = file
        self.line = line
        self.hash = RowHash(data if text is None else text)
        self.shown_file = shown_file or file
        self.broken = broken
        self.escapes = text is not None and b"\\u" in text and b"\\ud" in text.lower()
        self.id = ""
        self.oddities: list[Oddity] = []

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
        if self.broken is not None:
            return self
        data = {name: value for name, value in self.data.items() if name not in names}
        row = Row(data, self.file, self.line, shown_file=self.shown_file)
        row.oddities, row.escapes = self.oddities, self.escapes
        return row

    def error(
        self, field_path: str, problem: str, *, value: object = DataError.NO_VALUE, remedy: str = ""
    ) -> DataError:
        """A `DataError` at *field_path* of this row, for the caller to raise: the row is unusable.

        Args:
            field_path: Where in the row: ``options``, say, or ``context[2].triplets``.
            problem: What is wrong.
            value: What stands there, if it is to be shown.
            remedy: What to do about it.
        """
        return DataError(problem, file=self.shown_file, line=self.line, field=field_path, value=value, remedy=remedy)

    def odd(self, field_path: str, what: str, *, value: object = DataError.NO_VALUE) -> None:
        """Note what is odd: the row is asked and scored all the same, and a run lists it.

        Args:
            field_path: The field, such as ``context_graphs[7][2]``; empty for the row itself.
            what: What the row has, such as ``an empty name``. Rows with the same *what* in the same field, indices
                apart, are counted together.
            value: The value found; leave out where there is none.
        """
        found = "" if value is DataError.NO_VALUE else excerpt(value)
        self.oddities.append(Oddity(self.shown_file, self.line, field_path, what, found))

    def unusable(
        self,
        sample_id: str,
        error: DataError,
        *,
        cluster: str = "",
        metrics: tuple[str, ...] = (),
        tags: Mapping[str, str] | None = None,
    ) -> Sample:
        """A sample that is never asked, for a row of which others are good: its case has the status ``error``.

        A row that is unusable as a whole needs only *raise* its error.

        Args:
            sample_id: What the sample would be called.
            error: What `error` gives.
            cluster: As for other samples.
            metrics: As for other samples.
            tags: As for other samples.
        """
        return Sample(
            id=sample_id,
            fields={},
            target=None,
            cluster=cluster,
            metrics=metrics,
            tags=tags or {},
            id_may_repeat=True,
            error=error.with_traceback(None),  # a traceback would keep the row, and all that the reader held
        )

    # ---- strict: what asking and grading need

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

    def there(self, name: str) -> Any:
        """What stands in field *name*, of whatever kind; it must be there."""
        if name not in self.data:
            raise self.error(name, "is missing", remedy=f"The row has: {', '.join(map(str, self.data)) or 'no field'}.")
        return self.data[name]

    def typed(self, name: str, kind: type, kind_name: str) -> Any:
        """The value of field *name*, checked to be of *kind*."""
        value = self.there(name)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(name, f"must be {kind_name}", value=value)
        return value

    def formatted(self, name: str) -> str:
        """What Python's ``str.format`` writes for field *name*, which must be there; noted as odd if it is no text.

        For what a published prompt is filled with, whatever it is.
        """
        value = self.there(name)
        if isinstance(value, str):
            return value
        self.odd(name, "no text", value=value)
        return str(value)

    # ---- lenient: all else

    def get(self, name: str, default: Any = None) -> Any:
        """What stands in field *name*, of whatever kind; *default* if it is missing. Nothing is noted."""
        return self.data.get(name, default)

    def textual(self, name: str, default: str = "") -> str:
        """The text in field *name*; of a number or anything else what Python writes for it, which is noted as odd.

        Args:
            name: The field.
            default: What counts if it is missing or null, which is noted as odd too.
        """
        value = self.data.get(name)
        if isinstance(value, str):
            return value
        if value is None:
            self.odd(name, "no text")
            return default
        self.odd(name, "no text but something else", value=value)
        return str(value)

    def listed(self, name: str) -> list[Any]:
        """The list in field *name*; an empty one if that is missing or anything else, which is noted as odd."""
        value = self.data.get(name)
        if isinstance(value, list):
            return value
        self.odd(name, "no list", value=value)
        return []

    def label(self, name: str) -> str | None:
        """The value of field *name* as a tag: a text that is not blank, or a number.

        ``None`` if the field is missing or null, which is as it is; or anything else, which is noted as odd.
        """
        value = self.data.get(name)
        if value is None:
            return None
        label = _label(value)
        if label is None:
            self.odd(name, "something that is no label", value=value)
        return label

    def labels(self, *names: str) -> dict[str, str]:
        """The tags in these fields; see `label`."""
        found = {name: self.label(name) for name in names}
        return {name: label for name, label in found.items() if label is not None}

    def identify(self, *names: str, prefix: str = "") -> str:
        """The row's id, made from the texts or numbers in these fields, with hyphens between them.

        Where one is missing or anything else, which is noted as odd, the content gives the id. From here on the row
        is known by it: an error that is raised later costs a case of this id.

        Args:
            *names: The fields.
            prefix: What the id begins with.
        """
        parts = [self._part_of_id(name) for name in names]
        self.id = prefix + ("-".join(part for part in parts if part) if all(parts) else self.content_id)
        return self.id

    def _part_of_id(self, name: str) -> str | None:
        value = self.data.get(name)
        part = None if value is None else _label(value)
        if part is None:
            self.odd(name, "no id", value=value if name in self.data else DataError.NO_VALUE)
        return part


def _label(value: object) -> str | None:
    if isinstance(value, str):
        return value if value.strip() else None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def read_rows(file: Path, *, shown_file: Path | None = None) -> Iterator[Row]:
    """The rows of a file of JSON objects: one a line, or one JSON array of them. UTF-8.

    A line that holds no object gives a row that is ``broken``; blank lines are noted as odd in the row after them.

    Args:
        file: The file.
        shown_file: What messages call it; default: its path.

    Raises:
        DataError: If there is no such file, no row in it, or not one line of JSON.
    """
    called = shown_file or file
    return (_row(line, file, called) for line in read_json_lines(file, called))


def whole_rows(file: Path) -> Iterator[Row]:
    """The rows of a file in which a broken one costs the file: what somebody made for Proctor.

    Raises:
        DataError: Naming file, line and what is wrong.
    """
    for row in read_rows(file):
        if row.broken is not None:
            raise row.broken
        yield row


def _row(line: JsonLine, file: Path, called: Path) -> Row:
    row = Row(line.value, file, line.number, line.raw, shown_file=called, broken=line.problem)
    if line.blank:
        row.odd("", "a blank line before it" if line.blank == 1 else "blank lines before it")
    for key in line.twice:
        row.odd("", "a key twice", value=key)
    return row


def has_half_characters(row: Row) -> bool:
    """Whether a row may hold half of a surrogate pair, which is no character and cannot be sent to anybody."""
    return row.escapes and not is_unicode(row.data)


def escaped(text: str) -> str:
    """A text in which half of a surrogate pair is written out."""
    return text.encode("utf-8", "backslashreplace").decode()
