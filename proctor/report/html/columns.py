"""What the page sorts, filters and draws cases by: one list a field, for each task and model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from proctor._base.figures import table_cell
from proctor.results.identity import CaseKey
from proctor.results.manifest import ManifestCase, ManifestTask
from proctor.results.row import MISSING, NOT_NEEDED, STATUSES, UNMEASURED, ResultRow
from proctor.tasks.oddities import sentences
from proctor.tasks.score import FAMILIES

STATUS_NAMES = (*STATUSES, MISSING)
MOST_LABELS = 10
LONGEST_LABEL = 24
CASES_PER_LABEL = 3
LEFT_OUT = ("failures", "odd_rows", "unusable_rows")
"""What of a task in report.json the page does not need as it is."""


class SampleColumns:
    """The samples of one task, which its models share.

    Args:
        task: ``benchmark/task``.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        self.positions: dict[str, int] = {}
        self.texts: list[int | None] = []
        self._tags: dict[str, dict[int, str]] = {}

    def take(self, cases: Iterable[ManifestCase]) -> None:
        """Take up the samples of these cases that are not there yet."""
        for case in cases:
            if case.sample_id in self.positions:
                continue
            position = self.positions[case.sample_id] = len(self.positions)
            self.texts.append(None)
            for name, value in case.tags.items():
                self._tags.setdefault(name, {})[position] = value

    def content(self) -> dict[str, Any]:
        """As the page reads it; the values of a tag are numbered."""
        tags = {}
        for name, values in self._tags.items():
            numbers = {value: number for number, value in enumerate(dict.fromkeys(values.values()))}
            tags[name] = {
                "values": list(numbers),
                "of": [
                    numbers[values[position]] if position in values else -1 for position in range(len(self.positions))
                ],
            }
        return {"task": self.task, "ids": list(self.positions), "tags": tags, "texts": self.texts}


class CaseColumns:
    """The cases of one task and model.

    Args:
        task: The task and model.
        samples: The task's samples, which hold those of these cases.
    """

    def __init__(self, task: ManifestTask, samples: SampleColumns) -> None:
        count = len(task.cases)
        self._task = task
        self._positions = {case.key: position for position, case in enumerate(task.cases)}
        self._samples = [samples.positions[case.sample_id] for case in task.cases]
        self._status = [STATUS_NAMES.index(MISSING)] * count
        self._answers: list[int | None] = [None] * count
        self._numbers: dict[str, list[float | None]] = {
            name: [None] * count for name in ("input_tokens", "output_tokens", "cost_usd", "latency_s")
        }
        self._scores: dict[str, dict[str, list[float | None]]] = {
            family: {name: [None] * count for name in task.metrics} for family in FAMILIES
        }
        self._labels: dict[int, tuple[str, str | None]] | None = {}

    def position(self, row: ResultRow) -> int | None:
        """The position of a row's case; ``None`` if it was not selected."""
        return self._positions.get(CaseKey.of(row))

    def take(self, position: int, row: ResultRow, answer: int | None) -> None:
        """Take up a row; a later one of the same case replaces it.

        Args:
            position: The position of its case.
            row: The row.
            answer: The number of the record that holds its text.
        """
        self._status[position] = STATUS_NAMES.index(row["status"])
        self._answers[position] = answer
        self._numbers["input_tokens"][position] = row["usage"]["input_tokens"]
        self._numbers["output_tokens"][position] = row["usage"]["output_tokens"]
        self._numbers["cost_usd"][position] = row["cost_usd"]
        self._numbers["latency_s"][position] = row["latency_s"]
        for family, metrics in self._scores.items():
            scores = row["scores"][family] if row["status"] not in UNMEASURED else {}
            for name, values in metrics.items():
                value = scores.get(name)
                values[position] = None if value is None else round(value, 6)
        if row["status"] != NOT_NEEDED:
            self._take_label(position, row["target"], row["prediction"])

    def _take_label(self, position: int, target: Any, prediction: Any) -> None:
        if self._labels is None or target is None:  # a row without a gold answer tells nothing of the others
            return
        if _is_label(target) and (prediction is None or isinstance(prediction, str)):
            self._labels[position] = (target, prediction if prediction is None or _is_label(prediction) else "…")
        else:
            self._labels = None  # this task is not about choosing one of a few labels

    def content(self) -> dict[str, Any]:
        """As the page reads it."""
        epochs = [case.epoch for case in self._task.cases]
        return {
            "task": self._task.name,
            "model": self._task.model,
            "test": f"{self._task.module}::{self._task.test}" if self._task.test else None,
            "metrics": list(self._task.metrics),
            "scale": self._task.scale,
            "samples": self._samples,
            "epochs": epochs if any(epoch != 1 for epoch in epochs) else None,
            "status": self._status,
            "answers": self._answers,
            **self._numbers,
            **self._scores,
            "confusion": confusion(list((self._labels or {}).values())),
        }


def confusion(labels: Sequence[tuple[str, str | None]]) -> dict[str, Any] | None:
    """How often each target was answered by each label, where there are few targets and several cases of each.

    Args:
        labels: Target and prediction of each case.

    Returns:
        ``targets`` and ``predictions``, sorted, those that are no target behind them, and ``counts`` by target and
        prediction; ``None`` where the targets are not a few labels.
    """
    targets = sorted({target for target, _ in labels})
    if not 1 < len(targets) <= MOST_LABELS or len(labels) < CASES_PER_LABEL * len(targets):
        return None
    found: Counter[tuple[str, str | None]] = Counter(
        (target, prediction if prediction is None or prediction in targets else "other")
        for target, prediction in labels
    )
    beyond: list[str | None] = [name for name in ("other", None) if any(p == name for _, p in found)]
    predictions: list[str | None] = [*targets, *(name for name in beyond if name not in targets)]
    return {
        "targets": targets,
        "predictions": predictions,
        "counts": [[found[target, prediction] for prediction in predictions] for target in targets],
    }


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_LABEL


def for_page(report: Mapping[str, Any]) -> dict[str, Any]:
    """report.json as the page needs it: without the names of failed cases, which the columns tell; cells in words."""
    tasks = [
        {name: value for name, value in task.items() if name not in LEFT_OUT} | {"rows": _rows(task)}
        for task in report["tasks"]
    ]
    tables = [
        {**entry, "rows": [[_cell(value) for value in row] for row in entry["rows"]]}
        for entry in report.get("tables", [])
    ]
    return {**report, "tasks": tasks, "tables": tables}


def _rows(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of data that are not as they should be, each kind in a sentence and with its places."""
    name = f"{task['benchmark']}/{task['task']}"
    kinds = [*task.get("unusable_rows", ()), *task.get("odd_rows", ())]
    return [
        {"told": sentence, "places": kind["places"]}
        for kind, sentence in zip(kinds, sentences(name, kinds), strict=True)
    ]


def _cell(value: str | float | None) -> dict[str, str] | str:
    """A cell of a table: a text, or a number in digits, which stands to the right."""
    return value if isinstance(value, str) else {"number": table_cell(value)}
