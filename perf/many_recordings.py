"""Writes recordings for every question of a large sgqa data file: ``python -m perf.many_recordings PROJECT RECORDED``.

Asking a server 100,000 times would take longer than all measurements together. Each recording is as Proctor would have
made it, but for the answer, which is that of the first recording in the cassette RECORDED.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path

from perf.asked import asked_in
from proctor.cassette import Recording


def write_recordings(project: Path, recorded: Path) -> Path:
    """Write the sgqa cassette of *project*.

    Args:
        project: Folder with data and prompts of TSG-Bench.
        recorded: A cassette that Proctor has recorded.
    """
    with recorded.open("rb") as lines_recorded:
        pattern = Recording.parse(lines_recorded.readline().rstrip(b"\n"))
    cassette = project / "cassettes/tsg/sgqa" / recorded.name
    cassette.parent.mkdir(parents=True)
    lines: list[tuple[object, bytes]] = []
    for asked in asked_in("sgqa", project):
        recording = replace(pattern, slot=asked.slot, key=asked.call.key, origin=asdict(asked.origin))
        lines.append((recording.slot, recording.line()))
    cassette.write_bytes(b"".join(line for _, line in sorted(lines)))
    return cassette


if __name__ == "__main__":
    write_recordings(Path(sys.argv[1]), Path(sys.argv[2]))
