"""The same cases in the obvious way: pytest-recording's marker and one YAML cassette a case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from perf.processes import interleaved
from perf.table import Quantity, Row
from perf.workplace import Workplace
from perf.yaml_cassettes import write_yaml_suite

PART = "yaml"
ONCE = 1
"""Runs of each command: no budget hangs on them, and they take long."""

BLOCK = 512  # bytes that st_blocks counts in


def yaml_replay(place: Workplace) -> Sequence[Row]:
    """Wall, CPU, memory and disk of the obvious way; here Proctor is the baseline."""
    project = place.recorded
    suite = write_yaml_suite(place.folder / "yaml", chain.from_iterable(place.asked.values()))
    place.say(f"recording {place.scale.cases:,} YAML cassettes")
    recording = place.plain_pytest("--record-mode", "once", "-n", "2", folder=suite, environment=place.online)
    costs = interleaved(
        {
            "yaml -n 0": partial(place.plain_pytest, "-n", "0", folder=suite, environment=place.online),
            "replay -n 0": partial(place.pytest, "benchmarks", "-n", "0", folder=project),
        },
        ONCE,
    )
    place.keep(PART, costs)
    obvious, proctor = costs["yaml -n 0"], costs["replay -n 0"]
    what, name = f"{place.scale.cases:,} YAML cassettes", "Proctor"
    theirs = [*(suite / "cassettes").rglob("*.yaml")]
    ours = [*(project / "cassettes").rglob("*.jsonl")]
    assert len(theirs) == place.scale.cases
    return [
        Row(PART, f"{what}, -n 0: wall", Quantity(obvious.wall_s, "s"), Quantity(proctor.wall_s, "s"), name),
        Row(PART, f"{what}, -n 0: CPU", Quantity(obvious.cpu_s, "s"), Quantity(proctor.cpu_s, "s"), name),
        Row(
            PART, f"{what}, -n 0: memory", Quantity(obvious.largest_mb, "MB"), Quantity(proctor.largest_mb, "MB"), name
        ),
        Row(PART, f"{what}: bytes", Quantity(_bytes(theirs) / 1e6, "MB"), Quantity(_bytes(ours) / 1e6, "MB"), name),
        Row(PART, f"{what}: on disk", Quantity(_on_disk(theirs), "MB"), Quantity(_on_disk(ours), "MB"), name),
        Row(PART, f"{what}: recorded, no latency, -n 2", Quantity(recording.wall_s, "s")),
    ]


def _bytes(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def _on_disk(files: Iterable[Path]) -> float:
    """MB of whole blocks: what small files really take."""
    return sum(file.stat().st_blocks for file in files) * BLOCK / 1e6
