"""A pytest plugin (``-p perf.loaded_modules``) that writes down which modules were imported when pytest ends."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

FILE_VARIABLE = "PERF_LOADED_MODULES"


def pytest_unconfigure() -> None:
    """Write the names of all modules into the file that the environment names."""
    Path(os.environ[FILE_VARIABLE]).write_text(json.dumps(sorted(sys.modules)), encoding="utf-8")
