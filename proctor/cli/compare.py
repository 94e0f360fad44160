"""The command ``proctor compare``: two runs, or the models of one, in words or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor._base.errors import UsageError
from proctor._base.figures import change_with_interval, probability, score, some
from proctor._base.text_table import aligned
from proctor.cli.arguments import RUN_HELP

if TYPE_CHECKING:
    from proctor.results.saved_run import SavedRun
    from proctor.statistics.comparison import Comparison, Pairing, Side

SHOWN_UNPAIRED = 10
HEAD = ("metric", "family", "score a", "score b", "b - a [95 % interval]", "p", "p (Holm)")
WORDS = (0, 1)  # the columns "metric" and "family"
"""The columns that are not numbers."""


def declare_compare(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor compare``."""
    parser = commands.add_parser(
        "compare",
        help="compare two runs, or the models of one run, on the cases that both have",
        description="Paired differences of each task and metric, with clustered 95 % intervals, p values that are "
        "adjusted for all comparisons (Holm), the cases that one side got and the other did not, and the smallest "
        "difference that these cases would have shown with 80 % power. Of two runs, the models that both asked are "
        "compared, or the one of each.",
        epilog="Exit code: 0, whatever the outcome; 4 for bad usage, such as runs that have nothing in common.",
    )
    parser.add_argument("a", metavar="RUN", help=RUN_HELP)
    parser.add_argument(
        "--html",
        nargs="?",
        const=True,
        metavar="FILE",
        help="write a page, too: the cases that flipped, with both answers side by side, what is another in them and "
        "in the prompt; default: compare-RUN-RUN_B.html beside the folder of the second run",
    )
    parser.add_argument("b", metavar="RUN_B", nargs="?", help="another one; default: compare the models within RUN")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> int:
    from proctor.results.saved_run import SavedRun
    from proctor.statistics.comparison import as_json, compare, pairs_between, pairs_within

    a_run = SavedRun.find(options.a)
    b_run = a_run if options.b is None else SavedRun.find(options.b)
    if b_run is a_run:
        pairings = list(pairs_within(_sides(a_run)))
        if not pairings:
            raise UsageError(f"the run {a_run.id} asked no two models the same task", remedy="Name a second run.")
    else:
        pairings = pairs_between(_sides(a_run), _sides(b_run))
    comparisons = compare(pairings)
    if options.json:
        print(json.dumps(as_json(pairings, comparisons), indent=1, ensure_ascii=False))
    else:
        print("\n".join(comparison_lines(pairings, comparisons)))
    if options.html is not None:
        file = _page_file(a_run, b_run) if options.html is True else Path(options.html)
        _save_page(file, pairings, comparisons, (a_run, b_run))
        print(f"page: {file}", file=sys.stderr if options.json else sys.stdout)
    return 0


def _page_file(a_run: SavedRun, b_run: SavedRun) -> Path:
    names = dict.fromkeys(run.folder.resolve().name for run in (a_run, b_run))
    return b_run.folder.parent / f"compare-{'-'.join(names)}.html"


def _save_page(
    file: Path, pairings: Sequence[Pairing], comparisons: Sequence[Comparison], runs: tuple[SavedRun, SavedRun]
) -> None:
    from proctor.report.many.comparison_page import save_comparison

    try:
        save_comparison(file, pairings, comparisons, runs)
    except OSError as problem:
        raise UsageError(
            f"{file} cannot be written: {problem.strerror}", remedy="Name another file: --html FILE."
        ) from None


def _sides(run: SavedRun) -> list[Side]:
    from proctor.statistics.comparison import compared, sides

    found = sides(run.manifest, map(compared, run.rows()))
    if not found:
        raise UsageError(f"the run {run.id} selected no case")
    return found


def comparison_lines(pairings: Sequence[Pairing], comparisons: Sequence[Comparison]) -> list[str]:
    """A table for each pairing, with what each comparison shows below its numbers; at the end, what is left out.

    Args:
        pairings: What is compared.
        comparisons: What came of it: one for each metric of a pairing.
    """
    a_runs, b_runs = {p.a.run for p in pairings}, {p.b.run for p in pairings}
    lines = [f"a: {', '.join(sorted(a_runs))}", f"b: {', '.join(sorted(b_runs))}", ""] if a_runs != b_runs else []
    for pairing in pairings:
        mine = [comparison for comparison in comparisons if comparison.pairing is pairing]
        lines += [f"{pairing.b.name}: a = {pairing.a.task.model}, b = {pairing.b.task.model}", *_table(mine), ""]
    left_out = [line for pairing in pairings for line in _left_out(pairing)]
    return [*lines, *left_out] if left_out else lines[:-1]


def _table(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Aligned lines, the first of which says what is in the columns."""
    head, *lines = aligned([HEAD, *map(_cells, comparisons)], words=WORDS)
    yield head
    for line, comparison in zip(lines, comparisons, strict=True):
        yield line
        yield f"  {_outcome(comparison)}"


def _cells(comparison: Comparison) -> tuple[str, ...]:
    from proctor.statistics.comparison import comparison_fields

    fields = comparison_fields(comparison)
    return (
        fields["metric"],
        fields["family"],
        score(fields["a"]["value"]),
        score(fields["b"]["value"]),
        change_with_interval(fields),
        probability(fields["p"]),
        probability(fields["p_holm"]),
    )


def _outcome(comparison: Comparison) -> str:
    """What a comparison shows of b, and on how much that rests."""
    from proctor.statistics.comparison import comparison_fields

    fields = comparison_fields(comparison)
    verdict = fields["verdict"]
    return (
        f"{f'b is {verdict}' if verdict in ('better', 'worse') else verdict}: "
        f"{fields['a_better']} a better, {fields['b_better']} b better, n {fields['n']}, "
        f"clusters {fields['clusters']}, detectable {score(fields['detectable'])}"
    )


def _left_out(pairing: Pairing) -> Iterator[str]:
    subject = f"{pairing.b.name} {pairing.a.task.model} / {pairing.b.task.model}"
    if pairing.data_differs:
        yield f"{subject}: the data files differ ({pairing.a.task.data_file}, {pairing.b.task.data_file})"
    for reason, names in pairing.unpaired.items():
        cases = "case" if len(names) == 1 else "cases"
        shown = some(names, SHOWN_UNPAIRED)
        yield f"{subject}: {len(names)} {cases} not compared, {reason}: {shown}"
