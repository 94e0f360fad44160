"""reports/index.html: all runs of a folder on one page, written anew when a run has ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proctor._base.files import write_whole
from proctor._base.json_values import encoded
from proctor.report.html.blocks import element
from proctor.report.html.document import document
from proctor.report.many.histories import histories, leaderboard
from proctor.report.many.summaries import Folder, read_folder, stamps

FILE_NAME = "index.html"
STYLES = ("page.css", "many.css")
TRIES = 3
PATIENCE = 0.5
"""Seconds that reading the reports of former runs may take, once, where a folder has many from before this page."""


def update_index(reports: Path, known: tuple[Path, Mapping[str, Any]] | None = None) -> None:
    """Write reports/index.html, whole or not at all.

    Two runs may end at the same moment, and each write the page without the other: so it is looked once more whether a
    run has ended since.

    Args:
        reports: The folder of the runs.
        known: The folder of a run that has just ended, and its report, which then is not read again.

    Raises:
        OSError: If it cannot be written.
    """
    for _ in range(TRIES):
        before = stamps(reports)
        write_whole(reports / FILE_NAME, index_page(read_folder(reports, known, patience=PATIENCE)))
        if stamps(reports) <= before:
            return


def index_page(found: Folder, **more: Any) -> Iterator[bytes]:
    """The page, in pieces.

    Args:
        found: What it shows.
        more: What else its script is to know.
    """
    before, after = document("Proctor runs", "many", "Each run's folder has its report.md.", STYLES)
    yield before
    runs = [{name: value for name, value in run.items() if name != "tasks"} | _totals(run) for run in found.runs]
    content = {
        "runs": runs,
        "unfinished": found.unfinished,
        "others": found.others,
        "leaderboard": leaderboard(found.runs),
        "histories": histories(found.runs),
    }
    yield element("run", encoded(content | more))
    yield after


def _totals(run: Mapping[str, Any]) -> dict[str, Any]:
    """What a run's line says of all its tasks; the cost is unknown where that of one is."""
    tasks = run["tasks"]
    costs, spent = ([task.get(name) for task in tasks] for name in ("cost_usd", "spent_usd"))
    return {
        "tasks": list(dict.fromkeys(task["task"] for task in tasks)),
        "models": list(dict.fromkeys(task["model"] for task in tasks)),
        "cases": sum(task["expected"] for task in tasks),
        "not_measured": sum(task["not_measured"] for task in tasks),
        "cost_usd": None if None in costs else sum(costs),
        "spent_usd": None if None in spent else sum(spent),
    }
