"""A report made once more from rows and selection, after the run that measured them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from proctor._base.errors import UsageError
from proctor._base.files import replacing
from proctor._base.json_values import Shared, encoded
from proctor.report import write
from proctor.report.build import build_report, reported
from proctor.report.html.page import PageWriter
from proctor.results.identity import TaskModel
from proctor.results.manifest import FILE_NAME, Manifest
from proctor.results.prompts import SavedPrompts
from proctor.results.row import ROWS_NAME, ResultRow, read_results
from proctor.results.saved_run import SavedRun

LEFTOVERS = ("stale", "unused", "pruned")
"""What a run notes of its recordings in ``cassette``, and no row tells."""


def rebuilt_report(
    manifest: Manifest,
    rows: Iterable[ResultRow],
    *,
    duration_s: float | None,
    former: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """The content of report.json, from what a run has left.

    Args:
        manifest: What was selected.
        rows: What was measured.
        duration_s: How long it took, if that is known.
        former: The report that the same run has made of itself, from which is taken what rows do not tell.
        notes: What a reader should know about the report, in sentences.
    """
    started = datetime.fromisoformat(manifest.run["started"])
    report = build_report(manifest, map(partial(reported, shared=Shared()), rows), finished=started)
    report["run"]["duration_s"] = duration_s
    known = {TaskModel.of(task): task["cassette"] for task in (former or {}).get("tasks", [])}
    not_known = False
    for task in report["tasks"]:
        cassette = known.get(TaskModel.of(task), {})
        task["cassette"] |= {name: cassette.get(name) for name in LEFTOVERS}
        not_known = not_known or (task["cassette"]["file"] is not None and task["cassette"]["stale"] is None)
    said = [*notes, "Which recordings were stale or unused is not known: rows do not tell."] if not_known else notes
    others = {name: value for name, value in (former or {}).items() if name != "notes"}
    return {**others, **report, **({"notes": list(said)} if said else {})}


def save_run(folder: Path, manifest: Manifest, rows: Iterable[ResultRow]) -> None:
    """Write selection and rows into *folder*; the rows whole or not at all.

    Raises:
        UsageError: If the folder holds those of another run.
        OSError: If they cannot be written.
    """
    if (folder / FILE_NAME).exists() or (folder / ROWS_NAME).exists():
        there = SavedRun.load(folder).id if (folder / FILE_NAME).exists() else "a run without a selection"
        if there != manifest.run["id"]:
            raise UsageError(
                f"{folder} holds the rows of {there}, which would be lost", remedy="Name another folder with --output."
            )
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / ROWS_NAME) as lines:
        for row in rows:
            lines.write(encoded(row) + b"\n")
        manifest.save(folder)


def save_reports(
    folder: Path, manifest: Manifest, report: dict[str, Any], prompts: SavedPrompts, shown: Callable[[Path], str] = str
) -> None:
    """Write report.json, report.md, summary.md, report.html and prompts.jsonl beside a run's rows.

    Args:
        folder: The run's folder.
        manifest: What was selected.
        report: The content of report.json.
        prompts: The prompts of the runs that it was made of.
        shown: What a path is called from the project's folder.

    Raises:
        OSError: If they cannot be written.
    """
    with PageWriter(folder, manifest, prompts) as page:
        for row in read_results(folder / ROWS_NAME):
            page.take(row)
        write.save_reports(folder, report, page)
    prompts.save(folder, shown)
