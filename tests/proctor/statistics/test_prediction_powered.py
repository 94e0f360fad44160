"""Prediction-powered scores: against the formulas of PPI++ in their own form, by hand, and in their limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from proctor.statistics.intervals import Scale, wilson
from proctor.statistics.prediction_powered import Judgment, calibrated_difference, calibrated_score
from simulations.judges import Calibration


def drawn(seed: int, labels: int, cases: int, *, right: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    """Judgments and true scores, of which the first have a label."""
    generator = np.random.default_rng(seed)
    truth = (generator.random(cases) < right).astype(float)
    return np.where(generator.random(cases) < 0.85, truth, generator.random(cases) < 0.5).astype(float), truth


def judgments(judged: np.ndarray, truth: np.ndarray, labels: int, *, size: int = 1) -> list[Judgment]:
    return [
        Judgment(f"c{place // size}", float(f), float(y) if place < labels else None)
        for place, (f, y) in enumerate(zip(judged, truth, strict=True))
    ]


def test_the_score_is_that_of_ppi_plus_plus() -> None:
    judged, truth = drawn(1, 80, 500)
    f, y, rest = judged[:80], truth[:80], judged[80:]
    # Angelopoulos, Duchi & Zrnic (2023): the 420 answers without a label stand apart from the 80 with one.
    weight = np.cov(y, f)[0, 1] / ((1 + 80 / 420) * f.var(ddof=1))
    value = y.mean() + weight * (rest.mean() - f.mean())
    se = np.sqrt(np.var(y - weight * f, ddof=1) / 80 + weight**2 * rest.var(ddof=1) / 420)
    found = calibrated_score(judgments(judged, truth, 80), Scale.OPEN)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.weight == pytest.approx(weight * 500 / 420)
    assert found.se == pytest.approx(se, rel=0.02)  # which counts deviations from the mean of either part
    assert found.ci95 is not None
    half = stats.t.ppf(0.975, 79) * found.se
    assert found.ci95 == pytest.approx((value - half, value + half))
    assert (found.labels, found.cases, found.clusters) == (80, 500, 80)


def test_two_answers_and_one_more_by_hand() -> None:
    # Labels 0 and 1 on judgments 0 and 1: λ is 1, so that the score is the mean of all judgments, 2/3.
    found = calibrated_score([Judgment("a", 0, 0), Judgment("b", 1, 1), Judgment("c", 1, None)], Scale.OPEN)
    assert (found.value, found.weight) == pytest.approx((2 / 3, 1))
    # Influences −2/9, 1/9 and 1/9; those of the two clusters with labels count twice, n / (n − 1).
    assert found.se == pytest.approx((2 * (4 + 1) / 81 + 1 / 81) ** 0.5)


def test_a_judge_that_always_says_the_same_adds_nothing() -> None:
    _, truth = drawn(2, 60, 400)
    found = calibrated_score(judgments(np.ones(400), truth, 60), Scale.BINARY)
    assert (found.weight, found.value) == pytest.approx((0, truth[:60].mean()))
    independent = truth[:60].var() / 59
    assert found.se == pytest.approx(independent**0.5)


def test_a_judge_that_is_always_right_is_all_there_is_to_know() -> None:
    _, truth = drawn(3, 60, 400)
    found = calibrated_score(judgments(truth, truth, 60), Scale.BINARY)
    assert (found.weight, found.value) == pytest.approx((1, truth.mean()))
    assert found.se == pytest.approx((truth.var() / 400) ** 0.5, rel=0.01)


def test_with_all_answers_labelled_the_judge_does_not_matter() -> None:
    judged, truth = drawn(4, 50, 50)
    found = calibrated_score(judgments(judged, truth, 50), Scale.BINARY)
    assert found.value == pytest.approx(truth.mean())
    assert found.se == pytest.approx(truth.std(ddof=1) / 50**0.5)


def test_labels_that_are_all_right_are_not_certain() -> None:
    found = calibrated_score(judgments(np.ones(300), np.ones(300), 60), Scale.BINARY)
    assert (found.value, found.se) == (1, 0)
    assert found.ci95 == pytest.approx(wilson(1.0, 60, stats.t.ppf(0.975, 59)))
    alike = calibrated_score(judgments(np.ones(300), np.ones(300), 60, size=5), Scale.BINARY)
    assert alike.clusters == 12
    assert alike.ci95 == pytest.approx(wilson(1.0, 12, stats.t.ppf(0.975, 11)))


def test_answers_of_a_cluster_that_say_the_same_count_once() -> None:
    judged, truth = drawn(5, 40, 100)
    once = calibrated_score(judgments(judged, truth, 40), Scale.OPEN)
    copied = judgments(np.repeat(judged, 4), np.repeat(truth, 4), 160, size=4)
    four_times = calibrated_score(copied, Scale.OPEN)
    assert (four_times.value, four_times.se) == pytest.approx((once.value, once.se))
    assert four_times.ci95 == pytest.approx(once.ci95)


@pytest.mark.parametrize("labels", [0, 1, 2])
def test_with_hardly_any_label_there_is_hardly_an_answer(labels: int) -> None:
    judged, truth = np.array([1.0, 0, 1, 0]), np.array([1.0, 0, 1, 0])
    for found in (
        calibrated_score(judgments(judged, truth, labels), Scale.BINARY),
        calibrated_difference(judgments(judged, truth, labels), Scale.BINARY),
    ):
        assert (found.value is None) == (labels == 0)
        assert (found.ci95 is None) == (labels < 2)


@pytest.mark.parametrize("grades", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_simulated_formulas_are_these(seed: int, grades: bool) -> None:
    judged, truth = drawn(seed, 60, 300, right=0.6 + 0.07 * seed)
    if grades:
        truth = np.where(truth == 1, 0.75, truth)
    theirs = Calibration.of(judged[None], truth[None], 60)
    low, high = theirs.of_grades if grades else theirs.interval
    found = calibrated_score(judgments(judged, truth, 60), Scale.UNIT if grades else Scale.BINARY)
    assert found.ci95 == pytest.approx((low[0], high[0]))
    gains = calibrated_difference(judgments(judged - truth[::-1], truth - judged[::-1], 60), Scale.UNIT)
    centre, se = Calibration.of((judged - truth[::-1])[None], (truth - judged[::-1])[None], 60).difference
    assert gains.se == pytest.approx(se[0])
    assert gains.p == pytest.approx(2 * stats.t.sf(abs(centre[0]) / se[0], 59))


def test_a_difference_is_shown_exactly_where_its_interval_leaves_out_nothing_but_zero() -> None:
    shown = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        truth = generator.choice([-1.0, 0, 1], 200, p=[0.1, 0.6, 0.3] if seed % 2 else [0.2, 0.6, 0.2])
        judged = np.where(generator.random(200) < 0.8, truth, 1.0)
        found = calibrated_difference(judgments(judged, truth, 60), Scale.BINARY)
        assert found.ci95 is not None
        assert found.p is not None
        assert (found.p < 0.05) == (not found.ci95[0] <= 0 <= found.ci95[1])
        shown += found.p < 0.05
    assert 5 < shown < 30


def test_a_few_labels_that_agree_are_no_proof() -> None:
    found = calibrated_difference(judgments(np.ones(100), np.ones(100), 4), Scale.BINARY)
    assert found.value == 1
    assert found.p is not None
    assert found.p > 0.05
