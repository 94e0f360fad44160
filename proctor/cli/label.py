"""The command ``proctor label``: draw a random sample of a run's answers and write the file to be filled in."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor._base.errors import UsageError
from proctor.cli.arguments import RUN_HELP

if TYPE_CHECKING:
    from proctor.postprocess.project import Project

FILE_NAME = "labels.jsonl"


def declare_label(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor label``."""
    parser = commands.add_parser(
        "label",
        help="draw a random sample of answers for a person to score",
        description="Draw samples of each judged task at random, and write one JSON line for each model's answer to "
        "them: question, answer, target, and an empty label to be filled in. No line tells whose answer it is or what "
        "a judge made of it. proctor judge-check and proctor calibrate read the file.",
        epilog="Exit code: 0; 4 for bad usage, such as a file that is there already.",
    )
    parser.add_argument("name", metavar="RUN", help=RUN_HELP)
    parser.add_argument("--n", type=_positive, default=60, metavar="N", help="samples of each task (default: 60)")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="SEED", help="the same one draws the same samples (default: 0)"
    )
    parser.add_argument("--task", metavar="BENCH/TASK", help="of this task alone; it need not be judged")
    parser.add_argument("--metric", metavar="NAME", help="what is to be scored; default: the task's first metric")
    parser.add_argument("--output", type=Path, metavar="FILE", help=f"default: {FILE_NAME} in the run's folder")
    parser.set_defaults(run=_label)


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"not a number from 1: {text!r}")
    return int(text)


def _label(options: argparse.Namespace) -> int:
    from proctor.postprocess.label_sample import draw, drawn_lines, write_labels
    from proctor.pytest_plugin.visit import visit
    from proctor.results.saved_run import SavedRun

    run = SavedRun.find(options.name)
    drawn = draw(run, options.n, options.seed, task=options.task, metric=options.metric)
    file: Path = options.output or run.folder / FILE_NAME

    def work(project: Project) -> list[str]:
        return write_labels(file, run, drawn, project)

    try:
        notes = visit(work, [run.folder])
    except OSError as problem:
        raise UsageError(
            f"{file} cannot be written: {problem.strerror}", remedy="Name another file with --output."
        ) from None
    for line in [*drawn_lines(drawn), *notes]:
        print(line)
    print(f"labels to fill in: {file}")
    return 0
