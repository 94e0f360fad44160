"""``python -m simulations``: print the tables of docs/explanation/statistics.md."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping

from simulations import coverage, differences, gates, judges, sequential

PARTS: Mapping[str, Callable[[], Iterator[str]]] = {
    "coverage": coverage.tables,
    "differences": differences.tables,
    "gates": gates.tables,
    "sequential": sequential.tables,
    "judges": judges.tables,
}


def main(names: list[str]) -> int:
    """Print the tables of the named parts, or of all."""
    for name in names or PARTS:
        started = time.monotonic()
        for text in PARTS[name]():
            print(f"{text}\n", flush=True)
        print(f"({name}: {time.monotonic() - started:.0f} s)\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
