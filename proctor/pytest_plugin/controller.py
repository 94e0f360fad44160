"""The process that hears of every finished case: it writes the rows as they come, and the report at the end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import pytest

from proctor._base.errors import legible
from proctor._base.files import write_whole
from proctor.pytest_plugin.internals import forget_report, is_distributed, is_run_again, reporter_of, stop_session
from proctor.pytest_plugin.other_plugins import HTML
from proctor.pytest_plugin.project_tasks import ProjectTasks
from proctor.pytest_plugin.workers import APART, RECORDINGS, RUN_DESCRIPTION, USAGE_ERROR, is_apart
from proctor.results.manifest import FILE_NAME, Manifest
from proctor.results.prompts import PromptsFile
from proctor.results.row import ROWS_NAME, append_result
from proctor.run.run import Run
from proctor.tasks.marker import MARKER

if TYPE_CHECKING:
    from proctor.recordings.carried import Receiver

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
        self._measured_again = False
        self._clock = time.monotonic()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a new worker which run it is part of."""
        node.workerinput[RUN_DESCRIPTION] = self._run.description
        node.workerinput[APART] = is_apart(node.gateway.spec)
        if is_apart(node.gateway.spec) and self._run.asks_live and self._run.options.keep_recordings:
            node.workerinput[RECORDINGS] = channel = node.gateway.newchannel()
            self._receiver.listen(channel)

    @cached_property
    def _receiver(self) -> Receiver:
        from proctor.recordings.carried import Receiver

        return Receiver(self._run.options.cassettes_dir, self._run.detector)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: Sequence[Any]) -> None:
        """Say what workers in other places cannot do."""
        if not any(is_apart(spec) for spec in specs) or not self._run.asks_live:
            return
        if self._run.live.budget is not None:
            raise pytest.UsageError(
                "--max-cost cannot be kept by workers in other folders or on other machines: they do not see what the "
                "others spend\n  Leave it out, or run shards (--shard K/N), each with a limit of its own."
            )

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """In a live run, let workers know at once what they will have to ask."""
        if not self._run.asks_live or config.getoption("dist") != "load":
            return None
        from proctor.pytest_plugin.scheduling import HandOutAll

        return HandOutAll(config, log)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take up what a worker found unusable before its first case."""
        self._usage_error = getattr(node, "workeroutput", {}).get(USAGE_ERROR, self._usage_error)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Write a finished case's row to disk; once others have seen it too, take it off the report."""
        manifest = vars(report).pop("proctor_selection", None)
        if manifest is not None:  # from a worker in another place; all of them send the same
            self._write(lambda: write_whole(self._rows_file.with_name(FILE_NAME), manifest))
        if "_receiver" in vars(self) and self._receiver.problem is not None:
            stop_session(self._config, self._receiver.problem)
        if is_run_again(report):
            vars(report).pop("proctor_row", None)  # the last row of a case counts
            self._measured_again |= report.when == "teardown"  # whose row is written already
        carried = getattr(report, "proctor_row", None)
        if carried is not None:
            self._write(lambda: append_result(self._rows_file, carried))
        prompt = vars(report).pop("proctor_prompt", None)
        if prompt is not None:
            self._write(lambda: self._prompts.take(prompt))
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
        if not self._config.pluginmanager.hasplugin(HTML):  # which asks when all is over
            report.user_properties = []
        needed = report.when == "call" or report.sections or self._config.option.durations is not None
        if not needed and self._reporter is not None:
            forget_report(self._reporter, report)

    @cached_property
    def _reporter(self) -> pytest.TerminalReporter | None:
        return reporter_of(self._config)

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
        return self._run.folder / ROWS_NAME

    @cached_property
    def _prompts(self) -> PromptsFile:
        return PromptsFile(self._rows_file.parent, several=is_distributed(self._config))

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
        from proctor.report.finalize import finalize

        if self._measured_again:
            from proctor.results.run_folder import keep_last

            self._write(lambda: keep_last(self._rows_file))
        manifest = self._run.manifest or Manifest.load(self._run.folder)
        tasks = self._tasks(session)
        # By the steady clock: the other one may have been set in the meantime.
        ended = finalize(
            self._run,
            manifest,
            lambda selected: tasks.find(selected.name),
            seconds=time.monotonic() - self._clock,
        )
        self._notes += [*ended.notes, *self._run.program_notes]
        self._report = ended.report
        stopped_by_failure = session.exitstatus == pytest.ExitCode.INTERRUPTED and not self._interrupted_by_user
        if ended.failed or stopped_by_failure:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = ended.exit_status

    def _tasks(self, session: pytest.Session) -> ProjectTasks:
        """The tasks that were collected; where workers did that, those of what pytest was told to collect."""
        here = session.config.invocation_params.dir
        told = [here / argument.partition("::")[0] for argument in session.config.args]
        return ProjectTasks(
            session, known=self._run.collected.tasks, more=told, foreign=[self._run.options.reports_dir]
        )

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show scores, what was not measured, and where the report is."""
        if self._usage_error is not None:
            terminalreporter.write_line(f"ERROR: {self._usage_error}", red=True)
        if self._report is None:
            return
        from proctor.report.finalize import summary_lines
        from proctor.report.score_table import UNLIMITED, fitted

        width = self._config.get_terminal_writer().fullwidth
        # A file, such as a job's log, has no edge at which a line would wrap; whoever searches it wants whole lines.
        edge = width if terminalreporter.isatty or os.environ.get("COLUMNS") else UNLIMITED
        brief = self._config.get_verbosity() < 0
        terminalreporter.write_sep("=", "scores")
        for line, is_bad in summary_lines(self._run, self._report, self._notes, width=width, brief=brief):
            for part in fitted(legible(line), edge):
                terminalreporter.write_line(part, red=is_bad)
        if os.environ.get("GITHUB_ACTIONS") == "true" and self._report.get("gate") is not None:
            from proctor.report.github import gate_annotation

            for line in gate_annotation(self._report):
                terminalreporter.write_line(legible(line))
