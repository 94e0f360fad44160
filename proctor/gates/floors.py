"""The bounds of a gate file: what a metric must reach, or must not be shown to miss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from proctor._base.marked_yaml import Marked, nearest
from proctor.statistics.intervals import Interval
from proctor.tasks.score import FAMILIES

Asked = Mapping[tuple[str, str], Mapping[str, float]]
"""The metrics of each task and model of a run."""

POINT_BOUNDS: Mapping[str, Callable[[float, float], bool]] = {
    "at_least": lambda value, limit: value >= limit,
    "at_most": lambda value, limit: value <= limit,
}
"""Bounds of the value itself, for answers that are replayed and so come out the same each time."""

INTERVAL_BOUNDS: Mapping[str, Callable[[Interval, float], bool]] = {
    "shown_at_least": lambda ci95, limit: ci95[0] >= limit,
    "shown_at_most": lambda ci95, limit: ci95[1] <= limit,
    "shown_below": lambda ci95, limit: not ci95[1] < limit,
    "shown_above": lambda ci95, limit: not ci95[0] > limit,
}
"""Bounds of the interval: the first two hold if its near end reaches them, the others fail if all of it lies there."""

BOUNDS = (*POINT_BOUNDS, *INTERVAL_BOUNDS)


@dataclass(frozen=True)
class Floor:
    """A bound of a metric.

    Args:
        task: The task's full name.
        metric: The metric.
        family: The score family.
        bound: One of `BOUNDS`.
        limit: The value that it is about.
        model: The model it is for; ``None``: each model of the run.
        mark: The entry in the gate file.
    """

    task: str
    metric: str
    family: str
    bound: str
    limit: float
    model: str | None
    mark: Marked

    @classmethod
    def read(cls, entry: Marked) -> Floor:
        """A bound as the gate file has it.

        Raises:
            DataError: If it is none.
        """
        needed = ("task", "metric")
        fields = entry.fields((*needed, *BOUNDS, "family", "model"), needed)
        family = fields["family"].text() if "family" in fields else "strict"
        if family not in FAMILIES:
            fields["family"].fail(f"must be {' or '.join(FAMILIES)}")
        bounds = [name for name in BOUNDS if name in fields]
        if len(bounds) != 1:
            problem = f"one bound is needed, not {' and '.join(bounds)}" if bounds else "a bound is missing"
            entry.fail(problem, f"Write one of {', '.join(BOUNDS)}; for several, write several entries.")
        return cls(
            task=fields["task"].text(),
            metric=fields["metric"].text(),
            family=family,
            bound=bounds[0],
            limit=fields[bounds[0]].number(),
            model=fields["model"].text() if "model" in fields else None,
            mark=entry,
        )

    def check(self, asked: Asked) -> None:
        """Raise a `DataError` if the run measures nothing that this bound is for."""
        fields = self.mark.mapping()
        models = models_of(fields["task"], self.task, asked)
        if self.model is not None and self.model not in models:
            fail(fields["model"], f"this run does not ask that model for {self.task}", self.model, models)
        metrics = asked[self.task, models[0]]
        if self.metric not in metrics:
            fail(fields["metric"], f"{self.task} has no such metric", self.metric, list(metrics))

    def results(self, report: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
        """For each model that it is for, what came of it."""
        for task in report["tasks"]:
            if f"{task['benchmark']}/{task['task']}" == self.task and self.model in (None, task["model"]):
                found = task["metrics"][self.metric][self.family]
                yield {
                    "task": self.task,
                    "model": task["model"],
                    "metric": self.metric,
                    "family": self.family,
                    "bound": self.bound,
                    self.bound: self.limit,
                    "value": found["value"],
                    "ci95": found["ci95"],
                    "holds": self._holds(found["value"], found["ci95"]),
                }

    def _holds(self, value: float | None, ci95: Interval | None) -> bool | None:
        """Whether the metric keeps to the bound; ``None`` where there is nothing to tell it by."""
        if self.bound in POINT_BOUNDS:
            return value is not None and POINT_BOUNDS[self.bound](value, self.limit)
        return None if ci95 is None else INTERVAL_BOUNDS[self.bound](ci95, self.limit)


class Margins:
    """By how much a task may fall below the baseline: one number for all tasks, or one for each named.

    Args:
        value: The value in the gate file; ``None`` if it has none.
        margin: The one that the command line gives to all tasks that the file does not name.
    """

    def __init__(self, value: Marked | None, margin: float | None = None) -> None:
        self._entries = value.mapping() if value is not None and isinstance(value.value, dict) else {}
        self._margins = {task: entry.number() for task, entry in self._entries.items()}
        self._other = margin
        if margin is None and value is not None and not self._entries:
            self._other = value.number()

    @property
    def are_set(self) -> bool:
        """Whether anybody has named a margin."""
        return self._other is not None or bool(self._entries)

    def of(self, task: str) -> float:
        """The margin of a task."""
        return self._margins.get(task, self._other or 0.0)

    def check(self, asked: Asked) -> None:
        """Raise a `DataError` if a task is named that the run does not measure."""
        for task, entry in self._entries.items():
            models_of(entry, task, asked)


def models_of(mark: Marked, task: str, asked: Asked) -> list[str]:
    """The models that the run asks a task; raises a `DataError` if there are none.

    Args:
        mark: Where the file names the task.
        task: The task's name.
        asked: The tasks and models that the run measures.
    """
    models = [model for name, model in asked if name == task]
    if not models:
        fail(mark, "this run does not measure that task", task, list(dict.fromkeys(name for name, _ in asked)))
    return models


def fail(mark: Marked, problem: str, word: str, known: Sequence[str]) -> NoReturn:
    """Raise a `DataError` about a word that means nothing here, with the word that was meant.

    Args:
        mark: Where the word stands.
        problem: What is wrong with it.
        word: The word.
        known: Those that would mean something.
    """
    mark.fail_key(f"{problem}: {word!r}", nearest(word, known) or f"it has: {', '.join(known)}")
