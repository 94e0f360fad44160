"""Differences of paired scores and their p values: against other formulas and by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from estimates_of import bounds, paired
from scipy import stats

from proctor.statistics.differences import PairedSums, difference, holm
from proctor.statistics.intervals import Scale


def one_win_each(gains: Sequence[float], n: float, size: float, freedom: float) -> tuple[float, float, float]:
    """Centre, standard error and half interval of Bonett and Price for *n* gains, with two more of this size."""
    centre = float(np.mean(gains)) * n / (n + 2)
    square = (n * float(np.mean(np.square(gains))) + 2 * size**2) / (n + 2)
    se = ((square - centre**2) / (n + 2)) ** 0.5
    return centre, se, float(stats.t.ppf(0.975, freedom)) * se


def test_a_paired_difference_has_one_win_more_on_each_side() -> None:
    a, b = [0.1, 0.5, 0.9, 0.4, 0.3], [0.3, 0.4, 1.0, 0.8, 0.35]
    found = paired(*([pair] for pair in zip(a, b, strict=True)))
    gains = np.subtract(b, a)
    telling = float((np.square(gains - gains.mean()).sum()) ** 2 / (np.square(gains - gains.mean()) ** 2).sum())
    effect = (telling**2 * 5 / 4 + 0.5) / (telling**2 + 0.5)
    centre, se, half = one_win_each(gains.tolist(), 5 / effect, (1 / 3) ** 0.5, 4)
    assert found.value == pytest.approx(gains.mean())
    assert (found.se, found.p) == pytest.approx((se, 2 * stats.t.sf(centre / se, 4)))
    assert bounds(found) == pytest.approx((centre - half, centre + half))
    assert (found.a_better, found.b_better, found.n, found.clusters) == (1, 4, 5, 5)
    assert found.detectable() == pytest.approx((stats.t.ppf(0.975, 4) + stats.t.ppf(0.8, 4)) * se)
    assert found.detectable(4) == pytest.approx((stats.t.ppf(1 - 0.05 / 8, 4) + stats.t.ppf(0.8, 4)) * se)


def test_many_paired_differences_are_the_paired_t_test() -> None:
    generator = np.random.default_rng(5)
    a, b = generator.random((2, 4000))
    found = paired(*([(float(x), float(y))] for x, y in zip(a, b, strict=True)))
    test = stats.ttest_rel(b, a)
    assert found.p == pytest.approx(test.pvalue, abs=0.001)
    assert bounds(found) == pytest.approx(test.confidence_interval(), abs=1e-4)


def test_a_clustered_difference_is_the_t_test_of_the_clusters_means() -> None:
    generator = np.random.default_rng(5)
    values = generator.random((400, 4, 2))
    found = paired(*([(float(a), float(b)) for a, b in cluster] for cluster in values))
    means = (values[:, :, 1] - values[:, :, 0]).mean(axis=1)
    test = stats.ttest_1samp(means, 0)
    assert found.value == pytest.approx(means.mean())
    assert (found.se, found.p) == (pytest.approx(stats.sem(means), rel=0.01), pytest.approx(test.pvalue, abs=0.005))
    assert bounds(found) == pytest.approx(test.confidence_interval(), abs=5e-4)


@pytest.mark.parametrize("other", [0.999, 0.5])
def test_a_value_between_the_ends_changes_little_among_right_and_wrong(other: float) -> None:
    cases = [(1.0, 0.0)] * 3 + [(0.0, 1.0)] * 9 + [(1.0, 1.0)] * 27
    right = paired(*([case] for case in [*cases, (1.0, 1.0)]), scale=Scale.BINARY)
    nearly = paired(*([case] for case in [*cases, (other, other)]))
    assert bounds(nearly) == pytest.approx(bounds(right))
    assert nearly.p == pytest.approx(right.p)


def test_equal_gains_and_nearly_equal_ones_are_as_uncertain() -> None:
    equal, nearly = (paired(*([(0.5, 0.5 + gain)] for gain in [0.1] * 11 + [last])) for last in (0.1, 0.101))
    assert bounds(nearly) == pytest.approx(bounds(equal), abs=0.01)
    assert equal.p == pytest.approx(nearly.p, rel=0.2)


def test_a_difference_of_means_over_pairs_is_linearised() -> None:
    # Side a's mean is over 1, 3 and 2 values, side b's over 2, 3 and none. Influences of the clusters on the
    # difference: deviations of their sums from the side's mean times their number, divided by the side's number.
    a, b = [[0.2], [0.5, 0.7, 0.9], [0.1, 0.3]], [[0.4, 0.8], [1.0, 0.6, 0.5], []]
    sums = PairedSums()
    for place, (left, right) in enumerate(zip(a, b, strict=True)):
        sums.add(str(place), (sum(left), len(left)), (sum(right), len(right)))
    mean_a, mean_b = 2.7 / 6, 3.3 / 5
    influences = [
        (sum(right) - mean_b * len(right)) / 5 - (sum(left) - mean_a * len(left)) / 6
        for left, right in zip(a, b, strict=True)
    ]
    shares = [3 / 11, 6 / 11, 2 / 11]
    variance = sum(i * i / (1 - share) for i, share in zip(influences, shares, strict=True))
    found = difference(sums, Scale.UNIT)
    assert (found.a, found.b) == pytest.approx((mean_a, mean_b))
    gains = np.array([0.6 - 0.2, 0.7 - 0.7, 0 - 0.2])
    own = np.square(gains - gains.mean())
    telling = own.sum() ** 2 / (own**2).sum()
    effect = (telling**2 * variance / (own.mean() / 3) + 0.5) / (telling**2 + 0.5)
    n, value = 3 / effect, mean_b - mean_a
    square = (n * (own.mean() + value**2) + 2 / 3) / (n + 2)
    assert found.se == pytest.approx(((square - (value * n / (n + 2)) ** 2) / (n + 2)) ** 0.5)


def test_a_difference_of_proportions_is_bonett_and_prices() -> None:
    # 40 cases, 3 that a alone got and 9 that b alone got. One more of each: p = 4/42 and 10/42. The plain variance of a
    # mean of 40 (with 39) is 40/39 of the one that the design effect divides by. How many cases tell of it: the squared
    # deviations from 0.15, summed up and squared, by the sum of their squares.
    cases = [(1.0, 0.0)] * 3 + [(0.0, 1.0)] * 9 + [(1.0, 1.0)] * 20 + [(0.0, 0.0)] * 8
    found = paired(*([case] for case in cases), scale=Scale.BINARY)
    own = [1.15**2] * 3 + [0.85**2] * 9 + [0.15**2] * 28
    telling = sum(own) ** 2 / sum(square**2 for square in own)
    effect = (telling**2 * 40 / 39 + 0.5) / (telling**2 + 0.5)
    n = 40 / effect
    lost, won = (3 / effect + 1) / (n + 2), (9 / effect + 1) / (n + 2)
    se = ((lost + won - (won - lost) ** 2) / (n + 2)) ** 0.5
    half = stats.t.ppf(0.975, 39) * se
    assert found.value == pytest.approx(6 / 40)
    assert found.se == pytest.approx(se)
    assert bounds(found) == pytest.approx((won - lost - half, won - lost + half))
    assert found.p == pytest.approx(2 * stats.t.sf((won - lost) / se, 39))


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_a_side_that_wins_every_case_is_about_as_sure_as_the_sign_test_says(n: int) -> None:
    found = paired(*([(0.0, 1.0)] for _ in range(n)), scale=Scale.BINARY)
    assert found.p == pytest.approx(2 * 0.5**n, rel=0.4)
    assert (bounds(found)[0] > 0) == (n > 5)


def test_no_discordant_case_is_no_proof_of_equality() -> None:
    found = paired(*([(1.0, 1.0)] for _ in range(98)), scale=Scale.BINARY)
    # One of 100 on either side: variance 2/100 of a case.
    half = stats.t.ppf(0.975, 97) * (0.02 / 100) ** 0.5
    assert (found.value, found.p) == (0.0, 1.0)
    assert bounds(found) == pytest.approx((-half, half))


def test_differences_without_two_clusters_or_pairs() -> None:
    nothing = difference(PairedSums(), Scale.BINARY)
    assert (nothing.value, nothing.p, nothing.ci95, nothing.n) == (None, None, None, 0)
    one = paired([(0.0, 1.0), (0.0, 1.0)], scale=Scale.BINARY)
    assert (one.value, one.se, one.p, one.ci95, one.detectable()) == (1.0, None, None, None, None)
    same = paired([(5.0, 5.0)], [(6.0, 6.0)], scale=Scale.OPEN)
    assert (same.p, same.se, same.ci95, same.p_below(0.1)) == (1.0, 0.0, None, None)


def test_equal_gains_without_bounds_count_as_many_and_one_win_on_each_side() -> None:
    found = paired(*([(5.0, 7.0)] for _ in range(6)), scale=Scale.OPEN)
    _, se, _ = one_win_each([2.0] * 6, 6, 2.0, 5)
    assert found.se == pytest.approx(se)
    assert found.p < 0.05


def test_holm_adjusts_step_by_step() -> None:
    # Sorted 0.01, 0.03, 0.04, 0.2 and one without a value: times 5, 4, 3, 2, each at least the one before.
    assert holm([0.04, 0.01, None, 0.2, 0.03]) == [
        pytest.approx(value) if value else None for value in (0.12, 0.05, None, 0.4, 0.12)
    ]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
