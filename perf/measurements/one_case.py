"""One case by its node id, against one empty test: what waits behind a single key stroke."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial

from perf.processes import interleaved, measured
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
    base = Quantity(costs["one empty test"].wall_s, "s")
    nothing = Quantity(costs["pytest --version"].wall_s, "s")
    return [
        *(
            Row(
                PART,
                f"one case of {task}: wall",
                Quantity(costs[f"one case of {task}"].wall_s, "s"),
                base,
                "one empty test",
                most_ratio=MOST,
            )
            for task in TASKS
        ),
        Row(PART, "one empty test: wall", base, nothing, "pytest --version"),
    ]
