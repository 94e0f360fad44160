"""``--estimate --baseline RUN``: what a run with 1, 2 or 4 epochs could show against that one, and its price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from proctor._base.figures import dollars, score
from proctor._base.json_values import Shared
from proctor._base.text_table import aligned
from proctor.estimates.estimate import CostEstimate
from proctor.gates.gate import Gate
from proctor.models.registry import Model
from proctor.report.build import reported
from proctor.results.manifest import ManifestTask
from proctor.run.case import Case
from proctor.run.run import Run
from proctor.statistics.comparison import matched_models, sides
from proctor.statistics.planning import EPOCHS, Plan, detectable, detectable_mean
from proctor.statistics.repetitions import samples_of
from proctor.tasks.task import Task

Group = tuple[Task, Model, Sequence[Case], Sequence[CostEstimate]]
"""A task and model with its cases, and what they would take."""

HEAD = ("task", "model", "epochs", "requests", "cost", "linked", "unlinked")
WORDS = (0, 1)  # the columns "task" and "model"


@dataclass(frozen=True)
class Planned:
    """A task and model of the run that is planned.

    Args:
        selected: What the former run measured of it.
        model: The model that is to be asked.
        plan: What that tells.
        epochs: How often each sample is asked in the run that was estimated.
        estimates: What that would take, of all models.
    """

    selected: ManifestTask
    model: Model
    plan: Plan
    epochs: int
    estimates: Sequence[CostEstimate]

    @property
    def worth(self) -> float:
        """What to multiply a difference with, so that 1 is the way from the worst value to the best."""
        worst, best = self.selected.scale
        return 1 / abs(best - worst) if best != worst else 1.0

    def requests(self, epochs: int) -> int:
        """The requests of so many epochs."""
        return round(sum(estimate.requests for estimate in self.estimates) / self.epochs * epochs)

    def cost(self, epochs: int) -> float | None:
        """Their dollars at full price."""
        costs = [estimate.cost for estimate in self.estimates]
        known = [cost for cost in costs if cost is not None]
        return sum(known) / self.epochs * epochs if len(known) == len(costs) else None


def planned(run: Run, gate: Gate, groups: Sequence[Group]) -> list[Planned]:
    """The tasks and models of a run that its baseline has as well.

    Args:
        run: The run that is planned.
        gate: Its gate, which has a baseline.
        groups: Its cases by task and model, and what they would take.
    """
    assert gate.baseline is not None
    gate.check({(task.name, model.name): task.metrics for task, model, _, _ in groups})
    then = sides(gate.baseline.manifest, map(partial(reported, shared=Shared()), gate.baseline.rows()))
    names = [model.name for _, model, _, _ in groups]
    models = matched_models([side.task.model for side in then], names, gate.baseline.id, "this one")
    found = []
    for task, model, cases, estimates in groups:
        wanted = {case.sample.id for case in cases}
        for side in then:
            if (side.name, side.task.model) == (task.name, models.get(model.name)):
                measured = [m for m in side.cases if m.case.sample_id in wanted]
                plan = Plan.of(samples_of(side.task, measured))
                if plan is not None:
                    found.append(Planned(side.task, model, plan, run.options.epochs, estimates))
    return found


def planning_lines(parts: Sequence[Planned], baseline: str) -> Iterator[str]:
    """The table, and what it says.

    Args:
        parts: A task and model each, with its samples in the baseline.
        baseline: The run that tells how the scores vary.
    """
    if not parts:
        yield f"{baseline} has too few samples of these tasks to tell what could be shown against it."
        return
    rows = [HEAD, *(_row(part, epochs, len(parts)) for part in parts for epochs in EPOCHS)]
    rows += [_total(parts, epochs) for epochs in EPOCHS]
    yield f"Differences that could be shown against {baseline}, with 80 % power:"
    yield from aligned(rows, words=WORDS)
    yield ""
    for part in parts:
        plan, name = part.plan, f"{part.selected.benchmark}/{part.selected.task} {part.model.name}"
        if plan.within is None:
            yield (
                f"{name}: the baseline asked its {plan.samples} samples once, which does not tell chance from hard "
                "and easy samples. Let it ask with --epochs 2 or more."
            )
        else:
            yield (
                f"{name}: variance within a sample {plan.within:.4f}, of the mean between {plan.samples} samples "
                f"{plan.between:.6f}"
            )
    yield (
        "linked: if a sample is as hard as it was in the baseline, so that chance alone makes a difference, as between "
        "two versions of a prompt. unlinked: if nothing links the two runs. The truth is between."
    )
    yield (
        f"A task's difference is in units of its headline metric, and looked at together with the others (Holm, "
        f"{len(parts)} comparisons); that of the mean in shares of the way from the worst value to the best. "
        "cost: at full price."
    )


def _row(part: Planned, epochs: int, tests: int) -> tuple[str, ...]:
    shown = (
        None if variance is None else detectable(variance, part.plan.freedom, tests)
        for variance in (part.plan.variance(epochs, linked=linked) for linked in (True, False))
    )
    name = f"{part.selected.benchmark}/{part.selected.task}"
    price = dollars(part.cost(epochs))
    return (name, part.model.name, str(epochs), f"{part.requests(epochs):,}", price, *map(score, shown))


def _total(parts: Sequence[Planned], epochs: int) -> tuple[str, ...]:
    costs = [part.cost(epochs) for part in parts]
    known = [cost for cost in costs if cost is not None]
    shown = []
    for linked in (True, False):
        variances = [part.plan.variance(epochs, linked=linked) for part in parts]
        of_all = [
            (variance * part.worth**2, part.plan.freedom)
            for variance, part in zip(variances, parts, strict=True)
            if variance is not None
        ]
        shown.append(score(detectable_mean(of_all) if len(of_all) == len(parts) else None))
    cost = dollars(sum(known)) if len(known) == len(costs) else "unknown"
    return ("mean", "", str(epochs), f"{sum(part.requests(epochs) for part in parts):,}", cost, *shown)
