"""The command ``proctor judge-check``: how far a judge agrees with a person, or with another judge."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor._base.errors import UsageError
from proctor._base.figures import change_with_interval, probability, score_with_interval
from proctor._base.text_table import aligned
from proctor.cli.arguments import RUN_HELP

if TYPE_CHECKING:
    from proctor.postprocess.judge_check import CheckedTask

HEAD = ("answers", "n", "agreement [95 %]", "always the same", "kappa [95 %]", "judge − reference [95 %]", "p")


def declare_judge_check(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor judge-check``."""
    parser = commands.add_parser(
        "judge-check",
        help="measure a judge against a person's labels, or against another judge",
        description="Compare what a run's judge says with a person's labels, with another run's judge on the same "
        "answers, or with both: agreement, Cohen's kappa (with quadratic weights for grades), what a judge would "
        "agree who always says the same, and by how much the judge is too high, by model and by length of answer.",
        epilog="Exit code: 0, whatever is found; 4 for bad usage, such as a label that is none.",
    )
    parser.add_argument("name", metavar="RUN", help=RUN_HELP)
    parser.add_argument("--labels", type=Path, metavar="FILE", help="a filled-in file of proctor label")
    parser.add_argument("--against", metavar="RUN", help="a run with the same answers and another judge")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.set_defaults(run=_judge_check)


def _judge_check(options: argparse.Namespace) -> int:
    from proctor.postprocess.judge_check import check_fields
    from proctor.results.row import SCHEMA_VERSION

    checked = _checked(options)
    if options.json:
        content = {"schema_version": SCHEMA_VERSION, "checks": list(map(check_fields, checked))}
        print(json.dumps(content, indent=1, ensure_ascii=False))
    else:
        print("\n\n".join("\n".join(_lines(check_fields(one))) for one in checked))
    return 0


def _checked(options: argparse.Namespace) -> list[CheckedTask]:
    from proctor.postprocess.judge_check import check_against, check_labels
    from proctor.postprocess.labels import judged_answers, labelled_tasks
    from proctor.results.saved_run import SavedRun

    if options.labels is None and options.against is None:
        raise UsageError(
            "judge-check needs something to measure the judge against",
            remedy="Give --labels FILE (proctor label writes one), --against RUN, or both.",
        )
    run = SavedRun.find(options.name)
    answers = judged_answers(run)
    checked = check_labels(run.id, labelled_tasks(run, answers, options.labels)) if options.labels else []
    if options.against is None:
        return checked
    other = SavedRun.find(options.against)
    others = judged_answers(other)
    between = check_against(run.id, answers, other.id, others)
    if not between:
        raise UsageError(
            f"the runs {run.id} and {other.id} have no judged answer in common",
            remedy="Judge the same answers once more with --role judge=MODEL, or with --responses.",
        )
    if options.labels:
        checked += check_labels(other.id, labelled_tasks(other, others, options.labels))
    return checked + between


def _lines(checked: Mapping[str, Any]) -> Iterator[str]:
    judge, reference = checked["judge"], checked["reference"]
    against = "labels" if reference["run"] is None else f"{_named(reference)}, run {reference['run']}"
    yield f"{checked['task']} {checked['metric']}: {_named(judge)}, run {judge['run']}, against {against}"
    yield from aligned([HEAD, *map(_cells, checked["groups"])], words=(0,))


def _named(side: Mapping[str, Any]) -> str:
    return ", ".join(f"{role} {model}" for role, model in side["roles"].items()) or "no judge"


def _cells(group: Mapping[str, Any]) -> Sequence[str]:
    constant, bias = group["constant"], group["bias"]
    always = "–" if constant["score"] is None else f"{constant['agreement']:.4f} ({constant['score']:g})"
    return (
        group["name"],
        str(group["n"]),
        score_with_interval(group["agreement"]),
        always,
        score_with_interval(group["kappa"]),
        change_with_interval(bias),
        probability(bias["p"]),
    )
