"""What is imported before it is needed: nothing heavy in a replay, and next to nothing where there is no benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from statistics import median

from perf.empty_cases import ONE_TEST
from perf.loaded_modules import FILE_VARIABLE
from perf.processes import interleaved, measured
from perf.table import Quantity, Row
from perf.workplace import Workplace

PART = "start-up"
HEAVY = (
    "openai",
    "anthropic",
    "httpx2",
    "vcr",
    "numpy",
    "scipy",
    "jinja2",
    "pydantic",
    "rich",
    "hypothesis",
)
NONE = "none"
MOST_AS_GUEST_MS = 10.0


def start_up(place: Workplace) -> Sequence[Row]:
    """Heavy modules imported by the replay of one case, and by one empty test in the same environment."""
    case = place.asked["sgqa"][0].case_id
    replayed = _loaded(place, f"benchmarks/tsg/test_sgqa.py::test_sgqa[{case}]")
    empty = _loaded(place, str(place.empty / "one"))
    heavy = ", ".join(name for name in HEAVY if name in replayed - empty) or NONE
    also_empty = ", ".join(name for name in HEAVY if name in empty) or NONE
    what = "heavy modules imported in a replay"
    return [
        Row(PART, f"{what}, beside those of an empty test", heavy, also_empty, "one empty test", words=NONE),
        Row(
            PART,
            "modules imported in a replay",
            Quantity(len(replayed), ""),
            Quantity(len(empty), ""),
            "one empty test",
        ),
        *_as_guest(place),
    ]


def _as_guest(place: Workplace) -> Sequence[Row]:
    """What the plugin costs a project without benchmarks: one empty test in a folder of its own."""
    folder = place.folder / "guest"
    folder.mkdir()
    (folder / "test_one.py").write_text(ONE_TEST, encoding="utf-8")
    pytest = ["-m", "pytest", "test_one.py"]
    imports = [_import_ms(place) for _ in range(place.scale.repeat_one_case + 1)]
    command = [sys.executable, *pytest]
    without = [*command, "-p", "no:proctor.plugin"]
    costs = interleaved(
        {
            "guest": partial(measured, command, folder=folder, environment=place.environment),
            "no guest": partial(measured, without, folder=folder, environment=place.environment),
        },
        place.scale.repeat_one_case,
    )
    place.keep(PART, costs)
    return [
        Row(
            PART,
            "importing the plugin where there is no benchmark",
            Quantity(median(imports[1:]), "ms"),  # the first one compiles
            most=MOST_AS_GUEST_MS,
        ),
        Row(
            PART,
            "one empty test where there is no benchmark: CPU",
            Quantity(costs["guest"].cpu_s * 1000, "ms"),
            Quantity(costs["no guest"].cpu_s * 1000, "ms"),
            "without the plugin",
        ),
    ]


def _import_ms(place: Workplace) -> float:
    """What Python says that it takes to import the plugin and all that this imports, where pytest is imported."""
    command = [sys.executable, "-X", "importtime", "-c", "import pytest; import proctor.plugin"]
    ended = subprocess.run(command, cwd=place.folder, env=place.environment, capture_output=True, text=True, check=True)
    lines = [line.split("|") for line in ended.stderr.splitlines() if line.startswith("import time:")]
    return sum(int(line[1]) for line in lines if line[2] == " proctor.plugin") / 1000


def _loaded(place: Workplace, test: str) -> set[str]:
    file = place.folder / "modules.json"
    place.pytest(test, "-p", "perf.loaded_modules", folder=place.recorded, environment={FILE_VARIABLE: str(file)})
    return set(json.loads(file.read_text(encoding="utf-8")))
