"""How tasks and models scored over many runs: the newest score of each, and how it came to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

TOLD = {
    "data": "data",
    "prompts": "prompts",
    "scorer": "scorer",
    "judges": "judges",
    "cases": "selected samples",
}
"""What scores must have in common to be compared, in words."""


class Measured(NamedTuple):
    """A task and model in one run.

    Args:
        run: The index of the run among all.
        entry: What its summary says of them.
    """

    run: int
    entry: Mapping[str, Any]

    @property
    def is_whole(self) -> bool:
        """Whether all samples of the data were selected, and all cases measured."""
        selected, in_data = self.entry["selected"], self.entry["in_data"]
        complete: bool = self.entry["not_measured"] + self.entry["not_needed"] == 0 and selected >= in_data
        return complete

    @property
    def has_score(self) -> bool:
        """Whether there is anything to show."""
        return any(estimate["value"] is not None for estimate in self.entry["scores"].values())


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """What two measurements do not have in common, in words; what is not known of one is not held against it."""
    found = [told for name, told in TOLD.items() if one[name] and other[name] and one[name] != other[name]]
    # Other data has other samples, too.
    return [told for told in found if told != TOLD["cases"]] if TOLD["data"] in found else found


def leaderboard(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The newest score of each task and model.

    A run of some samples only, or one that could not measure all, does not take the place of a whole one: it is told
    as ``newer``, unless there is no whole one.

    Args:
        runs: Summaries, the newest first.

    Returns:
        For each ``task`` its ``metric``, ``scale`` and ``lines``: ``model``, the index of the ``run`` and of the
        ``newer`` one if there is any, the ``entry`` of its summary, and in what it ``differs`` from the newest line.
    """
    tasks: dict[str, list[tuple[Measured, int | None]]] = {}
    for (task, _), measured in _by_task_and_model(runs).items():
        scored = [one for one in measured if one.has_score]
        if scored:
            chosen = next((one for one in scored if one.is_whole), scored[0])
            tasks.setdefault(task, []).append((chosen, scored[0].run if scored[0] is not chosen else None))
    return [
        {
            "task": task,
            "metric": newest.entry["metric"],
            "scale": newest.entry["scale"],
            "lines": [
                {
                    "model": chosen.entry["model"],
                    "run": chosen.run,
                    "newer": newer,
                    "entry": chosen.entry,
                    "differs": differing(chosen.entry["by"], newest.entry["by"]),
                }
                for chosen, newer in lines
            ],
        }
        for task, lines in sorted(tasks.items())
        for newest in [min((chosen for chosen, _ in lines), key=lambda one: one.run)]
    ]


def histories(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What each task and model scored, from the oldest run to the newest.

    Args:
        runs: Summaries, the newest first.

    Returns:
        ``task``, ``model``, ``metric``, ``scale`` and ``points``: the index of the ``run``, its ``scores`` by family,
        whether it is ``whole``, and how it ``differs`` from the whole one before it (or, if it is not whole itself,
        nothing): there the history is split.
    """
    return [
        {
            "task": task,
            "model": model,
            "metric": measured[0].entry["metric"],
            "scale": measured[0].entry["scale"],
            "points": list(_points(measured)),
        }
        for (task, model), measured in sorted(_by_task_and_model(runs).items())
    ]


def _points(measured: Sequence[Measured]) -> Iterator[dict[str, Any]]:
    before: Mapping[str, str] | None = None
    for one in reversed(measured):
        entry, differs = one.entry, list[str]()
        if one.is_whole:
            differs = differing(before, entry["by"]) if before is not None else []
            before = entry["by"]
        counts = {name: entry[name] for name in ("expected", "not_measured", "selected", "in_data")}
        yield {"run": one.run, "scores": entry["scores"], "whole": one.is_whole, "differs": differs, **counts}


def _by_task_and_model(runs: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], list[Measured]]:
    """What runs say of each task and model, the newest first; a copied folder says nothing twice."""
    found: dict[tuple[str, str], list[Measured]] = {}
    known: set[str] = set()
    for index, run in enumerate(runs):
        if run["id"] in known:
            continue
        known.add(run["id"])
        for entry in run["tasks"]:
            found.setdefault((entry["task"], entry["model"]), []).append(Measured(index, entry))
    return found
