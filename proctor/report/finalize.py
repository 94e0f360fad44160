"""The end of a run: its report is made and written, and its recordings are put in order.

What this imports is needed by no case, so that a live run can import it while answers are waited for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from proctor._base.errors import UsageError
from proctor._base.json_values import Shared
from proctor.live.breaker import given_up_line
from proctor.live.budget import spending_lines
from proctor.recordings.cassette import compact
from proctor.recordings.computed import compact_computed
from proctor.recordings.record_mode import RecordMode
from proctor.report import run_summary
from proctor.report.artifacts import ARTIFACT_FIELDS, TaskOf, rows_by_task
from proctor.report.build import build_report, missing_cases, reported
from proctor.report.findings import repetition_lines
from proctor.report.gate_findings import gate_lines
from proctor.report.html.page import PageWriter
from proctor.report.judges import judge_lines
from proctor.report.many.index_page import update_index
from proctor.report.published import add_published
from proctor.report.score_table import UNLIMITED, score_table
from proctor.report.summary import failed_cases
from proctor.report.tables import add_tables
from proctor.report.write import save_artifacts, save_reports
from proctor.results.identity import TaskModel
from proctor.results.latest_run import point_to
from proctor.results.manifest import Manifest, ManifestTask
from proctor.results.prompts import SavedPrompts
from proctor.results.row import ROWS_NAME, ResultRow, read_results
from proctor.run.pruning import MadeCalls, prune
from proctor.run.run import Run
from proctor.statistics.answerers import doubts
from proctor.tasks.oddities import sentences

FAILED = 1  # as pytest says it
SHOWN_MISSING = 10
SHOWN_KINDS = 12  # of odd and unusable rows


@dataclass
class FinishedRun:
    """What came of ending a run.

    Args:
        report: The content of report.json.
        notes: What the user should know.
        failed: Whether something could not be written, put in order or judged.
        undecided_fails: Whether a gate that is not decided counts as not held.
    """

    report: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    failed: bool = False
    undecided_fails: bool = False

    @property
    def exit_status(self) -> int:
        """What pytest should end with, as far as the report tells."""
        if missing_cases(self.report):
            return FAILED
        holds = self.report.get("gate", {"holds": True})["holds"]
        if holds or (holds is None and not self.undecided_fails):
            return 0
        from proctor.gates.gate import NOT_HELD  # imported here since most runs have no gate

        return NOT_HELD


def finalize(run: Run, manifest: Manifest, task_of: TaskOf, *, seconds: float) -> FinishedRun:
    """Make a run's report from its rows, and write it.

    Args:
        run: The run.
        manifest: What it selected.
        task_of: Gives the tasks.
        seconds: How long it took.
    """
    with PageWriter(run.folder, manifest, SavedPrompts([run.folder], run.root, anywhere=True, own=True)) as page:
        calls = MadeCalls()
        rows = _rows(run.folder / ROWS_NAME, manifest, page, calls)
        finished = datetime.fromisoformat(manifest.run["started"]) + timedelta(seconds=seconds)
        ended = FinishedRun(build_report(manifest, rows, finished=finished), _notes_on_data(manifest))
        ended.undecided_fails = run.options.undecided_fails
        _judge(run, manifest, rows, ended)
        by_task = rows_by_task(manifest, rows, task_of, run.data.samples_of_run)
        ended.notes += add_tables(ended.report, by_task)
        add_published(ended.report, manifest, run.root)
        try:
            _order_recordings(run, manifest, rows, calls, ended)
            del rows
            page.baseline = run.gate.baseline if run.gate is not None else None
            save_reports(run.folder, ended.report, page)
            point_to(run.folder)
            update_index(run.folder.parent, (run.folder, ended.report))
            made = save_artifacts(run.folder, by_task, started=manifest.run["started"])
            ended.notes += [problem for problem in made if isinstance(problem, str)]
        except OSError as problem:
            ended.notes.append(
                f"the report could not be written to {run.folder}: {problem.strerror}. Make room, then write it with: "
                f"proctor report {run.shown(run.folder)}"
            )
            ended.failed = True
    ended.notes += _shown_in_ci(ended.report)
    return ended


def _shown_in_ci(report: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> list[str]:
    """Append the summary to what GitHub shows of a job, where it says which file that is; why that cannot be done."""
    file = environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return []
    try:
        with Path(file).open("ab") as shown:
            shown.write(run_summary.summary(report).encode() + b"\n")
    except OSError as problem:
        return [f"the summary could not be appended to GITHUB_STEP_SUMMARY, {file}: {problem.strerror}"]
    return []


def _rows(file: Path, manifest: Manifest, page: PageWriter, calls: MadeCalls) -> list[ResultRow]:
    """The rows, read once for all that is made of them: what the page shows goes there at once, the rest is kept.

    Texts are kept of tasks that make files or tables of their rows alone: a large run's are large.
    """
    shared = Shared()
    with_texts = {task.name for task in manifest.tasks if task.has_artifact}
    rows = []
    for row in read_results(file):
        page.take(row)
        calls.take(row)
        rows.append(reported(row, shared, whole=ARTIFACT_FIELDS if TaskModel.of(row).name in with_texts else ()))
    return rows


def _judge(run: Run, manifest: Manifest, rows: Sequence[ResultRow], ended: FinishedRun) -> None:
    if run.gate is not None:
        try:
            ended.report["gate"] = run.gate.result(ended.report, manifest, rows, run.decision)
        except UsageError as problem:  # a line of the baseline's rows
            ended.notes.append(f"the gate could not be judged: {problem}")
            ended.failed = True


def _order_recordings(
    run: Run, manifest: Manifest, rows: Sequence[ResultRow], calls: MadeCalls, ended: FinishedRun
) -> None:
    try:
        for task in manifest.tasks:
            _compact(run, task)
        if run.asks_live:
            compact_computed(run.options.cassettes_dir, {task.name for task in manifest.tasks})
        ended.notes += prune(run, manifest, rows, calls, ended.report)
    except (OSError, ValueError, UsageError) as problem:
        ended.notes.append(f"recordings could not be brought into order: {problem}")
        ended.failed = True


def _compact(run: Run, task: ManifestTask) -> None:
    mode = run.options.record_mode
    if task.cassette_file is not None and mode.records and run.options.keep_recordings:
        since = run.description["started"][:23] if mode is RecordMode.REWRITE else None
        compact(run.root / task.cassette_file, rewritten_since=since)


def _notes_on_data(manifest: Manifest) -> list[str]:
    """What the user should know about data files, said once for all models, and about files of responses."""
    notes: dict[str, None] = {}
    for task in manifest.tasks:
        told = [f"{task.name}: {note}" for note in task.data_notes]
        kinds = (*task.unusable_rows, *task.odd_rows)
        more = [f"… and {len(kinds) - SHOWN_KINDS} more kinds of such rows, in report.md"]
        told += [*sentences(task.name, kinds[:SHOWN_KINDS]), *(more if len(kinds) > SHOWN_KINDS else [])]
        notes |= dict.fromkeys(told)
    with_responses = [task for task in manifest.tasks if task.responses is not None]
    if not with_responses:
        return list(notes)
    from proctor.report.response_notes import notes_on_responses

    return [*notes, *(note for task in with_responses for note in notes_on_responses(task))]


def summary_lines(
    run: Run, report: dict[str, Any], notes: Sequence[str], *, width: int = UNLIMITED, brief: bool = False
) -> Iterator[tuple[str, bool]]:
    """What the terminal shows at the end, line by line, each with whether it is bad news.

    Args:
        run: The run.
        report: The content of report.json.
        notes: What else the user should know.
        width: Columns of the terminal, for the tables.
        brief: Whether the tables show headline metrics alone.
    """
    for line in score_table(report, width, brief=brief):
        yield line, False
    for line in [*judge_lines(report), *repetition_lines(report)]:
        yield line, False
    for model, reason in run.live.requests.given_up.items():
        yield given_up_line(model, reason), True
    missing = missing_cases(report)
    if missing:
        yield f"{len(missing)} selected cases never finished (status missing):", True
        for name in missing[:SHOWN_MISSING]:
            yield f"  {name}", False
        if len(missing) > SHOWN_MISSING:
            yield f"  … and {len(missing) - SHOWN_MISSING} more, listed in report.json", False
    for line in [
        *failed_cases(report),
        *doubts(report),
        *run.live.notes,
        *spending_lines(run.live.budget, len(missing)),
        *notes,
    ]:
        yield line, False
    for line in gate_lines(report):
        yield line, report["gate"]["holds"] is False or report["gate"]["unmeasured"] > 0
    yield f"report: {run.shown(run.folder / 'report.md')}", False
