"""A run on disk: its folder, found by path or by id, and what it holds."""

from __future__ import annotations

from pathlib import Path

from proctor.errors import DataError, UsageError
from proctor.selection import FILE_NAME, Selection

ROWS_NAME = "results.jsonl"
SHOWN_RUNS = 5


def find_run(name: str, reports_dir: Path) -> Path:
    """The folder of a run.

    Args:
        name: The folder, or the run's id below *reports_dir*.
        reports_dir: Where reports are.

    Raises:
        UsageError: If there is no such run.
    """
    folders = [Path(name), reports_dir / name]
    found = next((folder for folder in folders if (folder / FILE_NAME).is_file()), None)
    if found is not None:
        return found
    if folders[0].is_dir():
        raise UsageError(f"{name} is not the folder of a run: it has no {FILE_NAME}")
    known = sorted((file.parent.name for file in reports_dir.glob(f"*/{FILE_NAME}")), reverse=True)
    more = ", …" if len(known) > SHOWN_RUNS else ""
    remedy = f"Newest runs in {reports_dir}: {', '.join(known[:SHOWN_RUNS])}{more}." if known else ""
    raise UsageError(
        f"no run {name!r}: neither a folder nor an id in {reports_dir}",
        remedy=remedy or f"{reports_dir} holds no run; name a run's folder.",
    )


def read_selection(folder: Path) -> Selection:
    """What the run in *folder* set out to measure.

    Raises:
        DataError: If the file is not one that a run of this version wrote.
    """
    try:
        return Selection.load(folder)
    except (ValueError, TypeError, KeyError) as problem:
        raise DataError(f"not the selection of a run: {problem}", file=folder / FILE_NAME) from None
