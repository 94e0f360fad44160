"""The errors a user can mend: each names the place, the value and the remedy."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

SUSPICIOUS = re.compile(r"[^\n\t\x20-\x7e\u00a0-\u00ac\u00ae-\u05ff\u200c\u200d]")
"""What may be no letter; U+200C and U+200D join the letters of real scripts."""
SHOWN_VALUE = 80  # characters of a wrong value that a message shows


def excerpt(value: object) -> str:
    """The repr of *value*, cut to a length that keeps a message on one screen."""
    try:
        text = repr(value)
    except RecursionError:
        return "…"
    return text if len(text) <= SHOWN_VALUE else f"{text[: SHOWN_VALUE - 1]}…"


def legible(text: str) -> str:
    """Text with lines from anywhere, made safe for a terminal: nothing in it moves the cursor, colours, hides or turns.

    What is replaced is written as JSON would escape it, so that JSON stays what it is.
    """
    return SUSPICIOUS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return character
    return json.dumps(character)[1:-1] if character != "\x7f" else "\\u007f"


def printable(name: str) -> str:
    """A name from a file, made safe for a terminal."""
    return name if name.isprintable() else ascii(name)


class UsageError(Exception):
    """Something the user asked for cannot be done; pytest ends with exit code 4.

    Args:
        problem: What is wrong, in one sentence.
        remedy: What to do about it, where possible a command.
    """

    def __init__(self, problem: str, *, remedy: str = "") -> None:
        super().__init__(legible(f"{problem}\n  {remedy}" if remedy else problem))


class TaskNotMeasurable(UsageError):
    """One task cannot be measured, but others can: a run of several that nobody has named leaves it out."""


class NotAsked(BaseException):
    """A case is not asked, for a reason that is not its own: it has no row, and its test is skipped.

    No benchmark's ``except Exception`` catches it.
    """


class DataError(UsageError):
    """A file that does not hold what it should.

    Args:
        problem: What is wrong with the value.
        file: The file.
        line: Line number in it, from 1.
        field: Path of the field inside the line, such as ``qa_pairs[2].A``.
        value: The value found, shown shortened; leave out where there is none.
        remedy: What to do about it.
    """

    NO_VALUE = object()

    def __init__(
        self,
        problem: str,
        *,
        file: Path,
        line: int | None = None,
        field: str | None = None,
        value: object = NO_VALUE,
        remedy: str = "",
    ) -> None:
        location = f"{file}:{line}" if line is not None else str(file)
        what = f"field {field!r}: {problem}" if field else problem
        found = "" if value is self.NO_VALUE else f" (found {excerpt(value)})"
        super().__init__(f"{location}: {what}{found}", remedy=remedy)
        self.problem = problem
        self.file = file
        self.line = line
        self.field = field or ""
        self.value = value
