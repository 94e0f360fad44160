"""One case by its node id, against one empty test: what waits behind a single key stroke."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial

from perf.processes import Costs, interleaved, measured
from perf.table import Quantity, Row
from perf.workplace import Workplace

PART = "one-case"
MOST = 1.5
TASKS = {"sgqa": "test_sgqa", "sa-sgg": "test_sa_sgg"}
"""The tasks whose data file has the longest rows, and the most rows."""


def one_case(place: Workplace) -> Sequence[Row]:
    """Wall of one case of two tasks, and of pytest doing nothing at all."""
    project, test = place.recorded, str(place.empty / "one")
    node_ids = {
        task: f"benchmarks/tsg/{name}.py::{name}[{place.asked[task][0].case_id}]" for task, name in TASKS.items()
    }
    version = [sys.executable, "-m", "pytest", "--version"]
    costs = interleaved(
        {
            "one empty test": partial(place.pytest, test, folder=project),
            **{
                f"one case of {task}": partial(place.pytest, node_id, folder=project)
                for task, node_id in node_ids.items()
            },
            "pytest --version": partial(measured, version, folder=project, environment=place.environment),
        },
        place.scale.repeat_one_case,
    )
    place.keep(PART, costs)
    test_costs, nothing = costs["one empty test"], costs["pytest --version"]
    return [
        *(row for task in TASKS for row in _rows(f"one case of {task}", costs, test_costs)),
        Row(PART, "one empty test: wall", _s(test_costs.wall_s), _s(nothing.wall_s), "pytest --version"),
    ]


def _rows(what: str, costs: dict[str, Costs], base: Costs) -> Iterator[Row]:
    mine, name = costs[what], "one empty test"
    yield Row(PART, f"{what}: wall", _s(mine.wall_s), _s(base.wall_s), name, most_ratio=MOST)
    yield Row(PART, f"{what}: CPU", _s(mine.cpu_s), _s(base.cpu_s), name)


def _s(value: float) -> Quantity:
    return Quantity(value, "s")
