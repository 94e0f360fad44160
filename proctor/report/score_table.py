"""The table of scores at the end of the terminal output."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from proctor._base.figures import dollars_then, percent_with_interval, scale_in_words, score, score_with_interval
from proctor.report.not_measured import not_measured_lines
from proctor.tasks.score import FAMILIES

HEAD = ("task", "model", "n", "metric", *FAMILIES, "not scored", "cost")
NUMERIC = {2, 4, 5, 7}
BRIEF_HEAD = ("task", "model", "metric", "strict")
BRIEF_NUMERIC = {3}
INDENT = 2
UNLIMITED = 10**9

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


def score_table(report: Mapping[str, Any], width: int = UNLIMITED, *, brief: bool = False) -> list[str]:
    """What was not measured, and the scores per task and model, as aligned lines of text: a table for each scale.

    Args:
        report: The content of report.json.
        width: Columns of the terminal. Where a table has no room, each metric has a line below its task and model.
        brief: Whether to show headline metrics alone, strict and without their intervals.
    """
    tables: list[tuple[str, list[Row]]] = [
        (f"{scale_in_words(scale)}:", rows)
        for scale, metrics in by_scale(report["tasks"]).items()
        if (rows := list(_brief_rows(metrics, scale) if brief else _rows(metrics, scale)))
    ]
    composites: list[Row] = [
        _brief(found["name"], found["model"], mean_of(found), composite_scores(found)[1].partition(" [")[0])
        if brief
        else [found["name"], found["model"], "", mean_of(found), *composite_scores(found), "", ""]
        for found in report.get("composites", [])
    ]
    head = BRIEF_HEAD if brief else HEAD
    if composites:
        tables.append(("percent of full marks, higher is better:", composites))
    widths = [max(len(row[column]) for _, rows in tables for row in (head, *rows)) for column in range(len(head))]
    lines = not_measured_lines(report)
    for title, rows in tables:
        shown = [_line(row, widths, BRIEF_NUMERIC if brief else NUMERIC) for row in (head, *rows)]
        if max(map(len, shown)) > width:
            shown = list(_folded_brief(rows, width) if brief else _folded(rows, width))
        lines += [title, *shown]
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


def _brief_rows(metrics: Iterable[tuple[Mapping[str, Any], str]], scale: Scale) -> Iterator[Row]:
    for task, name in metrics:
        if name == next(iter(task["metrics"])):
            strict = score(task["metrics"][name]["strict"]["value"], scale)
            yield _brief(f"{task['benchmark']}/{task['task']}", task["model"], name, strict)


def _brief(task: str, model: str, metric: str, value: str) -> Row:
    return (task, model, metric, value)


def _folded(rows: Sequence[Row], width: int) -> Iterator[str]:
    """A table that is too wide: a line for a task and model, and below it one for each metric."""
    official, strict = (max(len(row[column]) for row in (HEAD, *rows)) for column in (4, 5))
    name = max(len(row[3]) for row in rows)
    beside = INDENT + name + 2 + official + 2 + strict <= width
    if beside:
        yield f"{'':{INDENT + name}}  {HEAD[4]:>{official}}  {HEAD[5]:>{strict}}"
    for row in rows:
        if row[0]:
            told = [f"n = {row[2]}" if row[2] else "", "" if row[6] == "–" else row[6], row[7]]
            yield from _wrapped(f"{row[0]} {row[1]}: {', '.join(filter(None, told))}".removesuffix(": "), width)
        if beside:
            yield f"{'':{INDENT}}{row[3]:{name}}  {row[4]:>{official}}  {row[5]:>{strict}}".rstrip()
        else:
            yield from _wrapped(f"{'':{INDENT}}{row[3]}", width)
            for column in (4, 5):
                yield f"{'':{2 * INDENT}}{HEAD[column]:8}  {row[column]}"


def _folded_brief(rows: Sequence[Row], width: int) -> Iterator[str]:
    for task, model, metric, value in rows:
        yield from _wrapped(f"{task} {model}:", width)
        yield from _wrapped(f"{'':{INDENT}}{metric} {value}", width)


def _wrapped(line: str, width: int) -> list[str]:
    return fitted(line, width, whole_words=False)


def fitted(line: str, width: int, *, whole_words: bool = True) -> list[str]:
    """A line in as many as a terminal takes; the further ones are indented.

    Args:
        line: The line.
        width: Columns of the terminal.
        whole_words: Whether a word that is wider, such as a path, stays whole.
    """
    if len(line) <= width:
        return [line]
    start = line[: len(line) - len(line.lstrip())]
    wrapper = textwrap.TextWrapper(width, break_on_hyphens=False, break_long_words=not whole_words)
    wrapper.initial_indent, wrapper.subsequent_indent = start, start + " " * INDENT
    return wrapper.wrap(line.strip())


def _line(row: Row, widths: Sequence[int], numeric: Set[int]) -> str:
    cells = zip(row, widths, strict=True)
    return "  ".join(
        cell.rjust(width) if column in numeric else cell.ljust(width) for column, (cell, width) in enumerate(cells)
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
