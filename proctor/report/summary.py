"""A report in words: the table at the end of the terminal output, and report.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from proctor._base.errors import printable
from proctor._base.figures import scale_in_words, score_with_interval, table_cell
from proctor._base.markdown import bullets, code, inline, table
from proctor.report.data_rows import rows_section
from proctor.report.findings import (
    comparison_section,
    ranks_section,
    repetition_section,
    sensitivity_section,
    suspects_section,
)
from proctor.report.gate_findings import gate_section
from proctor.report.judges import COMPARES, compares
from proctor.report.not_measured import not_measured_section
from proctor.report.published import published_section
from proctor.report.score_table import by_scale, composite_scores, cost, then_lines, without
from proctor.results.row import NOT_NEEDED
from proctor.statistics.answerers import STATED, doubts
from proctor.tasks.score import FAMILIES

TOKENS = ("input_tokens", "output_tokens")


def failed_cases(report: Mapping[str, Any], most: int = 5) -> list[str]:
    """For each task with cases that could not be measured, a line that counts and names them.

    Args:
        report: The content of report.json.
        most: How many cases of a status are named.
    """
    lines = []
    for task in report["tasks"]:
        for status in ("error", "judge_failed"):
            names = task["failures"].get(status, [])
            if names:
                more = f", … ({len(names) - most} more in report.json)" if len(names) > most else ""
                subject = f"{task['benchmark']}/{task['task']} {task['model']}"
                lines.append(f"{subject}: {len(names)} {status}: {', '.join(map(printable, names[:most]))}{more}")
    return lines


def markdown(report: Mapping[str, Any]) -> str:
    """report.md: what was measured, with what, and what was not."""
    run = report["run"]
    parts = [
        f"# Proctor run {run['id']}",
        code(run["command"]),
        bullets(
            {
                "Started": run["started"],
                "Duration": "unknown" if run["duration_s"] is None else f"{run['duration_s']} s",
                "Git commit": inline(run["git_commit"] or "none"),
                "Versions": inline(", ".join(f"{name} {version}" for name, version in run["versions"].items())),
            }
        ),
        *(inline(note) for note in report.get("notes", [])),
        *gate_section(report),
        "## Scores",
        "*Official* is the published grader's formula, quirks included; *strict* counts every selected case and gives "
        "every failure the worst value. In brackets: 95 % intervals.",
        *not_measured_section(report),
        *_scores(report),
        _composites(report),
        "; ".join(without(report.get("composites", []))),
        "± is the standard deviation over epochs." if any("epochs" in e for e in _estimates(report)) else "",
        *comparison_section(report),
        *ranks_section(report),
        *repetition_section(report),
        *published_section(report),
        "## What was measured",
        *(measured := [_statuses(report["tasks"]), *_judging(report["tasks"])]),
        *then_lines(measured),
        *_answerers(report),
        *sensitivity_section(report),
        *suspects_section(report),
        *_task_sections(report),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _estimates(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [e for task in report["tasks"] for families in task["metrics"].values() for e in families.values()]


def _scores(report: Mapping[str, Any]) -> Iterable[str]:
    """A table for each scale: numbers on different scales share no column."""
    for scale, metrics in by_scale(report["tasks"]).items():
        rows = []
        for task, name in metrics:
            families = task["metrics"][name]
            scores = (f"{score_with_interval(families[f], scale)} (n = {families[f]['n']})" for f in FAMILIES)
            rows.append([f"{task['benchmark']}/{task['task']}", task["model"], name, *scores])
        yield f"{scale_in_words(scale).capitalize()}:"
        yield table(["task", "model", "metric", *FAMILIES], rows)


def _composites(report: Mapping[str, Any]) -> str:
    rows = [
        [found["name"], found["model"], ", ".join(found["tasks"]), *composite_scores(found)]
        for found in report.get("composites", [])
    ]
    return table(["score", "model", "mean of", *FAMILIES], rows) if rows else ""


def _judging(tasks: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Who judged what, and what that took."""
    rows = [
        [
            f"{task['benchmark']}/{task['task']}",
            task["model"],
            role,
            took["model"],
            took.get("prescribed") or "–",
            COMPARES[compares(task)],
            str(took["calls"]),
            *("–" if took["usage"][name] is None else str(took["usage"][name]) for name in TOKENS),
            cost(took),
        ]
        for task in tasks
        for role, took in task.get("judging", {}).items()
    ]
    if rows:
        yield "## Judging"
        yield "Calls to other models than the one under test; their tokens and dollars are not part of the table above."
        who = ["role", "played by", "prescribed", "published figures"]
        yield table(["task", "model", *who, "calls", "tokens in", "tokens out", "cost"], rows)


def _answerers(report: Mapping[str, Any]) -> Iterable[str]:
    """Who answered, as the answers state it."""
    rows = [
        [
            f"{task['benchmark']}/{task['task']}",
            task["model"],
            entry["role"],
            *(entry[name] or "–" for name in STATED),
            str(entry["cases"]),
            {True: "yes", False: "no", None: "–"}[entry["asked_for"]],
        ]
        for task in report["tasks"]
        for entry in task.get("answered_by", ())
    ]
    if rows:
        yield "## Who answered"
        yield "As the answers themselves state it, with the cases of each."
        yield table(["task", "model", "role", *STATED, "cases", "as asked for"], rows)
        yield "\n".join(f"- {inline(line)}" for line in doubts(report))


def _statuses(tasks: Sequence[Mapping[str, Any]]) -> str:
    statuses = (
        [s for s in tasks[0]["status"] if s != NOT_NEEDED or any(t["status"].get(s) for t in tasks)] if tasks else []
    )
    rows = [
        [
            f"{task['benchmark']}/{task['task']}",
            task["model"],
            str(task["expected"]),
            *(str(task["status"].get(status, 0)) for status in statuses),
            str(task["usage"]["input_tokens"] if task["usage"]["input_tokens"] is not None else "–"),
            str(task["usage"]["output_tokens"] if task["usage"]["output_tokens"] is not None else "–"),
            cost(task),
            _seconds(task["latency_s"]["p50"]),
            _seconds(task["latency_s"]["p95"]),
        ]
        for task in tasks
    ]
    head = ["task", "model", "selected", *statuses, "tokens in", "tokens out", "cost", "latency p50", "latency p95"]
    return table(head, rows)


def _task_sections(report: Mapping[str, Any]) -> Iterable[str]:
    """What is said of each task, over all models, and of each model in it."""
    told: set[tuple[str, str]] = set()
    for task in report["tasks"]:
        name = (task["benchmark"], task["task"])
        if name not in told:
            told.add(name)
            yield from _own_tables([t for t in report.get("tables", []) if (t["benchmark"], t["task"]) == name])
            yield from rows_section(task)
        yield f"## {task['benchmark']}/{task['task']}, {inline(task['model'])}"
        cassette = task["cassette"]
        recorded = (
            inline(f"{cassette['recorded']} recordings, {cassette['first']} to {cassette['last']}")
            if cassette["recorded"]
            else "of judges alone"
            if task["responses"] and cassette["file"]
            else "none"
        )
        yield bullets(
            {
                "Model": code(task["model_api_id"]),
                "Data": "; ".join(
                    [
                        f"{code(task['data_file'])}, SHA-256 {code(task['data_sha256'])}",
                        *map(inline, task["data_notes"]),
                    ]
                ),
                "Recordings": recorded,
            }
        )
        headline = next(iter(task["metrics"]))
        for tag, groups in task["by_tag"].items():
            if 1 < len(groups) <= 20:
                rows = [
                    [value, str(group["expected"])]
                    + [score_with_interval(group["metrics"][headline][f], task["scales"][headline]) for f in FAMILIES]
                    for value, group in groups.items()
                ]
                yield f"**{inline(headline)} by {inline(tag.replace('_', ' '))}**"
                yield table([tag, "n", *FAMILIES], rows)
        if task["diagnostics"]:
            yield "**Diagnostics**"
            rows = [[name, score_with_interval(d), str(d["n"])] for name, d in task["diagnostics"].items()]
            yield table(["diagnostic", "mean", "n"], rows)


def _own_tables(tables: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    if tables:
        yield f"## {tables[0]['benchmark']}/{tables[0]['task']}, all models"
    for own in tables:
        if own["columns"]:
            yield f"**{inline(own['title'])}**"
            yield table(own["columns"], [[table_cell(value) for value in row] for row in own["rows"]])
        yield inline(own["note"])


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"
