"""summary.md: what came of a run in at most 60 lines, for a pull request or a job's page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from proctor._base.figures import scale_in_words, score_with_interval, some
from proctor._base.markdown import code, inline, table
from proctor.report.gate_findings import gate_lines
from proctor.report.not_measured import left_out_lines
from proctor.results.row import MISSING, NOT_MEASURED
from proctor.tasks.score import FAMILIES

FILE_NAME = "summary.md"
MOST_LINES = 60
MOST_SCORES = 20
MOST_REASONS = 5
MOST_OF_GATE = 10
MOST_FLIPS = 8
SHOWN_CASES = 5
LONGEST_NAME = 80
LONGEST = 400  # characters of a line; GitHub refuses a comment of 65,536


def verdict(report: Mapping[str, Any]) -> str:
    """What came of a run, in one sentence."""
    cases = sum(task["expected"] for task in report["tasks"])
    gone = sum(_unmeasured(task) for task in report["tasks"])
    gate = report.get("gate")
    measured = f"{gone} of {cases} cases not measured" if gone else f"all {cases} cases measured"
    if gate is None:
        return measured
    return f"{measured}, gate {_outcome(gate)}"


def is_bad(report: Mapping[str, Any]) -> bool:
    """Whether something was not measured, or a gate is not held."""
    gate = report.get("gate")
    return any(map(_unmeasured, report["tasks"])) or (gate is not None and gate["holds"] is False)


def summary(report: Mapping[str, Any]) -> str:
    """The content of summary.md.

    Args:
        report: The content of report.json.
    """
    run = report["run"]
    duration = "" if run.get("duration_s") is None else f", {run['duration_s']:.0f} s"
    lines = [
        f"## Proctor: {verdict(report)}",
        "",
        _short(f"Run {inline(run['id'])}, {inline(run['started'][:16])} UTC{duration}: {code(run['command'])}"),
    ]
    for title, found in (
        ("Not measured", list(_not_measured(report))),
        ("Left out", list(_first([f"- {inline(line)}" for line in left_out_lines(report)], MOST_REASONS))),
        ("Gate", list(_gate(report))),
        ("Flipped against the baseline", list(_flips(report))),
    ):
        if found:
            lines += ["", f"**{title}**", "", *map(_short, found)]
    lines += ["", *_scores(report)]
    links = "More in the run's folder: report.html, report.md, report.json."
    if len(lines) > MOST_LINES - 2:  # so many parts that even their shares are too much
        lines = [*lines[: MOST_LINES - 3], "…"]
    return "\n".join([*lines, "", links]) + "\n"


def _cell(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _short(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _unmeasured(task: Mapping[str, Any]) -> int:
    return sum(int(task["status"].get(status, 0)) for status in (*NOT_MEASURED, MISSING))


def _outcome(gate: Mapping[str, Any]) -> str:
    if gate["unmeasured"]:
        return "not decided"
    return {True: "holds", False: "NOT HELD", None: "undecided"}[gate["holds"]]


def _not_measured(report: Mapping[str, Any]) -> Iterator[str]:
    found = [
        f"- {task['benchmark']}/{task['task']} {inline(task['model'])}: {len(names)} {status}: "
        f"{inline(some(names, SHOWN_CASES))}"
        for task in report["tasks"]
        for status in (*sorted(NOT_MEASURED), MISSING)
        if (names := task["failures"].get(status))
    ]
    yield from _first(found, MOST_REASONS)


def _gate(report: Mapping[str, Any]) -> Iterator[str]:
    head, *more = gate_lines(report) or [""]
    if head:
        lines = [f"- {inline(line.strip())}" for line in more if not line.startswith("    ")]
        yield from _first([inline(head), "", *lines] if lines else [inline(head)], MOST_OF_GATE)


def _flips(report: Mapping[str, Any]) -> Iterator[str]:
    found = [
        f"- {part['benchmark']}/{part['task']} {inline(part['b']['model'])}: {len(names)} {word}: "
        f"{inline(some(names, SHOWN_CASES))}"
        for part in (report.get("gate") or {}).get("against_baseline", [])
        for word, names in (("worse", part["lost"]), ("better", part["won"]))
        if names
    ]
    yield from _first(found, MOST_FLIPS)


def _scores(report: Mapping[str, Any]) -> Iterator[str]:
    rows = list(_rows(report["tasks"]))
    rows += [
        [_cell(found["name"]), _cell(found["model"]), "", "", *(_percent(found[family]) for family in FAMILIES)]
        for found in report.get("composites", [])
    ]
    yield from table(["task", "model", "metric", "n", *FAMILIES], rows[:MOST_SCORES]).split("\n")
    if len(rows) > MOST_SCORES:
        yield f"\n… and {len(rows) - MOST_SCORES} more, in report.md"


def _rows(tasks: Iterable[Mapping[str, Any]]) -> Iterator[Sequence[str]]:
    for task in tasks:
        headline = next(iter(task["metrics"]))
        scale = task["scales"][headline]
        families = [score_with_interval(task["metrics"][headline][family], scale) for family in FAMILIES]
        name = f"{task['benchmark']}/{task['task']}"
        yield [
            _cell(name),
            _cell(task["model"]),
            _cell(f"{headline}, {scale_in_words(scale)}"),
            str(task["expected"]),
            *families,
        ]


def _percent(estimate: Mapping[str, Any]) -> str:
    return "–" if estimate["value"] is None else f"{estimate['value']:.2f} %"


def _first(lines: Sequence[str], most: int) -> Iterator[str]:
    yield from lines[:most]
    if len(lines) > most:
        yield f"- … and {len(lines) - most} more, in report.md"
