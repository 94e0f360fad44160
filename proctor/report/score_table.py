"""The table of scores at the end of the terminal output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from proctor._base.figures import dollars_then, percent_with_interval, scale_in_words, score_with_interval
from proctor.report.not_measured import not_measured_lines
from proctor.tasks.score import FAMILIES

HEAD = ("task", "model", "n", "metric", *FAMILIES, "not scored", "cost")
NUMERIC = {2, 4, 5, 7}

THEN = "then: what replayed answers cost when they were recorded; this run paid nothing for them."

Row = Sequence[str]
Scale = tuple[float, float]


def by_scale(tasks: Iterable[Mapping[str, Any]]) -> dict[Scale, list[tuple[Mapping[str, Any], str]]]:
    """The metrics of all tasks and models by their scale, worst value and best: each a task and a metric's name.

    Args:
        tasks: The tasks of report.json.
    """
    found: dict[Scale, list[tuple[Mapping[str, Any], str]]] = {}
    for task in tasks:
        for name in task["metrics"]:
            worst, best = task["scales"][name]
            found.setdefault((worst, best), []).append((task, name))
    return found


def score_table(report: Mapping[str, Any]) -> list[str]:
    """What was not measured, and the scores per task and model, as aligned lines of text: a table for each scale."""
    tables: list[tuple[str, list[Row]]] = [
        (f"{scale_in_words(scale)}:", list(_rows(metrics, scale)))
        for scale, metrics in by_scale(report["tasks"]).items()
    ]
    composites: list[Row] = [
        [found["name"], found["model"], "", mean_of(found), *composite_scores(found), "", ""]
        for found in report.get("composites", [])
    ]
    if composites:
        tables.append(("percent of full marks, higher is better:", composites))
    widths = [max(len(row[column]) for _, rows in tables for row in (HEAD, *rows)) for column in range(len(HEAD))]
    lines = not_measured_lines(report)
    for title, rows in tables:
        lines += [title, *(_line(row, widths) for row in (HEAD, *rows))]
    return lines + without(report.get("composites", [])) + then_lines(lines)


def _rows(metrics: Iterable[tuple[Mapping[str, Any], str]], scale: Scale) -> Iterator[Row]:
    """The lines of one table; those of one task and model name them once."""
    former = None
    for task, name in metrics:
        head, tail = ["", "", ""], ["", ""]
        if task is not former:
            head = [f"{task['benchmark']}/{task['task']}", task["model"], str(task["expected"])]
        if name == next(iter(task["metrics"])):  # once, where several tables have metrics of the task
            tail = [_not_scored(task), cost(task)]
        yield [*head, name, *(score_with_interval(task["metrics"][name][family], scale) for family in FAMILIES), *tail]
        former = task


def _line(row: Row, widths: Sequence[int]) -> str:
    cells = zip(row, widths, strict=True)
    return "  ".join(
        cell.rjust(width) if column in NUMERIC else cell.ljust(width) for column, (cell, width) in enumerate(cells)
    ).rstrip()


def _not_scored(task: Mapping[str, Any]) -> str:
    counts = {status: count for status, count in task["status"].items() if status != "scored" and count}
    return ", ".join(f"{count} {status}" for status, count in counts.items()) or "–"


def mean_of(composite: Mapping[str, Any]) -> str:
    """Of how many tasks a composite score is the mean."""
    tasks, missing = len(composite["tasks"]), len(composite.get("missing", []))
    if missing:
        return f"mean of {tasks} of {tasks + missing} tasks"
    return "one task" if tasks == 1 else f"mean of {tasks} tasks"


def composite_scores(composite: Mapping[str, Any]) -> list[str]:
    """A composite score in each family."""
    return [percent_with_interval(composite[family]) for family in FAMILIES]


def without(composites: Iterable[Mapping[str, Any]]) -> list[str]:
    """For each composite score of which tasks were not run, a line that names them."""
    return list(
        dict.fromkeys(f"{c['name']} is without {', '.join(c['missing'])}" for c in composites if c.get("missing"))
    )


def cost(took: Mapping[str, Any]) -> str:
    """What a task, or a role in it, cost."""
    return dollars_then(took["cost_usd"], took.get("spent_usd"))


def then_lines(texts: Iterable[str]) -> list[str]:
    """What *then* means, where any of these texts says it."""
    return [THEN] if any(re.search(r"\$\S+ then\b", text) for text in texts) else []
