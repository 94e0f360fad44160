"""How far a live run is, in numbers and in words: what `proctor.pytest_plugin.progress` shows.

What is said is known, never guessed: counts, scores and spending come from the rows, requests in flight from where
they are sent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from proctor._base.figures import dollars, duration, score
from proctor.live.request_counts import RequestCounts
from proctor.results.identity import CaseKey, TaskModel
from proctor.results.manifest import Manifest
from proctor.results.row import NOT_MEASURED, NOT_NEEDED, ResultRow

RATE_WINDOW = 60.0
"""Seconds by whose rate the time that is left is told."""
FEWEST_FOR_RATE = 3
MOST_TASK_LINES = 8
MOST_TASKS_IN_A_LINE = 3


@dataclass
class TaskProgress:
    """The cases of one task and model that are done.

    Args:
        name: Task and model.
        metric: The headline metric.
        total: How many cases were selected.
    """

    name: str
    metric: str
    total: int
    _values: dict[CaseKey, float] = field(default_factory=dict)
    _sum: float = 0.0

    def add(self, row: ResultRow) -> None:
        """Count a row; a case with two rows (a rerun) counts with the last."""
        case = CaseKey.of(row)
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
        return f"{self.metric} {score(self._sum / self.done)}" if self.done else f"{self.metric} -"


class RunProgress:
    """All that is known of a run's rows.

    Args:
        manifest: What the run set out to measure.
        now: Seconds of a monotonic clock, as everywhere here.
    """

    def __init__(self, manifest: Manifest, now: float) -> None:
        self.started = now
        self.errors = 0
        self._tallies = {
            task.identity: TaskProgress(_harmless(f"{task.name} {task.model}"), task.headline, len(task.cases))
            for task in manifest.tasks
        }
        self._spent = 0.0
        self._unpriced = 0
        self._asked = 0
        self._landings = deque([(now, 0)])

    def add(self, row: ResultRow, now: float) -> None:
        """Count a row."""
        tally = self._tallies.get(TaskModel.of(row))
        if tally is None or row["status"] == NOT_NEEDED:
            return
        tally.add(row)
        self.errors += row["status"] in NOT_MEASURED
        asked = row["source"] in ("recorded", "live")
        paid = row["cost_usd"] if (spent := row.get("spent_usd")) is None else spent
        if asked and paid is not None:
            self._spent += paid
        elif asked:
            self._unpriced += 1
        self._asked += asked or row["status"] == "error"
        if now - self._landings[-1][0] >= 1:
            self._landings.append((now, self._asked))
            while self._landings[1][0] < now - RATE_WINDOW:
                self._landings.popleft()

    @property
    def tasks(self) -> Sequence[TaskProgress]:
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


def facts(tallies: RunProgress, counts: RequestCounts | None, now: float, *, ending: str = "") -> list[str]:
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
        if unfinished and ending != "stopped":
            found += [_in_flight(counts), *_waiting(counts)]
        why = f" (the last: {_harmless(counts.last_retry)})" if counts.last_retry and unfinished else ""
        found.append(_counted(counts.retries, "retry", "retries") + why)
    found.append(tallies.spent)
    left = tallies.seconds_left(now)
    if ending and unfinished:
        found.append(ending)
    elif left:
        found.append(f"about {duration(left)} left")
    return found


def plain_line(tallies: RunProgress, known: Sequence[str], now: float) -> str:
    """The state of the run in one line for a log.

    Args:
        tallies: How far the run is.
        known: What else is to be told, in words.
        now: Seconds of a monotonic clock.
    """
    begun = [tally for tally in tallies.tasks if tally.begun or len(tallies.tasks) == 1]
    parts = [f"{tallies.done}/{tallies.total} done"]
    for tally in begun[:MOST_TASKS_IN_A_LINE]:
        count = "" if len(tallies.tasks) == 1 else f"{tally.done}/{tally.total} "
        parts.append(f"{tally.name} {count}{tally.score}")
    if len(begun) > MOST_TASKS_IN_A_LINE:
        parts.append(f"{len(begun) - MOST_TASKS_IN_A_LINE} more tasks begun")
    return f"proctor: after {duration(now - tallies.started)}: {', '.join([*parts, *known])}"


def block_lines(tallies: RunProgress, known: Sequence[str], *, columns: int, rows: int, tasks: bool) -> list[str]:
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


def _in_flight(counts: RequestCounts) -> str:
    """How many requests are in flight; with ``--concurrency auto`` also how many may be."""
    limits = counts.limits
    if len(limits) < 2:
        return f"{counts.in_flight} in flight" + "".join(f" of at most {limit}" for limit in limits.values())
    each = " + ".join(f"{limit} {_harmless(model)}" for model, limit in limits.items())
    return f"{counts.in_flight} in flight of at most {each}"


def _waiting(counts: RequestCounts) -> list[str]:
    """How many requests wait before they are sent, and for how long."""
    if not counts.waiting:
        return []
    most = "up to " if counts.waiting > 1 else ""
    return [
        f"{counts.waiting} waiting" + (f" for {most}{duration(counts.longest_wait)}" if counts.longest_wait else "")
    ]


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
