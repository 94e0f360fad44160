"""Writing a run's reports, and the files that its tasks make: at its end, and once more after that."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError
from proctor._base.files import write_whole
from proctor.report import run_summary
from proctor.report.artifacts import TaskRows, artifact_files
from proctor.report.build import save_report
from proctor.report.html.page import PageWriter
from proctor.report.summary import markdown


def save_reports(folder: Path, report: dict[str, Any], page: PageWriter) -> None:
    """Write report.json, report.md, summary.md and report.html.

    Args:
        folder: The run's folder.
        report: The content of report.json.
        page: What has taken up the run's rows.

    Raises:
        OSError: If they cannot be written.
    """
    save_report(report, folder)
    write_whole(folder / "report.md", markdown(report).encode())
    write_whole(folder / run_summary.FILE_NAME, run_summary.summary(report).encode())
    page.save(report)


def save_artifacts(
    folder: Path, by_task: Sequence[TaskRows], *, started: str, on_request: bool = False
) -> Iterator[Path | str]:
    """Write the files in benchmarks' own formats, for the tasks that have some.

    Args:
        folder: Where to write.
        by_task: The rows of each task that may have some.
        started: When the run started, ISO 8601.
        on_request: Whether to write those too that a run leaves out.

    Yields:
        Each file; for those of a task that cannot be made, why.

    Raises:
        OSError: If a file cannot be written.
        DataError: If the data cannot be read.
    """
    for rows in by_task:
        try:
            files = list(artifact_files(rows, started=started, on_request=on_request))
        except (DataError, OSError):
            raise
        except Exception as problem:  # the benchmark's code meets whatever a run from elsewhere holds
            said = str(problem) if isinstance(problem, LookupError) else f"{type(problem).__name__}: {problem}"
            yield f"no files in the benchmark's own format of {rows.selected.name}: {said}"
            continue
        for path, content in files:
            write_artifact(folder / path, content)
            if isinstance(content, bytes):  # copies are named by the files that they belong to
                yield folder / path


def write_artifact(file: Path, content: bytes | Path) -> None:
    """Write a file that a task has made; its folders are made too.

    Args:
        file: The file.
        content: What is in it, or the file that it is a copy of.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        write_whole(file, content)
    elif not (file.exists() and file.samefile(content)):
        shutil.copyfile(content, file)
