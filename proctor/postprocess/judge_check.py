"""How far a run's judge agrees with a person, or with another run's judge: over all answers, by model and by length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.postprocess.labels import JudgedAnswer, LabelledTask
from proctor.statistics.agreement import Agreement, RatedTwice, agreement

LENGTH_GROUPS = 3


@dataclass(frozen=True)
class Rated:
    """An answer with two scores, as shares.

    Args:
        answer: The answer.
        judge: The judge's.
        reference: The person's, or the other judge's.
    """

    answer: JudgedAnswer
    judge: float
    reference: float


@dataclass(frozen=True)
class CheckedGroup:
    """What some of the answers tell of the judge.

    Args:
        kind: ``all``, ``model`` or ``length``.
        name: Which model, or which length.
        answers: How many.
        found: What they tell.
    """

    kind: str
    name: str
    answers: int
    found: Agreement


@dataclass(frozen=True)
class CheckedTask:
    """A judge of a task, against a reference.

    Args:
        task: The task.
        judge: The id of the run that it judged.
        reference: ``labels``, or the id of the run that the other judge judged.
        reference_judges: The other judge, by role; empty for a person.
        groups: What is found, over all answers first.
    """

    task: LabelledTask
    judge: str
    reference: str
    reference_judges: Mapping[str, str]
    groups: Sequence[CheckedGroup]


def check_labels(run: str, tasks: Sequence[LabelledTask]) -> list[CheckedTask]:
    """A run's judges against a person's labels."""
    return [
        _checked(
            task,
            run,
            "labels",
            {},
            [
                Rated(answer, answer.share(task.metric), task.labels[answer.key])
                for answer in task.answers
                if answer.key in task.labels
            ],
        )
        for task in tasks
    ]


def check_against(
    run: str, answers: Sequence[JudgedAnswer], other: str, other_answers: Sequence[JudgedAnswer]
) -> list[CheckedTask]:
    """The judges of two runs against each other, on the answers that both judged, by each task's headline."""
    partners = {answer.key: answer for answer in other_answers}
    by_task: dict[str, list[JudgedAnswer]] = {}
    for answer in answers:
        if answer.key in partners and answer.task.role_models:
            by_task.setdefault(answer.task.name, []).append(answer)
    found = []
    for shared in by_task.values():
        task = LabelledTask(shared[0].task.headline, shared)
        theirs = partners[shared[0].key].task
        rated = [Rated(one, one.share(task.metric), partners[one.key].share(task.metric)) for one in shared]
        found.append(_checked(task, run, other, theirs.role_models, rated))
    return found


def _checked(
    task: LabelledTask, run: str, reference: str, judges: Mapping[str, str], rated: Sequence[Rated]
) -> CheckedTask:
    scale = task.scale([score for one in rated for score in (one.judge, one.reference)])
    groups = [
        CheckedGroup(
            kind,
            name,
            len(some),
            agreement([RatedTwice(one.answer.case.cluster, one.judge, one.reference) for one in some], scale),
        )
        for kind, name, some in _groups(rated)
    ]
    return CheckedTask(task, run, reference, judges, groups)


def _groups(rated: Sequence[Rated]) -> Iterator[tuple[str, str, Sequence[Rated]]]:
    yield "all", "all", rated
    models = list(dict.fromkeys(one.answer.task.model for one in rated))
    for model in models if len(models) > 1 else ():
        yield "model", model, [one for one in rated if one.answer.task.model == model]
    yield from _by_length(rated)


def _by_length(rated: Sequence[Rated]) -> Iterator[tuple[str, str, Sequence[Rated]]]:
    """Thirds of the answers, as far as these are of different lengths."""
    lengths = sorted(one.answer.length for one in rated)
    ends = sorted({lengths[len(lengths) * part // LENGTH_GROUPS] for part in range(1, LENGTH_GROUPS)} - {lengths[0]})
    bounds = [0, *ends]
    for low, high in zip(bounds, [*bounds[1:], None], strict=True) if ends else ():
        name = f"from {low}" if high is None else f"{low} to {high - 1}"
        some = [one for one in rated if one.answer.length >= low and (high is None or one.answer.length < high)]
        yield "length", f"{name} characters", some


def check_fields(checked: CheckedTask) -> dict[str, Any]:
    """What is found of a judge, as JSON holds it; scores and biases in the metric's own unit."""
    units = checked.task.units
    return {
        "task": checked.task.name,
        "metric": checked.task.metric,
        "judge": {"run": checked.judge, "roles": checked.task.judges},
        "reference": {"run": None, "roles": {}}
        if checked.reference == "labels"
        else {"run": checked.reference, "roles": dict(checked.reference_judges)},
        "groups": [_group_fields(group, units.origin, units.size) for group in checked.groups],
    }


def _group_fields(group: CheckedGroup, origin: float, size: float) -> dict[str, Any]:
    found = group.found
    bias = found.bias.scaled(size)
    return {
        "group": group.kind,
        "name": group.name,
        "n": group.answers,
        "clusters": found.same.clusters,
        "agreement": {"value": found.same.value, "ci95": _listed(found.same.ci95)},
        "constant": {
            "score": None if found.constant_score is None else origin + found.constant_score * size,
            "agreement": found.constant,
        },
        "kappa": {"value": found.kappa.value, "ci95": _listed(found.kappa.ci95)},
        "bias": {"difference": bias.value, "ci95": _listed(bias.ci95), "p": bias.p},
    }


def _listed(interval: Sequence[float] | None) -> list[float] | None:
    return None if interval is None else list(interval)
