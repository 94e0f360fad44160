"""A run's judged scores, corrected by a person's labels of a random sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from proctor.postprocess.labels import JudgedAnswer, LabelledTask
from proctor.statistics.differences import Difference, PairedSums, difference, holm
from proctor.statistics.intervals import LEVEL, Estimate, Scale, ends, estimate
from proctor.statistics.prediction_powered import Calibrated, Judgment, calibrated_difference, calibrated_score

ENOUGH = 60
"""Labels of a model from which on its interval was shown to hold, by simulation."""


def calibration(tasks: Sequence[LabelledTask]) -> list[dict[str, Any]]:
    """Each task's scores by model, and differences of each two, judged and calibrated, as JSON holds them.

    p values of calibrated differences are adjusted by Holm's method over all of them.
    """
    found: list[dict[str, Any]] = [
        {
            "task": task.name,
            "metric": task.metric,
            "judges": task.judges,
            "models": [_score(task, model) for model in task.models],
            "differences": [_difference(task, a, b) for a, b in combinations(task.models, 2)],
        }
        for task in tasks
    ]
    pairs = [(task, pair) for task, one in zip(tasks, found, strict=True) for pair in one["differences"]]
    for (task, pair), p in zip(pairs, holm([pair["calibrated"]["p"] for _, pair in pairs]), strict=True):
        higher = (pair["calibrated"]["difference"] or 0.0) > 0
        pair["p_holm"] = p
        pair["verdict"] = "better" if higher != task.less_is_better else "worse"
        if p is None or p >= 1 - LEVEL:
            pair["verdict"] = "no difference shown"
    return found


def few_labels(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Where there are fewer labels than intervals are known to need."""
    for one in found:
        for model in one["models"]:
            labels = model["calibrated"]["labels"]
            if labels < min(ENOUGH, model["calibrated"]["cases"]):
                who = f"{one['task']} {model['model']}"
                yield f"{who}: {labels} labels; the intervals were shown to hold from {ENOUGH} on"


def _score(task: LabelledTask, model: str) -> dict[str, Any]:
    answers = [answer for answer in task.answers if answer.task.model == model]
    judgments = [Judgment(one.case.cluster, one.share(task.metric), task.labels.get(one.key)) for one in answers]
    labels = [(one.cluster, one.label) for one in judgments if one.label is not None]
    scale = task.scale([label for _, label in labels])
    found = calibrated_score(judgments, scale)
    units = task.units
    told = Estimate(found.value, found.se, found.ci95, found.labels, found.clusters).outside(units)
    judged = [(one.cluster, one.judged) for one in judgments]
    return {
        "model": model,
        "judged": _estimated(judged, task.scale([value for _, value in judged]), task),
        "labels_alone": _estimated(labels, scale, task),
        "calibrated": {"value": told.value, **_fields(found, told)},
    }


def _estimated(values: Sequence[tuple[str, float]], scale: Scale, task: LabelledTask) -> dict[str, Any]:
    """The plain mean of values, with its interval."""
    sums: dict[str, list[float]] = {}
    for cluster, value in values:
        total = sums.setdefault(cluster, [0.0, 0, 0.0])
        total[0] += value
        total[1] += 1
        total[2] += value * value
    found = estimate(sums, scale).outside(task.units)
    return {"value": found.value, "ci95": ends(found.ci95), "n": found.n}


def _difference(task: LabelledTask, a: str, b: str) -> dict[str, Any]:
    """By how much model b is above model a, on the samples and epochs that both were measured on."""
    of_a = {(one.case.sample_id, one.case.epoch): one for one in task.answers if one.task.model == a}
    pairs = [
        (of_a[one.case.sample_id, one.case.epoch], one)
        for one in task.answers
        if one.task.model == b and (one.case.sample_id, one.case.epoch) in of_a
    ]
    size = task.units.size
    judged = _judged_difference(task, pairs).scaled(size)
    labels = [label for pair in pairs for one in pair if (label := task.labels.get(one.key)) is not None]
    found = calibrated_difference(
        [Judgment(y.case.cluster, y.share(task.metric) - x.share(task.metric), _gain(task, x, y)) for x, y in pairs],
        task.scale(labels),
    )
    told = Estimate(
        None if found.value is None else found.value * size,
        None if found.se is None else found.se * abs(size),
        None if found.ci95 is None else (found.ci95[0] * size, found.ci95[1] * size),
        found.labels,
        found.clusters,
    )
    return {
        "a": a,
        "b": b,
        "judged": {
            "difference": judged.value,
            "ci95": ends(judged.ci95),
            "p": judged.p,
        },
        "calibrated": {"difference": told.value, **_fields(found, told), "p": found.p},
    }


def _judged_difference(task: LabelledTask, pairs: Sequence[tuple[JudgedAnswer, JudgedAnswer]]) -> Difference:
    sums = PairedSums()
    for a, b in pairs:
        sums.add(b.case.cluster, (a.share(task.metric), 1), (b.share(task.metric), 1))
    return difference(sums, task.scale([one.share(task.metric) for pair in pairs for one in pair]))


def _gain(task: LabelledTask, a: JudgedAnswer, b: JudgedAnswer) -> float | None:
    before, after = task.labels.get(a.key), task.labels.get(b.key)
    return None if before is None or after is None else after - before


def _fields(found: Calibrated, told: Estimate) -> dict[str, Any]:
    return {
        "se": told.se,
        "ci95": ends(told.ci95),
        "lambda": found.weight,
        "labels": found.labels,
        "clusters": found.clusters,
        "cases": found.cases,
    }
