"""The result: one table, as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMA_VERSION = 1
HEAD = ("part", "what", "measured", "baseline", "ratio", "budget", "holds")


@dataclass(frozen=True)
class Quantity:
    """A number with its unit, such as ``4.31 s``."""

    value: float
    unit: str

    def __str__(self) -> str:
        digits = 0 if self.value >= 100 or self.unit == "" else 1 if self.value >= 10 else 2
        return f"{self.value:,.{digits}f} {self.unit}".strip()


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Args:
        part: The part of the measurement, as ``--only`` names it.
        what: What was measured.
        measured: What came out.
        baseline: What it is compared with.
        baseline_name: What that is.
        most_ratio: The budget, if it is one for the ratio.
        most: The budget, if it is one for the measured value.
        words: The budget, if it is one for a *measured* in words.
        noise: By how much single runs of one command lie beside their median, as a part of it. Where two commands
            should take the same time, the budget holds unless the ratio is beyond it by more than this.
    """

    part: str
    what: str
    measured: Quantity | str
    baseline: Quantity | str | None = None
    baseline_name: str = ""
    most_ratio: float | None = None
    most: float | None = None
    words: str | None = None
    noise: float = 0.0

    @property
    def ratio(self) -> float | None:
        """Measured through baseline, if both are numbers."""
        if not isinstance(self.measured, Quantity) or not isinstance(self.baseline, Quantity):
            return None
        return self.measured.value / self.baseline.value if self.baseline.value else None

    @property
    def budget(self) -> str:
        """The budget, in words; empty if the row is there for comparison."""
        if self.most_ratio is not None:
            return f"≤ {self.most_ratio:.2f} ×"
        if self.most is not None and isinstance(self.measured, Quantity):
            return f"≤ {Quantity(self.most, self.measured.unit)}"
        return self.words or ""

    @property
    def holds(self) -> str:
        """``yes`` or ``no``; empty where there is no budget."""
        if self.most_ratio is not None and self.ratio is not None:
            # The figures that are shown decide.
            return "yes" if round(self.ratio, 2) <= round(self.most_ratio + self.noise, 2) else "no"
        if self.most is not None and isinstance(self.measured, Quantity):
            return "yes" if self.measured.value <= self.most else "no"
        return "" if self.words is None else "yes" if self.measured == self.words else "no"

    def cells(self) -> tuple[str, ...]:
        """The row's cells, in the order of `HEAD`."""
        baseline = "" if self.baseline is None else f"{self.baseline} ({self.baseline_name})"
        noise = f" ± {self.noise:.2f}" if self.noise else ""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}{noise}"
        return (self.part, self.what, str(self.measured), baseline, ratio, self.budget, self.holds)

    def fields(self) -> dict[str, Any]:
        """The row as it goes into the JSON report."""

        def plain(value: Quantity | str | None) -> Any:
            return {"value": value.value, "unit": value.unit} if isinstance(value, Quantity) else value

        return {
            "part": self.part,
            "what": self.what,
            "measured": plain(self.measured),
            "baseline": plain(self.baseline),
            "baseline_name": self.baseline_name,
            "ratio": self.ratio,
            "budget": self.budget,
            "holds": self.holds,
        }


def aligned(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table that is legible as it stands."""
    lines = [HEAD, *(tuple(cell.replace("|", "\\|") for cell in row.cells()) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    numeric = {HEAD.index(name) for name in ("measured", "ratio")}

    def joined(line: Sequence[str]) -> str:
        cells = (
            cell.rjust(width) if column in numeric else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        return f"| {' | '.join(cells)} |"

    rule = ["-" * (width - 1) + (":" if column in numeric else "-") for column, width in enumerate(widths)]
    return "\n".join([joined(lines[0]), joined(rule), *map(joined, lines[1:])])


def markdown(machine: Mapping[str, str], rows: Sequence[Row], notes: Sequence[str]) -> str:
    """The whole report in Markdown: the machine, the table, and what else is to be known."""
    head = "\n".join(f"- {name}: {value}" for name, value in machine.items())
    told = "\n".join(f"- {note}" for note in notes)
    return "\n\n".join(part for part in ("# What Proctor costs", head, aligned(rows), told) if part) + "\n"


def save(folder: Path, text: str, content: Mapping[str, Any]) -> None:
    """Write performance.md and performance.json into a new folder."""
    folder.mkdir(parents=True)
    (folder / "performance.md").write_text(text, encoding="utf-8")
    report = {"schema_version": SCHEMA_VERSION, **content}
    (folder / "performance.json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
