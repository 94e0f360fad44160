"""Judged answers of a run and a person's labels of some: how either is found by the other."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError, UsageError
from proctor._base.json_lines import JsonLine, read_json_lines
from proctor.results.manifest import ManifestCase, ManifestTask
from proctor.results.row import UNMEASURED, ResultRow
from proctor.results.saved_run import SavedRun
from proctor.statistics.intervals import Scale, Units

KEY_LENGTH = 16
READ_FIELDS = ("benchmark", "task", "model", "sample_id", "epoch", "status", "scores", "response_text")
"""The fields of a row that a judged answer is made from."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer that was measured.

    Args:
        task: Its task and model.
        case: Its case.
        key: What finds it again; see `answer_key`.
        length: How many characters it has.
        scores: Its strict scores by metric.
    """

    task: ManifestTask
    case: ManifestCase
    key: str
    length: int
    scores: Mapping[str, float]

    def share(self, metric: str) -> float:
        """Its score as a share of what can be had; see `Units`."""
        return units_of(self.task, metric).share(self.scores[metric])


@dataclass
class LabelledTask:
    """The answers to one task, by one metric, with the labels of some.

    Args:
        metric: The metric that the labels are of.
        answers: All measured answers that it measures, of all models in their order.
        labels: The labels by key, as shares; see `Units`.
    """

    metric: str
    answers: Sequence[JudgedAnswer]
    labels: dict[str, float] = field(default_factory=dict)

    @property
    def task(self) -> ManifestTask:
        """The task, with the first model."""
        return self.answers[0].task

    @property
    def name(self) -> str:
        """The task's full name."""
        return self.task.name

    @property
    def units(self) -> Units:
        """What the metric is looked at in."""
        return units_of(self.task, self.metric)

    @property
    def models(self) -> list[str]:
        """The models that answered."""
        return list(dict.fromkeys(answer.task.model for answer in self.answers))

    @property
    def judges(self) -> dict[str, str]:
        """Who scored, by role."""
        return dict(self.task.role_models)

    @property
    def less_is_better(self) -> bool:
        """Whether a lower value is the better one."""
        return self.task.metrics[self.metric] > self.task.best.get(self.metric, 1.0)

    def scale(self, values: Sequence[float]) -> Scale:
        """What values the metric takes, as far as these tell."""
        scale = self.units.scale
        for value in values:
            scale = scale.with_value(value)
        return scale


def units_of(task: ManifestTask, metric: str) -> Units:
    """What a task's metric is looked at in."""
    return Units.of(task.metrics[metric], task.best.get(metric, 1.0))


def answer_key(row: ResultRow) -> str:
    """What finds an answer in any run that holds it: a hash, which tells neither the model nor the run.

    The answer's text is in it, so that labels go with an answer whoever judged it, and not with another one that the
    model gave to the same sample later.
    """
    named = [row["benchmark"], row["task"], row["model"], row["sample_id"], row["epoch"], row["response_text"]]
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()[:KEY_LENGTH]


def judged_answers(run: SavedRun) -> list[JudgedAnswer]:
    """The answers that a run measured, in the order of its selection; of a case that was run twice, the last."""
    found: dict[tuple[str, ...], tuple[str, int, Mapping[str, float]] | None] = {}
    for row in run.rows(only=READ_FIELDS):
        told = row["response_text"]
        measured = row["status"] not in UNMEASURED and told is not None
        found[_name(row["benchmark"], row["task"], row["model"], row["sample_id"], row["epoch"])] = (
            (answer_key(row), len(told or ""), row["scores"]["strict"]) if measured else None
        )
    answers = []
    for task in run.manifest.tasks:
        for case in task.cases:
            kept = found.get(_name(task.benchmark, task.task, task.model, case.sample_id, case.epoch))
            if kept is not None:
                answers.append(JudgedAnswer(task, case, *kept))
    return answers


def _name(*parts: object) -> tuple[str, ...]:
    return tuple(map(str, parts))


def labelled_tasks(run: SavedRun, answers: Sequence[JudgedAnswer], file: Path) -> list[LabelledTask]:
    """The tasks of a run that have labels, with these and all their answers.

    Args:
        run: The run.
        answers: Its answers.
        file: The labels: JSON objects, one a line, each with ``label`` and ``key``, as ``proctor label`` writes them;
            or ``sample_id`` instead of the key, with ``task``, ``model`` and ``epoch`` where it takes them.

    Raises:
        DataError: For a line without a label or with one that is none, and for one that is about no answer, or about
            the same as another.
        UsageError: If there is no such file.
    """
    if not file.is_file():
        raise UsageError(
            f"no such file of labels: {file}", remedy=f"proctor label {run.folder} writes one, to be filled in."
        )
    by_key = {answer.key: answer for answer in answers}
    found: dict[tuple[str, str], LabelledTask] = {}
    lines: dict[tuple[str, str], int] = {}
    for line in read_json_lines(file, file):
        if line.problem is not None:
            raise line.problem
        answer = _answer(line, file, run, answers, by_key)
        metric = _metric(line, file, answer)
        share = _label(line, file, answer.task, metric)
        if (metric, answer.key) in lines:
            raise DataError(
                f"labels the same answer as line {lines[metric, answer.key]}",
                file=file,
                line=line.number,
                field="key" if "key" in line.value else "sample_id",
                value=line.value.get("key", answer.case.sample_id),
                remedy="Keep one of the two lines.",
            )
        lines[metric, answer.key] = line.number
        group = found.setdefault((answer.task.name, metric), LabelledTask(metric, ()))
        group.labels[answer.key] = share
    for (name, metric), group in found.items():
        group.answers = [one for one in answers if one.task.name == name and _measured_by(one, metric)]
    return list(found.values())


def _measured_by(answer: JudgedAnswer, metric: str) -> bool:
    return answer.case.measured_by(metric) and metric in answer.scores


def _answer(
    line: JsonLine, file: Path, run: SavedRun, answers: Sequence[JudgedAnswer], by_key: Mapping[str, JudgedAnswer]
) -> JudgedAnswer:
    """The answer that a line is about."""
    if "key" in line.value:
        key = line.value["key"]
        if not isinstance(key, str) or key not in by_key:
            raise DataError(
                f"the run {run.id} has no measured answer of that key",
                file=file,
                line=line.number,
                field="key",
                value=key,
                remedy="The labels are of another run, or the model has answered anew since. Keys are part of the "
                "answer and must stay as proctor label wrote them.",
            )
        return by_key[key]
    if "sample_id" not in line.value:
        raise DataError(
            "is missing",
            file=file,
            line=line.number,
            field="key",
            remedy="A line needs the key that proctor label wrote, or a sample_id.",
        )
    meant = list(_of_sample(line.value, answers))
    if len(meant) == 1:
        return meant[0]
    several = f"{len(meant)} answers of the run {run.id} are to that sample"
    raise DataError(
        several if meant else f"the run {run.id} has no measured answer to that sample",
        file=file,
        line=line.number,
        field="sample_id",
        value=line.value["sample_id"],
        remedy="Say which with the fields task (BENCH/TASK), model and epoch."
        if meant
        else "Check the fields sample_id, task (BENCH/TASK), model and epoch.",
    )


def _of_sample(fields: Mapping[str, Any], answers: Sequence[JudgedAnswer]) -> Iterator[JudgedAnswer]:
    for answer in answers:
        own = {"task": answer.task.name, "model": answer.task.model, "epoch": answer.case.epoch}
        if answer.case.sample_id == fields["sample_id"] and all(
            fields.get(name, value) == value for name, value in own.items()
        ):
            yield answer


def _metric(line: JsonLine, file: Path, answer: JudgedAnswer) -> str:
    metric = line.value.get("metric", answer.task.headline)
    if not isinstance(metric, str) or metric not in answer.task.metrics or not _measured_by(answer, metric):
        raise DataError(
            f"is no metric of this answer to {answer.task.name}",
            file=file,
            line=line.number,
            field="metric",
            value=metric,
            remedy=f"Metrics of the task: {', '.join(answer.task.metrics)}; without the field, the first.",
        )
    return metric


def _label(line: JsonLine, file: Path, task: ManifestTask, metric: str) -> float:
    """The label of a line as a share."""
    worst, best, units = task.metrics[metric], task.best.get(metric, 1.0), units_of(task, metric)
    label = line.value.get("label")
    known = f"a number from {worst:g} (worst) to {best:g} (best), or true or false for the best and the worst"
    if label is None:
        raise DataError(
            "there is no label",
            file=file,
            line=line.number,
            field="label",
            remedy=f"Fill in {known}. To leave out what is hard to tell would bias the sample.",
        )
    if isinstance(label, bool):
        return units.share(best if label else worst)
    outside = isinstance(label, (int, float)) and units.scale is not Scale.OPEN and not 0 <= units.share(label) <= 1
    if not isinstance(label, (int, float)) or not math.isfinite(label) or outside:
        raise DataError(
            "is not on the scale of the metric" if outside else "is no label",
            file=file,
            line=line.number,
            field="label",
            value=label,
            remedy=f"A label of {metric} is {known}.",
        )
    return units.share(float(label))
