"""Whether a run is worse than a former one, looked at while the answers come in: no more are asked than that needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from statistics import NormalDist
from typing import Any

from proctor.gates.baseline import Verdict
from proctor.gates.spending import ErrorSpending
from proctor.statistics.differences import Difference, mean_difference
from proctor.statistics.distributions import t_quantile

ERROR = 0.05
"""The chance of "worse" where nothing is, and of "no worse" where the margin is lost, over all looks together."""
LOOKS = 50
LEAST_CLUSTERS = 30
DEFAULT_MARGIN = 0.03


@dataclass(frozen=True, slots=True)
class Look:
    """What one look saw.

    Args:
        asked: How many cases had come.
        fraction: Their part of those that can be compared.
        mean: The mean of the tasks' differences.
        bound: How many standard errors it had to be from 0, or from minus the margin.
    """

    asked: int
    fraction: float
    mean: Difference
    bound: float

    @property
    def interval(self) -> tuple[float, float]:
        """The repeated interval (Jennison & Turnbull, *JRSS B* 51, 1989): each end holds with 95 % over all looks."""
        assert self.mean.se is not None
        return self.mean.centre - self.bound * self.mean.se, self.mean.centre + self.bound * self.mean.se


@dataclass
class SequentialTest:
    """Looks at the mean of the tasks' differences until it is shown to be worse, or no worse than a margin.

    Args:
        margin: How far the mean may be below 0, in shares of the way from the worst value to the best.
    """

    margin: float
    verdict: Verdict = "undecided"
    last: Look | None = None
    _spending: ErrorSpending = field(default_factory=lambda: ErrorSpending(ERROR))

    def look(self, asked: int, fraction: float, gains: Sequence[Difference]) -> Verdict:
        """Look at what has come.

        A look at fewer than 30 clusters, or at a task without a standard error, is none: it spends nothing.

        Args:
            asked: How many cases have come.
            fraction: Their part of those that can be compared.
            gains: The difference of each task on these cases; below 0 is worse.
        """
        mean = mean_difference(gains)
        if mean is None or mean.se is None or mean.freedom is None or mean.clusters < LEAST_CLUSTERS:
            return self.verdict
        z = self._spending.bound(fraction)
        # The bound is one of the normal distribution; few clusters tell their variance badly.
        bound = t_quantile(NormalDist().cdf(z), mean.freedom)
        self.last = Look(asked, fraction, mean, bound)
        low, high = self.last.interval
        if low > -self.margin:
            self.verdict = "no worse"
        elif high < 0:
            self.verdict = "worse"
        return self.verdict


@dataclass(frozen=True)
class Unit:
    """What is asked together: all epochs of a sample for one task and model.

    Args:
        task: The task's full name.
        sample: The sample.
        model: The model.
        cases: How many cases.
        comparable: Whether the baseline has a partner to any of them.
    """

    task: str
    sample: str
    model: str
    cases: int
    comparable: bool


# In a random order of samples what came first is a random part of all that came later, whatever clusters they share:
# the bounds hold. Whole clusters would do too, but take longer to be many.
def seeded_order(units: Iterable[Unit], seed: int) -> list[Unit]:
    """The units in an order that a seed fixes, whatever else is selected: tasks in proportion, all models side by side.

    Those that cannot be compared come last.
    """
    by_task: dict[tuple[bool, str, str], list[Unit]] = {}
    for unit in units:
        by_task.setdefault((not unit.comparable, unit.task, unit.model), []).append(unit)
    placed: list[tuple[tuple[bool, float, str, str], Unit]] = []
    for (last, task, model), group in by_task.items():
        shuffled = sorted(group, key=lambda unit: sha256(f"{seed}/{unit.task}/{unit.sample}".encode()).digest())
        total, before = sum(unit.cases for unit in group), 0.0
        for unit in shuffled:
            placed.append(((last, (before + unit.cases / 2) / total, task, model), unit))
            before += unit.cases
    return [unit for _, unit in sorted(placed, key=lambda one: one[0])]


def look_numbers(units: Sequence[Unit]) -> list[int]:
    """For each unit of an order the first look that counts it; looks are at 2 %, 4 % … 100 % of the cases.

    What cannot be compared stands behind the last one.
    """
    total = sum(unit.cases for unit in units if unit.comparable)
    numbers: list[int] = []
    before = 0
    for unit in units:
        # A unit belongs to the look that its first case belongs to, so that none is split.
        numbers.append(before * LOOKS // total + 1 if unit.comparable else LOOKS + 1)
        before += unit.cases
    return numbers


def decision_fields(test: SequentialTest, *, cases: int, seed: int) -> dict[str, Any]:
    """What came of looking, as report.json holds it.

    Args:
        test: The test.
        cases: How many cases were selected.
        seed: What fixed their order.
    """
    last = test.last
    return {
        "verdict": test.verdict,
        "margin": test.margin,
        "seed": seed,
        "cases": cases,
        "counted": last.asked if last is not None else 0,
        "fraction": last.fraction if last is not None else 0.0,
        "difference": last.mean.value if last is not None else None,
        "se": last.mean.se if last is not None else None,
        "interval": list(last.interval) if last is not None else None,
        "bound": last.bound if last is not None else None,
        "clusters": last.mean.clusters if last is not None else 0,
    }
