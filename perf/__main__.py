"""``python -m perf``: measure, print one table, and write it into reports/."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from perf.machine import load, machine
from perf.measurements import PARTS
from perf.processes import CommandFailed
from perf.scale import FULL, QUICK
from perf.table import Row, markdown, save
from perf.workplace import ROOT, Workplace

LEAST_REPEAT_ONE_CASE = 5
BUSY = 0.5
"""Load from which on other processes are felt."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: The command line without the program; default ``sys.argv[1:]``.

    Returns:
        The exit code: 0 whatever was measured, 1 if something could not be measured.
    """
    options = _options(arguments)
    scale = QUICK if options.quick else FULL
    if options.repeat:
        scale = replace(scale, repeat=options.repeat, repeat_one_case=max(options.repeat, LEAST_REPEAT_ONE_CASE))
    rows: list[Row] = []
    notes: list[str] = []
    busy = load()
    head = {
        **machine(ROOT),
        "command": " ".join(["python -m perf", *(sys.argv[1:] if arguments is None else arguments)]),
    }
    with tempfile.TemporaryDirectory(prefix="perf-") as folder, Workplace(Path(folder), scale) as place:
        for part in options.only:
            place.say(part)
            try:
                rows += PARTS[part](place)
            except CommandFailed as failure:
                place.say(f"{part}: {failure}")
                notes.append(f"{part} could not be measured: {str(failure).splitlines()[-1]}")
    failed = bool(notes)
    notes.append(
        f"Runs of each command: {scale.repeat}; of one case: {scale.repeat_one_case}; of yaml, limited, programs, and "
        "the large one of 100k: 1. Commands that are compared took turns; medians are shown."
    )
    if busy is not None and busy > BUSY:
        notes.append(
            f"The machine was busy when this began (load {busy}): trust ratios of CPU more than those of wall."
        )
    text = markdown(head, rows, notes)
    print(text)
    target = options.reports_dir / f"perf-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    save(target, text, {"machine": head, "rows": [row.fields() for row in rows], "runs": place.runs, "notes": notes})
    print(f"{target / 'performance.md'}")
    return 1 if failed else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m perf", description="Measure what Proctor costs on this machine.")
    parser.add_argument("--quick", action="store_true", help="small sizes, one repetition: does the measuring work?")
    parser.add_argument(
        "--only",
        type=_parts,
        default=list(PARTS),
        metavar="PART,…",
        help=f"some parts: {', '.join(PARTS)} (default: all)",
    )
    parser.add_argument("--repeat", type=_positive, metavar="N", help="runs of each command (default: 3; --quick: 1)")
    parser.add_argument(
        "--reports-dir", type=Path, default=ROOT / "reports", metavar="DIR", help="where perf-<time>/ goes"
    )
    return parser.parse_args(arguments)


def _parts(text: str) -> list[str]:
    parts = text.split(",")
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown part {unknown[0]!r}; there are {', '.join(PARTS)}")
    return parts


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
