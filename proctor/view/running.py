"""How a run is doing that has no report yet, told by the files of its folder alone."""

from __future__ import annotations

import threading
import time
from collections import deque
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
from proctor.statistics.aggregates import Measured, metrics_of
from proctor.statistics.comparison import compared

NEWEST = 12
LONGEST = 600
"""Characters of an answer that are shown while a run goes on."""
SILENT_AFTER = 60.0
"""Seconds without a sign of life after which a run may have been cut short."""


@dataclass
class _Task:
    selected: ManifestTask
    cases: Mapping[CaseKey, ManifestCase]
    rows: dict[CaseKey, ResultRow] = field(default_factory=dict)
    told: dict[str, Any] | None = None  # until another row comes


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
        self._offset = 0
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
        if file.stat().st_size < self._offset:  # the run was begun anew
            self._begin()
        with file.open("rb") as lines:
            lines.seek(self._offset)
            for line in lines:
                if not line.endswith(b"\n"):
                    break  # the rest is being written
                self._offset += len(line)
                self._take(line)

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
        task.rows[CaseKey.of(row)] = compared(row)
        task.told = None
        if row["source"] in ("recorded", "live"):
            self._spent += row["cost_usd"] or 0.0
            self._unpriced += row["cost_usd"] is None
        self._newest.append(_newest(task.selected, row))

    def _told(self, task: _Task) -> dict[str, Any]:
        if task.told is None:
            selected = task.selected
            done = [Measured(task.cases[key], row) for key, row in task.rows.items()]
            statuses: dict[str, int] = {}
            for measured in done:
                statuses[measured.status] = statuses.get(measured.status, 0) + 1
            task.told = {
                "task": selected.name,
                "model": selected.model,
                "metric": selected.headline,
                "scale": list(selected.scale),
                "total": len(selected.cases),
                "done": len(done),
                "statuses": statuses,
                "not_measured": sum(count for status, count in statuses.items() if status in NOT_MEASURED),
                "scores": dict(_scores(selected, done)),
            }
        return task.told


def _scores(selected: ManifestTask, done: list[Measured]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The headline metric of the cases that are done, by family, with its interval."""
    clusters = [measured.case.cluster for measured in done]
    for metric in metrics_of(selected, done):
        if metric.name == selected.headline:
            found = metric.estimate(clusters, range(len(done)))
            bounds = None if found.ci95 is None else list(found.ci95)
            yield metric.family, {"value": found.value, "ci95": bounds, "n": found.n}


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
