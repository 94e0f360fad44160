"""A run as it lies on disk, with the checks that a folder from anywhere needs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.afterwards.run_folder import ROWS_NAME, find_run, read_selection
from proctor.errors import DataError
from proctor.results import ResultRow, read_rows
from proctor.selection import FILE_NAME, Selection
from proctor.task import NAME

REPORTS = Path("reports")


@dataclass(frozen=True)
class SavedRun:
    """A run that has ended, or was cut short.

    Args:
        folder: Its folder.
        selection: What it set out to measure.
    """

    folder: Path
    selection: Selection

    @property
    def id(self) -> str:
        """The run's id."""
        return str(self.selection.run["id"])

    def rows(self, *, only: Sequence[str] = ()) -> Iterator[ResultRow]:
        """The rows in the order in which they were written; see `proctor.results.read_rows`."""
        return read_rows(self.folder / ROWS_NAME, only=only)

    @property
    def report(self) -> dict[str, Any] | None:
        """The content of report.json; ``None`` if there is none that is whole and this run's."""
        try:
            content = json.loads((self.folder / "report.json").read_bytes())
            return content if content["run"]["id"] == self.id else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @property
    def duration_s(self) -> float | None:
        """How many seconds it took, if its report says so."""
        seconds = (self.report or {}).get("run", {}).get("duration_s")
        return seconds if isinstance(seconds, int | float) else None

    @classmethod
    def find(cls, name: str) -> SavedRun:
        """The run that a user means by its folder, or by its id below reports/.

        Raises:
            UsageError: If there is no such run.
            DataError: If its selection cannot be read.
        """
        return cls.load(find_run(name, REPORTS))

    @classmethod
    def load(cls, folder: Path) -> SavedRun:
        """Read the selection of the run in *folder*.

        Raises:
            DataError: If it cannot be read, or holds what a run would not write.
        """
        selection = read_selection(folder)
        file = folder / FILE_NAME
        for name in ("id", "started", "command"):
            if not isinstance(selection.run.get(name), str):
                raise DataError("must be a string", file=file, field=f"run.{name}", value=selection.run.get(name))
        for part in selection.run.get("merged", []):
            if not isinstance(part, dict) or not {"id", "started", "models"} <= set(part):
                raise DataError(
                    "must say id, started and models of each run", file=file, field="run.merged", value=part
                )
        for task in selection.tasks:
            name = f"{task.benchmark}/{task.task}"
            if not NAME.fullmatch(name):  # paths are made of it
                raise DataError("not the name of a task", file=file, field="task", value=name)
        return cls(folder, selection)
