"""Standard errors, intervals, differences and p values: against other formulas, by hand, and by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import linalg, stats

from proctor.statistics.differences import PairedSums, difference, holm
from proctor.statistics.intervals import Estimate, Scale, estimate

REPETITIONS = 1500
"""A simulated coverage of 95 % then has a standard error of 0.6 %."""


def of(*clusters: Sequence[float], scale: Scale = Scale.UNIT) -> Estimate:
    """The estimate from values given cluster by cluster."""
    sums = {str(n): (sum(values), len(values), sum(v * v for v in values)) for n, values in enumerate(clusters)}
    return estimate(sums, scale)


def bounds(found: Any) -> tuple[float, float]:
    assert found.ci95 is not None
    low, high = found.ci95
    return low, high


# ---- means


def beta(mean: float, square: float, n: float) -> tuple[float, float]:
    """The central 95 % of the Beta distribution with the moments that docs/explanation/statistics.md gives."""
    middle = (n * mean + 0.5) / (n + 1)
    variance = (n * square + mean**2 / 2 + (1 - mean) ** 2 / 2) / ((n + 1) * (n + 2))
    weight = middle * (1 - middle) / variance - 1
    found = stats.beta(middle * weight, (1 - middle) * weight)
    assert (found.mean(), found.var()) == pytest.approx((middle, variance))
    return float(found.ppf(0.025)), float(found.ppf(0.975))


def test_one_value_a_cluster_has_the_classical_error_and_a_t_interval_if_it_has_no_bounds() -> None:
    values = [0.2, 0.5, 0.3, 0.9, 0.45, 0.6]
    found = of(*([value] for value in values), scale=Scale.OPEN)
    assert found.value == pytest.approx(np.mean(values))
    assert found.se == pytest.approx(stats.sem(values))
    assert bounds(found) == pytest.approx(stats.ttest_1samp(values, 0).confidence_interval())
    assert (found.n, found.clusters) == (6, 6)


def test_scores_from_0_to_1_have_the_interval_of_a_beta_distribution() -> None:
    values = [0.2, 0.5, 0.3, 0.9, 0.45, 0.6]
    # Independent, so that the effective number is less by one, as n - 1 divides a variance.
    assert bounds(of(*([value] for value in values))) == pytest.approx(
        beta(float(np.mean(values)), float(np.var(values)), 5)
    )


def test_clustered_scores_from_0_to_1_have_a_beta_interval_with_the_effective_number() -> None:
    clusters = np.array([[0.1, 0.2, 0.3], [0.8, 0.7, 0.9], [0.5, 0.5, 0.4], [0.2, 0.6, 0.4]])
    deviations = clusters - clusters.mean()
    ratio = 4 / 3 * (deviations.sum(axis=1) ** 2).sum() / 144 / (deviations.var() / 12)
    own = (deviations**2).sum(axis=1)
    telling = own.sum() ** 2 / (own**2).sum()
    effect = (telling**2 * ratio + 0.5 * 3) / (telling**2 + 0.5)
    effective = 12 / effect * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 3)) ** 2
    found = of(*clusters.tolist())
    assert found.se == pytest.approx(stats.sem(clusters.mean(axis=1)))
    assert bounds(found) == pytest.approx(beta(clusters.mean(), deviations.var(), effective))


def test_clusters_of_one_size_are_the_t_interval_of_their_means() -> None:
    clusters = [[0.1, 0.2, 0.3], [0.8, 0.7, 0.9], [0.5, 0.5, 0.4], [0.2, 0.6, 0.4]]
    means = [np.mean(values) for values in clusters]
    found = of(*clusters, scale=Scale.OPEN)
    assert found.se == pytest.approx(stats.sem(means))
    assert bounds(found) == pytest.approx(stats.ttest_1samp(means, 0).confidence_interval())
    assert (found.n, found.clusters) == (12, 4)


def bell_mccaffrey(clusters: Sequence[Sequence[float]]) -> tuple[float, float]:
    """CR2 standard error and degrees of freedom of a mean, with the matrices of Bell & McCaffrey (2002)."""
    values = np.concatenate([np.array(cluster) for cluster in clusters])
    n, ends = len(values), np.cumsum([len(cluster) for cluster in clusters])
    design = np.ones((n, 1))
    hat = design @ design.T / n
    residuals = (np.eye(n) - hat) @ values
    contrasts = np.zeros((n, len(clusters)))
    variance = 0.0
    for number, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        inside = slice(int(start), int(end))
        adjustment = np.linalg.inv(linalg.sqrtm(np.eye(int(end - start)) - hat[inside, inside]).real)
        variance += float(np.sum(adjustment @ residuals[inside])) ** 2 / n**2
        contrasts[:, number] = (np.eye(n) - hat)[:, inside] @ adjustment @ np.ones(int(end - start)) / n
    eigenvalues = np.linalg.eigvalsh(contrasts.T @ contrasts)
    return variance**0.5, float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


def test_clusters_of_different_sizes_have_the_cr2_error_and_its_degrees_of_freedom() -> None:
    clusters = [[0.1, 0.4], [0.9, 0.8, 0.7, 0.8, 0.9, 0.6], [0.3], [0.5, 0.2, 0.4], [0.6]]
    se, freedom = bell_mccaffrey(clusters)
    assert freedom < 4
    found = of(*clusters, scale=Scale.OPEN)
    values = [value for values in clusters for value in values]
    assert found.value == pytest.approx(np.mean(values))
    assert found.se == pytest.approx(se)
    half = stats.t.ppf(0.975, freedom) * se
    assert bounds(found) == pytest.approx((np.mean(values) - half, np.mean(values) + half))


def test_the_error_is_millers_with_the_small_sample_factor() -> None:
    # Miller's sum over all pairs of a cluster, for clusters of two: G / (G - 1) is the correction of CR2 then.
    clusters = np.array([[0.0, 0.4], [0.9, 0.8], [0.3, 0.6], [0.1, 0.2], [0.7, 0.9]])
    deviations = clusters - clusters.mean()
    miller = sum(x * y for row in deviations for x in row for y in row) / clusters.size**2
    assert of(*clusters.tolist()).se == pytest.approx((5 / 4 * miller) ** 0.5)


def test_an_interval_of_a_score_from_0_to_1_ends_there_and_another_does_not() -> None:
    values = [[1.0], [1.0], [0.9], [0.2]]
    assert 0.9 < bounds(of(*values))[1] <= 1.0
    assert bounds(of(*values, scale=Scale.OPEN))[1] > 1.0


# ---- proportions


@pytest.mark.parametrize(("right", "n"), [(8, 10), (0, 7), (7, 7), (1, 1), (0, 1), (499, 500), (1, 2)])
def test_a_proportion_without_clusters_has_wilsons_interval(right: int, n: int) -> None:
    found = of(*([float(place < right)] for place in range(n)), scale=Scale.BINARY)
    wilson = stats.binomtest(right, n).proportion_ci(method="wilson")
    assert bounds(found) == pytest.approx((wilson.low, wilson.high))


def test_all_right_in_clusters_is_as_sure_as_one_case_a_cluster() -> None:
    for value in (0.0, 1.0):
        found = of(*([value] * 5 for _ in range(20)), scale=Scale.BINARY)
        wilson = stats.binomtest(int(20 * value), 20).proportion_ci(method="wilson")
        assert bounds(found) == pytest.approx((wilson.low, wilson.high))
        assert (found.se, found.n, found.clusters) == (0.0, 100, 20)


def test_a_clustered_proportion_has_wilsons_interval_of_the_effective_number() -> None:
    # Four clusters of 5 with 5, 4, 1, 2 right: 0.6. Squared deviations of the sums from 3: 4 + 1 + 4 + 1 = 10, so the
    # variance is 4/3 · 10 / 400 = 1/30; independent 0.6 · 0.4 / 20 = 0.012. The ratio is 25/9. Three clusters hold a
    # failure, four a success: weight 3² = 9. Design effect (9 · 25/9 + 0.5 · 5) / 9.5.
    found = of([1] * 5, [1, 1, 1, 1, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 0], scale=Scale.BINARY)
    assert found.se == pytest.approx((1 / 30) ** 0.5)
    effective, square = 20 / (27.5 / 9.5), stats.t.ppf(0.975, 3) ** 2
    middle = (0.6 + square / (2 * effective)) / (1 + square / effective)
    root = (0.24 / effective + square / (4 * effective**2)) ** 0.5
    half = square**0.5 * root / (1 + square / effective)
    assert bounds(found) == pytest.approx((middle - half, middle + half))


# ---- where there is little or nothing


def test_nothing_has_no_value() -> None:
    assert estimate({}, Scale.BINARY) == Estimate(None, None, None, 0, 0)


def test_one_cluster_has_no_standard_error_and_the_interval_of_one_case() -> None:
    found = of([1.0, 1.0, 0.0, 1.0], scale=Scale.BINARY)
    assert (found.value, found.se, found.n, found.clusters) == (0.75, None, 4, 1)
    square = stats.norm.ppf(0.975) ** 2
    middle, root = (0.75 + square / 2) / (1 + square), (0.1875 + square / 4) ** 0.5
    half = square**0.5 * root / (1 + square)
    assert bounds(found) == pytest.approx((middle - half, middle + half))


def test_one_score_between_0_and_1_has_a_wide_interval_around_it() -> None:
    low, high = bounds(of([0.5]))
    assert (low, high) == pytest.approx((1 - high, 0.9454), abs=1e-4)  # Wilson for half of one case


def test_equal_scores_are_not_certain_and_nearly_equal_ones_are_about_as_uncertain() -> None:
    equal, nearly = (bounds(of(*([value] for value in [0.5] * 9 + [last]))) for last in (0.5, 0.501))
    assert equal == pytest.approx(beta(0.5, 0.0, 9))
    assert nearly == pytest.approx(equal, abs=0.002)
    right, nearly_right = (bounds(of(*([value] for value in [1.0] * 9 + [last]))) for last in (1.0, 0.999))
    assert right[1] == pytest.approx(1.0, abs=1e-3)
    assert nearly_right == pytest.approx(right, abs=0.002)


def test_a_scale_without_bounds_has_no_interval_where_nothing_varies() -> None:
    assert of([7.0], scale=Scale.OPEN).ci95 is None
    assert of([7.0], [7.0], [7.0], scale=Scale.OPEN) == Estimate(7.0, 0.0, None, 3, 3)


@pytest.mark.parametrize(
    ("values", "worst", "scale"),
    [
        ([0, 1, 1.0], 0, Scale.BINARY),
        ([0, 0.5, 1], 0, Scale.UNIT),
        ([0, 0.5, 7], 0, Scale.OPEN),
        ([-0.1, 1], 0, Scale.OPEN),
        ([1, 1], 1, Scale.OPEN),
        ([], 0, Scale.BINARY),
    ],
)
def test_the_scale_is_read_from_the_values(values: list[float], worst: float, scale: Scale) -> None:
    assert Scale.of(values, worst) is scale


# ---- differences


def paired(*clusters: Sequence[tuple[float, float]], scale: Scale = Scale.UNIT) -> Any:
    sums = PairedSums()
    for place, cases in enumerate(clusters):
        for a, b in cases:
            sums.add(str(place), (a, 1), (b, 1))
    return difference(sums, scale)


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


def test_many_small_gains_and_a_rare_large_loss_are_hardly_ever_taken_for_a_gain() -> None:
    """18 % of the differences are +0.1 and 2 % are -0.9: none in the mean."""
    generator = np.random.default_rng(24)
    shown = 0
    for _ in range(REPETITIONS):
        gains = generator.choice([0.1, -0.9, 0.0], 50, p=[0.18, 0.02, 0.8])
        shown += paired(*([(0.9, 0.9 + float(gain))] for gain in gains)).p < 0.05
    assert shown / REPETITIONS < 0.08


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


# ---- coverage, by simulation


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
