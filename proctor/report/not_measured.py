"""What could not be measured, and why: it stands before any score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proctor._base.errors import printable
from proctor._base.markdown import inline
from proctor.results.row import MISSING, NOT_MEASURED
from proctor.statistics.aggregates import Measured

LONGEST_REASON = 160
MOST_REASONS = 3
WORDS = {
    "error": "no usable answer",
    "judge_failed": "the judge failed",
    MISSING: "never finished",
}


def not_measured(cases: Sequence[Measured]) -> dict[str, Any]:
    """How many of a task's cases could not be measured, and why, as report.json holds it.

    Args:
        cases: All its cases.

    Returns:
        ``cases``, their number, and ``because``: each reason once, the commonest first, with its ``status``, what is
        ``told`` of it, the first line of the error if there is one, and how many ``cases`` it holds for. Cases that
        were not needed are not among them.
    """
    reasons = Counter((m.status, _told(m)) for m in cases if m.status in NOT_MEASURED or m.status == MISSING)
    return {
        "cases": reasons.total(),
        "because": [
            {"status": status, "told": told, "cases": count} for (status, told), count in reasons.most_common()
        ],
    }


def _told(measured: Measured) -> str:
    error = measured.row.get("error") if measured.row else None
    lines = (error or "").strip().splitlines()
    told = lines[0].strip() if lines else WORDS[measured.status]
    return told if len(told) <= LONGEST_REASON else f"{told[: LONGEST_REASON - 1]}…"


def reason(because: Sequence[Mapping[str, Any]]) -> str:
    """Why cases could not be measured, in words; the commonest reasons if there are many.

    Args:
        because: The reasons, as `not_measured` gives them.
    """
    parts = [
        f"{found['cases']} × {found['told']}" if len(because) > 1 else str(found["told"])
        for found in because[:MOST_REASONS]
    ]
    if len(because) > MOST_REASONS:
        parts.append(f"{sum(found['cases'] for found in because[MOST_REASONS:])} × other reasons, in results.jsonl")
    return "; ".join(parts)


def not_measured_lines(report: Mapping[str, Any]) -> list[str]:
    """For each task and model some of whose cases could not be measured, how many of how many, and why.

    Args:
        report: The content of report.json.
    """
    lines = []
    for task in report["tasks"]:
        found = task["not_measured"]
        if found["cases"]:
            count = f"{found['cases']} of {task['expected']} not measured"
            name = f"{task['benchmark']}/{task['task']} {task['model']}"
            lines.append(f"{printable(name)}: {count}, because {printable(reason(found['because']))}")
    return lines


def left_out_lines(report: Mapping[str, Any]) -> list[str]:
    """The tasks that the run left out, with the model if others were asked, and why.

    Args:
        report: The content of report.json.
    """
    return [
        printable(f"{one['task']} {one['model']}".strip() + f": {one['why']}")
        for one in report["run"].get("left_out", ())
    ]


def not_measured_section(report: Mapping[str, Any]) -> Iterator[str]:
    """What report.md says before any score; nothing where all was measured."""
    lines = [f"- {inline(line)}" for line in not_measured_lines(report)]
    if lines:
        yield (
            "**Not measured.** The strict scores below give each of these the worst value; where nothing was measured "
            "there is no score."
        )
        yield "\n".join(lines)
    left_out = [f"- {inline(line)}" for line in left_out_lines(report)]
    if left_out:
        yield "**Left out.** These tasks were selected, and are in no score:"
        yield "\n".join(left_out)
