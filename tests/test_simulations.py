"""The formulas that simulations use for many sets at once are those that Proctor computes with."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from proctor.statistics.differences import PairedSums, difference
from proctor.statistics.intervals import Scale, estimate
from simulations import formulas
from simulations.formulas import Paired, Sums
from simulations.populations import SCORES, binary, uniform
from simulations.suites import FULL_TSG, gains

SIZES = [np.ones(12, dtype=int), np.full(6, 5), np.array([1, 1, 4, 9, 2, 3, 7])]


def clusters_of(values: np.ndarray, sizes: np.ndarray) -> list[list[float]]:
    return [part.tolist() for part in np.split(values, np.cumsum(sizes)[:-1])]


@pytest.mark.parametrize("sizes", SIZES, ids=["independent", "alike", "unlike"])
@pytest.mark.parametrize("kind", ["right or wrong", *SCORES])
def test_intervals_are_those_of_proctor(kind: str, sizes: np.ndarray) -> None:
    generator = np.random.default_rng(1)
    sets = (
        binary(20, sizes, 0.85, 0.3, generator)
        if kind == "right or wrong"
        else SCORES[kind][0](uniform(20, sizes, 0.3, generator))
    )
    lows, highs = formulas.of_bounded(Sums.of(sets, sizes))
    for values, low, high in zip(sets, lows, highs, strict=True):
        scale = Scale.BINARY if set(values) <= {0, 1} else Scale.UNIT
        sums = {
            str(n): (sum(part), len(part), sum(v * v for v in part))
            for n, part in enumerate(clusters_of(values, sizes))
        }
        assert estimate(sums, scale).ci95 == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("sizes", SIZES, ids=["independent", "alike", "unlike"])
@pytest.mark.parametrize("only_two", [True, False])
def test_differences_are_those_of_proctor(only_two: bool, sizes: np.ndarray) -> None:
    generator = np.random.default_rng(2)
    shape = (20, int(sizes.sum()))
    a, b = (
        generator.random(shape) < 0.7 if only_two else generator.random(shape) * (generator.random(shape) < 0.7)
        for _ in "ab"
    )
    found = Paired.of_gains(b.astype(float) - a, sizes, binary=only_two)
    for row in range(len(a)):
        sums = PairedSums()
        for cluster, pairs in enumerate(zip(clusters_of(a[row], sizes), clusters_of(b[row], sizes), strict=True)):
            for left, right in zip(*pairs, strict=True):
                sums.add(str(cluster), (float(left), 1), (float(right), 1))
        one = difference(sums, Scale.BINARY if only_two else Scale.UNIT)
        assert (one.centre, one.se, one.freedom) == pytest.approx((found.centre[row], found.se[row], found.freedom))


def test_the_bootstrap_is_scipys() -> None:
    values = np.random.default_rng(3).random((1, 40)) ** 3
    ((low,), (high,)) = formulas.bca(Sums.of(values, np.ones(40, dtype=int)), np.random.default_rng(4))
    theirs = stats.bootstrap(values, np.mean, method="BCa", n_resamples=4000, rng=np.random.default_rng(5))
    assert (low, high) == pytest.approx(theirs.confidence_interval, abs=0.015)


@pytest.mark.parametrize("task", FULL_TSG)
def test_a_drop_that_is_put_in_is_there(task: object) -> None:
    assert isinstance(task, type(FULL_TSG[0]))
    generator = np.random.default_rng(6)
    assert gains(task, 400, 0.0, generator).mean() == pytest.approx(0, abs=0.004)
    assert gains(task, 400, 0.03, generator).mean() == pytest.approx(-0.03, abs=0.004)
