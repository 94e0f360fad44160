"""How far a live run is: a few lines that refresh beneath pytest's own on a terminal, plain lines anywhere else.

Only runs that may ask live show it; replays are over in seconds and keep pytest's own output. What is shown is known,
never guessed: counts, scores and spending come from the rows, requests in flight from where they are sent.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from proctor.results import NOT_MEASURED, ResultRow
from proctor.run import Run, case_of
from proctor.selection import FILE_NAME, Selection
from proctor.summary import dollars
from proctor.traffic import Counts, every, forget_published, published_counts
from proctor.workers import Workers

REDRAWN_EVERY = 0.2
"""Seconds between two updates on a terminal."""

FIRST_LINE_AFTER = 5.0
"""Seconds; a run that is over sooner writes no plain line."""

LINE_EVERY = 10.0
"""Least seconds between two plain lines, which also lie 1 % of the cases or a minute apart."""

RATE_WINDOW = 60.0
"""Seconds by whose rate the time that is left is told."""

FEWEST_FOR_RATE = 3
MOST_TASK_LINES = 8
MOST_TASKS_IN_A_LINE = 3


def show_progress(config: pytest.Config, run: Run, workers: Workers) -> None:
    """Set up what this process does for the progress of a live run: show it, or tell the controller."""
    plugin = Teller(run, workers) if workers.is_worker else Progress(config, run)
    config.pluginmanager.register(plugin, "proctor-progress")


class Teller:
    """In a worker: tells the controller how many requests are in flight."""

    def __init__(self, run: Run, workers: Workers) -> None:
        self._run = run
        self._worker = workers.id

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Publish the counts while tests run."""
        with self._run.traffic.published(self._run.folder, self._worker):
            return (yield)


@dataclass
class Tally:
    """The cases of one task and model that are done.

    Args:
        name: Task and model.
        metric: The headline metric.
        total: How many cases were selected.
    """

    name: str
    metric: str
    total: int
    _values: dict[tuple[str, int], float] = field(default_factory=dict)
    _sum: float = 0.0

    def add(self, row: ResultRow) -> None:
        """Count a row; a case with two rows (a rerun) counts with the last."""
        case = (row["sample_id"], row["epoch"])
        value = row["scores"]["strict"][self.metric]
        self._sum += value - self._values.get(case, 0.0)
        self._values[case] = value

    @property
    def done(self) -> int:
        """How many cases have a row."""
        return len(self._values)

    @property
    def begun(self) -> bool:
        """Whether some cases are done and some are not."""
        return 0 < self.done < self.total

    @property
    def score(self) -> str:
        """The strict headline metric of the cases done so far, in words."""
        return f"{self.metric} {self._sum / self.done:.3f}" if self.done else f"{self.metric} -"


class Tallies:
    """All that is known of a run's rows.

    Args:
        selection: What the run set out to measure.
        now: Seconds of a monotonic clock, as everywhere here.
    """

    def __init__(self, selection: Selection, now: float) -> None:
        self.started = now
        self.errors = 0
        self._tallies = {
            (task.benchmark, task.task, task.model): Tally(
                _harmless(f"{task.benchmark}/{task.task} {task.model}"), next(iter(task.metrics)), len(task.cases)
            )
            for task in selection.tasks
        }
        self._spent = 0.0
        self._unpriced = 0
        self._asked = 0
        self._landings = deque([(now, 0)])

    def add(self, row: ResultRow, now: float) -> None:
        """Count a row."""
        tally = self._tallies.get((row["benchmark"], row["task"], row["model"]))
        if tally is None:
            return
        tally.add(row)
        self.errors += row["status"] in NOT_MEASURED
        asked = row["source"] in ("recorded", "live")
        if asked and row["cost_usd"] is not None:
            self._spent += row["cost_usd"]
        elif asked:
            self._unpriced += 1
        self._asked += asked or row["status"] == "error"
        if now - self._landings[-1][0] >= 1:
            self._landings.append((now, self._asked))
            while self._landings[1][0] < now - RATE_WINDOW:
                self._landings.popleft()

    @property
    def tasks(self) -> Sequence[Tally]:
        """One tally per task and model."""
        return tuple(self._tallies.values())

    @property
    def done(self) -> int:
        """How many cases are done."""
        return sum(tally.done for tally in self.tasks)

    @property
    def total(self) -> int:
        """How many cases were selected."""
        return sum(tally.total for tally in self.tasks)

    @property
    def spent(self) -> str:
        """What the answers of this run cost, in words; replayed ones cost nothing."""
        if not self._unpriced:
            return dollars(self._spent)
        return f"more than {dollars(self._spent)}" if self._spent else "cost unknown"

    def seconds_left(self, now: float) -> float | None:
        """Until the end at the rate of the last minute; ``None`` while there is no rate to speak of.

        Replayed cases land all at once and say nothing about the next answer, so only asked ones make the rate.
        """
        since, before = self._landings[0]
        landed = self._asked - before
        if landed < FEWEST_FOR_RATE or now - since < 1:
            return None
        return (self.total - self.done) * (now - since) / landed


def facts(tallies: Tallies, counts: Counts | None, now: float, *, ending: str = "") -> list[str]:
    """What is known of the whole run, beside how many cases are done.

    Args:
        tallies: The rows so far.
        counts: Requests in flight and retries, if known.
        now: The time.
        ending: ``stopping`` if the run only waits for what is in flight, ``stopped`` after that.
    """
    found = []
    if tallies.errors:
        found.append(_counted(tallies.errors, "not measured", "not measured"))
    unfinished = tallies.done < tallies.total
    if counts is not None:
        found += [f"{counts.in_flight} in flight"] if unfinished and ending != "stopped" else []
        found.append(_counted(counts.retries, "retry", "retries"))
    found.append(tallies.spent)
    left = tallies.seconds_left(now)
    if ending and unfinished:
        found.append(ending)
    elif left:
        found.append(f"about {duration(left)} left")
    return found


def plain_line(tallies: Tallies, known: Sequence[str], now: float) -> str:
    """The state of the run in one line for a log."""
    begun = [tally for tally in tallies.tasks if tally.begun or len(tallies.tasks) == 1]
    parts = [f"{tallies.done}/{tallies.total} done"]
    for tally in begun[:MOST_TASKS_IN_A_LINE]:
        count = "" if len(tallies.tasks) == 1 else f"{tally.done}/{tally.total} "
        parts.append(f"{tally.name} {count}{tally.score}")
    if len(begun) > MOST_TASKS_IN_A_LINE:
        parts.append(f"{len(begun) - MOST_TASKS_IN_A_LINE} more tasks begun")
    return f"proctor: after {duration(now - tallies.started)}: {', '.join([*parts, *known])}"


def block_lines(tallies: Tallies, known: Sequence[str], *, columns: int, rows: int, tasks: bool) -> list[str]:
    """The state of the run in a few lines for a terminal of this size, the whole run last.

    Args:
        tallies: The rows so far.
        known: What is known beside.
        columns: Width of the terminal.
        rows: Its height.
        tasks: Whether to show each task.
    """
    facts_lines = _filled([f"{tallies.done}/{tallies.total} done", *known], columns - 1)
    room = min(MOST_TASK_LINES, rows - len(facts_lines) - 3)
    lines = []
    if tasks and room > 0:
        # What moves comes first; the order among equals stays that of the selection.
        ordered = sorted(tallies.tasks, key=lambda tally: (not tally.begun, tally.done == tally.total))
        shown = ordered[:room] if len(ordered) <= room else ordered[: room - 1]
        width = max(len(str(tally.total)) for tally in shown) if shown else 0
        scores = max(len(tally.score) for tally in shown) if shown else 0
        lines = [
            f"{tally.done:>{width}}/{tally.total:<{width}} {100 * tally.done // max(1, tally.total):>3}%  "
            f"{tally.score:<{scores}}  {tally.name}"
            for tally in shown
        ]
        others = ordered[len(shown) :]
        if others:
            done = sum(tally.done == tally.total for tally in others)
            lines.append(f"and {_counted(len(others), 'more task', 'more tasks')}, {done} of them done")
    return [line[: columns - 1] for line in [*lines, *facts_lines]]


def duration(seconds: float) -> str:
    """Seconds in words that get coarser as they grow."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _filled(parts: Iterable[str], width: int) -> list[str]:
    """The parts joined by commas, in as many lines as they need."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= width:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return [line + "," for line in lines[:-1]] + lines[-1:]


def _harmless(name: str) -> str:
    """A name that takes one column a character and cannot steer a terminal."""
    return "".join(character if character.isascii() and character.isprintable() else "?" for character in name)


class Block:
    """Lines beneath pytest's output that refresh in place.

    The cursor always stays where pytest left it: the lines are written below it, and the cursor goes back. So there is
    no state of the terminal to restore, however the run ends; erasing from the cursor downwards removes the block.
    pytest's terminal writer is wrapped, as pytest's own pastebin plugin does it, so that the block makes way.

    Args:
        writer: pytest's terminal writer.
        fileno: The terminal. It is duplicated: pytest's capture points the original elsewhere while a test runs.
    """

    def __init__(self, writer: Any, fileno: int) -> None:
        self._writer = writer
        self._write = writer.write
        self._terminal = os.fdopen(os.dup(fileno), "wb", buffering=0)
        self._lock = threading.Lock()  # the thread that refreshes, and the one that runs tests
        self._lines: Sequence[str] = ()
        self._unfinished = ""
        writer.write = self._write_above

    @property
    def size(self) -> os.terminal_size:
        """Columns and rows of the terminal; 80 and 24 if it does not say."""
        with suppress(OSError):
            size = os.get_terminal_size(self._terminal.fileno())
            if size.columns and size.lines:
                return size
        return os.terminal_size((80, 24))

    def show(self, lines: Sequence[str]) -> None:
        """Show these lines instead."""
        with self._lock:
            if not self._terminal.closed and lines != self._lines:
                self._lines = lines
                self._draw()

    def close(self) -> None:
        """Remove the lines, and leave the terminal to pytest."""
        with self._lock:
            if not self._terminal.closed:
                self._put("\x1b[J" if self._lines else "")
                self._lines = ()
                self._terminal.close()
                self._writer.write = self._write

    def _write_above(self, text: str, *, flush: bool = False, **markup: bool) -> None:
        with self._lock:
            shown = bool(self._lines)
            moves = shown and ("\n" in text or len(self._unfinished) + len(text) >= self.size.columns)
            if moves:
                self._put("\x1b[J")
            self._write(text, flush=flush or shown, **markup)
            self._unfinished = re.split("[\r\n]", self._unfinished + text)[-1]
            if moves:
                self._draw()

    def _draw(self) -> None:
        column = len(self._unfinished) % self.size.columns
        if self._unfinished and not column:
            return  # the cursor hangs at the edge, and terminals differ in where that is
        text = "".join(f"\r\n{line}\x1b[K" for line in self._lines)
        self._put(f"{text}\x1b[J\x1b[{len(self._lines)}A\x1b[{column + 1}G")

    def _put(self, text: str) -> None:
        with suppress(OSError):  # a terminal that has gone shows nothing
            self._terminal.write(text.encode())


class Progress:
    """Shows the progress of a live run, in the process that hears of every finished case.

    Args:
        config: pytest's configuration.
        run: The run.
    """

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._config = config
        self._run = run
        self._reporter: pytest.TerminalReporter | None = None
        self._block: Block | None = None
        self._tallies: Tallies | None = None
        self._ended_workers: set[str] = set()
        self._next_line = 0.0
        self._done_at_line = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Find out where to show it: ``-qq`` and ``-p no:terminal`` show nothing."""
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or self._config.option.verbose <= -2:
            return
        self._reporter = reporter
        if self.may_refresh(reporter):
            self._block = Block(self._config.get_terminal_writer(), sys.stdout.fileno())

    def may_refresh(self, reporter: pytest.TerminalReporter) -> bool:
        """Whether lines can refresh in place: on a terminal to which nobody but pytest writes."""
        option = self._config.option
        talks = option.capture == "no" or option.usepdb or option.trace
        return bool(reporter.isatty()) and os.environ.get("TERM") != "dumb" and not talks

    def pytest_enter_pdb(self) -> None:
        """Leave the terminal to the debugger, and to pytest from there on."""
        self._close_block()

    def pytest_unconfigure(self) -> None:
        """Leave the terminal also if no test was run."""
        self._close_block()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Refresh while tests run, and say at the end how it went."""
        if any(case_of(item) for item in getattr(session, "items", ())):
            self._begin()
        refreshing = every(REDRAWN_EVERY, self._refresh) if self._block is not None else nullcontext()
        try:
            with refreshing:
                return (yield)
        finally:
            self._end()

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
            now = time.monotonic()
            self._next_line = now + FIRST_LINE_AFTER
            self._tallies = Tallies(Selection.load(self._run.folder), now)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a finished case; without a terminal, write a line now and then."""
        row: ResultRow | None = getattr(report, "proctor_row", None)
        if row is None or self._tallies is None:
            return
        now = time.monotonic()
        self._tallies.add(row, now)
        if self._block is None and now >= self._next_line:
            step = self._tallies.done - self._done_at_line
            first = not self._done_at_line
            if first or 100 * step >= self._tallies.total or now >= self._next_line - LINE_EVERY + 60:
                self._write_line(now)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self, report: Any) -> Generator[None, Any, Any]:
        """While the block counts the measured cases, leave out their letters; ``-v`` keeps its words."""
        status = yield
        if status is not None and self._block is not None and hasattr(report, "proctor_verdict"):
            category, _letter, word = status
            return (category, "", word) if report.passed else status
        return status

    def _counts(self) -> Counts | None:
        if self._config.pluginmanager.has_plugin("dsession"):
            return published_counts(self._run.folder, ended=self._ended_workers)
        return self._run.traffic.counts

    def _refresh(self) -> None:
        tallies, block = self._tallies, self._block
        if tallies is None or block is None:
            return
        columns, rows = block.size
        ending = "stopping" if self._run.stop.is_set() else ""
        known = facts(tallies, self._counts(), time.monotonic(), ending=ending)
        block.show(block_lines(tallies, known, columns=columns, rows=rows, tasks=self._config.option.verbose >= 0))

    def _write_line(self, now: float, ending: str = "") -> None:
        assert self._tallies is not None
        assert self._reporter is not None
        self._next_line = now + LINE_EVERY
        self._done_at_line = self._tallies.done
        known = facts(self._tallies, self._counts(), now, ending=ending)
        self._reporter.ensure_newline()
        writer = self._config.get_terminal_writer()
        if writer.width_of_current_line:  # the reporter does not know of a line of xdist's that is not finished
            writer.line()
        self._reporter.write_line(plain_line(self._tallies, known, now))

    def _end(self) -> None:
        refreshed = self._block is not None
        self._close_block()
        if self._tallies is None:
            return
        now = time.monotonic()
        if refreshed or now - self._tallies.started >= FIRST_LINE_AFTER:
            self._write_line(now, "stopped")
        forget_published(self._run.folder)

    def _close_block(self) -> None:
        block, self._block = self._block, None
        if block is not None:
            block.close()
