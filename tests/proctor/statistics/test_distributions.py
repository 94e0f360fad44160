"""Quantiles and tails of Student's t and the Beta distribution: scipy's, tables', and each the other's inverse."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from proctor.statistics.distributions import beta_below, beta_quantile, t_below, t_quantile, t_two_sided

FREEDOM = st.floats(0.5, 300_000)
PARAMETER = st.floats(0.5, 100_000)


@pytest.mark.parametrize(
    ("probability", "freedom", "quantile"),
    [  # the usual table
        (0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 10, 2.228), (0.975, 120, 1.980), (0.95, 5, 2.015),
        (0.9995, 3, 12.924), (0.975, math.inf, 1.960), (0.025, 10, -2.228), (0.5, 7, 0.0),
    ],
)  # fmt: skip
def test_quantiles_of_t_are_the_tables(probability: float, freedom: float, quantile: float) -> None:
    assert t_quantile(probability, freedom) == pytest.approx(quantile, abs=0.0005)


def test_one_and_two_degrees_of_freedom_by_hand() -> None:
    """Cauchy's distribution, and F(t) = 1/2 + t / (2 √(2 + t²))."""
    assert t_quantile(0.9, 1) == pytest.approx(math.tan(math.pi * 0.4), rel=1e-12)
    assert t_below(3, 2) == pytest.approx(0.5 + 3 / (2 * math.sqrt(11)), rel=1e-12)
    assert t_two_sided(-3, 2) == pytest.approx(1 - 3 / math.sqrt(11), rel=1e-12)
    assert t_below(-math.inf, math.inf) == 0


def test_a_beta_distribution_by_hand() -> None:
    """Of Beta(a, 1) it is x^a; of Beta(2, 3) it is 6x² - 8x³ + 3x⁴."""
    assert beta_quantile(7, 1, 0.025) == pytest.approx(0.025 ** (1 / 7), rel=1e-12)
    assert beta_below(2, 3, 0.4) == pytest.approx(6 * 0.16 - 8 * 0.064 + 3 * 0.0256, rel=1e-12)
    assert (beta_below(2, 3, 0), beta_below(2, 3, 1)) == (0, 1)


@given(st.floats(0.0001, 0.9999), FREEDOM)
def test_quantiles_of_t_are_scipys(probability: float, freedom: float) -> None:
    expected = float(special.stdtrit(freedom, probability))
    assert t_quantile(probability, freedom) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(st.floats(-40, 40), FREEDOM)
def test_tails_of_t_are_scipys(statistic: float, freedom: float) -> None:
    expected = float(special.stdtr(freedom, statistic))
    assert t_below(statistic, freedom) == pytest.approx(expected, rel=1e-8, abs=1e-15)
    assert t_two_sided(statistic, freedom) == pytest.approx(2 * min(expected, 1 - expected), rel=1e-7, abs=1e-14)


@given(PARAMETER, PARAMETER, st.sampled_from([0.025, 0.975]))
def test_quantiles_of_beta_are_scipys(a: float, b: float, probability: float) -> None:
    found = beta_quantile(a, b, probability)
    assert found == pytest.approx(float(special.betaincinv(a, b, probability)), rel=1e-9)
    assert beta_below(a, b, found) == pytest.approx(probability, rel=1e-8)
