"""A process that runs one program within limits; `COMMAND` starts it, with nothing but the standard library."""

from __future__ import annotations

import sys
from pathlib import Path

# Alone on its path stands the folder of this package: nothing of the benchmarks is imported.
_START = "import sys; sys.path.insert(0, sys.argv[1]); from supervisor.watching import main; main()"
COMMAND = [sys.executable, "-I", "-S", "-c", _START, str(Path(__file__).parent.parent)]
