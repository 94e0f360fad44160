"""Room for the texts of a page is shared fairly."""

from __future__ import annotations

from proctor.report.html.shares import FairShares


def test_each_group_has_room_in_proportion_to_its_records() -> None:
    shares = FairShares(100, {"a": 10, "b": 10, "c": 20})
    # Of 40 records of 5 each half fit: 25 for a, 25 for b, 50 for c.
    taken = {group: sum(shares.has_room(group, 5) for _ in range(count)) for group, count in shares._records.items()}
    assert taken == {"a": 5, "b": 5, "c": 10}


def test_nothing_is_left_out_where_all_fits() -> None:
    shares = FairShares(100, {"a": 10, "b": 10})
    assert all(shares.has_room(group, 5) for group in "ab" for _ in range(10))
