"""Files that are put in place whole, or not at all."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from proctor.appending import write_whole


def test_a_file_that_cannot_be_written_stays_as_it_was_with_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    write_whole(file, b"before")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            write_whole(file, b"after" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("report.json", b"before")]
