"""What a run could show against a former one, before it is paid for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.statistics.differences import POWER
from proctor.statistics.distributions import t_quantile
from proctor.statistics.intervals import LEVEL, clustered_spread
from proctor.statistics.repetitions import Sample, variances

EPOCHS = (1, 2, 4)
"""How often a sample might be asked."""


@dataclass(frozen=True)
class Plan:
    """What the samples of a task in a former run tell about a comparison with it.

    Args:
        samples: How many samples.
        within: The variance of a sample's values from epoch to epoch; ``None`` if each was asked once.
        between: The variance of the mean that comes from which samples there are, clustered.
        chance: The variance of the former run's mean that comes from chance; ``None`` as *within*.
        freedom: The degrees of freedom.
    """

    samples: int
    within: float | None
    between: float
    chance: float | None
    freedom: float

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> Plan | None:
        """The plan from the measured samples of a task; ``None`` if there are too few to tell anything by."""
        measured = [sample for sample in samples if sample.values]
        if not measured:
            return None
        means = [math.fsum(sample.values) / len(sample.values) for sample in measured]
        middle = math.fsum(means) / len(means)
        sums: dict[str, list[float]] = {}
        for sample, mean in zip(measured, means, strict=True):
            total = sums.setdefault(sample.cluster, [0.0, 0])
            total[0] += (mean - middle) / len(means)
            total[1] += 1 / len(means)
        spread = clustered_spread([total for total, _ in sums.values()], [share for _, share in sums.values()])
        if spread is None:
            return None
        within, _ = variances(measured)
        chance = None
        if within is not None:
            chance = within * math.fsum(1 / len(sample.values) for sample in measured) / len(measured) ** 2
        return cls(len(measured), within, max(0.0, spread.variance - (chance or 0.0)), chance, spread.freedom)

    def variance(self, epochs: int, *, linked: bool) -> float | None:
        """The variance of the difference between the former run and one with so many epochs.

        Args:
            epochs: The epochs of the run that is planned.
            linked: Whether a sample is as hard for the one as for the other, so that chance alone makes them differ;
                otherwise nothing links the two sides, as with two models that fail on different samples.
        """
        if self.within is None or self.chance is None:
            # One epoch each: all of the scatter, chance or not, stands in *between*.
            return None if linked or epochs > 1 else 2 * self.between
        return (0.0 if linked else 2 * self.between) + self.within / epochs / self.samples + self.chance


def detectable(variance: float, freedom: float, tests: int = 1) -> float:
    """The smallest difference that is shown with 80 % power, at the first step of Holm's method for so many tests.

    Args:
        variance: That of the estimated difference, in squares of the metric's unit.
        freedom: Degrees of freedom of its estimate.
        tests: How many differences are tested.
    """
    return (t_quantile(1 - (1 - LEVEL) / 2 / tests, freedom) + t_quantile(POWER, freedom)) * math.sqrt(variance)


def detectable_mean(parts: Sequence[tuple[float, float]]) -> float:
    """The same for the mean of several tasks, each given by its variance and degrees of freedom."""
    total = math.fsum(variance for variance, _ in parts)
    if not total:
        return 0.0
    freedom = total**2 / math.fsum(variance * variance / freedom for variance, freedom in parts)
    return detectable(total / len(parts) ** 2, freedom)
