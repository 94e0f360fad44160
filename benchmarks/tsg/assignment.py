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
    rows, columns = len(gains), len(gains[0])
    # Rows and columns count from 1; index 0 is the row being placed, held by an imaginary column 0.
    row_potential = [0.0] * (rows + 1)
    column_potential = [0.0] * (columns + 1)
    row_of = [0] * (columns + 1)
    for row in range(1, rows + 1):
        row_of[0] = row
        column = 0
        slack = [inf] * (columns + 1)
        came_from = [0] * (columns + 1)
        visited = [False] * (columns + 1)
        while row_of[column]:
            visited[column] = True
            current, step, nearest = row_of[column], inf, 0
            for other in range(1, columns + 1):
                if visited[other]:
                    continue
                reduced = -gains[current - 1][other - 1] - row_potential[current] - column_potential[other]
                if reduced < slack[other]:
                    slack[other], came_from[other] = reduced, column
                if slack[other] < step:
                    step, nearest = slack[other], other
            for other in range(columns + 1):
                if visited[other]:
                    row_potential[row_of[other]] += step
                    column_potential[other] -= step
                else:
                    slack[other] -= step
            column = nearest
        while column:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    return sum(gains[row_of[column] - 1][column - 1] for column in range(1, columns + 1) if row_of[column])
