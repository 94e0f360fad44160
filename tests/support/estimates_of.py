"""Estimates and differences of values that a test writes down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proctor.statistics.differences import PairedSums, difference
from proctor.statistics.intervals import Estimate, Scale, estimate


def of(*clusters: Sequence[float], scale: Scale = Scale.UNIT) -> Estimate:
    """The estimate from values given cluster by cluster."""
    sums = {str(n): (sum(values), len(values), sum(v * v for v in values)) for n, values in enumerate(clusters)}
    return estimate(sums, scale)


def bounds(found: Any) -> tuple[float, float]:
    assert found.ci95 is not None
    low, high = found.ci95
    return low, high


def paired(*clusters: Sequence[tuple[float, float]], scale: Scale = Scale.UNIT) -> Any:
    sums = PairedSums()
    for place, cases in enumerate(clusters):
        for a, b in cases:
            sums.add(str(place), (a, 1), (b, 1))
    return difference(sums, scale)
