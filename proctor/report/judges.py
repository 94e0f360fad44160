"""Who judged, whom the benchmark prescribes, and whether figures compare with published ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proctor._base.figures import some
from proctor.models.builtin import builtin_model

SHOWN_TASKS = 4
COMPARES = {True: "compare", False: "do not compare", None: "–"}


def compares(task: Mapping[str, Any]) -> bool | None:
    """Whether a task's figures compare with published ones; ``None`` where there are none."""
    found: bool | None = task.get("published", {}).get("compares")
    return found


def judge_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """For the terminal, a line for each model that judged: in whose place, in which tasks, and what that means."""
    found: dict[tuple[Any, ...], dict[str, None]] = {}
    for task in report["tasks"]:
        if builtin_model(task["model"]) is not None:
            continue
        for role, took in task.get("judging", {}).items():
            if took.get("prescribed") is not None:
                who = (role, took["model"], took["prescribed"], took["as_prescribed"], compares(task))
                found.setdefault(who, {})[f"{task['benchmark']}/{task['task']}"] = None
    for (role, model, prescribed, as_prescribed, comparable), tasks in found.items():
        by = f"{model}, as prescribed" if as_prescribed else f"{model} instead of {prescribed}, who is prescribed"
        told = f"; figures {COMPARES[comparable]} with published ones" if comparable is not None else ""
        yield f"{role}: {by}, in {some(list(tasks), SHOWN_TASKS)}{told}"
