"""What is not as it should be in rows of data: odd, and measured all the same; or unusable, and counted as an error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError, excerpt

INDICES = re.compile(r"\[[^\]]*\]")
PLACE_IN_LINE = re.compile(r" \(column \d+\)| at byte \d+")
MOST_KINDS = 40  # of odd or of unusable rows that a report tells apart
MOST_PLACES = 100  # of one kind that a report lists; `proctor check-data` lists all
SHOWN_LINES = 8  # line numbers in a sentence


@dataclass(frozen=True, slots=True)
class Oddity:
    """One thing in one row that is not as it should be.

    Args:
        file: The data file, as messages call it.
        line: The row's line, from 1.
        field: The path of the field, such as ``context_graphs[7][2]``; empty if it is the row itself.
        what: What is odd, as something that a row has, such as ``an empty name``; or why the row cannot be used.
        value: The value found, as a message shows it; empty if there is none to show.
        cases: How many cases an unusable row costs; 0 if it is odd.
    """

    file: Path
    line: int
    field: str
    what: str
    value: str = ""
    cases: int = 0

    @classmethod
    def of_error(cls, error: DataError, *, file: Path, line: int, cases: int) -> Oddity:
        """What makes a row unusable; *file* and *line* are the row's, which the error need not name."""
        value = "" if error.value is DataError.NO_VALUE else excerpt(error.value)
        return cls(file, line, error.field, error.problem, value, cases)

    @property
    def kind(self) -> tuple[str, str]:
        """What it has in common with others: what it is, and the field without indices."""
        return PLACE_IN_LINE.sub("", self.what), INDICES.sub("", self.field)

    def __str__(self) -> str:
        found = f" (found {self.value})" if self.value else ""
        state = f"unusable: {self.what}" if self.cases else self.what
        return f"{self.file}:{self.line}: {f'field {self.field!r}: ' if self.field else ''}{state}{found}"


@dataclass
class Findings:
    """All that is odd or unusable in the rows of one data set.

    Args:
        odd: What is odd, in the order of the rows.
        unusable: What makes rows unusable, in the order of the rows.
        rows: How many rows were looked at.
    """

    odd: list[Oddity] = field(default_factory=list)
    unusable: list[Oddity] = field(default_factory=list)
    rows: int = 0

    def __bool__(self) -> bool:
        return bool(self.odd or self.unusable)

    def all(self) -> list[Oddity]:
        """All of them by line; of one line what is unusable comes first."""
        return sorted([*self.unusable, *self.odd], key=lambda one: (str(one.file), one.line))


def as_fields(oddities: Iterable[Oddity]) -> tuple[Mapping[str, Any], ...]:
    """Oddities by kind, as selection.json and report.json hold them.

    Returns:
        For each kind ``what``, ``field``, the number of ``rows`` that have it, and ``places``: of at most
        `MOST_PLACES`, ``file``, ``line``, ``field`` and ``value``. Where rows are unusable also the number of
        ``cases`` that they cost.
    """
    kinds: dict[tuple[str, str], list[Oddity]] = {}
    for one in oddities:
        kind = one.kind if one.kind in kinds or len(kinds) < MOST_KINDS else ("other things", "")
        kinds.setdefault(kind, []).append(one)
    return tuple(
        {
            "what": what,
            "field": name,
            "rows": len({(one.file, one.line) for one in same}),
            "places": [
                {"file": str(one.file), "line": one.line, "field": one.field, "value": one.value}
                for one in islice(same, MOST_PLACES)
            ],
            **({"cases": cases} if (cases := sum(one.cases for one in same)) else {}),
        }
        for (what, name), same in kinds.items()
    )


def sentences(task: str, kinds: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """What `as_fields` gives, in words, a sentence a kind.

    Args:
        task: The name of the task, ``benchmark/task``.
        kinds: What is odd, or unusable, in its data.
    """
    for kind in kinds:
        count, name = kind["rows"], kind["field"]
        rows = f"{count} {'row' if count == 1 else 'rows'} of {task}"
        if "cases" in kind:
            told = f"cannot be used, {_count(kind['cases'], 'case')}: {f'{name}: ' if name else ''}{kind['what']}"
        else:
            told = f"{'has' if count == 1 else 'have'} {kind['what']}{f' in {name}' if name else ''}"
        yield f"{rows} {told} ({_lines(kind['places'], count)})"


def _lines(places: Sequence[Mapping[str, Any]], rows: int) -> str:
    """The lines of these places."""
    lines = list(dict.fromkeys(place["line"] for place in places))
    more = f" and {rows - SHOWN_LINES} more" if rows > SHOWN_LINES else ""
    return f"{'line' if rows == 1 else 'lines'} {', '.join(map(str, lines[:SHOWN_LINES]))}{more}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
