"""Writing report.html: the fixed document, and a run's data in it."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from proctor.report.html.blocks import element
from proctor.report.html.columns import STATUS_NAMES, for_page
from proctor.report.html.texts import CaseTexts, NoPrompts, Prompts
from proctor.results import encoded, read_rows
from proctor.selection import Selection

FILE_NAME = "report.html"
ASSETS = Path(__file__).with_name("assets")
SCRIPTS = (
    *("text.js", "data.js", "numbers.js", "charts.js", "gate.js", "overview.js", "task_page.js"),
    *("graphs.js", "find.js", "case_list.js", "media.js", "case_page.js", "start.js"),
)
"""The parts of the page's script in the order in which they build on one another."""


def save_page(folder: Path, selection: Selection, report: Mapping[str, Any], prompts: Prompts | None = None) -> None:
    """Write report.html into a run's folder, whole or not at all.

    The rows are read from the folder once and never held, so that memory does not grow with their texts.

    Args:
        folder: The run's folder, with its results.jsonl.
        selection: What the run set out to measure.
        report: The content of report.json.
        prompts: Tells what rows do not hold; see `CaseTexts`.

    Raises:
        OSError: If it cannot be written.
        DataError: If a row cannot be read.
    """
    scratch = folder / f".{FILE_NAME}.{os.getpid()}"
    try:
        with scratch.open("wb") as page:
            _write(page, folder / "results.jsonl", selection, report, prompts or NoPrompts())
        scratch.replace(folder / FILE_NAME)
    finally:
        scratch.unlink(missing_ok=True)


def _write(page: BinaryIO, rows: Path, selection: Selection, report: Mapping[str, Any], prompts: Prompts) -> None:
    style = (ASSETS / "page.css").read_text(encoding="utf-8")
    script = "".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS)
    document = (ASSETS / "page.html").read_text(encoding="utf-8")
    filled = document.replace("STYLE_HASH", _hash(style)).replace("SCRIPT_HASH", _hash(script)).replace("STYLE", style)
    before, after = filled.split("DATA\n")
    page.write(before.encode())
    texts = CaseTexts(page, selection, prompts)
    for row in read_rows(rows):
        texts.take(row)
    shown = {"report": for_page(report), "statuses": STATUS_NAMES, **texts.content()}
    page.write(element("run", encoded(shown)))
    page.write(after.replace("SCRIPT", script).encode())


def _hash(text: str) -> str:
    """What a content security policy calls the only style or script that a page may have."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
