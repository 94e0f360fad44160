"""The parts of the measurement, one module each: a function of the workplace that returns its rows of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perf.measurements.limited import limited
from perf.measurements.live import live
from perf.measurements.many_cases import many_cases
from perf.measurements.one_case import one_case
from perf.measurements.programs import programs
from perf.measurements.recordings import recordings
from perf.measurements.replay import replay
from perf.measurements.start_up import start_up
from perf.measurements.yaml_replay import yaml_replay
from perf.table import Row
from perf.workplace import Workplace

PARTS: dict[str, Callable[[Workplace], Sequence[Row]]] = {
    "replay": replay,
    "yaml": yaml_replay,
    "one-case": one_case,
    "start-up": start_up,
    "recordings": recordings,
    "live": live,
    "limited": limited,
    "programs": programs,
    "100k": many_cases,
}
"""Each part under the name by which ``--only`` chooses it."""
