"""Files that are put in place whole, or not at all."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from proctor._base.files import write_whole


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


def test_what_is_not_written_to_the_end_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half of"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "report.html", pieces())
    assert list(tmp_path.iterdir()) == []


def test_pieces_are_written_one_after_the_other_and_seen_together(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"before")

    def pieces() -> Iterator[bytes]:
        for number in range(3):
            assert file.read_bytes() == b"before"
            yield b"%d\n" % number

    write_whole(file, pieces(), durable=True)
    assert file.read_bytes() == b"0\n1\n2\n"


def test_mode_and_link_of_a_file_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "cassette.jsonl", tmp_path / "link"
    file.write_bytes(b"before")
    file.chmod(0o640)
    link.symlink_to(file)
    write_whole(link, b"after")
    assert link.is_symlink()
    assert file.read_bytes() == b"after"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_that_the_user_gives_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "report.md", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "report.md").stat().st_mode) == 0o640


def test_many_may_write_one_file_at_the_same_time(tmp_path: Path) -> None:
    file = tmp_path / "selection.json"
    contents = [bytes([letter]) * 100_000 for letter in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(write_whole, [file] * 64, contents * 8):
            assert file.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [file]
