"""Asking a server that answers after 300 ms, and at once, beside a bare script: a pool of threads with the same SDK."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import median

from perf.model_server import Stats
from perf.processes import CommandFailed, Cost, Costs, interleaved
from perf.table import Quantity, Row
from perf.workplace import Workplace

PART = "live"
LATENCY_S = 0.3
MOST = {15: 1.08, 64: 1.30}
"""The budget at each number of requests in flight, in times the ideal."""
MOST_MB = 100
POOL = "thread pool"
CEILING = 64
"""Requests in flight where answers come at once."""
MOST_OF_POOL = 1 / 0.7
MOST_OF_ONE = 1 / 1.5
WORKERS = ("-n", "2", "-o", "proctor_max_workers=2")
"""Real workers for benchmarks, which otherwise run in one process whatever ``-n`` says."""


def live(place: Workplace) -> Sequence[Row]:
    """All questions of sgqa at 15 and at 64 in flight, in one process and, at 64, in two: asked, recorded, reported."""
    seen: dict[str, list[Stats]] = {}

    def run(name: str, ask: Callable[[], Cost], latency_s: float = LATENCY_S) -> Callable[[], Cost]:
        return partial(_run, place, ask, latency_s, seen.setdefault(name, []))

    commands: dict[str, Callable[[], Cost]] = {}
    for flight in MOST:
        for workers in (0, 2) if flight == CEILING else (0,):
            name = f"{flight} in flight, -n {workers}"
            commands[name] = run(name, partial(_pytest, place, name, flight, "-n", str(workers)))
        name = f"{flight} in flight, {POOL}"
        commands[name] = run(name, partial(place.thread_pool, flight))
    for name, options in {"at once, -n 0": ("-n", "0"), "at once, 2 workers": WORKERS}.items():
        commands[name] = run(name, partial(_pytest, place, name, CEILING, *options), 0.0)
    commands[f"at once, {POOL}"] = run(f"at once, {POOL}", partial(place.thread_pool, CEILING), 0.0)
    costs = interleaved(commands, place.scale.repeat)
    place.keep(PART, costs)
    return [
        *(row for flight in MOST for row in _of_latency(place, flight, costs, seen)),
        *_ceiling(place, costs, seen),
    ]


def _pytest(place: Workplace, name: str, flight: int, *options: str) -> Cost:
    cassettes = place.folder / "live" / name
    if cassettes.exists():
        shutil.rmtree(cassettes)
    return place.pytest(
        "benchmarks/tsg/test_sgqa.py",
        "--record-mode=new_episodes",
        f"--concurrency={flight}",
        f"--cassettes-dir={cassettes}",
        *options,
        folder=place.project,
        environment=place.online,
    )


def _run(place: Workplace, ask: Callable[[], Cost], latency_s: float, seen: list[Stats]) -> Cost:
    """One run from nothing: no recordings, and a server that has seen nothing."""
    place.server.reset(latency_s=latency_s)
    cost = ask()
    stats = place.server.stats
    if stats.requests != place.scale.questions:
        raise CommandFailed(f"{stats.requests} requests were made for {place.scale.questions} questions")
    seen.append(stats)
    return cost


def _answering(seen: Sequence[Stats]) -> float:
    """Seconds from the first request to the last answer."""
    return median(stats.last - stats.first for stats in seen)


def _of_latency(
    place: Workplace, flight: int, costs: Mapping[str, Costs], seen: Mapping[str, Sequence[Stats]]
) -> Iterator[Row]:
    names = {who: f"{flight} in flight, {who}" for who in ("-n 0", "-n 2", POOL)}
    for who in ("-n 0", "-n 2"):
        if names[who] in costs:
            yield from _rows(place, names[who], flight, costs[names[who]], seen[names[who]])
    pool, what = costs[names[POOL]], f"{place.scale.questions} answers, {names[POOL]}"
    ideal = Quantity(_ideal(place, flight), "s")
    yield Row(PART, f"{what}: whole command", Quantity(pool.wall_s, "s"), ideal, "ideal")
    yield Row(PART, f"{what}: CPU", Quantity(pool.cpu_s, "s"))
    yield Row(PART, f"{what}: memory, all processes", Quantity(pool.tree_mb, "MB"))
    mine, wall = costs[names["-n 0"]], Quantity(pool.wall_s, "s")
    yield Row(
        PART,
        f"{place.scale.questions} answers, {names['-n 0']}: whole command",
        Quantity(mine.wall_s, "s"),
        wall,
        POOL,
        most_ratio=1.0,
        noise=max(mine.wall_noise, pool.wall_noise),
    )


def _ceiling(place: Workplace, costs: Mapping[str, Costs], seen: Mapping[str, Sequence[Stats]]) -> Iterator[Row]:
    """How fast answers can be taken at all; a budget of 0.7 times the answers a second is 1.43 times the time."""
    asked = place.scale.questions
    one, two, pool = (
        Quantity(1e3 * _answering(seen[f"at once, {who}"]) / asked, "ms") for who in ("-n 0", "2 workers", POOL)
    )
    what = f"{asked} answers at once, {CEILING} in flight"
    yield Row(PART, f"{what}, -n 0: an answer", one, pool, POOL, most_ratio=MOST_OF_POOL)
    yield Row(PART, f"{what}, 2 workers: an answer", two, one, "-n 0", most_ratio=MOST_OF_ONE)
    of_pool = Quantity(costs[f"at once, {POOL}"].wall_s, "s")
    for who in ("-n 0", "2 workers", POOL):
        name = f"at once, {who}"
        cost, server = costs[name], median(stats.cpu_s for stats in seen[name])
        yield Row(PART, f"{what}, {who}: whole command", Quantity(cost.wall_s, "s"), of_pool, POOL)
        yield Row(PART, f"{what}, {who}: CPU", Quantity(cost.cpu_s, "s"))
        yield Row(PART, f"{what}, {who}: CPU of the server beside it", Quantity(server, "s"))


def _ideal(place: Workplace, flight: int) -> float:
    return math.ceil(place.scale.questions / flight) * LATENCY_S


def _rows(place: Workplace, name: str, flight: int, costs: Costs, seen: Sequence[Stats]) -> Iterator[Row]:
    ideal, answering = Quantity(_ideal(place, flight), "s"), Quantity(_answering(seen), "s")
    what = f"{place.scale.questions} answers, {name}"
    yield Row(PART, f"{what}: first request to last answer", answering, ideal, "ideal", most_ratio=MOST[flight])
    yield Row(PART, f"{what}: whole command", Quantity(costs.wall_s, "s"), ideal, "ideal", most_ratio=MOST[flight])
    yield Row(PART, f"{what}: CPU", Quantity(costs.cpu_s, "s"))
    yield Row(PART, f"{what}: memory, all processes", Quantity(costs.tree_mb, "MB"), most=MOST_MB)
    peak = Quantity(max(stats.peak for stats in seen), "")
    yield Row(
        PART, f"{what}: most in flight, as the server counted", peak, Quantity(flight, ""), "asked for", most=flight
    )
