"""A hundred thousand cases: does a case cost as much as in a small run, and does memory stay?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from perf.processes import Cost, interleaved
from perf.scale import QUESTIONS_PER_ROW
from perf.table import Quantity, Row
from perf.workplace import Workplace

PART = "100k"
MOST_RATIO = 1.3
MOST_MB = 1000.0


def many_cases(place: Workplace) -> Sequence[Row]:
    """Replay of many sgqa questions, against as many of them as the four tasks have cases."""
    scale = place.scale
    few_rows = -(-scale.cases // QUESTIONS_PER_ROW)
    few_cases = QUESTIONS_PER_ROW * few_rows
    few_suite = place.sgqa_suite("few", few_rows)
    many_suite = place.sgqa_suite("many", scale.many_rows)
    few_costs = interleaved({f"replay of {few_cases:,} questions": partial(_replay, place, few_suite)}, scale.repeat)
    many_costs = interleaved({f"replay of {scale.many_cases:,} questions": partial(_replay, place, many_suite)}, 1)
    place.keep(PART, few_costs | many_costs)
    (few,), (many,) = few_costs.values(), many_costs.values()
    what, name = f"{scale.many_cases:,} questions, -n 0", f"{few_cases:,} questions"
    more = scale.many_cases - few_cases
    return [
        Row(
            PART,
            f"{what}: wall of a case",
            Quantity(1e3 * many.wall_s / scale.many_cases, "ms"),
            Quantity(1e3 * few.wall_s / few_cases, "ms"),
            name,
            most_ratio=MOST_RATIO,
        ),
        Row(
            PART,
            f"{what}: CPU of a case",
            Quantity(1e3 * many.cpu_s / scale.many_cases, "ms"),
            Quantity(1e3 * few.cpu_s / few_cases, "ms"),
            name,
        ),
        Row(PART, f"{what}: wall", Quantity(many.wall_s, "s"), Quantity(few.wall_s, "s"), name),
        Row(
            PART,
            f"{what}: memory, largest process",
            Quantity(many.largest_mb, "MB"),
            Quantity(few.largest_mb, "MB"),
            name,
            most=MOST_MB,
        ),
        Row(PART, f"{what}: memory of a further case", Quantity(1e3 * (many.largest_mb - few.largest_mb) / more, "kB")),
        Row(
            PART,
            f"{what}: memory that grows while cases run, a case",
            Quantity(1e3 * _growth_mb(many.runs[0], many_suite) / scale.many_cases, "kB"),
        ),
    ]


def _replay(place: Workplace, suite: Path) -> Cost:
    return place.pytest("benchmarks/tsg/test_sgqa.py", "-n", "0", folder=suite)


def _growth_mb(cost: Cost, suite: Path) -> float:
    """How much memory grew between the first case and the last; 0 where the system does not tell memory."""
    report = max((suite / "reports").glob("*Z-*"))  # folders are named for the time
    first, last = (report / name for name in ("selection.json", "results.jsonl"))
    before = [mb for at, mb in cost.memory if at <= first.stat().st_mtime]
    after = [mb for at, mb in cost.memory if at <= last.stat().st_mtime]
    return after[-1] - before[-1] if before else 0.0
