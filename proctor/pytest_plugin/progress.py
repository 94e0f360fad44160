"""How far a live run is: a few lines that refresh beneath pytest's own on a terminal, plain lines anywhere else.

Only runs that may ask live show it; replays are over in seconds and keep pytest's own output. What is shown is known,
never guessed: counts, scores and spending come from the rows, requests in flight from where they are sent.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Generator
from typing import Any

import pytest

from proctor.live.breaker import given_up_line
from proctor.live.rate_limiter import remove_backoff_markers
from proctor.live.request_counts import RequestCounts, every, forget_published, published_counts
from proctor.pytest_plugin.internals import Writer, finish_line, is_distributed, replace_write, reporter_of
from proctor.pytest_plugin.items import case_of
from proctor.pytest_plugin.progress_state import RunProgress, block_lines, facts, plain_line
from proctor.pytest_plugin.terminal_block import TerminalBlock
from proctor.pytest_plugin.workers import Workers
from proctor.results.manifest import FILE_NAME, Manifest
from proctor.results.row import ResultRow, decoded_row
from proctor.run.run import Run

REDRAWN_EVERY = 0.2
"""Seconds between two updates on a terminal."""

FIRST_LINE_AFTER = 5.0
"""Seconds; a run that is over sooner writes no plain line."""

LINE_EVERY = 10.0
"""Least seconds between two plain lines that finished cases bring, which also lie 1 % of the cases apart."""

SILENT_FOR = 25.0
"""Seconds after which a plain line comes whatever happens."""

LOOK_EVERY = 1.0
"""Seconds between two looks whether there is something to say in a log."""


def show_progress(config: pytest.Config, run: Run, workers: Workers) -> None:
    """Set up what this process does for the progress of a live run: show it, and tell others.

    Args:
        config: pytest's.
        run: The run.
        workers: What this process is among those of the run.
    """
    if not workers.is_worker:
        config.pluginmanager.register(ProgressDisplay(config, run), "proctor-progress")
    if workers.is_worker or not is_distributed(config):
        config.pluginmanager.register(ProgressPublisher(run, workers), "proctor-progress-published")


class ProgressPublisher:
    """Tells other processes how many requests of this one are in flight: the controller, and ``proctor view``."""

    def __init__(self, run: Run, workers: Workers) -> None:
        self._run = run
        self._worker = workers.id

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Publish the counts while tests run."""
        if not self._run.folder.is_dir():  # nothing was selected
            return (yield)
        try:
            with self._run.live.requests.published(self._run.folder, self._worker):
                return (yield)
        finally:
            if not self._worker:  # those of workers are read once more at the end
                forget_published(self._run.folder)


class ProgressDisplay:
    """Shows the progress of a live run, in the process that hears of every finished case.

    Args:
        config: pytest's configuration.
        run: The run.
    """

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._config = config
        self._run = run
        self._reporter: pytest.TerminalReporter | None = None
        self._block: TerminalBlock | None = None
        self._tallies: RunProgress | None = None
        self._ended_workers: set[str] = set()
        self._debugs = False
        self._told: set[str] = set()
        self._writing = threading.RLock()  # the thread that looks, and the one that runs tests
        self._write: Writer | None = None
        self._last_line = 0.0
        self._done_at_line: int | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Find out where to show it: ``-qq`` and ``-p no:terminal`` show nothing."""
        reporter = reporter_of(self._config)
        if reporter is None or self._config.option.verbose <= -2:
            return
        self._reporter = reporter
        if self.may_refresh(reporter):
            self._block = TerminalBlock(self._config, sys.stdout.fileno())

    def may_refresh(self, reporter: pytest.TerminalReporter) -> bool:
        """Whether lines can refresh in place: on a terminal to which nobody but pytest writes."""
        option = self._config.option
        talks = option.capture == "no" or option.usepdb or option.trace
        return bool(reporter.isatty()) and os.environ.get("TERM") != "dumb" and not talks

    def pytest_enter_pdb(self) -> None:
        """Leave the terminal to the debugger, and to pytest from there on."""
        self._close_block()
        self._debugs = True

    def pytest_leave_pdb(self) -> None:
        """Go on in plain lines."""
        self._debugs = False

    def pytest_unconfigure(self) -> None:
        """Leave the terminal also if no test was run."""
        self._close_block()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Refresh while tests run, and say at the end how it went."""
        if any(case_of(item) for item in getattr(session, "items", ())):
            self._begin()
        if self._block is None and self._reporter is not None:
            self._write = replace_write(self._config, self._write_in_turn)
        try:
            with every(LOOK_EVERY if self._block is None else REDRAWN_EVERY, self._look):
                return (yield)
        finally:
            self._end()
            if self._write is not None:
                replace_write(self._config, self._write)

    def _write_in_turn(self, text: str, *, flush: bool = False, **markup: bool) -> None:
        assert self._write is not None
        with self._writing:
            self._write(text, flush=flush, **markup)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        """Take up what the first worker has written down."""
        if self._tallies is None:
            self._begin()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Nothing is in flight from a worker that has ended."""
        self._ended_workers.add(node.gateway.id)

    def _begin(self) -> None:
        if self._reporter is not None and (self._run.folder / FILE_NAME).exists():
            self._last_line = now = time.monotonic()
            self._tallies = RunProgress(Manifest.load(self._run.folder), now)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a finished case; without a terminal, write a line now and then."""
        row: ResultRow | bytes | None = getattr(report, "proctor_row", None)
        if row is None or self._tallies is None:
            return
        now = time.monotonic()
        self._tallies.add(decoded_row(row) if isinstance(row, bytes) else row, now)
        if self._block is None:
            first, step = self._done_at_line is None, self._tallies.done - (self._done_at_line or 0)
            due = self._last_line + (FIRST_LINE_AFTER if first else LINE_EVERY)
            if now >= due and (first or 100 * step >= self._tallies.total):
                self._write_line(now)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self, report: Any) -> Generator[None, Any, Any]:
        """While the block counts the measured cases, leave out their letters; ``-v`` keeps its words."""
        status = yield
        if status is not None and self._block is not None and hasattr(report, "proctor_verdict"):
            category, _letter, word = status
            return (category, "", word) if report.passed else status
        return status

    def _counts(self) -> RequestCounts | None:
        if is_distributed(self._config):
            return published_counts(self._run.folder, ended=self._ended_workers)
        return self._run.live.requests.counts

    def _look(self) -> None:
        tallies, block, counts, now = self._tallies, self._block, self._counts(), time.monotonic()
        self._tell(counts)
        ending = "stopping" if self._run.live.is_stopped else ""
        if tallies is None or self._debugs:
            return
        if block is None:
            if now >= self._last_line + SILENT_FOR:
                self._write_line(now, ending)
            return
        columns, rows = block.size
        known = facts(tallies, counts, now, ending=ending)
        block.show(block_lines(tallies, known, columns=columns, rows=rows, tasks=self._config.option.verbose >= 0))

    def _tell(self, counts: RequestCounts | None) -> None:
        """Say at once that a model is asked no more; here it is known to the end, whichever process found it out."""
        for model, reason in counts.given_up.items() if counts is not None else ():
            self._run.live.requests.give_up(model, reason)
            if model not in self._told and self._reporter is not None:
                self._told.add(model)
                self._say(given_up_line(model, reason), red=True)

    def _say(self, line: str, **markup: bool) -> None:
        assert self._reporter is not None
        with self._writing:
            finish_line(self._config, self._reporter)
            self._reporter.write_line(line, **markup)

    def _write_line(self, now: float, ending: str = "") -> None:
        assert self._tallies is not None
        self._last_line, self._done_at_line = now, self._tallies.done
        known = facts(self._tallies, self._counts(), now, ending=ending)
        self._say(plain_line(self._tallies, known, now))

    def _end(self) -> None:
        refreshed = self._block is not None
        self._close_block()
        self._tell(self._counts())
        if self._tallies is None:
            return
        now = time.monotonic()
        if refreshed or now - self._tallies.started >= FIRST_LINE_AFTER:
            self._write_line(now, "stopped")
        forget_published(self._run.folder)
        remove_backoff_markers(self._run.folder)

    def _close_block(self) -> None:
        block, self._block = self._block, None
        if block is not None:
            block.close()
