"""The process that hears of every finished case: it writes the rows as they come, and the report at the end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import pytest

from proctor.conversation import RecordMode
from proctor.distributed.workers import APART, RUN_DESCRIPTION, USAGE_ERROR, is_apart
from proctor.errors import UsageError
from proctor.live.budget import spending_lines
from proctor.recordings.computed import settle_computed
from proctor.recordings.upkeep import tend
from proctor.report.artifacts import ARTIFACT_FIELDS, load_task, save_artifacts
from proctor.report.content import build_report, missing_cases, reported, save_report
from proctor.report.findings import gate_lines
from proctor.report.summary import failed_cases, markdown, score_table
from proctor.report.tables import add_tables
from proctor.results import ResultRow, Shared, append_row, read_rows
from proctor.run import Run
from proctor.selection import FILE_NAME, SelectedTask, Selection
from proctor.task import MARKER, Task

SHOWN_MISSING = 10
NO_KEYWORDS: Mapping[str, Literal[1]] = MappingProxyType({})


class Controller:
    """Writes ``reports/<run>/``.

    Args:
        config: pytest's configuration.
        run: The run.
    """

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._config = config
        self._run = run
        self._usage_error: str | None = None
        self._report: dict[str, Any] | None = None
        self._notes: list[str] = []
        self._write_problem: OSError | None = None
        self._interrupted_by_user = False
        self._clock = time.monotonic()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a new worker which run it is part of."""
        node.workerinput[RUN_DESCRIPTION] = self._run.description
        node.workerinput[APART] = is_apart(node.gateway.spec)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: Sequence[Any]) -> None:
        """Say what workers in other places cannot do."""
        if not any(is_apart(spec) for spec in specs) or not self._run.asks_live:
            return
        if self._run.budget is not None:
            raise pytest.UsageError(
                "--max-cost cannot be kept by workers in other folders or on other machines: they do not see what the "
                "others spend\n  Leave it out, or run shards (--shard K/N), each with a limit of its own."
            )
        if self._run.options.keep_recordings:
            self._notes.append("Workers in other places have recorded there: fetch their recordings to replay them.")

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """In a live run, let workers know at once what they will have to ask."""
        if not self._run.asks_live or config.getoption("dist") != "load":
            return None
        from proctor.distributed.scheduling import HandOutAll

        return HandOutAll(config, log)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take up what a worker found unusable before its first case."""
        self._usage_error = getattr(node, "workeroutput", {}).get(USAGE_ERROR, self._usage_error)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Write a finished case's row to disk; once others have seen it too, take it off the report."""
        selection = vars(report).pop("proctor_selection", None)
        if selection is not None:  # from a worker in another place; all of them send the same
            self._write(lambda: self._rows_file.with_name(FILE_NAME).write_bytes(selection))
        carried = getattr(report, "proctor_row", None)
        if isinstance(carried, bytes):  # from a worker
            carried = report.proctor_row = json.loads(carried)  # type: ignore[attr-defined]
        if carried is not None:
            self._write(lambda: append_row(self._rows_file, carried))
        yield
        # pytest keeps all reports to the end of the session.
        vars(report).pop("proctor_row", None)
        if MARKER in report.keywords and report.passed:
            self._lighten(report)

    def _lighten(self, report: pytest.TestReport) -> None:
        """Take off a report, or take away whole, what nobody asks for once all have seen it: 0.2 GB of 100,000 cases.

        Of a passed setup or teardown pytest needs later what was captured, and with --durations how long it took.
        """
        report.keywords = NO_KEYWORDS
        if report.when != "call" and not report.sections and self._config.option.durations is None:
            kept = self._reporter.stats.get("", []) if self._reporter is not None else []
            if kept and kept[-1] is report:
                kept.pop()

    @cached_property
    def _reporter(self) -> Any:
        return self._config.pluginmanager.get_plugin("terminalreporter")

    def _write(self, write: Callable[[], object]) -> None:
        if self._write_problem is None:
            try:
                write()
            except OSError as problem:
                self._write_problem = problem
                stop_session(
                    self._config,
                    f"a result could not be written to {self._run.folder}: {problem.strerror}. Make room, then run the "
                    "same command again: what is recorded is not asked again",
                )

    @cached_property
    def _rows_file(self) -> Path:
        self._run.folder.mkdir(parents=True, exist_ok=True)
        return self._run.folder / "results.jsonl"

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Tell Ctrl-C from a session that ends itself, which xdist reports the same way."""
        self._interrupted_by_user = excinfo.type is KeyboardInterrupt

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report, and let the exit code say whether everything was measured."""
        if self._usage_error is not None:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        if not (self._run.folder / FILE_NAME).exists():
            return
        selection = self._run.selection or Selection.load(self._run.folder)
        shared = Shared()
        rows = [shared.of(reported(row)) for row in read_rows(self._run.folder / "results.jsonl")]
        started = datetime.fromisoformat(selection.run["started"])
        # By the steady clock: the other one may have been set in the meantime.
        finished = started + timedelta(seconds=time.monotonic() - self._clock)
        self._notes += _notes_on_data(selection)
        self._report = build_report(selection, rows, finished=finished)
        self._judge(session, selection, rows, self._report)
        self._add_tables(session, selection, self._report)
        try:
            self._save(session, selection, rows, self._report)
            del rows  # the next steps read others, and a large run's are large
            self._save_page(session, selection, self._report)
            self._notes += save_artifacts(session, self._run, selection)
        except OSError as problem:
            self._notes.append(f"the report could not be written to {self._run.folder}: {problem.strerror}")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        stopped_by_failure = session.exitstatus == pytest.ExitCode.INTERRUPTED and not self._interrupted_by_user
        if stopped_by_failure or (missing_cases(self._report) and session.exitstatus == pytest.ExitCode.OK):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self._report.get("gate", {}).get("holds") is False and session.exitstatus == pytest.ExitCode.OK:
            from proctor.statistics.gate import NOT_HELD

            session.exitstatus = NOT_HELD

    def _judge(
        self, session: pytest.Session, selection: Selection, rows: Sequence[ResultRow], report: dict[str, Any]
    ) -> None:
        if self._run.gate is not None:
            try:
                report["gate"] = self._run.gate.result(report, selection, rows)
            except UsageError as problem:  # a line of the baseline's rows
                self._notes.append(f"the gate could not be judged: {problem}")
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _add_tables(self, session: pytest.Session, selection: Selection, report: dict[str, Any]) -> None:
        run = self._run

        def task_of(selected: SelectedTask) -> Task:
            return load_task(session, run.root / selected.module, f"{selected.benchmark}/{selected.task}")

        def rows() -> Iterator[ResultRow]:
            return read_rows(run.folder / "results.jsonl", only=ARTIFACT_FIELDS)

        self._notes += add_tables(report, selection, task_of, run.data.samples_of_run, rows)

    def _save(
        self, session: pytest.Session, selection: Selection, rows: Sequence[ResultRow], report: dict[str, Any]
    ) -> None:
        try:
            for task in selection.tasks:
                self._settle(task)
            if self._run.asks_live:
                settle_computed(self._run.options.cassettes_dir, {f"{t.benchmark}/{t.task}" for t in selection.tasks})
            self._notes += tend(self._run, selection, rows, report)
        except (OSError, ValueError) as problem:
            self._notes.append(f"recordings could not be brought into order: {problem}")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        save_report(report, self._run.folder)
        (self._run.folder / "report.md").write_text(markdown(report), encoding="utf-8")

    def _save_page(self, session: pytest.Session, selection: Selection, report: dict[str, Any]) -> None:
        from proctor.report.html.page import save_page
        from proctor.report.rebuilt_prompts import RebuiltPrompts

        save_page(self._run.folder, selection, report, RebuiltPrompts(session, self._run))

    def _settle(self, task: SelectedTask) -> None:
        mode = self._run.options.record_mode
        if task.cassette_file is not None and mode.records and self._run.options.keep_recordings:
            from proctor.recordings.cassette import settle

            since = self._run.description["started"][:23] if mode is RecordMode.REWRITE else None
            settle(self._run.root / task.cassette_file, rewritten_since=since)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show scores, what was not measured, and where the report is."""
        if self._usage_error is not None:
            terminalreporter.write_line(f"ERROR: {self._usage_error}", red=True)
        if self._report is None:
            return
        terminalreporter.write_sep("=", "scores")
        for line in score_table(self._report):
            terminalreporter.write_line(line)
        missing = missing_cases(self._report)
        if missing:
            terminalreporter.write_line(f"{len(missing)} selected cases never finished (status missing):", red=True)
            for name in missing[:SHOWN_MISSING]:
                terminalreporter.write_line(f"  {name}")
            if len(missing) > SHOWN_MISSING:
                terminalreporter.write_line(f"  … and {len(missing) - SHOWN_MISSING} more, listed in report.json")
        spending = spending_lines(self._run.budget, len(missing))
        for line in [*failed_cases(self._report), *spending, *self._notes]:
            terminalreporter.write_line(line)
        holds = self._report.get("gate", {}).get("holds")
        for line in gate_lines(self._report):
            terminalreporter.write_line(line, red=holds is not True)
        terminalreporter.write_line(f"report: {self._run.shown(self._run.folder / 'report.md')}")


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


def stop_session(config: pytest.Config, reason: str) -> None:
    """Let the session end as failed after the cases that run now, in this process or in all workers."""
    session: Any = config.pluginmanager.get_plugin("session")
    session.shouldfail = reason
    distributed: Any = config.pluginmanager.get_plugin("dsession")
    if distributed is not None:
        distributed.shouldstop = reason
