"""How often a 95 % interval holds the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from simulations import formulas
from simulations.formulas import Array, Bounds, Sums
from simulations.populations import SCORES, binary, uniform
from simulations.table import percent, printed

RUNS = 4000
BINARY = (
    *((0.5, "20 × 5", alike) for alike in (0.0, 0.3)),
    *((truth, f"{clusters} × 5", 0.3) for truth in (0.8, 0.9, 0.95) for clusters in (10, 20, 100)),
    (0.98, "100 × 5", 0.3),
    *((truth, f"{n} × 1", 0.0) for truth in (0.8, 0.95) for n in (30, 100)),
    *((truth, "5 × 20 and 25 × 1", 0.4) for truth in (0.5, 0.8)),
    (0.99, "100 × 5", 0.6),
)
ALIKE = (0.0, 0.3, 0.6)
NUMBERS = (10, 20, 50, 100, 300, 1000)
CLUSTERED = (
    "uniform",
    "30 % 0, rest uniform",
    "70 % 0, rest uniform",
    "90 % 1, rest uniform",
    "five grades, half full marks",
)
SIZES = {
    "20 × 5": np.full(20, 5),
    "40 × 5": np.full(40, 5),
    "60 × 5": np.full(60, 5),
    "40 × 1 to 9": np.resize(np.arange(1, 10), 40),
}


def tables() -> Iterator[str]:
    """The tables."""
    generator = np.random.default_rng(19)
    yield f"### Coverage: values of only 0 and 1 ({RUNS:,} sets each)"
    yield printed(
        ("truth", "clusters × cases", "alike", "plain", "Miller", "BCa", "here"),
        [
            (f"{truth:g}", told, f"{alike:g}", *map(percent, shares))
            for truth, told, alike in BINARY
            for sizes in [_sizes(told)]
            for sets in [Sums.of(binary(RUNS, sizes, truth, alike, generator), sizes)]
            for shares in [_all(sets, truth, formulas.of_binary, generator)]
        ],
    )
    told = "; ".join(f"{right} right: [{low:.3f}, {high:.3f}]" for right, low, high in map(_of_twenty, (100, 99)))
    yield f"100 cases in 20 clusters, {told}."
    yield f"### Coverage: values from 0 to 1, independent ({RUNS:,} sets each; here, and in brackets Miller, BCa)"
    found: list[float] = []
    rows = []
    for name, (shape, truth) in SCORES.items():
        cells = []
        for n in NUMBERS:
            runs = RUNS if n < 1000 else RUNS // 2
            sizes = np.ones(n, dtype=int)
            sets = Sums.of(shape(uniform(runs, sizes, 0.0, generator)), sizes)
            _, others, bootstrap, here = _all(sets, truth, formulas.of_bounded, generator)
            found.append(here)
            cells.append(f"{percent(here)} ({100 * others:.0f}, {100 * bootstrap:.0f})")
        rows.append((name, *cells))
    yield printed(("scores", *(f"n = {n}" for n in NUMBERS)), rows)
    yield _range(found)
    yield f"### Coverage: values from 0 to 1 in clusters ({RUNS // 2:,} sets each; here (plain, Miller, BCa))"
    found = []
    rows = []
    for name in CLUSTERED:
        shape, truth = SCORES[name]
        for told, sizes in SIZES.items():
            cells = []
            for alike in ALIKE:
                sets = Sums.of(shape(uniform(RUNS // 2, sizes, alike, generator)), sizes)
                *rest, here = _all(sets, truth, formulas.of_bounded, generator)
                found.append(here)
                cells.append(f"{percent(here)} ({', '.join(f'{100 * other:.0f}' for other in rest)})")
            rows.append((name, told, *cells))
    yield printed(("scores", "clusters × cases", *(f"alike {alike:g}" for alike in ALIKE)), rows)
    yield _range(found)


def _of_twenty(right: int) -> tuple[int, float, float]:
    """The interval of so many right of 100 in 20 clusters of 5."""
    sizes = np.full(20, 5)
    low, high = formulas.of_binary(Sums.of((np.arange(100) < right).astype(float)[None, :], sizes))
    return right, float(low[0]), float(high[0])


def _sizes(told: str) -> Array:
    """The sizes of clusters, from words such as ``5 × 20 and 25 × 1``."""
    groups = [map(int, group.split(" × ")) for group in told.split(" and ")]
    return np.concatenate([np.full(clusters, size) for clusters, size in groups])


def _all(sets: Sums, truth: float, here: Callable[[Sums], Bounds], generator: np.random.Generator) -> list[float]:
    ways = [formulas.plain(sets), formulas.miller(sets), formulas.bca(sets, generator), here(sets)]
    return [_covered(way, truth) for way in ways]


def _covered(bounds: tuple[Array, Array], truth: float) -> float:
    low, high = bounds
    return float(((low <= truth + 1e-9) & (truth - 1e-9 <= high)).mean())


def _range(shares: list[float]) -> str:
    inside = sum(0.93 <= share <= 0.97 for share in shares)
    return (
        f"Here: {percent(min(shares))} to {percent(max(shares))} over {len(shares)} settings, {inside} of them from 93 "
        f"to 97 %, {sum(share < 0.93 for share in shares)} below and {sum(share > 0.97 for share in shares)} above."
    )
