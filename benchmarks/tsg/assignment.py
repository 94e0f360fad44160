"""The assignment problem: pairing two lists one to one so that the gains add up to the most."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf


def best_total(gains: Sequence[Sequence[float]]) -> float:
    """The highest total gain of pairing rows with columns one to one; what is left over gains nothing.

    The Hungarian method with potentials, O(n²m) for n rows and m columns with n the smaller: exact, and quick also for
    an answer of hundreds of graphs.

    Args:
        gains: One list of gains per row, all of the same length.

    Returns:
        The total, summed from the gains themselves; 0 if either side is empty.
    """
    if not gains or not gains[0]:
        return 0.0
    if len(gains) > len(gains[0]):
        gains = list(zip(*gains, strict=True))
    pairing = _Pairing(gains)
    for row in range(1, len(gains) + 1):
        pairing.place(row)
    return pairing.total()


class _Pairing:
    """The best pairing of the rows placed so far; they and the columns count from 1, column 0 holds the next row."""

    def __init__(self, gains: Sequence[Sequence[float]]) -> None:
        self.gains = gains
        self.columns = range(1, len(gains[0]) + 1)
        self.row_of = [0] * (len(gains[0]) + 1)  # 0: the column is free
        self.row_potential = [0.0] * (len(gains) + 1)
        self.column_potential = [0.0] * (len(gains[0]) + 1)

    def place(self, row: int) -> None:
        """Add a row, moving the rows along the cheapest path to a free column."""
        self.row_of[0] = row
        came_from, column = self._cheapest_path()
        while column:
            self.row_of[column] = self.row_of[came_from[column]]
            column = came_from[column]

    def _cheapest_path(self) -> tuple[list[int], int]:
        """The path from column 0 to a free column, as each column's predecessor, and that column."""
        came_from = [0] * len(self.row_of)
        slack = [inf] * len(self.row_of)
        visited = {0}
        waiting = set(self.columns)
        column = 0
        while self.row_of[column]:
            row = self.row_of[column]
            for other in waiting:
                reduced = -self.gains[row - 1][other - 1] - self.row_potential[row] - self.column_potential[other]
                if reduced < slack[other]:
                    slack[other], came_from[other] = reduced, column
            column = min(waiting, key=slack.__getitem__)
            step = slack[column]
            for other in visited:
                self.row_potential[self.row_of[other]] += step
                self.column_potential[other] -= step
            for other in waiting:
                slack[other] -= step
            waiting.remove(column)
            visited.add(column)
        return came_from, column

    def total(self) -> float:
        """What the pairing gains."""
        return sum(self.gains[self.row_of[column] - 1][column - 1] for column in self.columns if self.row_of[column])
