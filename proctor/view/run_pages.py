"""The page of a run with all its texts: its parts stay in a file, and a browser fetches those that it shows."""

from __future__ import annotations

import re
import tempfile
import threading
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from proctor._base.errors import DataError
from proctor.report.html.page import PageWriter
from proctor.results.prompts import SavedPrompts
from proctor.results.row import ROWS_NAME
from proctor.results.saved_run import SavedRun

BLOCK = re.compile(rb'<script type="text/plain" data-block="([a-z]+)">')
END = b"</script>\n"
NEEDED = b"run"
"""The kind of the part without which nothing is drawn."""


@dataclass(frozen=True)
class RunPage:
    """A page whose large parts are fetched.

    Args:
        document: The page itself.
        file: The whole page.
        parts: Where each part lies in it, and how long it is.
    """

    document: bytes
    file: Path
    parts: list[tuple[int, int]]

    def part(self, number: int) -> bytes:
        """A part, as it would stand in the page."""
        offset, size = self.parts[number]
        with self.file.open("rb") as page:
            page.seek(offset)
            return page.read(size)


def _split(file: Path) -> RunPage:
    """A page as `PageWriter` writes it, apart from its large parts: each of these is a line."""
    rest: list[bytes] = []
    parts: list[tuple[int, int]] = []
    offset = 0
    with file.open("rb") as lines:
        for line in lines:
            found = BLOCK.match(line)
            if found is None or found[1] == NEEDED or not line.endswith(END):
                rest.append(line)
            else:
                rest.append(found[0][:-1] + b' data-src="parts/%d">' % len(parts) + END)
                parts.append((offset + found.end(), len(line) - found.end() - len(END)))
            offset += len(line)
    return RunPage(b"".join(rest), file, parts)


class RunPages:
    """Makes the pages of runs when somebody asks for one, and again when the run has changed.

    A context manager, which keeps them in a folder of its own until the end. Nothing is written into runs' folders.
    """

    def __init__(self) -> None:
        self._made: dict[Path, tuple[object, RunPage]] = {}
        self._numbers = count()
        self._lock = threading.Lock()

    def __enter__(self) -> RunPages:
        self._scratch = tempfile.TemporaryDirectory(prefix="proctor-view-")
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.cleanup()

    def of(self, folder: Path) -> RunPage:
        """The page of a run that has ended.

        Raises:
            DataError: If its files cannot be read.
        """
        with self._lock:
            stamp = _stamp(folder)
            made = self._made.get(folder)
            if made is None or made[0] != stamp:
                made = self._made[folder] = stamp, self._page(folder)
            return made[1]

    def _page(self, folder: Path) -> RunPage:
        run = SavedRun.load(folder)
        if run.report is None:
            raise DataError(
                "is not there, damaged, or another run's",
                file=folder / "report.json",
                remedy="proctor report makes it anew.",
            )
        if {(task["benchmark"], task["task"], task["model"]) for task in run.report["tasks"]} != {
            tuple(task.identity) for task in run.manifest.tasks
        }:
            raise DataError("does not have the tasks that were selected", file=folder / "report.json")
        file = Path(self._scratch.name, f"{next(self._numbers)}.html")
        with PageWriter(folder, run.manifest, SavedPrompts([folder], Path.cwd()), file) as page:
            for row in run.rows():
                page.take(row)
            page.save(run.report)
        return _split(file)


def _stamp(folder: Path) -> list[tuple[int, int]]:
    """What tells whether a page must be made anew."""
    files = [file for name in ("report.json", ROWS_NAME) if (file := folder / name).is_file()]
    return [(found.st_mtime_ns, found.st_size) for found in map(Path.stat, files)]
