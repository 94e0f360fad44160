"""What the measured programs do, and what tells about machines: importable by the workers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def wait(data: Any, _: Mapping[str, Path]) -> int:
    """Wait so many seconds, as a thread does whose program runs in a process of its own."""
    time.sleep(data["seconds"])
    return int(data["number"])


def look(data: Any, _: Mapping[str, Path]) -> dict[str, Any]:
    """Every machine will do."""
    return {"unmet": [None], "warning": None, "kind": data}
