"""What several epochs tell beside the mean: pass@k, pass^k, the majority's answer, and two variances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb, fsum
from statistics import variance
from typing import Any

from proctor.results.manifest import ManifestTask
from proctor.results.row import NOT_NEEDED, UNMEASURED, ResultRow, correctness
from proctor.statistics.aggregates import Measured
from proctor.statistics.intervals import Scale, estimate
from proctor.statistics.label_errors import brief


@dataclass(frozen=True, slots=True)
class Sample:
    """The measured epochs of a sample.

    Args:
        cluster: Its cluster.
        values: The headline metric in each.
        correct: Whether it has full marks in each.
        predictions: What was read from each answer; ``None`` where nothing could be.
    """

    cluster: str
    values: Sequence[float]
    correct: Sequence[bool]
    predictions: Sequence[Any]

    def pass_at(self, k: int) -> float:
        """The chance that at least one of k answers is right: 1 - C(n - c, k) / C(n, k) (Chen et al., 2107.03374)."""
        return 1 - comb(len(self.correct) - sum(self.correct), k) / comb(len(self.correct), k)

    def pass_all(self, k: int) -> float:
        """The chance that all of k answers are right: C(c, k) / C(n, k) (Yao et al., arXiv 2406.12045)."""
        return comb(sum(self.correct), k) / comb(len(self.correct), k)

    @property
    def majority(self) -> float:
        """Whether the prediction made most often is right; of several that are, the share of right ones."""
        votes = Counter(prediction for prediction in self.predictions if prediction is not None)
        if not votes:
            return 0.0
        most = max(votes.values())
        of_winner = [
            fsum(right for right, made in zip(self.correct, self.predictions, strict=True) if made == winner) / most
            for winner, number in votes.items()
            if number == most
        ]
        return fsum(of_winner) / len(of_winner)


def samples_of(task: ManifestTask, cases: Iterable[Measured]) -> list[Sample]:
    """The samples of a task with their measured epochs; also those that have none."""
    rows: dict[str, list[ResultRow]] = {}
    clusters: dict[str, str] = {}
    for measured in cases:
        if measured.status == NOT_NEEDED or not measured.case.measured_by(task.headline):
            continue
        clusters[measured.case.sample_id] = measured.case.cluster
        found = rows.setdefault(measured.case.sample_id, [])
        if measured.row is not None and measured.status not in UNMEASURED:
            found.append(measured.row)
    return [
        Sample(
            clusters[name],
            [row["scores"]["strict"][task.headline] for row in found],
            [correctness(row, task) == "correct" for row in found],
            [brief(row["prediction"]) for row in found],
        )
        for name, found in rows.items()
    ]


def repetitions(task: ManifestTask, cases: Sequence[Measured]) -> dict[str, Any] | None:
    """What the epochs of a task tell, as report.json holds it; ``None`` if there is one only.

    Returns:
        ``pass_at`` and ``pass_all`` by k (1, 2, 4 … and the number of epochs), ``majority``, and the ``variance``
        ``within`` samples and ``between`` them. A sample that was measured fewer than k times is left out, and counted.
    """
    epochs = max((measured.case.epoch for measured in cases), default=1)
    if epochs < 2:
        return None
    samples = samples_of(task, cases)
    steps = sorted({*(2**power for power in range(epochs.bit_length())), epochs})
    within, between = variances(samples)
    return {
        "metric": task.headline,
        "epochs": epochs,
        "pass_at": {str(k): _mean(samples, k, partial(Sample.pass_at, k=k)) for k in steps},
        "pass_all": {str(k): _mean(samples, k, partial(Sample.pass_all, k=k)) for k in steps},
        "majority": _mean(samples, 1, lambda sample: sample.majority),
        "variance": {"within": within, "between": between},
    }


def _mean(samples: Sequence[Sample], k: int, value: Callable[[Sample], float]) -> dict[str, Any]:
    """The mean over the samples that were measured k times, with its clustered interval; else why there is none."""
    sums: dict[str, list[float]] = {}
    scale = Scale.BINARY
    enough = [sample for sample in samples if len(sample.values) >= k]
    for sample in enough:
        found = value(sample)
        scale = scale.with_value(found)
        total = sums.setdefault(sample.cluster, [0.0, 0, 0.0])
        total[0] += found
        total[1] += 1
        total[2] += found * found
    told = estimate(sums, scale)
    reason = "" if enough else f"no sample was measured {k} times" if k > 1 else "no sample was measured"
    return {
        **told.fields(),
        "left_out": len(samples) - len(enough),
        **({"reason": reason} if reason else {}),
    }


def variances(samples: Sequence[Sample]) -> tuple[float | None, float | None]:
    """The variance of a sample's values from epoch to epoch, and that of the samples' own means.

    The first is pooled over all samples; what it adds to the scatter of the samples' means is taken off the second
    (analysis of variance with random effects). ``None`` where there is nothing to tell them by.
    """
    measured = [sample.values for sample in samples if sample.values]
    degrees = sum(len(values) - 1 for values in measured)
    if not degrees:
        return None, None
    within = fsum(variance(values) * (len(values) - 1) for values in measured if len(values) > 1) / degrees
    if len(measured) < 2:
        return within, None
    means = [fsum(values) / len(values) for values in measured]
    noise = within * fsum(1 / len(values) for values in measured) / len(measured)
    return within, max(0.0, variance(means) - noise)
