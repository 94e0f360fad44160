"""Cases whose gold answer may be wrong: the models, asked alone, agree against it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proctor._base.json_values import sha256_of
from proctor.results.manifest import ManifestTask
from proctor.results.row import UNMEASURED, ResultRow, correctness
from proctor.statistics.aggregates import Measured

LONGEST = 100
"""Characters of a prediction or a gold answer that a report keeps; a longer one is kept as its hash."""
HASHED = "sha256:"


def brief(value: Any) -> Any:
    """A prediction or gold answer, short enough to be kept for every case; equal ones stay equal."""
    if value is None or isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= LONGEST):
        return value
    return HASHED + sha256_of(value)


def suspects(tasks: Iterable[tuple[ManifestTask, Sequence[Measured]]]) -> list[dict[str, Any]]:
    """For each task that two or more models were asked, the samples whose gold answer deserves a look.

    Args:
        tasks: Each task and model with its cases.

    Returns:
        An entry per task: ``all_wrong``, the samples that every model got wrong every time, and ``same_other_answer``,
        those for which all gave the same prediction, which is not the gold answer. A sample that any model was not
        measured on is in neither.
    """
    by_task: dict[str, list[tuple[ManifestTask, Sequence[Measured]]]] = {}
    for task, cases in tasks:
        by_task.setdefault(task.name, []).append((task, cases))
    return [
        {
            "benchmark": asked[0][0].benchmark,
            "task": asked[0][0].task,
            "models": [task.model for task, _ in asked],
            **_suspects_of(asked),
        }
        for asked in by_task.values()
        if len(asked) > 1
    ]


@dataclass(slots=True)
class _Sample:
    """What the models gave as an answer to one sample, as far as it was looked at."""

    first: ResultRow
    models: set[str]
    all_wrong: bool = True
    same: bool = True


def _suspects_of(asked: Sequence[tuple[ManifestTask, Sequence[Measured]]]) -> dict[str, Any]:
    samples: dict[str, _Sample] = {}
    cleared: set[str] = set()
    for task, cases in asked:
        for measured in cases:
            name, row = measured.case.sample_id, measured.row
            if name in cleared:
                continue
            unmeasured = row is None or row["status"] in UNMEASURED
            found = None if row is None or unmeasured else correctness(row, task)
            if row is None or found is None or found == "correct":
                cleared.add(name)
                samples.pop(name, None)
                continue
            sample = samples.setdefault(name, _Sample(row, set()))
            sample.models.add(task.model)
            sample.all_wrong = sample.all_wrong and found == "incorrect"
            sample.same = sample.same and _agrees(row, sample.first)
    kept = {name: sample for name, sample in samples.items() if len(sample.models) == len(asked)}
    return {
        "all_wrong": [name for name, sample in kept.items() if sample.all_wrong],
        "same_other_answer": [
            {"sample": name, **{field: _legible(sample.first.get(field)) for field in ("prediction", "target")}}
            for name, sample in kept.items()
            if sample.same
        ],
    }


def _agrees(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether both rows hold one and the same prediction, which is not the gold answer."""
    prediction = row.get("prediction")
    return prediction is not None and prediction == other.get("prediction") and prediction != row.get("target")


def _legible(value: Any) -> Any:
    """A short prediction or gold answer; ``None`` for a long one, which the rows have."""
    short = brief(value)
    return None if isinstance(short, str) and short.startswith(HASHED) else short
