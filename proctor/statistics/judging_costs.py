"""What judging took, apart from what answering took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proctor.results import RoleFields
from proctor.selection import SelectedTask
from proctor.statistics.aggregates import Measured


def judging_costs(task: SelectedTask, cases: Sequence[Measured]) -> dict[str, dict[str, Any]]:
    """What each role of a task took over all cases.

    Args:
        task: The task, which names the model in each role.
        cases: Its cases.

    Returns:
        By role: ``model``, ``calls``, ``cases`` that had any, ``usage`` and ``cost_usd`` as a row's.
    """
    return {role: _of_role(role, model, cases) for role, model in task.role_models.items()}


def _of_role(role: str, model: str, cases: Sequence[Measured]) -> dict[str, Any]:
    parts: list[RoleFields] = [m.row["judging"][role] for m in cases if m.row and role in m.row["judging"]]
    costs = [part["cost_usd"] for part in parts]
    known = [cost for cost in costs if cost is not None]
    return {
        "model": model,
        "calls": sum(part["calls"] for part in parts),
        "cases": len(parts),
        "usage": {name: _total(parts, name) for name in ("input_tokens", "output_tokens", "cached_tokens")},
        "cost_usd": sum(known) if len(known) == len(costs) else None,
    }


def _total(parts: Sequence[RoleFields], name: str) -> int | None:
    counts = [count for part in parts if (count := part["usage"][name]) is not None]  # type: ignore[literal-required]
    return sum(counts) if counts else None
