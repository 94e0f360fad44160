"""The process that hears of every finished case: it writes the rows as they come, and the report at the end."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from proctor.artifacts import save_artifact
from proctor.budget import spending_lines
from proctor.conversation import RecordMode
from proctor.report import REPORTED_FIELDS, build_report, missing_cases, save_report
from proctor.results import ResultRow, append_row, read_rows
from proctor.run import Run
from proctor.selection import FILE_NAME, SelectedTask, Selection
from proctor.summary import failed_cases, markdown, score_table
from proctor.upkeep import tend
from proctor.workers import USAGE_ERROR

SHOWN_MISSING = 10


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
        node.workerinput["proctor_run"] = self._run.description

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """In a live run, let workers know at once what they will have to ask."""
        if not self._run.asks_live or config.getoption("dist") != "load":
            return None
        from proctor.scheduling import HandOutAll

        return HandOutAll(config, log)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take up what a worker found unusable before its first case."""
        self._usage_error = getattr(node, "workeroutput", {}).get(USAGE_ERROR, self._usage_error)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Write a finished case's row to disk; once others have seen it too, take it off the report."""
        carried = getattr(report, "proctor_row", None)
        if isinstance(carried, bytes):  # from a worker
            carried = report.proctor_row = json.loads(carried)  # type: ignore[attr-defined]
        if carried is not None:
            self._write(carried)
        yield
        # pytest keeps all reports to the end of the session.
        vars(report).pop("proctor_row", None)

    def _write(self, row: ResultRow) -> None:
        if self._write_problem is None:
            try:
                append_row(self._rows_file, row)
            except OSError as problem:
                self._write_problem = problem
                stop_session(
                    self._config,
                    f"a result could not be written to {self._rows_file}: {problem.strerror}. Make room, then run the "
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
        selection = Selection.load(self._run.folder)
        rows = list(read_rows(self._run.folder / "results.jsonl", only=REPORTED_FIELDS))
        started = datetime.fromisoformat(selection.run["started"])
        # By the steady clock: the other one may have been set in the meantime.
        finished = started + timedelta(seconds=time.monotonic() - self._clock)
        self._report = build_report(selection, rows, finished=finished)
        try:
            self._save(session, selection, rows, self._report)
            del rows  # the next step reads others, and a large run's are large
            self._save_artifacts(session, selection)
        except OSError as problem:
            self._notes.append(f"the report could not be written to {self._run.folder}: {problem.strerror}")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        stopped_by_failure = session.exitstatus == pytest.ExitCode.INTERRUPTED and not self._interrupted_by_user
        if stopped_by_failure or (missing_cases(self._report) and session.exitstatus == pytest.ExitCode.OK):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _save(
        self, session: pytest.Session, selection: Selection, rows: Sequence[ResultRow], report: dict[str, Any]
    ) -> None:
        try:
            for task in selection.tasks:
                self._settle(task)
            self._notes += tend(self._run, selection, rows, report)
        except (OSError, ValueError) as problem:
            self._notes.append(f"recordings could not be brought into order: {problem}")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        save_report(report, self._run.folder)
        (self._run.folder / "report.md").write_text(markdown(report), encoding="utf-8")

    def _save_artifacts(self, session: pytest.Session, selection: Selection) -> None:
        for task in selection.tasks:
            self._notes += save_artifact(session, self._run, task)

    def _settle(self, task: SelectedTask) -> None:
        mode = self._run.options.record_mode
        if task.cassette_file is not None and mode.records and self._run.options.keep_recordings:
            from proctor.cassette import settle

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
        terminalreporter.write_line(f"report: {self._run.shown(self._run.folder / 'report.md')}")


def stop_session(config: pytest.Config, reason: str) -> None:
    """Let the session end as failed after the cases that run now, in this process or in all workers."""
    session: Any = config.pluginmanager.get_plugin("session")
    session.shouldfail = reason
    distributed: Any = config.pluginmanager.get_plugin("dsession")
    if distributed is not None:
        distributed.shouldstop = reason
