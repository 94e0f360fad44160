"""How large recordings are."""

from __future__ import annotations

from collections.abc import Sequence

from perf.table import Quantity, Row
from perf.workplace import Workplace

PART = "recordings"
MOST_KB = 1.0
SHORT_ANSWERS = ("sgqa", "sgds")


def recordings(place: Workplace) -> Sequence[Row]:
    """Bytes of a recording: of a one-word answer, of a short graph."""
    rows = []
    for task in place.scale.rows:
        kilobytes = place.cassette(task).stat().st_size / len(place.asked[task]) / 1e3
        short = task in SHORT_ANSWERS
        kind = "one word" if short else "three triplets"
        most = MOST_KB if short else None
        rows.append(Row(PART, f"a case of {task}, answered in {kind}", Quantity(kilobytes, "kB"), most=most))
    return rows
