"""A gate: what a run must reach for its build to pass. Floors from a file, and a former run not to fall below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from proctor.afterwards.run_folder import find_run
from proctor.afterwards.saved_run import SavedRun
from proctor.errors import UsageError
from proctor.models.marked_yaml import Marked, load, nearest
from proctor.results import MISSING, NOT_MEASURED, ResultRow
from proctor.selection import SelectedTask, Selection
from proctor.statistics.aggregates import FAMILIES
from proctor.statistics.comparison import (
    Side,
    compare,
    compared,
    comparison_fields,
    matched_models,
    pairs_between,
    sides,
)

NOT_HELD = 10
"""pytest's exit code when everything was measured and the gate does not hold."""
BASELINE_FAMILY = "strict"

Asked = Mapping[tuple[str, str], Mapping[str, float]]
"""The metrics of each task and model of a run."""


@dataclass(frozen=True)
class Floor:
    """The least that a metric must reach.

    Args:
        task: The task's full name.
        metric: The metric.
        family: The score family.
        at_least: The floor.
        model: The model it is for; ``None``: each model of the run.
        place: The entry in the gate file.
    """

    task: str
    metric: str
    family: str
    at_least: float
    model: str | None
    place: Marked

    @classmethod
    def read(cls, entry: Marked) -> Floor:
        """A floor as the gate file has it.

        Raises:
            DataError: If it is none.
        """
        needed = ("task", "metric", "at_least")
        fields = entry.fields((*needed, "family", "model"), needed)
        family = fields["family"].text() if "family" in fields else "strict"
        if family not in FAMILIES:
            fields["family"].fail(f"must be {' or '.join(FAMILIES)}")
        return cls(
            task=fields["task"].text(),
            metric=fields["metric"].text(),
            family=family,
            at_least=fields["at_least"].number(),
            model=fields["model"].text() if "model" in fields else None,
            place=entry,
        )

    def check(self, asked: Asked) -> None:
        """Raise a `DataError` if the run measures nothing that this floor is for."""
        fields = self.place.mapping()
        models = _models_of(fields["task"], self.task, asked)
        if self.model is not None and self.model not in models:
            _fail(fields["model"], f"this run does not ask that model for {self.task}", self.model, models)
        metrics = asked[self.task, models[0]]
        if self.metric not in metrics:
            _fail(fields["metric"], f"{self.task} has no such metric", self.metric, list(metrics))

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
                    "at_least": self.at_least,
                    "value": found["value"],
                    "ci95": found["ci95"],
                    "holds": found["value"] is not None and found["value"] >= self.at_least,
                }


class Margins:
    """By how much a task may fall below the baseline: one number for all tasks, or one for each named.

    Args:
        value: The value in the gate file; ``None`` if it has none.
    """

    def __init__(self, value: Marked | None) -> None:
        self._entries = value.mapping() if value is not None and isinstance(value.value, dict) else {}
        self._margins = {task: entry.number() for task, entry in self._entries.items()}
        self._other = value.number() if value is not None and not self._entries else 0.0

    def of(self, task: str) -> float:
        """The margin of a task."""
        return self._margins.get(task, self._other)

    def check(self, asked: Asked) -> None:
        """Raise a `DataError` if a task is named that the run does not measure."""
        for task, entry in self._entries.items():
            _models_of(entry, task, asked)


@dataclass(frozen=True)
class Gate:
    """What a run must reach.

    Args:
        file: The gate file, if there is one.
        floors: Its floors.
        margins: Its margins below the baseline.
        baseline: The former run, if there is one.
    """

    file: Path | None
    floors: Sequence[Floor]
    margins: Margins
    baseline: SavedRun | None

    @classmethod
    def read(cls, file: Path | None, baseline: str | None, reports_dir: Path) -> Gate | None:
        """The gate that the options name; ``None`` if they name none.

        Args:
            file: The gate file.
            baseline: The former run: its folder, or its id below *reports_dir*.
            reports_dir: Where reports are.

        Raises:
            UsageError: If file or run cannot be read, or the file asks for nothing.
        """
        if file is None and baseline is None:
            return None
        fields: dict[str, Marked] = {}
        floors: list[Floor] = []
        if file is not None:
            top = load(file)
            fields = top.fields(("floors", "baseline_margin"))
            floors = [Floor.read(entry) for entry in fields["floors"].items()] if "floors" in fields else []
            if not floors and baseline is None:
                top.fail("no floor, and no baseline to compare with", "Add floors, or give --baseline RUN.")
        saved = None if baseline is None else SavedRun.load(find_run(baseline, reports_dir))
        return cls(file, floors, Margins(fields.get("baseline_margin")), saved)

    def check(self, asked: Asked) -> None:
        """Find before the first case what the gate asks of a run that does not measure it.

        Raises:
            UsageError: If it names a task, model or metric that is not run, or the baseline has nothing in common with
                this run.
        """
        for floor in self.floors:
            floor.check(asked)
        self.margins.check(asked)
        if self.baseline is not None:
            then = self.baseline.selection.tasks
            models = matched_models(
                [task.model for task in then], [model for _, model in asked], self.baseline.id, "this one"
            )
            measured = {(_name(task), task.model) for task in then}
            if not any((task, models.get(model)) in measured for task, model in asked):
                raise UsageError(
                    f"the baseline {self.baseline.id} and this run have no task in common",
                    remedy=f"It measured: {', '.join(sorted({_name(task) for task in then}))}.",
                )

    def result(self, report: Mapping[str, Any], selection: Selection, rows: Iterable[ResultRow]) -> dict[str, Any]:
        """What came of the gate, as report.json holds it.

        Args:
            report: The run's report.
            selection: What it set out to measure.
            rows: Its rows.

        Returns:
            ``holds`` is ``None`` if a case was not measured: the gate is then not decided.
        """
        floors = [result for floor in self.floors for result in floor.results(report)]
        compared = [] if self.baseline is None else list(self._against(self.baseline, sides(selection, rows)))
        unmeasured = sum(
            task["status"][status] for task in report["tasks"] for status in (*sorted(NOT_MEASURED), MISSING)
        )
        return {
            "file": None if self.file is None else str(self.file),
            "baseline": None if self.baseline is None else self.baseline.id,
            "holds": None if unmeasured else all(entry["holds"] for entry in (*floors, *compared)),
            "unmeasured": unmeasured,
            "floors": floors,
            "against_baseline": compared,
        }

    def _against(self, baseline: SavedRun, now: Sequence[Side]) -> Iterable[dict[str, Any]]:
        then = sides(baseline.selection, map(compared, baseline.rows()))
        for comparison in compare(pairs_between(then, now)):
            if comparison.headline and comparison.family == BASELINE_FAMILY:
                pairing, found = comparison.pairing, comparison.difference
                margin = self.margins.of(pairing.b.name)
                lost, won = pairing.flipped(comparison.metric, comparison.family)
                yield {
                    **comparison_fields(comparison),
                    "margin": margin,
                    "holds": found.ci95 is None or found.ci95[1] >= -margin,
                    "lost": lost,
                    "won": won,
                    "unpaired": pairing.unpaired,
                    "data_differs": pairing.data_differs,
                }


def _name(task: SelectedTask) -> str:
    return f"{task.benchmark}/{task.task}"


def _models_of(place: Marked, task: str, asked: Asked) -> list[str]:
    models = [model for name, model in asked if name == task]
    if not models:
        _fail(place, "this run does not measure that task", task, list(dict.fromkeys(name for name, _ in asked)))
    return models


def _fail(place: Marked, problem: str, word: str, known: Sequence[str]) -> NoReturn:
    place.fail_key(f"{problem}: {word!r}", nearest(word, known) or f"it has: {', '.join(known)}")
