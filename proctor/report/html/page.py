"""Writing report.html: the fixed document, and a run's data in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from proctor._base.json_values import encoded
from proctor.report.html.blocks import element
from proctor.report.html.columns import STATUS_NAMES, for_page
from proctor.report.html.document import document
from proctor.report.html.former import write_former
from proctor.report.html.texts import CaseTexts
from proctor.results.manifest import Manifest
from proctor.results.prompts import SavedPrompts
from proctor.results.row import ResultRow
from proctor.results.saved_run import SavedRun

FILE_NAME = "report.html"
STYLES = ("page.css", "sides.css")
WITHOUT_SCRIPT = "The same numbers are in report.md beside it."


class PageWriter:
    """Writes report.html into a run's folder row by row, so that memory does not grow with their texts.

    A context manager, which leaves nothing unless `save` is called. What goes wrong before is raised there.

    Args:
        folder: The run's folder.
        manifest: What the run set out to measure.
        prompts: Tells what rows do not hold; see `CaseTexts`.
        file: The page, if it goes elsewhere. It then has all texts, whatever their size.

    The run that a gate compares with may be given as ``baseline``; else it is looked for beside this one.
    """

    def __init__(self, folder: Path, manifest: Manifest, prompts: SavedPrompts, file: Path | None = None) -> None:
        self._file = file or folder / FILE_NAME
        self._scratch = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        self._whole = file is not None
        self._reports = folder.parent
        self.baseline: SavedRun | None = None
        self._manifest = manifest
        self._prompts = prompts
        self._problem: OSError | None = None
        self._page: BinaryIO | None = None

    def __enter__(self) -> PageWriter:
        before, self._end = document("Proctor report", "report", WITHOUT_SCRIPT, STYLES)
        try:
            self._page = self._scratch.open("wb")
            self._page.write(before)
            self._texts = CaseTexts(self._page, self._manifest, self._prompts, whole=self._whole)
        except OSError as problem:
            self._problem = problem
        return self

    def take(self, row: ResultRow) -> None:
        """Write what the page shows of a row beside the report."""
        if self._problem is None:
            try:
                self._texts.take(row)
            except OSError as problem:
                self._problem = problem

    def save(self, report: Mapping[str, Any]) -> None:
        """End the page, once all rows are taken, and put it in its place.

        Args:
            report: The content of report.json.

        Raises:
            OSError: If it cannot be written.
        """
        if self._problem is not None:
            raise self._problem
        assert self._page is not None
        shown = {"report": for_page(report), "statuses": STATUS_NAMES, **self._texts.content()}
        shown["former"] = write_former(self._page, report.get("gate"), self._reports, self.baseline)
        self._page.write(element("run", encoded(shown)))
        del self._texts, shown  # a large run's are large
        self._page.write(self._end)
        self._page.close()
        self._scratch.replace(self._file)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._page is not None:
            with suppress(OSError):  # of what is thrown away
                self._page.close()
            self._scratch.unlink(missing_ok=True)
