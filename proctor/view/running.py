"""How a run is doing that has no report yet, told by the files of its folder alone."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor._base.shapes import Wrong, parsed
from proctor.live.request_counts import FILE_PREFIX, published_counts
from proctor.results.identity import CaseKey, TaskModel
from proctor.results.manifest import FILE_NAME, ManifestCase, ManifestTask
from proctor.results.row import NOT_MEASURED, ROWS_NAME, ResultRow
from proctor.results.saved_fields import row_check
from proctor.results.saved_run import SavedRun
from proctor.statistics.aggregates import Measured, Metric
from proctor.statistics.comparison import compared
from proctor.tasks.score import FAMILIES

NEWEST = 12
LONGEST = 600
"""Characters of an answer that are shown while a run goes on."""
READ_AT_ONCE = 4_000_000
"""Bytes of rows that one look reads: half a second's work, so that a page is there at once, and says how far it is."""
FEW = 2_000
PART = 20
"""Scores are computed anew with each row while there are few, and then when there are a twentieth more."""
SILENT_AFTER = 60.0
"""Seconds without a sign of life after which a run may have been cut short."""


@dataclass
class _Task:
    selected: ManifestTask
    cases: Mapping[CaseKey, ManifestCase]
    rows: dict[CaseKey, ResultRow] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    scored: int = -1
    """How many rows the scores are of."""
    scores: dict[str, Any] = field(default_factory=dict)


class RunningRun:
    """Follows a run: what it has written since the last look is read, and nothing twice.

    Args:
        folder: Its folder.

    Raises:
        DataError: If what it selected cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._manifest = SavedRun.load(folder).manifest
        self._check = row_check(self._manifest)
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self._offset = self._behind = 0
        self._unread = 0
        self._newest: deque[dict[str, Any]] = deque(maxlen=NEWEST)
        self._spent, self._unpriced = 0.0, 0
        self._tasks = {
            task.identity: _Task(task, {case.key: case for case in task.cases}) for task in self._manifest.tasks
        }

    def state(self) -> dict[str, Any]:
        """How it is doing now: what its page shows."""
        with self._lock:
            self._read()
            counts = published_counts(self.folder, ended=())
            tasks = [self._told(task) for task in self._tasks.values()]
            silent = time.time() - self._sign_of_life()
            return {
                "behind": self._behind,
                "run": {name: self._manifest.run.get(name) for name in ("id", "started", "command")},
                "ended": (self.folder / "report.json").is_file(),
                "silent_s": round(max(0.0, silent), 1) if silent > SILENT_AFTER else None,
                "total": sum(task["total"] for task in tasks),
                "done": sum(task["done"] for task in tasks),
                "not_measured": sum(task["not_measured"] for task in tasks),
                "in_flight": counts and counts.in_flight,
                "retries": counts and counts.retries,
                "waiting": counts and counts.waiting,
                "given_up": dict(counts.given_up) if counts else {},
                "spent": self._spent,
                "unpriced": self._unpriced,
                "unread": self._unread,
                "tasks": tasks,
                "newest": list(reversed(self._newest)),
            }

    def _sign_of_life(self) -> float:
        """When the run last wrote anything, as file systems tell time."""
        files = (self.folder / FILE_NAME, self.folder / ROWS_NAME, *self.folder.glob(f"{FILE_PREFIX}*"))
        return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)

    def _read(self) -> None:
        file = self.folder / ROWS_NAME
        if not file.is_file():
            return
        size, until = file.stat().st_size, self._offset + READ_AT_ONCE
        if size < self._offset:  # the run was begun anew
            self._begin()
        with file.open("rb") as lines:
            lines.seek(self._offset)
            for line in lines:
                if not line.endswith(b"\n"):
                    break  # the rest is being written
                self._offset += len(line)
                self._take(line)
                if self._offset >= until:
                    break
        self._behind = max(0, size - until)

    def _take(self, line: bytes) -> None:
        try:
            row: ResultRow = parsed(line)
            self._check(row)
        except Wrong:
            self._unread += 1
            return
        task = self._tasks.get(TaskModel.of(row))
        if task is None or CaseKey.of(row) not in task.cases:
            return
        before = task.rows.get(CaseKey.of(row))
        if before is not None:
            task.statuses[before["status"]] -= 1
            task.scored = -1
        task.statuses[row["status"]] += 1
        task.rows[CaseKey.of(row)] = compared(row)
        if row["source"] in ("recorded", "live"):
            self._spent += row["cost_usd"] or 0.0
            self._unpriced += row["cost_usd"] is None
        self._newest.append(_newest(task.selected, row))

    def _told(self, task: _Task) -> dict[str, Any]:
        selected, done = task.selected, len(task.rows)
        is_due = done < FEW or done == len(selected.cases) or done - task.scored >= done // PART
        if task.scored != done and is_due and not self._behind:
            measured = [Measured(task.cases[key], row) for key, row in task.rows.items()]
            task.scores, task.scored = dict(_scores(selected, measured)), done
        return {
            "task": selected.name,
            "model": selected.model,
            "metric": selected.headline,
            "scale": list(selected.scale),
            "total": len(selected.cases),
            "done": done,
            "statuses": {status: count for status, count in task.statuses.items() if count},
            "not_measured": sum(task.statuses[status] for status in NOT_MEASURED),
            "scores": task.scores,
        }


def _scores(selected: ManifestTask, done: list[Measured]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The headline metric of the cases that are done, by family, with its interval."""
    clusters = [measured.case.cluster for measured in done]
    worst, best = selected.metrics[selected.headline], selected.best.get(selected.headline, 1.0)
    for family in FAMILIES:
        found = Metric.of(done, selected.headline, family, worst, best).estimate(clusters, range(len(done)))
        bounds = None if found.ci95 is None else list(found.ci95)
        yield family, {"value": found.value, "ci95": bounds, "n": found.n}


def _newest(selected: ManifestTask, row: ResultRow) -> dict[str, Any]:
    text = row["response_text"]
    return {
        "task": selected.name,
        "model": selected.model,
        "sample_id": row["sample_id"],
        "epoch": row["epoch"],
        "status": row["status"],
        "score": row["scores"]["strict"].get(selected.headline),
        "scale": list(selected.scale),
        "answer": None if text is None else text[:LONGEST],
        "cut": text is not None and len(text) > LONGEST,
        "error": (row["error"] or "")[:LONGEST] or None,
        "latency_s": row["latency_s"],
    }
