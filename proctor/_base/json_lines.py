"""Files of JSON objects, one a line or in one array: every line that can be read, and what is wrong with the others."""

from __future__ import annotations

import codecs
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from proctor._base.errors import DataError
from proctor._base.files import content_of

PARQUET = ".parquet"
SHOWN = 100  # characters of a text that is not JSON


class JsonLine(NamedTuple):
    """One entry of a file.

    Args:
        number: The line that it begins in, from 1.
        raw: Its text there.
        value: The object; empty if there is none.
        problem: Why there is none.
        blank: How many blank lines stand before it.
        twice: The keys that an object in it has more than once.
    """

    number: int
    raw: bytes
    value: dict[str, Any]
    problem: DataError | None = None
    blank: int = 0
    twice: tuple[str, ...] = ()


class _Decoder(json.JSONDecoder):
    """Reads JSON, and notes the keys that an object has more than once: the last one counts, as Python reads them."""

    def __init__(self) -> None:
        super().__init__(object_pairs_hook=self._object)
        self._twice: list[str] = []

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self._twice += [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
        return found

    def noted(self) -> tuple[str, ...]:
        """What was noted since it was last asked."""
        found, self._twice = tuple(self._twice), []
        return found


def read_json_lines(file: Path, shown: Path) -> Iterator[JsonLine]:
    """The entries of a file: JSON objects, one a line; or one JSON array of them. UTF-8, with or without a mark.

    A line that holds no object is told as such, and the others are read all the same. Blank lines hold nothing. A file
    called ``….parquet`` is read as Parquet, its rows counting as lines.

    Args:
        file: The file.
        shown: What messages call it.

    Raises:
        DataError: If there is no such file, nothing in it, or not one line that holds an object.
    """
    if file.suffix == PARQUET:
        from proctor._base.parquet import read_parquet  # imported here since most data is JSON

        yield from (JsonLine(number, raw, value) for number, (raw, value) in enumerate(read_parquet(file), 1))
        return
    content = _content(file)
    lines = content.split(b"\n" if b"\n" in content else b"\r")  # either ends a line, as Python reads texts
    if content.lstrip().startswith(b"[") and not _is_list_alone(lines):
        yield from _entries(content, file, shown)
        return
    first_problem: DataError | None = None
    objects = blank = 0
    decoder = _Decoder()
    for number, raw in enumerate(lines, 1):
        if not raw or raw.isspace():
            blank += 1
            continue
        line = _line(raw.removeprefix(codecs.BOM_UTF8), number, shown, blank, decoder)
        blank = 0
        if line.problem is None:
            objects += 1
        else:
            first_problem = first_problem or line.problem
        yield line
    _check_objects(objects, first_problem, file)


def _check_objects(objects: int, first_problem: DataError | None, file: Path) -> None:
    if not objects and first_problem is not None:
        raise DataError(
            first_problem.problem,
            file=file,
            line=first_problem.line,
            value=first_problem.value,
            remedy="Not one line of the file holds a JSON object: it needs one a line, or one array of them.",
        )


def _content(file: Path) -> bytes:
    try:
        content = content_of(file).removeprefix(codecs.BOM_UTF8)
    except FileNotFoundError:
        raise DataError(
            "no such data file", file=file, remedy="Check the path, or --dataset BENCH/TASK=PATH."
        ) from None
    except OSError as problem:
        raise DataError(f"cannot be read: {problem.strerror}", file=file) from None
    if not content.strip():
        raise DataError("the data file is empty", file=file, remedy="It needs one JSON object a line.")
    return content


def _is_list_alone(lines: list[bytes]) -> bool:
    """Whether the first line that is not blank is a list of something else than rows, and others follow it.

    It is a row like any other then, though not one that can be used.
    """
    filled = (line for line in lines if line.strip())
    first = next(filled)
    if next(filled, None) is None:
        return False
    try:
        entries = json.loads(first)
    except (RecursionError, ValueError):
        return False
    return not (entries and isinstance(entries[0], dict))


def _line(raw: bytes, number: int, shown: Path, blank: int, decoder: _Decoder) -> JsonLine:
    try:
        value = decoder.decode(raw.decode())
    except UnicodeDecodeError as problem:
        error = DataError(f"not UTF-8: {problem.reason} at byte {problem.start}", file=shown, line=number)
    except json.JSONDecodeError as problem:
        error = DataError(
            f"not JSON: {problem.msg} (column {problem.colno})",
            file=shown,
            line=number,
            value=raw.decode(),
            remedy="Each line must hold one whole JSON object.",
        )
    except (RecursionError, ValueError) as problem:
        error = DataError(f"not usable JSON: {problem}", file=shown, line=number)
    else:
        if isinstance(value, dict):
            return JsonLine(number, raw, value, None, blank, decoder.noted())
        error = DataError("must be a JSON object", file=shown, line=number, value=value)
    return JsonLine(number, raw, {}, error, blank, decoder.noted())


def _entries(content: bytes, file: Path, shown: Path) -> Iterator[JsonLine]:
    """The entries of one JSON array, each with the line that it begins in."""
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        raise DataError(f"not UTF-8: {problem.reason} at byte {problem.start}", file=file) from None
    decoder, line, counted, objects = _Decoder(), 1, 0, 0
    first_problem: DataError | None = None
    position = _after_blanks(text, text.index("[") + 1)
    if text.startswith("]", position):
        raise DataError("the list is empty", file=file, remedy="It needs one JSON object an entry.")
    mark = ","
    while mark == ",":
        line, counted = line + text.count("\n", counted, position), position
        try:
            value, end = decoder.raw_decode(text, position)
        except (RecursionError, ValueError) as problem:
            said = getattr(problem, "msg", problem)
            at = 1 + text.count("\n", 0, getattr(problem, "pos", position))
            raise DataError(f"not JSON: {said}", file=file, line=at, value=text[position : position + SHOWN]) from None
        raw = text[position:end].encode()
        if isinstance(value, dict):
            objects += 1
            yield JsonLine(line, raw, value, twice=decoder.noted())
        else:
            error = DataError("must be a JSON object", file=shown, line=line, value=value)
            first_problem = first_problem or error
            yield JsonLine(line, raw, {}, error, twice=decoder.noted())
        position = _after_blanks(text, end)
        mark, position = text[position : position + 1], _after_blanks(text, position + 1)
        if mark not in (",", "]"):
            at = 1 + text.count("\n", 0, end)
            raise DataError(
                "not JSON: behind an entry stands neither a comma nor the end of the list", file=file, line=at
            )
    if position < len(text):
        raise DataError("not JSON: more stands behind the list", file=file, line=1 + text.count("\n", 0, position))
    _check_objects(objects, first_problem, file)


def _after_blanks(text: str, position: int) -> int:
    while text[position : position + 1] in (" ", "\n", "\r", "\t"):
        position += 1
    return position
