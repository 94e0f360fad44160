"""Student's t and the Beta distribution, for one value at a time.

A report needs a few dozen of their quantiles. scipy has them too, but to import it, and numpy, takes longer than a
replay of a thousand cases, and 27 MB. The tests hold these beside scipy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from statistics import NormalDist

SMALLEST = 1e-300
"""Stands for 0 in a denominator: what is 1 and something more is either 0 or far larger than this."""
CLOSE = 1e-15
"""Relative difference to the term before at which a fraction has converged."""
LAST_STEP = 1e-10
"""Relative size of one of Newton's steps after which what is left is no more than rounding: it goes with the square."""
LAST_HALF = 4e-15
"""The same of a step that halves."""
LARGE = 10.0
"""From which on five terms of Stirling's series give the logarithm of the gamma function to 14 digits."""
MOST_TERMS = 100_000
MOST_STEPS = 60


def beta_below(a: float, b: float, x: float) -> float:
    """The probability that a value of the Beta distribution is below *x*: the regularised incomplete beta function.

    By its continued fraction, DLMF 8.17.22 (https://dlmf.nist.gov/8.17), from the side on which that converges fast.

    Args:
        a: The first parameter, above 0.
        b: The second one, above 0.
        x: From 0 to 1.
    """
    return _beta_below(a, b, x, 1 - x)


def beta_quantile(a: float, b: float, probability: float) -> float:
    """The value below which the Beta distribution has this probability, for parameters above 0."""
    mean = a / (a + b)
    near = mean + NormalDist().inv_cdf(probability) * math.sqrt(mean * (1 - mean) / (a + b + 1))
    start = near if 0 < near < 1 else mean
    return _root(lambda x: beta_below(a, b, x) - probability, lambda x: _beta_density(a, b, x), 0.0, 1.0, start)


def t_below(statistic: float, freedom: float) -> float:
    """The probability that Student's t is below *statistic*; degrees of freedom need not be a whole number."""
    if math.isinf(freedom):
        return NormalDist().cdf(statistic)
    square = statistic * statistic
    beyond = _beta_below(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square)) / 2
    return beyond if statistic < 0 else 1 - beyond


def t_two_sided(statistic: float, freedom: float) -> float:
    """The probability that Student's t is as far from 0 as *statistic*, or farther."""
    return 2 * t_below(-abs(statistic), freedom)


@cache
def t_quantile(probability: float, freedom: float) -> float:
    """The quantile of Student's t distribution; degrees of freedom need not be a whole number."""
    if math.isinf(freedom):
        return NormalDist().inv_cdf(probability)
    if probability == 0.5:
        return 0.0
    tail = min(probability, 1 - probability)
    low = -1.0
    while t_below(low, freedom) > tail:
        low *= 2
    start = max(low, NormalDist().inv_cdf(tail))
    found = _root(lambda t: t_below(t, freedom) - tail, lambda t: _t_density(t, freedom), low, 0.0, start)
    return found if probability < 0.5 else -found


def _beta_below(a: float, b: float, x: float, rest: float) -> float:
    """`beta_below`, where 1 - *x* is known better than by subtraction."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(_log_gamma_ratio(a, b) + a * math.log(x) + b * math.log(rest))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, rest) / b


def _log_gamma_ratio(a: float, b: float) -> float:
    """The logarithm of Γ(a + b) / (Γ(a) Γ(b)), by Stirling's series where large logarithms would cancel out."""
    a, b = max(a, b), min(a, b)
    if a < LARGE:
        return math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    ratio = (a - 0.5) * math.log1p(b / a) + b * math.log(a + b) - b + _stirling(a + b) - _stirling(a)
    return ratio - math.lgamma(b)


def _stirling(x: float) -> float:
    """What Stirling's formula lacks of the logarithm of Γ(x): DLMF 5.11.1."""
    square = x * x
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / x


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction, by the modified Lentz algorithm (Thompson and Barnett, 1986)."""
    numerator, denominator = 1.0, 1 / (1 - (a + b) * x / (a + 1) or SMALLEST)
    value = denominator
    for m in range(1, MOST_TERMS):
        before = value
        place = a + 2 * m
        even = m * (b - m) * x / ((place - 1) * place)
        denominator = 1 / (1 + even * denominator or SMALLEST)
        numerator = 1 + even / numerator or SMALLEST
        value *= denominator * numerator
        odd = -(a + m) * (a + b + m) * x / (place * (place + 1))
        denominator = 1 / (1 + odd * denominator or SMALLEST)
        numerator = 1 + odd / numerator or SMALLEST
        value *= denominator * numerator
        if abs(value - before) <= CLOSE * abs(value):
            break
    return value


def _beta_density(a: float, b: float, x: float) -> float:
    return math.exp(_log_gamma_ratio(a, b) + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x))


def _t_density(t: float, freedom: float) -> float:
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    return math.exp(scale - (freedom + 1) / 2 * math.log1p(t * t / freedom))


def _root(
    function: Callable[[float], float], slope: Callable[[float], float], low: float, high: float, start: float
) -> float:
    """Where an increasing function is 0, between *low* and *high*: by Newton's steps, halving where they lead out."""
    at = start
    for _ in range(MOST_STEPS):
        value = function(at)
        if value == 0:
            break
        low, high = (at, high) if value < 0 else (low, at)
        steepness = slope(at)
        following = at - value / steepness if steepness > 0 else low
        last = LAST_STEP
        if not low < following < high:
            following, last = (low + high) / 2, LAST_HALF
        step, at = following - at, following
        if abs(step) <= last * abs(at):
            break
    return at
