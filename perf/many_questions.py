"""Many questions with recordings: ``python -m perf.many_questions PROJECT RECORDED`` writes the recordings.

Making 100,000 different questions, and asking a server for 100,000 answers, would take longer than all measurements
together. So rows are copied under other names, and each recording is as Proctor would have made it, but for the answer:
that is the one of the first recording in the cassette RECORDED.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

from perf.asked import asked_in
from proctor.recordings.recording import Recording

DIFFERENT_ROWS = 2_000
"""How many rows are made before they are copied."""
NEXT_COPY = 10_000
"""Added to ``doc_index``, a part of a row's name, in each copy."""


def multiply(file: Path, rows: int) -> None:
    """Copy the rows of a data file under other names until there are *rows* of them."""
    lines = file.read_text(encoding="utf-8").splitlines()
    with file.open("w", encoding="utf-8") as handle:
        for number in range(rows):
            row = json.loads(lines[number % len(lines)])
            row["doc_index"] += number // len(lines) * NEXT_COPY
            handle.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_recordings(project: Path, recorded: Path) -> None:
    """Write the sgqa cassette of a project.

    Args:
        project: Folder with data and prompts of TSG-Bench.
        recorded: A cassette that Proctor has recorded.
    """
    with recorded.open("rb") as handle:
        pattern = Recording.parse(handle.readline().rstrip(b"\n"))
    cassette = project / "cassettes/tsg/sgqa" / recorded.name
    cassette.parent.mkdir(parents=True)
    recordings = (
        replace(pattern, call_id=asked.call_id, key=asked.call.key, origin=asdict(asked.origin))
        for asked in asked_in("sgqa", project)
    )
    lines = sorted((recording.call_id, recording.line()) for recording in recordings)
    cassette.write_bytes(b"".join(line for _, line in lines))


if __name__ == "__main__":
    write_recordings(Path(sys.argv[1]), Path(sys.argv[2]))
