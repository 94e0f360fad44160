"""The page of a run with all its texts: its parts stay in a file, and a browser fetches those that it shows."""

from __future__ import annotations

import re
import tempfile
import threading
from concurrent.futures import Future
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
AT_ONCE = 25_000_000
"""Bytes of rows and report of which a page is made while a browser waits: some seconds."""


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
        self._made: dict[Path, tuple[object, Future[RunPage]]] = {}
        self._numbers = count()
        self._lock = threading.Lock()

    def __enter__(self) -> RunPages:
        self._scratch = tempfile.TemporaryDirectory(prefix="proctor-view-", ignore_cleanup_errors=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.cleanup()

    def of(self, folder: Path) -> RunPage | None:
        """The page of a run that has ended; ``None`` while that of a large run is being made.

        Raises:
            DataError: If its files cannot be read.
        """
        with self._lock:
            stamp = _stamp(folder)
            made = self._made.get(folder)
            if made is None or made[0] != stamp:
                made = self._made[folder] = stamp, Future()
                if sum(size for _, size in stamp) < AT_ONCE:
                    self._make(folder, made[1])
                else:
                    threading.Thread(target=self._make, args=(folder, made[1]), daemon=True).start()
            return made[1].result() if made[1].done() else None

    def _make(self, folder: Path, page: Future[RunPage]) -> None:
        try:
            page.set_result(self._page(folder))
        except Exception as problem:  # raised where the page is asked for
            page.set_exception(problem)

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
