"""The command ``proctor calibrate``: a run's scores by its judge and a person's labels together."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor._base.figures import change_with_interval, probability, score_with_interval
from proctor._base.text_table import aligned
from proctor.cli.arguments import RUN_HELP

SCORES = ("model", "judged [95 %]", "labels alone [95 %]", "calibrated [95 %]", "lambda", "labels", "of")
DIFFERENCES = ("b - a", "judged [95 %]", "p", "calibrated [95 %]", "p", "p (Holm)", "b is")


def declare_calibrate(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor calibrate``."""
    parser = commands.add_parser(
        "calibrate",
        help="correct judged scores by a person's labels of a random sample",
        description="The scores that a person would have given to all answers, estimated from the labels of a random "
        "sample and the judge's scores of all (prediction-powered inference), with their 95 % intervals, beside the "
        "judged ones; and the differences of each two models, on the same samples.",
        epilog="Exit code: 0, whatever is found; 4 for bad usage, such as a label that is none.",
    )
    parser.add_argument("name", metavar="RUN", help=RUN_HELP)
    parser.add_argument("--labels", type=Path, metavar="FILE", required=True, help="a filled-in file of proctor label")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.set_defaults(run=_calibrate)


def _calibrate(options: argparse.Namespace) -> int:
    from proctor.postprocess.calibration import calibration, few_labels
    from proctor.postprocess.labels import judged_answers, labelled_tasks
    from proctor.results.row import SCHEMA_VERSION
    from proctor.results.saved_run import SavedRun

    run = SavedRun.find(options.name)
    found = calibration(labelled_tasks(run, judged_answers(run), options.labels))
    if options.json:
        content = {"schema_version": SCHEMA_VERSION, "run": run.id, "tasks": found}
        print(json.dumps(content, indent=1, ensure_ascii=False))
        return 0
    print("\n\n".join("\n".join(_lines(one)) for one in found))
    for line in few_labels(found):
        print(line)
    return 0


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    judges = ", ".join(f"{role} {model}" for role, model in found["judges"].items()) or "no judge"
    yield f"{found['task']} {found['metric']}: {judges}"
    yield from aligned([SCORES, *map(_score_cells, found["models"])], words=(0,))
    if found["differences"]:
        yield from aligned([DIFFERENCES, *map(_difference_cells, found["differences"])], words=(0, 6))


def _score_cells(model: Mapping[str, Any]) -> Sequence[str]:
    calibrated = model["calibrated"]
    return (
        model["model"],
        *(score_with_interval(model[name]) for name in ("judged", "labels_alone", "calibrated")),
        f"{calibrated['lambda']:.2f}",
        str(calibrated["labels"]),
        str(calibrated["cases"]),
    )


def _difference_cells(pair: Mapping[str, Any]) -> Sequence[str]:
    return (
        f"{pair['b']} - {pair['a']}",
        change_with_interval(pair["judged"]),
        probability(pair["judged"]["p"]),
        change_with_interval(pair["calibrated"]),
        probability(pair["calibrated"]["p"]),
        probability(pair["p_holm"]),
        pair["verdict"],
    )
