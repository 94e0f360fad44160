"""The line of a result row, as a worker makes it and the controller writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proctor.results.row import append_result, decoded_row, encoded_row

ROW: Any = {
    "schema_version": 1,
    "sample_id": "a\nb",
    "response_text": "\u2028 \ud83d 😀",
    "scores": {"strict": {"f1": 0.1}},
}
LINE = encoded_row(ROW)


def test_a_worker_s_line_is_written_as_it_is(tmp_path: Path) -> None:
    line = encoded_row(ROW)
    assert decoded_row(line) == ROW
    append_result(tmp_path / "rows", line)
    append_result(tmp_path / "rows", ROW)
    assert (tmp_path / "rows").read_bytes() == 2 * (line + b"\n")
    assert [json.loads(one) for one in (tmp_path / "rows").read_bytes().splitlines()] == [ROW, ROW]


@pytest.mark.parametrize("line", [b"", b"{}", b"null", LINE[:-4], LINE + b"\n", b"[" + LINE])
def test_what_is_no_line_of_a_row_is_not_written(tmp_path: Path, line: bytes) -> None:
    with pytest.raises(ValueError, match="not the line of a result row"):
        append_result(tmp_path / "rows", line)
    assert not (tmp_path / "rows").exists()
