"""What judging took, apart from what answering took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proctor.results.manifest import ManifestTask
from proctor.results.row import RoleFields
from proctor.statistics.aggregates import Measured, total_spent


def judging_costs(task: ManifestTask, cases: Sequence[Measured]) -> dict[str, dict[str, Any]]:
    """What each role of a task took over all cases.

    Args:
        task: The task, which names the model in each role.
        cases: Its cases.

    Returns:
        By role: ``model``, whom the benchmark has ``prescribed`` and whether that is who judged, ``as_prescribed``
        (both ``None`` where the run does not say), ``calls``, ``cases`` that had any, ``usage``, ``cost_usd`` and
        ``spent_usd`` as a row's.
    """
    found = {}
    for role, model in task.role_models.items():
        prescribed = task.prescribed.get(role, {})
        named = {"prescribed": prescribed.get("model"), "as_prescribed": prescribed.get("used")}
        found[role] = {"model": model, **named, **_of_role(role, cases)}
    return found


def _of_role(role: str, cases: Sequence[Measured]) -> dict[str, Any]:
    parts: list[RoleFields] = [m.row["judging"][role] for m in cases if m.row and role in m.row["judging"]]
    costs = [part["cost_usd"] for part in parts]
    known = [cost for cost in costs if cost is not None]
    return {
        "calls": sum(part["calls"] for part in parts),
        "cases": len(parts),
        "usage": {name: _total(parts, name) for name in ("input_tokens", "output_tokens", "cached_tokens")},
        "cost_usd": sum(known) if len(known) == len(costs) else None,
        "spent_usd": total_spent(
            (m.row["source"], m.row["judging"][role]) for m in cases if m.row and role in m.row["judging"]
        ),
    }


def _total(parts: Sequence[RoleFields], name: str) -> int | None:
    counts = [count for part in parts if (count := part["usage"][name]) is not None]  # type: ignore[literal-required]
    return sum(counts) if counts else None
