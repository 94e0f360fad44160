"""``--programs-on``: a run whose programs go to a Dask scheduler and three worker processes on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from capitals import CAPITALS, Project, project
from dask_cluster import DaskCluster, dask_cluster
from waiting import wait_until

__all__ = ["project"]

SUITE = """
import json
import os
from pathlib import Path
import cluster_programs
from proctor import Judged, Placeholders, Program, Sample, Score, Task

SETTINGS = json.loads(Path("settings.json").read_text())

def samples_of(row):
    yield Sample(row.text("country"), {"country": row.text("country")}, row.text("capital"))

def converse(sample, ask):
    return ask("capitals", country=sample.fields["country"])

def examine(sample, response, ask):
    data = {"text": response}
    held = {"held": SETTINGS["held"]} if sample.id == "Peru" and SETTINGS["held"] else {}
    folders = {"files": Path("files")}
    return ask.computed("letters", data, Program(cluster_programs.letters, data | held, folders))

def machine(samples):
    return Program(cluster_programs.look, {"needs": [SETTINGS["need"] for _ in samples]})

def score(sample, response, evidence):
    return Score(response, {"letters": evidence["letters"]}, {"letters": evidence["letters"]})

TASK = Task(
    name="geo/capitals", samples_of=samples_of, prompts={"capitals": Placeholders("country")}, converse=converse,
    score=Judged(roles={}, examine=examine, score=score, machine=machine), metrics={"letters": 0.0},
)

@TASK.cases
def test_capitals(case):
    case.measure()
"""


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask")) as cluster:
        cluster.add("first", "second", NUMPY="1")
        cluster.add("third")
        yield cluster


@pytest.fixture
def counting(project: Project) -> Project:
    """The project with a task that counts letters, in programs."""
    project.module.write_text(SUITE)
    (project.path / "files").mkdir()
    (project.path / "files/x.txt").write_text("content")
    set_up(project)
    return project


def set_up(project: Project, *, held: Path | None = None, need: str | None = None) -> None:
    settings = {"held": None if held is None else str(held), "need": need}
    (project.path / "settings.json").write_text(json.dumps(settings))


def computed(project: Project) -> bytes:
    return (project.path / "cassettes/geo/capitals/computed/letters.jsonl").read_bytes()


def rows(project: Project) -> list[dict[str, Any]]:
    """The rows without what is another in each run."""
    return [
        {name: value for name, value in row.items() if name not in ("run_id", "latency_s", "recorded_at")}
        for _, row in sorted(project.rows.items())
    ]


@pytest.mark.parametrize("where", ["scheduler", "dask-local"])
def test_rows_and_recordings_are_those_of_programs_that_run_here(
    counting: Project, three: DaskCluster, where: str
) -> None:
    assert counting.run("--record-mode", "all").ret == 0
    here = rows(counting), computed(counting)
    option = three.option if where == "scheduler" else "--programs-on=dask-local"
    result = counting.run("--record-mode", "all", option)
    assert result.ret == 0
    assert (rows(counting), computed(counting)) == here
    assert [row["evidence"]["files"] for row in here[0]] == [{"x.txt": "content"}] * 5
    replay = counting.run("--programs-on=dask://no-such-host.invalid:1")  # nobody is looked for who is not needed
    assert replay.ret == 0


def test_a_killed_worker_costs_time_alone(counting: Project, tmp_path: Path) -> None:
    counting.run("--record-mode", "all")
    here = rows(counting), computed(counting)
    held = tmp_path / "held"
    held.mkdir()
    set_up(counting, held=held)
    with dask_cluster(tmp_path) as cluster, ThreadPoolExecutor(1) as pool:
        cluster.add("first", "second", "third")
        killed = pool.submit(lambda: cluster.kill_process(int(wait_until(lambda: started(held)))))
        result = counting.run("--record-mode", "all", cluster.option)
        killed.result()
    assert result.ret == 0
    assert (rows(counting), computed(counting)) == here
    result.stdout.fnmatch_lines(
        ["programs: worker tcp://* was lost with 1 programs: *", "programs: 1 were started once*"]
    )


def started(held: Path) -> str:
    """The process that runs the program which is held, once it does."""
    mark = held / "first"
    return mark.read_text() if mark.exists() and mark.read_text().endswith("\n") else ""


def kill_scheduler(cluster: DaskCluster, held: Path) -> None:
    wait_until(lambda: started(held))
    cluster.kill("scheduler")


def test_a_killed_scheduler_ends_the_run_which_the_next_one_goes_on_with(counting: Project, tmp_path: Path) -> None:
    held = tmp_path / "held"
    held.mkdir()
    set_up(counting, held=held)
    with dask_cluster(tmp_path) as cluster, ThreadPoolExecutor(1) as pool:
        cluster.add("first")
        killed = pool.submit(kill_scheduler, cluster, held)
        result = counting.run("--record-mode", "once", cluster.option)
        killed.result()
    assert result.ret == 1
    assert "the scheduler is lost" in result.stdout.str()
    assert "the same command runs what programs are missing" in " ".join(result.stdout.str().split())
    asked = counting.server.count
    set_up(counting)
    assert counting.run("--record-mode", "once").ret == 0
    assert counting.server.count - asked == len(CAPITALS) - 1 - asked, "an answer was paid for twice"
    assert {row["evidence"]["letters"] for row in rows(counting)} == {
        len(f"[{c}]") for c in list(CAPITALS.values())[:5]
    }


def test_a_worker_that_lacks_what_programs_need_is_named_and_left_out(counting: Project, three: DaskCluster) -> None:
    set_up(counting, need="NUMPY")
    result = counting.run("--record-mode", "once", three.option)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["WARNING: geo/capitals: worker tcp://* is left out: NUMPY is not set"])


def test_nothing_is_asked_where_no_worker_can_run_the_programs(
    counting: Project, three: DaskCluster, tmp_path: Path
) -> None:
    set_up(counting, need="TORCH")
    result = counting.run("--record-mode", "once", three.option)
    assert result.ret == 4
    assert "no worker can run the programs" in result.stderr.str()
    with dask_cluster(tmp_path) as cluster:
        cluster.add("bare", PYTHONPATH="")
        result = counting.run("--record-mode", "once", cluster.option)
    assert result.ret == 4
    assert "No module named 'cluster_programs'" in result.stderr.str()
    assert counting.server.count == 0


def test_what_cannot_be_used_is_said_with_the_remedy(counting: Project) -> None:
    for value, said in (
        ("dask://127.0.0.1:1", "no scheduler answers there"),
        ("ray://x", "must be local, dask-local or dask://HOST:PORT, not 'ray://x'"),
    ):
        result = counting.run("--record-mode", "once", f"--programs-on={value}")
        assert result.ret == 4
        assert said in result.stderr.str()
    result = counting.run("--record-mode", "once", "--programs-on=dask-local", "-n", "2")
    assert result.ret == 4
    assert "--programs-on dask-local and -n exclude each other" in result.stdout.str()
    assert counting.server.count == 0
