"""Who answered, as the answers themselves state it: whether that was the model asked for, and always the same one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proctor.results.manifest import ManifestTask
from proctor.results.row import AnswererFields, ResultRow
from proctor.statistics.aggregates import Measured

ANSWER = "answer"
"""The role of the model under test."""

STATED = ("model", "provider", "fingerprint")
_SNAPSHOT = re.compile(r"(?:[-@:_.](?:\d{4}-?\d\d-?\d\d|\d{3,8}|latest|free|batch))*")
"""What may follow the name of a model in that of one and the same: a date, a number, a way to be asked."""


def same_model(asked: str, stated: str) -> bool:
    """Whether a model that calls itself *stated* is the one that was *asked* for, or a snapshot of it.

    What stands before a slash is a vendor or a folder, and says nothing.
    """
    one, other = sorted((asked.casefold().rpartition("/")[2], stated.casefold().rpartition("/")[2]), key=len)
    return other.startswith(one) and _SNAPSHOT.fullmatch(other[len(one) :]) is not None


def answerers(task: ManifestTask, cases: Sequence[Measured]) -> list[dict[str, Any]]:
    """Who answered in each role.

    Args:
        task: The task and model.
        cases: All its cases.

    Returns:
        Entries of ``role``, ``model``, ``provider``, ``fingerprint``, ``cases``, and ``asked_for``: whether that is the
        model asked for, ``None`` if that cannot be told. A role has several where what is stated changed.
    """
    counts: dict[str, Counter[tuple[str | None, ...]]] = {}
    asked = {ANSWER: task.model_api_id}
    for measured in cases:
        for role, wanted, stated in _stated(task, measured.row) if measured.row else ():
            asked[role] = wanted
            counts.setdefault(role, Counter())[tuple(stated[name] for name in STATED)] += 1  # type: ignore[literal-required]
    return [
        {
            "role": role,
            **dict(zip(STATED, stated, strict=True)),
            "cases": number,
            "asked_for": None if stated[0] is None or not asked[role] else same_model(asked[role], stated[0]),
        }
        for role, found in counts.items()
        for stated, number in found.most_common()
    ]


def _stated(task: ManifestTask, row: ResultRow) -> Iterator[tuple[str, str, AnswererFields]]:
    for stated in row.get("answered_by") or ():
        yield ANSWER, task.model_api_id, stated
    for role, fields in (row.get("judging") or {}).items():
        for stated in fields.get("answered_by") or ():
            yield role, fields.get("model_api_id", ""), stated


def doubts(report: Mapping[str, Any]) -> list[str]:
    """For each task what its answers state that its user should know, in words."""
    lines = []
    for task in report["tasks"]:
        place = f"{task['benchmark']}/{task['task']} {task['model']}"
        by_role: dict[str, list[Mapping[str, Any]]] = {}
        for entry in task.get("answered_by", ()):
            by_role.setdefault(entry["role"], []).append(entry)
        for role, entries in by_role.items():
            who = place if role == ANSWER else f"{place}, {role}"
            wrong = Counter[str]()
            for entry in entries:
                if entry["asked_for"] is False:
                    wrong[entry["model"]] += entry["cases"]
            for model, number in wrong.items():
                lines.append(f"{who}: {number} answered by {model}, which is not the model that was asked for")
            for name in STATED:
                changed = Counter[str]()
                for entry in entries:
                    changed[entry[name] or "none stated"] += entry["cases"]
                if len(changed) > 1:
                    told = ", ".join(f"{value} ({number})" for value, number in changed.most_common())
                    lines.append(f"{who}: the {name} that answered changed: {told}")
    return lines
