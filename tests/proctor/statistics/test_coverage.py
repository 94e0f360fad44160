"""How often intervals hold the truth, and tests find a difference: by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from estimates_of import bounds, paired
from scipy import stats

from proctor.statistics.differences import PairedSums, difference
from proctor.statistics.intervals import Scale, estimate

REPETITIONS = 1500
"""A simulated coverage of 95 % then has a standard error of 0.6 %."""


@pytest.mark.parametrize(
    ("truth", "sizes", "alike"),
    [
        (0.5, [5] * 30, 0.0),
        (0.5, [5] * 100, 0.3),
        (0.8, [5] * 20, 0.2),
        (0.8, [5] * 100, 0.5),
        (0.9, [5] * 50, 0.2),
        (0.8, list(range(1, 11)) * 3, 0.3),
        (0.5, [1] * 25 + [20] * 5, 0.0),
        (0.7, [1] * 50, 0.0),
        (0.3, [3] * 40, 1.0),
    ],
)
def test_intervals_of_clustered_proportions_cover_the_truth(truth: float, sizes: list[int], alike: float) -> None:
    generator = np.random.default_rng(20)
    shape = (REPETITIONS, len(sizes))
    if alike == 1:
        chances = (generator.random(shape) < truth).astype(float)
    elif alike:
        strength = (1 - alike) / alike  # of the beta distribution with this correlation inside clusters
        chances = generator.beta(truth * strength, (1 - truth) * strength, shape)
    else:
        chances = np.full(shape, truth)
    covered = 0
    for row in generator.binomial(sizes, chances).tolist():
        sums = {
            str(g): (float(right), size, float(right)) for g, (right, size) in enumerate(zip(row, sizes, strict=True))
        }
        low, high = bounds(estimate(sums, Scale.BINARY))
        covered += low <= truth <= high
    assert 0.93 <= covered / REPETITIONS <= 0.97


@pytest.mark.parametrize(("clusters", "largest", "spread"), [(12, 4, 2.0), (30, 5, 2.0), (60, 1, 0.5), (40, 12, 1.0)])
def test_intervals_of_clustered_means_cover_the_truth(clusters: int, largest: int, spread: float) -> None:
    """Scores like F1: each cluster has a mean of its own, around which its 1 to *largest* values scatter."""
    generator = np.random.default_rng(21)
    covered = 0
    for _ in range(REPETITIONS):
        sizes = generator.integers(1, largest + 1, clusters)
        means = np.repeat(generator.beta(spread, 2 * spread, clusters), sizes)
        values = generator.beta(4 * means + 1e-9, 4 * (1 - means) + 1e-9)
        ends = np.cumsum(sizes)[:-1]
        parts = enumerate(np.split(values, ends))
        sums = {str(n): (float(part.sum()), len(part), float(part @ part)) for n, part in parts}
        low, high = bounds(estimate(sums, Scale.UNIT))
        covered += low <= 1 / 3 <= high
    assert 0.93 <= covered / REPETITIONS <= 0.97


@pytest.mark.parametrize(("a", "b", "clusters", "size", "alike"), [(0.6, 0.8, 60, 1, 0.0), (0.5, 0.6, 50, 4, 0.3)])
def test_intervals_of_paired_differences_cover_the_truth(
    a: float, b: float, clusters: int, size: int, alike: float
) -> None:
    """Each case is as hard for both sides in most of the repetitions, and as hard as its cluster in some."""
    generator = np.random.default_rng(22)
    covered = 0
    for _ in range(REPETITIONS):
        own = generator.random((clusters, size))
        hard = np.where(generator.random((clusters, size)) < alike, generator.random((clusters, 1)), own)
        other = np.where(generator.random((clusters, size)) < 0.7, hard, generator.random((clusters, size)))
        sums = PairedSums()
        for place, (lefts, rights) in enumerate(zip((hard < a).tolist(), (other < b).tolist(), strict=True)):
            for left, right in zip(lefts, rights, strict=True):
                sums.add(str(place), (float(left), 1), (float(right), 1))
        low, high = bounds(difference(sums, Scale.BINARY))
        covered += low <= b - a <= high
    assert 0.93 <= covered / REPETITIONS <= 0.97


def test_a_detectable_difference_is_detected_four_times_in_five() -> None:
    """With 25 pairs whose differences have standard deviation 1, the truth is set to what is detectable then."""
    generator = np.random.default_rng(23)
    detectable = (stats.t.ppf(0.975, 24) + stats.t.ppf(0.8, 24)) / 5
    shown, stated = 0, []
    for _ in range(REPETITIONS):
        found = paired(*([(0.0, float(gain))] for gain in generator.normal(detectable, 1, 25)), scale=Scale.OPEN)
        shown += found.p < 0.05
        stated.append(found.detectable())
    assert np.mean(stated) == pytest.approx(detectable, rel=0.03)
    assert 0.75 <= shown / REPETITIONS <= 0.83


def test_many_small_gains_and_a_rare_large_loss_are_hardly_ever_taken_for_a_gain() -> None:
    """18 % of the differences are +0.1 and 2 % are -0.9: none in the mean."""
    generator = np.random.default_rng(24)
    shown = 0
    for _ in range(REPETITIONS):
        gains = generator.choice([0.1, -0.9, 0.0], 50, p=[0.18, 0.02, 0.8])
        shown += paired(*([(0.9, 0.9 + float(gain))] for gain in gains)).p < 0.05
    assert shown / REPETITIONS < 0.08
