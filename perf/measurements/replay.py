"""Replaying all cases, against as many empty cases: in one process, in two, and with more workers than cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from perf.processes import Cost, Costs, interleaved
from perf.table import Quantity, Row
from perf.workplace import Workplace

PART = "replay"
MOST = 2.0
UNCAPPED = ("-o", "proctor_max_workers=")
WORKERS = ("-n", "2", "-o", "proctor_max_workers=2")
"""Real workers for benchmarks, which otherwise run in one process whatever ``-n`` says."""


def replay(place: Workplace) -> Sequence[Row]:
    """Wall, CPU and memory at ``-n 0``, ``-n 2`` and ``-n 15``, and with two workers in earnest."""
    project, empty = place.recorded, str(place.empty / "many")
    commands: dict[str, Callable[[], Cost]] = {}
    for workers in ("0", "2", "15"):
        commands[f"replay -n {workers}"] = partial(place.pytest, "benchmarks", "-n", workers, folder=project)
        commands[f"empty -n {workers}"] = partial(place.pytest, empty, "-n", workers, folder=project)
    commands["replay, 2 workers"] = partial(place.pytest, "benchmarks", *WORKERS, folder=project)
    if place.scale.full_workers:
        commands["empty -n 15, uncapped"] = partial(place.pytest, empty, "-n", "15", *UNCAPPED, folder=project)
    commands["empty, pytest alone"] = partial(place.plain_pytest, empty, "-n", "0", folder=project)
    costs = interleaved(commands, place.scale.repeat)
    place.keep(PART, costs)
    return [*_rows(costs, f"{place.scale.cases:,} cases")]


def _rows(costs: dict[str, Costs], cases: str) -> Iterator[Row]:
    for workers in ("0", "2", "15"):
        mine, base, name = costs[f"replay -n {workers}"], costs[f"empty -n {workers}"], f"empty, -n {workers}"
        what = f"{cases}, -n {workers}"
        budget = MOST if workers == "0" else None
        yield Row(PART, f"{what}: wall", _s(mine.wall_s), _s(base.wall_s), name, most_ratio=budget)
        yield Row(PART, f"{what}: CPU", _s(mine.cpu_s), _s(base.cpu_s), name)
        yield Row(PART, f"{what}: memory, largest process", _mb(mine.largest_mb), _mb(base.largest_mb), name)
        yield Row(PART, f"{what}: memory, all processes", _mb(mine.tree_mb), _mb(base.tree_mb), name)
    one, two = costs["replay -n 0"], costs["replay -n 2"]
    wall, noise = "-n 2 against -n 0: wall", max(one.wall_noise, two.wall_noise)
    yield Row(PART, wall, _s(two.wall_s), _s(one.wall_s), "replay, -n 0", most_ratio=1.0, noise=noise)
    yield Row(PART, "-n 2 against -n 0: CPU", _s(two.cpu_s), _s(one.cpu_s), "replay, -n 0")
    real = costs["replay, 2 workers"]
    yield Row(PART, "2 workers all the same: wall", _s(real.wall_s), _s(one.wall_s), "replay, -n 0")
    yield Row(PART, "2 workers all the same: memory, all", _mb(real.tree_mb), _mb(one.tree_mb), "replay, -n 0")
    alone = costs["empty, pytest alone"]
    name = "empty, without Proctor's plugin"
    yield Row(PART, "empty cases, -n 0: wall", _s(costs["empty -n 0"].wall_s), _s(alone.wall_s), name)
    yield Row(PART, f"{cases}, -n 0: wall", _s(one.wall_s), _s(alone.wall_s), name)
    uncapped = costs.get("empty -n 15, uncapped")
    if uncapped is not None:
        capped, name = costs["empty -n 15"], "capped to the cores"
        yield Row(PART, "empty cases, 15 workers: wall", _s(uncapped.wall_s), _s(capped.wall_s), name)
        yield Row(PART, "empty cases, 15 workers: memory, all", _mb(uncapped.tree_mb), _mb(capped.tree_mb), name)


def _s(value: float) -> Quantity:
    return Quantity(value, "s")


def _mb(value: float) -> Quantity:
    return Quantity(value, "MB")
