"""The Dry Experiment with its programs on Dask workers, of which some lack what the programs need."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from capitals import project
from dask_cluster import DaskCluster, dask_cluster
from dry_project import INPUTS, PATH, ROW, Dry, dry, passes

__all__ = ["dry", "project"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path) as made:
        yield made


def without_times(dry: Dry) -> str:
    """The row and the recordings, but for times, and whether there was a sandbox."""
    row = {name: value for name, value in dry.row.items() if name not in ("run_id", "latency_s", "scores")}
    for test in row["evidence"]["tests"]:
        del test["seconds"]
    file = dry.project.path / "cassettes/sgi/dry_experiment/computed/executions.jsonl"
    computed = [json.loads(line) for line in file.read_text().splitlines()]
    for line in computed:
        del line["check"], line["value"]["seconds"]
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "", json.dumps([row, computed]))
    return text.replace("bubblewrap", "none")


def test_workers_run_programs_in_the_sandbox_with_the_row_s_own_files(
    dry: Dry, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = dry.project.path / "files/SGI_DryExperiment_0236"
    files.mkdir(parents=True)
    (files / "study.txt").write_text("21")
    monkeypatch.setenv("SGI_DRY_EXPERIMENT_DATA_DIR", str(files.parent))
    data = "from pathlib import Path\nX = len(Path('data/em_3d_user_study/study.txt').read_text())\n"
    rows = {f"unit_test_{n}_data": data for n in range(5)} | {f"unit_test_{n}_output": "double: 4" for n in range(5)}
    dry.write_rows(ROW | {"idx": "SGI_DryExperiment_0236"} | rows)
    assert dry.run("--record-mode", "all").ret == 0
    here = without_times(dry)
    assert dry.row["evidence"]["environments"][0]["sandbox"] == "none"
    cluster.add("one", PATH=PATH)
    assert dry.run("--record-mode", "all", "--sgi-require-sandbox", cluster.option).ret == 0
    assert passes(dry.row)
    assert dry.row["evidence"]["environments"][0]["sandbox"] == "bubblewrap"
    assert without_times(dry) == here


def test_workers_without_a_sandbox_are_left_out_where_one_is_demanded_and_marked_where_not(
    dry: Dry, cluster: DaskCluster
) -> None:
    cluster.add("confined", PATH=PATH)
    cluster.add("bare")
    result = dry.run("--record-mode", "all", cluster.option)
    assert result.ret == 0
    said = "WARNING: sgi/dry_experiment: workers of 2 kinds, and run times compare within one kind only: *bubblewrap*"
    result.stdout.fnmatch_lines([said])
    result = dry.run("--record-mode", "all", "--sgi-require-sandbox", cluster.option)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*worker tcp://* is left out: --sgi-require-sandbox: bubblewrap is not installed*"])
    assert [test["stdout"] for test in dry.row["evidence"]["tests"]] == [f"double: {2 * x}\n" for x in INPUTS]
    cluster.kill("confined")
    asked = dry.project.server.count
    result = dry.run("--record-mode", "all", "--sgi-require-sandbox", cluster.option)
    assert result.ret == 4
    assert "no worker can run the programs" in result.stderr.str()
    assert dry.project.server.count == asked
