"""What a case was worth, as properties of its report: ``--junitxml`` and other plugins show them."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.results.row import Correctness, ResultRow


def score_properties(row: ResultRow, verdict: Correctness) -> Iterator[tuple[str, str | float]]:
    """Name and value of each property.

    Args:
        row: The case's row.
        verdict: Its verdict.

    Yields:
        ``task``, ``model``, ``sample_id``, ``epoch``, ``status``, ``verdict``, and each metric of each score family,
        such as ``official.accuracy``. What a score family does not give is left out.
    """
    yield "task", f"{row['benchmark']}/{row['task']}"
    yield "model", row["model"]
    yield "sample_id", row["sample_id"]
    yield "epoch", row["epoch"]
    yield "status", row["status"]
    yield "verdict", verdict
    for family, scores in row["scores"].items():
        for name, value in scores.items():
            if isinstance(value, int | float):  # no list of scores, such as ``pairs``
                yield f"{family}.{name}", value
