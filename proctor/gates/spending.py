"""Bounds for looking at a result again and again while it comes in: error spending after Lan & DeMets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

GRID = 401
"""Points on which the density of a path that has not crossed a bound is kept; the bounds then are right to 0.001."""
REACH = 6.0
"""Standard deviations up to which it is kept."""


class ErrorSpending:
    """The bounds of a one-sided test that is looked at several times (Lan & DeMets, *Biometrika* 70, 1983).

    Up to the fraction t of all that can come, error · t² is spent. A bound follows from the density of the paths of a
    Brownian motion that have crossed none before (Armitage, McPherson & Rowe, *JRSS A* 132, 1969).

    Args:
        error: The chance of ever crossing a bound where there is nothing to be found.
    """

    def __init__(self, error: float) -> None:
        self._error = error
        self._fraction = 0.0
        self._points: Any = None
        self._weights: Any = None  # density times the width that a point stands for

    def bound(self, fraction: float) -> float:
        """The bound of the z value at the next look.

        Args:
            fraction: The part of all that can come that has come; more than at the look before.
        """
        import numpy as np
        from scipy.special import ndtr

        spent = self._error * (fraction**2 - self._fraction**2)
        step, scale = (fraction - self._fraction) ** 0.5, fraction**0.5
        if self._points is None:
            start, mass = np.zeros(1), np.ones(1)
        else:
            start, mass = self._points, self._weights
        level = _solved(lambda x: float(mass @ ndtr((start - x) / step)), spent, -REACH * scale, REACH * 2 * scale)
        points = np.linspace(-REACH * scale, level, GRID)
        width = points[1] - points[0]
        ends = np.full(GRID, width)
        ends[[0, -1]] /= 2  # the trapezoidal rule
        density = np.exp(-(((points[:, None] - start[None, :]) / step) ** 2) / 2) @ mass / (step * (2 * np.pi) ** 0.5)
        self._points, self._weights, self._fraction = points, density * ends, fraction
        return float(level / scale)


def _solved(falling: Callable[[float], float], value: float, low: float, high: float) -> float:
    """Where a falling function has a value."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > value else (low, middle)
    return (low + high) / 2
