"""How much is measured: everything, or enough to see that the measuring works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Sizes and repetitions.

    Args:
        rows: Rows of each data file; a row of sgqa has five questions, a row of the others is one case.
        repeat: How often each command is run; medians are shown.
        repeat_one_case: The same for runs of a single case.
        many_rows: Rows of sgqa in the large data file.
        programs: How many programs run on a cluster.
        full_workers: Whether to start as many xdist workers as asked for, against the cap.
    """

    rows: Mapping[str, int]
    repeat: int
    repeat_one_case: int
    many_rows: int
    programs: tuple[int, ...]
    full_workers: bool

    @property
    def cases(self) -> int:
        """Cases of the four tasks."""
        return sum(self.rows.values()) + (QUESTIONS_PER_ROW - 1) * self.rows["sgqa"]

    @property
    def questions(self) -> int:
        """Cases of sgqa."""
        return QUESTIONS_PER_ROW * self.rows["sgqa"]

    @property
    def many_cases(self) -> int:
        """Cases of the large data file."""
        return QUESTIONS_PER_ROW * self.many_rows


QUESTIONS_PER_ROW = 5
FULL = Scale(
    rows={"sgqa": 100, "sgds": 250, "sa-sgg": 1188, "ma-sgg": 853},
    repeat=3,
    repeat_one_case=7,
    many_rows=20_000,
    programs=(50, 500, 1_000),
    full_workers=True,
)
"""TSG-Bench as it was published: 2,791 cases; and 100,000 questions."""

QUICK = Scale(
    rows={"sgqa": 10, "sgds": 30, "sa-sgg": 60, "ma-sgg": 60},
    repeat=1,
    repeat_one_case=1,
    many_rows=200,
    programs=(20,),
    full_workers=False,
)
