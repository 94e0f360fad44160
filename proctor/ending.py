"""The end of a run: its report is made and written, and its recordings are put in order.

What this imports is needed by no case, so that a live run can import it while answers are waited for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from proctor.appending import write_whole
from proctor.conversation import RecordMode
from proctor.errors import UsageError
from proctor.live.budget import spending_lines
from proctor.recordings.cassette import settle
from proctor.recordings.computed import settle_computed
from proctor.recordings.upkeep import tend
from proctor.report.artifacts import ARTIFACT_FIELDS, load_task, save_artifacts
from proctor.report.content import build_report, missing_cases, reported, save_report
from proctor.report.findings import gate_lines
from proctor.report.html.page import save_page
from proctor.report.rebuilt_prompts import RebuiltPrompts
from proctor.report.summary import failed_cases, markdown, score_table
from proctor.report.tables import add_tables
from proctor.results import ResultRow, Shared, read_rows
from proctor.run import Run
from proctor.selection import SelectedTask, Selection
from proctor.task import Task

SHOWN_MISSING = 10


@dataclass
class Ended:
    """What came of ending a run.

    Args:
        report: The content of report.json.
        notes: What the user should know.
        failed: Whether something could not be written, put in order or judged.
    """

    report: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    failed: bool = False

    @property
    def exit_status(self) -> int:
        """What pytest should end with, as far as the report tells."""
        if missing_cases(self.report):
            return pytest.ExitCode.TESTS_FAILED
        if self.report.get("gate", {}).get("holds") is not False:
            return pytest.ExitCode.OK
        from proctor.statistics.gate import NOT_HELD  # imported here since most runs have no gate

        return NOT_HELD


def end(session: pytest.Session, run: Run, selection: Selection, *, seconds: float) -> Ended:
    """Make a run's report from its rows, and write it.

    Args:
        session: pytest's session, which knows how test modules are imported.
        run: The run.
        selection: What it selected.
        seconds: How long it took.
    """
    shared = Shared()
    rows = [shared.of(reported(row)) for row in read_rows(run.folder / "results.jsonl")]
    finished = datetime.fromisoformat(selection.run["started"]) + timedelta(seconds=seconds)
    ended = Ended(build_report(selection, rows, finished=finished), _notes_on_data(selection))
    _judge(run, selection, rows, ended)
    _add_tables(session, run, selection, ended)
    try:
        _tend(run, selection, rows, ended)
        save_report(ended.report, run.folder)
        write_whole(run.folder / "report.md", markdown(ended.report).encode())
        del rows  # the next steps read others, and a large run's are large
        save_page(run.folder, selection, ended.report, RebuiltPrompts(session, run))
        ended.notes += save_artifacts(session, run, selection)
    except OSError as problem:
        ended.notes.append(
            f"the report could not be written to {run.folder}: {problem.strerror}. Make room, then write it with: "
            f"proctor report {run.shown(run.folder)}"
        )
        ended.failed = True
    return ended


def _judge(run: Run, selection: Selection, rows: Sequence[ResultRow], ended: Ended) -> None:
    if run.gate is not None:
        try:
            ended.report["gate"] = run.gate.result(ended.report, selection, rows)
        except UsageError as problem:  # a line of the baseline's rows
            ended.notes.append(f"the gate could not be judged: {problem}")
            ended.failed = True


def _add_tables(session: pytest.Session, run: Run, selection: Selection, ended: Ended) -> None:
    def task_of(selected: SelectedTask) -> Task:
        return load_task(session, run.root / selected.module, f"{selected.benchmark}/{selected.task}")

    def rows() -> Iterator[ResultRow]:
        return read_rows(run.folder / "results.jsonl", only=ARTIFACT_FIELDS)

    ended.notes += add_tables(ended.report, selection, task_of, run.data.samples_of_run, rows)


def _tend(run: Run, selection: Selection, rows: Sequence[ResultRow], ended: Ended) -> None:
    try:
        for task in selection.tasks:
            _settle(run, task)
        if run.asks_live:
            settle_computed(run.options.cassettes_dir, {f"{t.benchmark}/{t.task}" for t in selection.tasks})
        ended.notes += tend(run, selection, rows, ended.report)
    except (OSError, ValueError, UsageError) as problem:
        ended.notes.append(f"recordings could not be brought into order: {problem}")
        ended.failed = True


def _settle(run: Run, task: SelectedTask) -> None:
    mode = run.options.record_mode
    if task.cassette_file is not None and mode.records and run.options.keep_recordings:
        since = run.description["started"][:23] if mode is RecordMode.REWRITE else None
        settle(run.root / task.cassette_file, rewritten_since=since)


def _notes_on_data(selection: Selection) -> list[str]:
    """What the user should know about data files, said once for all models, and about files of responses."""
    notes = dict.fromkeys(
        f"{task.benchmark}/{task.task}: {note}" for task in selection.tasks for note in task.data_notes
    )
    given = [task for task in selection.tasks if task.responses is not None]
    if not given:
        return list(notes)
    from proctor.responses import notes_on_responses

    return [*notes, *(note for task in given for note in notes_on_responses(task))]


def summary_lines(run: Run, report: dict[str, Any], notes: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """What the terminal shows at the end, line by line, each with whether it is bad news.

    Args:
        run: The run.
        report: The content of report.json.
        notes: What else the user should know.
    """
    for line in score_table(report):
        yield line, False
    missing = missing_cases(report)
    if missing:
        yield f"{len(missing)} selected cases never finished (status missing):", True
        for name in missing[:SHOWN_MISSING]:
            yield f"  {name}", False
        if len(missing) > SHOWN_MISSING:
            yield f"  … and {len(missing) - SHOWN_MISSING} more, listed in report.json", False
    for line in [*failed_cases(report), *spending_lines(run.budget, len(missing)), *notes]:
        yield line, False
    for line in gate_lines(report):
        yield line, report.get("gate", {}).get("holds") is not True
    yield f"report: {run.shown(run.folder / 'report.md')}", False
