"""Standard errors and intervals of scores: against other formulas and by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from estimates_of import bounds, of
from scipy import linalg, stats

from proctor.statistics.intervals import Estimate, Scale, estimate

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
