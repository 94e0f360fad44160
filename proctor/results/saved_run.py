"""A run as it lies on disk, with the checks that a folder from anywhere needs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError
from proctor._base.json_values import Shared
from proctor._base.shapes import Wrong, parsed
from proctor.results.manifest import FILE_NAME, Manifest
from proctor.results.row import ROWS_NAME, ResultRow
from proctor.results.run_folder import find_run
from proctor.results.saved_fields import FORMER_REPORT, check_selection, row_check

REPORTS = Path("reports")


@dataclass(frozen=True)
class SavedRun:
    """A run that has ended, or was cut short.

    Args:
        folder: Its folder.
        manifest: What it set out to measure.
    """

    folder: Path
    manifest: Manifest

    @property
    def id(self) -> str:
        """The run's id."""
        return str(self.manifest.run["id"])

    def rows(self, *, only: Sequence[str] = ()) -> Iterator[ResultRow]:
        """The rows in the order in which they were written; see `proctor.results.row.read_results`.

        Raises:
            DataError: For a line that is not a row, or lacks what the selection says of its task.
        """
        file = self.folder / ROWS_NAME
        check = row_check(self.manifest)
        shared = Shared()
        for number, line in _lines(file):
            try:
                row = parsed(line)
                check(row)
            except Wrong as wrong:
                if not line.endswith(b"\n") and not _is_json(line):
                    return  # torn, as a killed run may leave it
                raise wrong.in_file(file, number) from None
            yield shared.row(row, only) if only else row  # type: ignore[misc]  # as in read_results

    @cached_property
    def report(self) -> dict[str, Any] | None:
        """The content of report.json; ``None`` if there is none that is whole and this run's."""
        try:
            content: dict[str, Any] = parsed((self.folder / "report.json").read_bytes())
            FORMER_REPORT(content)
        except (OSError, Wrong):
            return None
        return content if content["run"]["id"] == self.id else None

    @property
    def duration_s(self) -> float | None:
        """How many seconds it took, if its report says so."""
        seconds: float | None = None if self.report is None else self.report["run"].get("duration_s")
        return seconds

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
        _check_links(folder)
        file = folder / FILE_NAME
        try:
            content = parsed(file.read_bytes())
            check_selection(content)
        except OSError as problem:
            raise DataError(f"cannot be read: {problem.strerror}", file=file) from None
        except Wrong as wrong:
            raise wrong.in_file(file) from None
        return cls(folder, Manifest.of(content))


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with file.open("rb") as lines:
            yield from enumerate(lines, 1)
    except FileNotFoundError:
        return
    except OSError as problem:
        raise DataError(f"cannot be read: {problem.strerror}", file=file) from None


def _is_json(line: bytes) -> bool:
    try:
        parsed(line)
    except Wrong:
        return False
    return True


def _check_links(folder: Path) -> None:
    """Raise unless all that is in a run's folder is in it: what is written there later must not land elsewhere."""
    real = folder.resolve()
    for inside, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(inside, name)
            if path.is_symlink() and not _leads_into(path, real):
                raise DataError("is a link that leads out of the run's folder", file=path, remedy="Remove it.")
            if not (path.is_symlink() or path.is_file() or path.is_dir()):
                raise DataError("is neither a file nor a folder", file=path, remedy="Remove it.")


def _leads_into(link: Path, folder: Path) -> bool:
    try:
        return link.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):  # the latter where it leads to itself
        return False
