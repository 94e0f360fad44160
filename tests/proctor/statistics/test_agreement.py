"""Agreement of a judge with a reference: by hand, against scipy's own arithmetic, and in the limits."""

from __future__ import annotations

import numpy as np
import pytest

from proctor.statistics.agreement import RatedTwice, agreement, kappa
from proctor.statistics.intervals import Scale


def table(both: int, judge_alone: int, reference_alone: int, neither: int) -> list[RatedTwice]:
    """Answers that judge and reference call right or wrong, each a cluster of its own."""
    pairs = [(1.0, 1.0)] * both + [(1.0, 0.0)] * judge_alone + [(0.0, 1.0)] * reference_alone + [(0.0, 0.0)] * neither
    return [RatedTwice(str(place), *pair) for place, pair in enumerate(pairs)]


def test_a_table_by_hand() -> None:
    found = agreement(table(20, 5, 10, 15), Scale.BINARY)
    # 35 of 50 are the same; by chance (25 · 30 + 25 · 20) / 2500 = 0.5 would be: kappa (0.7 − 0.5) / 0.5.
    assert found.same.value == pytest.approx(0.7)
    assert found.kappa.value == pytest.approx(0.4)
    assert (found.constant, found.constant_score) == pytest.approx((0.6, 1.0))
    assert found.bias.value == pytest.approx((5 - 10) / 50)


def test_the_interval_is_that_of_fleiss_cohen_and_everitt_where_there_is_much() -> None:
    shares = np.array([[0.4, 0.1], [0.2, 0.3]])
    n = 20_000
    answers = table(*(int(share * n) for share in (0.4, 0.1, 0.2, 0.3)))
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    chance, same = rows @ columns, np.trace(shares)
    value = (same - chance) / (1 - chance)
    # Their equation 13.
    on = sum(shares[i, i] * (1 - (rows[i] + columns[i]) * (1 - value)) ** 2 for i in range(2))
    off = (1 - value) ** 2 * sum(shares[i, j] * (columns[i] + rows[j]) ** 2 for i, j in ((0, 1), (1, 0)))
    se = np.sqrt(on + off - (value - chance * (1 - value)) ** 2) / ((1 - chance) * np.sqrt(n))
    found = kappa(answers)
    assert found.value == pytest.approx(value)
    assert found.ci95 == pytest.approx((value - 1.96 * se, value + 1.96 * se), abs=2e-4)


def test_grades_count_by_the_square_of_their_distance() -> None:
    generator = np.random.default_rng(1)
    judge, reference = generator.integers(0, 5, 60) / 4, generator.integers(0, 5, 60) / 4
    found = kappa([RatedTwice(str(i), *pair) for i, pair in enumerate(zip(judge, reference, strict=True))])
    by_chance = np.mean((judge[:, None] - reference[None, :]) ** 2)  # each judgment with each reference
    assert found.value == pytest.approx(1 - np.mean((judge - reference) ** 2) / by_chance)


def test_full_agreement_on_a_few_is_not_certain() -> None:
    few, many = kappa(table(10, 0, 0, 10)), kappa(table(200, 0, 0, 200))
    assert few.value == many.value == 1
    assert few.ci95 is not None
    assert many.ci95 is not None
    assert few.ci95[1] == many.ci95[1] == 1
    assert few.ci95[0] < 0.8 < many.ci95[0]


def test_where_both_always_say_the_same_there_is_no_kappa() -> None:
    found = agreement(table(10, 0, 0, 0), Scale.BINARY)
    assert (found.kappa.value, found.kappa.ci95) == (None, None)
    assert (found.same.value, found.constant) == (1, 1)
    nothing = agreement([], Scale.BINARY)
    assert (nothing.same.value, nothing.kappa.value, nothing.constant, nothing.bias.value) == (None, None, None, None)


def test_answers_of_a_cluster_that_say_the_same_count_once() -> None:
    once = table(20, 5, 10, 15)
    found, copied = kappa(once), kappa([one for one in once for _ in range(3)])
    assert copied.value == pytest.approx(found.value)
    assert copied.ci95 == pytest.approx(found.ci95, abs=0.01)
