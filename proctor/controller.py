"""The process that hears of every finished case: it writes the rows as they come, and the report at the end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import pytest

from proctor.distributed.workers import APART, RUN_DESCRIPTION, USAGE_ERROR, is_apart
from proctor.results import append_row
from proctor.run import Run
from proctor.selection import FILE_NAME, Selection
from proctor.task import MARKER

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
        from proctor.ending import end

        selection = self._run.selection or Selection.load(self._run.folder)
        # By the steady clock: the other one may have been set in the meantime.
        ended = end(session, self._run, selection, seconds=time.monotonic() - self._clock)
        self._notes += ended.notes
        self._report = ended.report
        stopped_by_failure = session.exitstatus == pytest.ExitCode.INTERRUPTED and not self._interrupted_by_user
        if ended.failed or stopped_by_failure:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = ended.exit_status

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show scores, what was not measured, and where the report is."""
        if self._usage_error is not None:
            terminalreporter.write_line(f"ERROR: {self._usage_error}", red=True)
        if self._report is None:
            return
        from proctor.ending import summary_lines

        terminalreporter.write_sep("=", "scores")
        for line, is_bad in summary_lines(self._run, self._report, self._notes):
            terminalreporter.write_line(line, red=is_bad)


def stop_session(config: pytest.Config, reason: str) -> None:
    """Let the session end as failed after the cases that run now, in this process or in all workers."""
    session: Any = config.pluginmanager.get_plugin("session")
    session.shouldfail = reason
    distributed: Any = config.pluginmanager.get_plugin("dsession")
    if distributed is not None:
        distributed.shouldstop = reason
