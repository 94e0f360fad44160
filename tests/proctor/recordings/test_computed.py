"""The files of what programs computed: a torn end is cut off, a lost newline put back, an edited line named."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from proctor._base.errors import DataError
from proctor.recordings.computed import Computed


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with the squares of 2 and 3."""
    file = tmp_path / "squares.jsonl"
    squares = Computed(file, keep=True)
    assert [squares.value(number, partial(pow, number, 2)) for number in (2, 3)] == [4, 9]
    return file


def test_a_torn_last_line_is_computed_again_and_only_that(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:-5])
    squares = Computed(file, keep=True)
    assert squares.find(2)
    assert not squares.find(3)
    assert squares.value(3, lambda: 9) == 9
    assert file.read_bytes() == whole


def test_a_lost_last_newline_is_put_back(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    assert Computed(file, keep=True).find(3)
    assert file.read_bytes() == whole


@pytest.mark.parametrize(
    ("old", "new", "said"), [(b":9", b":8", "was edited: its checksum"), (b',"check"', b"", "the line is cut")]
)
def test_an_edited_line_is_named(file: Path, old: bytes, new: bytes, said: str) -> None:
    file.write_bytes(file.read_bytes().replace(old, new))
    with pytest.raises(DataError, match=said):
        Computed(file, keep=True)
