"""Write the four TSG-Bench data files: ``python -m benchmarks.tsg.generate --seed 7 --size shipped``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.tsg.datagen.rows import LONG, SHORT, TASKS, Row, TooFewRowsError, make_rows

SIZES: dict[str, dict[str, int]] = {
    "tiny": {"sgqa": 2, "sgds": 5, "sa-sgg": 6, "ma-sgg": 6},
    "shipped": {"sgqa": 20, "sgds": 50, "sa-sgg": 60, "ma-sgg": 40},
    "official": {"sgqa": 100, "sgds": 250, "sa-sgg": 1188, "ma-sgg": 853},
}
"""Rows by file for each ``--size``; a row of sgqa has five questions."""

DEFAULT_OUT = Path("data/tsg")


def serialise(rows: Sequence[Row]) -> str:
    """``rows`` as JSON Lines, one row a line, each line ended by a line feed."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def generate(seed: int, counts: dict[str, int], out: Path, *, long: bool = False) -> list[Path]:
    """Write the data files.

    Args:
        seed: the same seed writes the same bytes.
        counts: rows by task.
        out: the folder, made if it is missing.
        long: rows as long as the official ones instead of short prompts.

    Returns:
        The files written, in the order of ``counts``.

    Raises:
        TooFewRowsError: more different rows were asked for than the world can make; nothing is written.
        OSError: a file cannot be written.
    """
    texts = {task: serialise(make_rows(task, count, seed, LONG if long else SHORT)) for task, count in counts.items()}
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for task, text in texts.items():
        path = out / f"{task}.jsonl"
        path.write_text(text, encoding="utf-8", newline="\n")
        paths.append(path)
    return paths


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of rows above 0")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: the command line, without the program; default ``sys.argv[1:]``.

    Returns:
        The exit code: 0, or 1 if the files could not be made. Bad usage exits with 2 from argparse.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tsg.generate", description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="the same seed writes the same bytes")
    parser.add_argument(
        "--size", choices=sorted(SIZES), help="rows in each file; official also means longer rows (default: shipped)"
    )
    for task in TASKS:
        parser.add_argument(
            f"--{task}",
            type=_count,
            metavar="N",
            help=f"rows of {task}.jsonl; without --size only the files named so are written",
        )
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="the folder to write to (default: %(default)s)")
    options = parser.parse_args(arguments)
    own = {task: getattr(options, task.replace("-", "_")) for task in TASKS}
    named = {task: count for task, count in own.items() if count}
    # Without --size, naming some files means these and no others.
    counts = named if named and options.size is None else SIZES[options.size or "shipped"] | named
    try:
        paths = generate(options.seed, counts, options.out, long=options.size == "official")
    except (TooFewRowsError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    for path, count in zip(paths, counts.values(), strict=True):
        print(f"{path}: {count} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
