"""Asking a server that takes no more than 40 requests at once: a fixed number in flight against ``auto``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median

from perf.measurements.live import LATENCY_S
from perf.model_server import Stats
from perf.processes import Cost, Costs, interleaved
from perf.table import Quantity, Row
from perf.workplace import Workplace

PART = "limited"
TAKES = 40
RETRY_AFTER_S = {"no Retry-After": 0.0, "Retry-After: 1": 1.0}
CHOICES = ("15", "64", "auto")
ONCE = 1
"""Runs of each command: no budget hangs on them, and they take long."""


def limited(place: Workplace) -> Sequence[Row]:
    """All questions of sgqa at each ``--concurrency``, of servers that say how long to wait, and of others."""
    seen: dict[str, list[Stats]] = {}
    ways = {f"{choice}, {said}": (choice, wait) for said, wait in RETRY_AFTER_S.items() for choice in CHOICES}
    costs = interleaved(
        {name: partial(_run, place, name, *way, seen.setdefault(name, [])) for name, way in ways.items()},
        ONCE,
    )
    place.keep(PART, costs)
    return [row for name in ways for row in _rows(place, name, costs[name], seen[name])]


def _run(place: Workplace, name: str, choice: str, retry_after_s: float, seen: list[Stats]) -> Cost:
    """One run from nothing: no recordings, and a server that has seen nothing."""
    place.server.reset(latency_s=LATENCY_S, takes=TAKES, retry_after_s=retry_after_s)
    cost = place.pytest(
        "benchmarks/tsg/test_sgqa.py",
        "--record-mode=new_episodes",
        f"--concurrency={choice}",
        f"--cassettes-dir={place.folder / PART / name / str(len(seen))}",
        folder=place.project,
        environment=place.online,
    )
    seen.append(place.server.stats)
    return cost


def _rows(place: Workplace, name: str, costs: Costs, seen: list[Stats]) -> Iterator[Row]:
    ideal = Quantity(math.ceil(place.scale.questions / TAKES) * LATENCY_S, "s")
    answering = Quantity(median(stats.last - stats.first for stats in seen), "s")
    what = f"{place.scale.questions} answers, 40 at once, --concurrency {name}"
    yield Row(PART, f"{what}: first request to last answer", answering, ideal, "ideal")
    yield Row(PART, f"{what}: whole command", Quantity(costs.wall_s, "s"), ideal, "ideal")
    requests = Quantity(median(stats.requests for stats in seen), "")
    yield Row(PART, f"{what}: requests", requests, Quantity(place.scale.questions, ""), "answers")
    yield Row(PART, f"{what}: turned away", Quantity(median(stats.turned_away for stats in seen), ""))
