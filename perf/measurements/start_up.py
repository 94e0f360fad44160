"""What is imported before it is needed: nothing heavy may be, in a replay."""

from __future__ import annotations

import json
from collections.abc import Sequence

from perf.loaded_modules import FILE_VARIABLE
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
    ]


def _loaded(place: Workplace, test: str) -> set[str]:
    file = place.folder / "modules.json"
    place.pytest(test, "-p", "perf.loaded_modules", folder=place.recorded, environment={FILE_VARIABLE: str(file)})
    return set(json.loads(file.read_text(encoding="utf-8")))
