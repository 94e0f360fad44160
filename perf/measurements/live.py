"""Asking a server that answers after 300 ms, against the time that its answers alone take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median

from perf.model_server import Stats
from perf.processes import CommandFailed, Cost, Costs, interleaved
from perf.table import Quantity, Row
from perf.workplace import Workplace

PART = "live"
LATENCY_S = 0.3
MOST = {15: 1.15, 64: 1.5}
"""The budget at each number of requests in flight."""


def live(place: Workplace) -> Sequence[Row]:
    """All questions of sgqa at 15 and at 64 in flight, in one process and in two: asked, recorded, reported."""
    seen: dict[str, list[Stats]] = {}
    ways = {f"{flight} in flight, -n {workers}": (flight, workers) for flight in MOST for workers in (0, 2)}
    costs = interleaved(
        {name: partial(_run, place, name, *way, seen.setdefault(name, [])) for name, way in ways.items()},
        place.scale.repeat,
    )
    place.keep(PART, costs)
    return [row for name, way in ways.items() for row in _rows(place, name, way[0], costs[name], seen[name])]


def _run(place: Workplace, name: str, flight: int, workers: int, seen: list[Stats]) -> Cost:
    """One run from nothing: no recordings, and a server that has seen nothing."""
    place.server.reset(latency_s=LATENCY_S)
    cost = place.pytest(
        "benchmarks/tsg/test_sgqa.py",
        "--record-mode=new_episodes",
        f"--concurrency={flight}",
        f"--cassettes-dir={place.folder / 'live' / name / str(len(seen))}",
        "-n",
        str(workers),
        folder=place.project,
        environment=place.online,
    )
    stats = place.server.stats
    if stats.requests != place.scale.questions:
        raise CommandFailed(f"{stats.requests} requests were made for {place.scale.questions} questions")
    seen.append(stats)
    return cost


def _rows(place: Workplace, name: str, flight: int, costs: Costs, seen: list[Stats]) -> Iterator[Row]:
    ideal = Quantity(math.ceil(place.scale.questions / flight) * LATENCY_S, "s")
    answering = Quantity(median(stats.last - stats.first for stats in seen), "s")
    what = f"{place.scale.questions} answers, {name}"
    yield Row(PART, f"{what}: first request to last answer", answering, ideal, "ideal", most_ratio=MOST[flight])
    yield Row(PART, f"{what}: whole command", Quantity(costs.wall_s, "s"), ideal, "ideal", most_ratio=MOST[flight])
    yield Row(PART, f"{what}: CPU", Quantity(costs.cpu_s, "s"))
    yield Row(PART, f"{what}: memory, all processes", Quantity(costs.tree_mb, "MB"))
    peak = Quantity(max(stats.peak for stats in seen), "")
    yield Row(
        PART, f"{what}: most in flight, as the server counted", peak, Quantity(flight, ""), "asked for", most=flight
    )
