"""``--shard K/N``: stable, balanced parts of the selected cases."""

from __future__ import annotations

import random

import pytest
from capitals import CAPITALS, CONTINENTS, Project

SAMPLES = [f"Land{number}" for number in range(23)]
SECOND_TASK = """
TASK_2 = Task(name="geo/rivers", samples_of=samples_of, prompts=TASK.prompts, converse=converse, score=score,
              metrics=TASK.metrics, builtin=TASK.builtin)

@TASK_2.cases
def test_rivers(case):
    case.measure()
"""


@pytest.fixture
def lands(project: Project) -> Project:
    """Two tasks: one with 23 samples, one with five."""
    project.benchmark(after=SECOND_TASK)
    (project.path / "data/geo/rivers.jsonl").write_text(project.data.read_text())
    write_lands(project, SAMPLES)
    return project


def write_lands(project: Project, names: list[str]) -> None:
    project.write_rows([{"country": name, "capital": "X", "continent": f"c{name[-1]}"} for name in names])


def selected(project: Project, *options: str, model: str = "oracle") -> list[str]:
    """What stands behind the path in the node ids of the selected cases, in their order."""
    lines = project.run("--collect-only", "-q", *options, model=model).outlines
    return [line.partition("::")[2] for line in lines if "::" in line]


def shards(project: Project, count: int, *options: str) -> list[list[str]]:
    return [selected(project, "--shard", f"{number}/{count}", *options) for number in range(1, count + 1)]


@pytest.mark.parametrize("count", [1, 3, 8])
def test_shards_are_disjoint_cover_everything_and_are_balanced_by_task(lands: Project, count: int) -> None:
    parts = shards(lands, count)
    assert sorted(name for part in parts for name in part) == sorted(selected(lands))
    for task, size in (("test_capitals", 23), ("test_rivers", 5)):
        sizes = [sum(name.startswith(task) for name in part) for part in parts]
        assert {size // count, -(-size // count)} >= set(sizes)


def test_the_order_of_a_shard_is_that_of_the_whole_run(lands: Project) -> None:
    whole = selected(lands)
    for part in shards(lands, 3):
        assert part == [name for name in whole if name in part]


def test_other_options_do_not_move_a_case_to_another_shard(lands: Project) -> None:
    for number, part in enumerate(shards(lands, 3), 1):
        option = ("--shard", f"{number}/3")
        for others in (("--limit", "9"), ("-k", "c3 or c5"), ("--shuffle", "7", "--limit", "12"), ("-k", "rivers")):
            without = selected(lands, *others)
            assert selected(lands, *option, *others) == [name for name in without if name in part]


def test_the_order_of_the_rows_does_not_matter(lands: Project) -> None:
    before = shards(lands, 4)
    shuffled = list(SAMPLES)
    random.Random(3).shuffle(shuffled)
    write_lands(lands, shuffled)
    assert [set(part) for part in shards(lands, 4)] == [set(part) for part in before]


def test_a_samples_models_and_epochs_stay_together(lands: Project) -> None:
    first = selected(lands, "--shard", "1/3")
    more = selected(lands, "--shard", "1/3", "--model", "chance", "--epochs", "2")
    expected = {
        name.replace("oracle", model).replace("]", f"{epoch}]")
        for name in first
        for model in ("oracle", "chance")
        for epoch in ("", "-epoch2")
    }
    assert set(more) == expected


def test_workers_share_the_cases_of_one_shard(project: Project) -> None:
    result = project.run("--shard", "2/2", "-n", "2", model="oracle")
    assert result.ret == 0
    assert {f"test_capitals[oracle-{name}]" for name in project.rows} == set(
        selected(project, "--shard", "2/2", model="oracle")
    )
    assert project.report["run"]["shard"] == "2/2"
    assert project.report["tasks"][0]["expected"] == len(project.rows) in (2, 3)
    assert project.report["tasks"][0]["status"]["missing"] == 0


def test_the_other_cases_are_counted_as_deselected_and_other_tests_run(project: Project) -> None:
    project.module.write_text(project.module.read_text() + "\ndef test_of_another_kind(): pass\n")
    outcomes = [project.run("--shard", f"{number}/2", model="oracle").parseoutcomes() for number in (1, 2)]
    assert [outcome["passed"] for outcome in outcomes] == [1, 1]
    assert sum(outcome["correct"] for outcome in outcomes) == len(CAPITALS) - 1 == len(CONTINENTS)
    assert sum(outcome["deselected"] for outcome in outcomes) == len(CONTINENTS)


@pytest.mark.parametrize("text", ["0/3", "4/3", "1/0", "3", "1/2/3", "-1/3", "1.5/3", "a/b", "", "1/ 3", "²/3"])
def test_bad_values_are_bad_usage(project: Project, text: str) -> None:
    result = project.run(f"--shard={text}", model="oracle")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*argument --shard: takes K/N with K from 1 to N, such as 3/8, not '{text}'*"])
    assert not (project.path / "reports").exists()


def test_recordings_that_shards_made_apart_are_put_together_by_appending_them(project: Project) -> None:
    for number in (1, 2):
        project.record("--shard", f"{number}/2", f"--cassettes-dir=made-by-{number}")
    name = "geo/capitals/gpt-4o-mini.jsonl"
    made = [(project.path / f"made-by-{number}" / name).read_bytes() for number in (1, 2)]
    project.cassette.parent.mkdir(parents=True)
    project.cassette.write_bytes(b"".join(reversed(made)))
    project.server.stop()
    assert project.run("--record-mode", "once").ret == 0
    assert {row["source"] for row in project.rows.values()} == {"replayed"}
    # A run that may record has also put the file into its order.
    assert project.cassette.read_bytes() == b"".join(sorted(b"".join(made).splitlines(keepends=True)))
