"""What GitHub shows of a run: a comment for a pull request, and annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proctor._base.figures import some
from proctor.report.gate_findings import gate_lines
from proctor.report.run_summary import summary
from proctor.report.summary import markdown
from proctor.results.row import MISSING, NOT_MEASURED

FILE_NAME = "comment.md"
MARKER = "<!-- proctor-report -->"
"""Tells the comment of former runs, which a new one is to replace."""
LONGEST = 65_000
"""Characters of a comment, of which GitHub takes 65,535."""
MOST = 10
"""Annotations of one kind that GitHub shows of a step."""
SHOWN_CASES = 3


def comment(report: Mapping[str, Any]) -> str:
    """The body of the comment: the summary, and as much of report.md as there is room for.

    Args:
        report: The content of report.json.
    """
    head = f"{MARKER}\n{summary(report)}"
    before, after = "\n<details><summary>The whole report</summary>\n\n", "\n\n</details>\n"
    cut = "\n\n… cut here: the rest is in report.md."
    room = LONGEST - len(head) - len(before) - len(after) - len(cut)
    whole = markdown(report)
    if len(whole) > room:
        whole = whole[: whole.rfind("\n\n", 0, room)] + cut  # between paragraphs, so that no table is torn
    return f"{head}{before}{whole}{after}"


def annotated(report: Mapping[str, Any]) -> Iterator[str]:
    """Commands that GitHub takes from a job's output: an error for a gate that is not held, and for failures alike.

    Args:
        report: The content of report.json.
    """
    yield from gate_annotation(report)
    failures = [
        (f"{task['benchmark']}/{task['task']} {task['model']}", status, names)
        for task in report["tasks"]
        for status in (*sorted(NOT_MEASURED), MISSING)
        if (names := task["failures"].get(status))
    ]
    for subject, status, names in failures[: MOST - 1]:
        yield _command("error", f"{len(names)} {status}: {some(names, SHOWN_CASES)}", title=f"Proctor: {subject}")
    if len(failures) >= MOST:
        yield _command("error", f"{len(failures) - MOST + 1} more, in report.md", title="Proctor: failures")


def gate_annotation(report: Mapping[str, Any]) -> Iterator[str]:
    """The annotation of a gate that does not hold; a warning if that is not decided."""
    gate = report.get("gate")
    if gate is not None and (gate["holds"] is not True or gate["unmeasured"]):
        kind = "error" if gate["holds"] is False else "warning"
        yield _command(kind, "\n".join(gate_lines(report)), title="Proctor: gate")


def _command(kind: str, message: str, *, title: str) -> str:
    """A command, with text from anywhere escaped as GitHub's own toolkit does: no text can begin another command."""
    name = _escaped(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
