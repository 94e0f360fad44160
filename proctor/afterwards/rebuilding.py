"""A report made once more from rows and selection, after the run that measured them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from proctor.afterwards.run_folder import ROWS_NAME
from proctor.afterwards.saved_run import SavedRun
from proctor.appending import write_whole
from proctor.errors import UsageError
from proctor.report.content import build_report, reported, save_report
from proctor.report.html.page import save_page
from proctor.report.html.texts import Prompts
from proctor.report.summary import markdown
from proctor.results import ResultRow, encoded
from proctor.selection import FILE_NAME, Selection

LEFTOVERS = ("stale", "unused", "pruned")
"""What a run notes of its recordings in ``cassette``, and no row tells."""


def rebuilt_report(
    selection: Selection,
    rows: Iterable[ResultRow],
    *,
    duration_s: float | None,
    former: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """The content of report.json, from what a run has left.

    Args:
        selection: What was selected.
        rows: What was measured.
        duration_s: How long it took, if that is known.
        former: The report that the same run has made of itself, from which is taken what rows do not tell.
        notes: What a reader should know about the report, in sentences.
    """
    started = datetime.fromisoformat(selection.run["started"])
    report = build_report(selection, map(reported, rows), finished=started)
    report["run"]["duration_s"] = duration_s
    known = {_name(task): task["cassette"] for task in (former or {}).get("tasks", [])}
    not_known = False
    for task in report["tasks"]:
        cassette = known.get(_name(task), {})
        task["cassette"] |= {name: cassette.get(name) for name in LEFTOVERS}
        not_known = not_known or (task["cassette"]["file"] is not None and task["cassette"]["stale"] is None)
    said = [*notes, "Which recordings were stale or unused is not known: rows do not tell."] if not_known else notes
    others = {name: value for name, value in (former or {}).items() if name != "notes"}
    return {**others, **report, **({"notes": list(said)} if said else {})}


def _name(task: Mapping[str, Any]) -> tuple[str, str, str]:
    return (task["benchmark"], task["task"], task["model"])


def save_run(folder: Path, selection: Selection, rows: Iterable[ResultRow]) -> None:
    """Write selection and rows into *folder*; the rows whole or not at all.

    Raises:
        UsageError: If the folder holds those of another run.
        OSError: If they cannot be written.
    """
    if (folder / FILE_NAME).exists() or (folder / ROWS_NAME).exists():
        there = SavedRun.load(folder).id if (folder / FILE_NAME).exists() else "a run without a selection"
        if there != selection.run["id"]:
            raise UsageError(
                f"{folder} holds the rows of {there}, which would be lost", remedy="Name another folder with --output."
            )
    folder.mkdir(parents=True, exist_ok=True)
    scratch = folder / f".{ROWS_NAME}.tmp"
    with scratch.open("wb") as lines:
        for row in rows:
            lines.write(encoded(row) + b"\n")
    selection.save(folder)
    scratch.replace(folder / ROWS_NAME)


def save_reports(folder: Path, selection: Selection, report: dict[str, Any], prompts: Prompts | None = None) -> None:
    """Write report.json, report.md and report.html beside a run's rows.

    Args:
        folder: The run's folder.
        selection: What was selected.
        report: The content of report.json.
        prompts: Tells what the page shows and rows do not hold.

    Raises:
        OSError: If they cannot be written.
    """
    save_report(report, folder)
    write_whole(folder / "report.md", markdown(report).encode())
    save_page(folder, selection, report, prompts)
