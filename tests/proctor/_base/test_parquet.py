"""Data in Parquet, as data sets of the hub have it: named with --dataset, or pulled from there."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from capitals import Project, project
from hub_server import COMMIT, HubServer
from published import home, publish, publisher, pull
from pyarrow import parquet as pq

from proctor._base import parquet
from proctor._base.errors import DataError
from proctor.official import hub
from proctor.tasks.row import read_rows

__all__ = ["home", "project", "publisher"]

ROWS = [{"country": "Chad", "capital": "N'Djamena"}, {"country": "Fiji", "capital": "Suva"}]
ON_HUB = """title: Capitals of the world
page: https://example.org/capitals
licence: CC0-1.0
lfs: https://example.org/lfs
files: []
on_hub:
  capitals: atlas/Capitals
"""


def written(rows: list[dict[str, Any]]) -> bytes:
    sink = pyarrow.BufferOutputStream()
    pq.write_table(pyarrow.Table.from_pylist(rows), sink)
    return bytes(sink.getvalue())


@pytest.fixture
def atlas(home: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A project whose benchmark names a data set of a hub, and the hub."""
    publish(home, ON_HUB)
    with HubServer({"atlas/Capitals": {"data/test-00000-of-00001.parquet": written(ROWS)}}) as atlas:
        monkeypatch.setenv(hub.HUB_VARIABLE, atlas.url)
        monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        yield atlas


def test_rows_are_read_with_lists_objects_and_pictures(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    row = {
        "idx": "a",
        "steps": ["1", "2"],
        "none": None,
        "images": [{"bytes": b"\x00\xff", "path": "x.png"}],
        "day": datetime.date(2026, 1, 2),
    }
    file.write_bytes(written([row, row | {"idx": "b"}]))
    first, second = read_rows(file)
    assert first.data == row | {"images": [{"bytes": "AP8=", "path": "x.png"}], "day": "2026-01-02"}
    assert (first.line, second.line, second.data["idx"]) == (1, 2, "b")
    assert len({first.content_id, second.content_id}) == 2


@pytest.mark.parametrize(
    ("content", "problem"), [(None, "no such data file"), (b"PAR1 not", "no usable Parquet"), (written([]), "is empty")]
)
def test_what_is_no_parquet_is_named(tmp_path: Path, content: bytes | None, problem: str) -> None:
    file = tmp_path / "rows.parquet"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(DataError, match=problem):
        list(read_rows(file))


def test_without_the_library_the_remedy_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rows.parquet").write_bytes(written(ROWS))
    monkeypatch.setattr(parquet, "LIBRARY", "no_such_library")
    with pytest.raises(DataError, match=r"pip install -e '\.\[parquet\]'"):
        list(read_rows(tmp_path / "rows.parquet"))


def test_a_run_on_parquet(home: Project) -> None:
    (home.path / "own.parquet").write_bytes(written(ROWS))
    result = home.run("benchmarks", "--dataset", "geo/capitals=own.parquet", model="oracle")
    assert result.ret == 0
    assert {row["target"] for row in home.rows.values()} == {"N'Djamena", "Suva"}


def test_data_sets_are_pulled_from_the_hub_and_run(
    home: Project, atlas: HubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert home.run("benchmarks", "--official", model="oracle").ret == 4
    assert pull("--hub") == 0
    assert "--official" in capsys.readouterr().out
    folder = home.path / "data/official/geo"
    assert (folder / "capitals.parquet").read_bytes() == written(ROWS)
    known = json.loads((folder / "HUB.json").read_text())["files"]["capitals.parquet"]
    assert (known["data_set"], known["revision"]) == ("atlas/Capitals", COMMIT)
    assert atlas.downloads() == [f"/datasets/atlas/Capitals/resolve/{COMMIT}/data/test-00000-of-00001.parquet"]

    assert pull("--hub") == 0
    assert len(atlas.downloads()) == 1  # it is here already
    assert sorted(path.name for path in folder.iterdir()) == ["HUB.json", "capitals.parquet"]

    assert home.run("benchmarks", "--official", model="oracle").ret == 0
    assert {row["target"] for row in home.rows.values()} == {"N'Djamena", "Suva"}

    (folder / "capitals.parquet").write_bytes(written(ROWS[:1]))
    result = home.run("benchmarks", "--official", model="oracle")
    assert result.ret == 4
    assert "not what was pulled" in result.stdout.str() + result.stderr.str()


def test_parts_of_a_split_are_joined_and_other_splits_left(home: Project, atlas: HubServer) -> None:
    atlas.sets = {
        "atlas/Capitals": {
            "data/test-00001-of-00002.parquet": written(ROWS[1:]),
            "data/test-00000-of-00002.parquet": written(ROWS[:1]),
            "data/train-00000-of-00001.parquet": written(ROWS * 3),
        }
    }
    assert pull("--hub", "--revision", "v2") == 0
    assert [row.data for row in read_rows(home.path / "data/official/geo/capitals.parquet")] == ROWS
    assert ("GET", "/api/datasets/atlas/Capitals/revision/v2") in atlas.requests


def test_what_the_hub_does_not_have_is_said(
    atlas: HubServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    atlas.sets = {"atlas/Capitals": {"README.txt": b""}}
    assert pull("--hub") == 1
    assert "no Parquet file of its test split" in capsys.readouterr().out
    atlas.sets = {}
    assert pull("--hub") == 1
    assert "FAILED" in capsys.readouterr().out
    monkeypatch.setattr(hub, "LIBRARY", "no_such_library")
    assert pull("--hub") == 4
    assert "pip install -e '.[hub]'" in capsys.readouterr().err


@pytest.mark.usefixtures("atlas")
def test_options_that_do_not_go_together(home: Project) -> None:
    assert pull("--hub", "--from", str(home.path)) == 4
    assert pull("--revision", "v2") == 4
