"""A run on disk: its folder, found by path or by id, and its rows."""

from __future__ import annotations

from pathlib import Path

from proctor._base.errors import UsageError
from proctor._base.files import write_whole
from proctor.results.identity import CaseKey, TaskModel
from proctor.results.latest_run import LATEST, latest_run
from proctor.results.manifest import FILE_NAME
from proctor.results.row import encoded_row, read_results

SHOWN_RUNS = 5


def find_run(name: str, reports_dir: Path) -> Path:
    """The folder of a run.

    Args:
        name: The folder, or the run's id below *reports_dir*, or ``latest``.
        reports_dir: Where reports are.

    Raises:
        UsageError: If there is no such run.
    """
    folders = [Path(name), reports_dir / name]
    if folders[1] == reports_dir / LATEST or folders[0] == reports_dir / LATEST:
        folders += [folder for folder in [latest_run(reports_dir)] if folder is not None]  # where there are no links
    try:
        found = next((folder for folder in folders if (folder / FILE_NAME).is_file()), None)
        is_folder = folders[0].is_dir()
    except OSError as problem:  # such as a folder that this user may not look into
        raise UsageError(f"{name} cannot be looked at: {problem.strerror}") from None
    if found is not None:
        return found
    if is_folder:
        raise UsageError(f"{name} is not the folder of a run: it has no {FILE_NAME}")
    known = sorted({file.parent.name for file in reports_dir.glob(f"*/{FILE_NAME}")} - {LATEST}, reverse=True)
    more = ", …" if len(known) > SHOWN_RUNS else ""
    remedy = f"Newest runs in {reports_dir}: {', '.join(known[:SHOWN_RUNS])}{more}." if known else ""
    raise UsageError(
        f"no run {name!r}: neither a folder nor an id in {reports_dir}",
        remedy=remedy or f"{reports_dir} holds no run; name a run's folder.",
    )


def keep_last(file: Path) -> None:
    """Leave of each case in a results file the last row alone."""
    last = {(TaskModel.of(row), CaseKey.of(row)): row for row in read_results(file)}
    write_whole(file, (encoded_row(row) + b"\n" for row in last.values()))
