"""Tasks that cannot be measured are left out of a run of several, which says so; one that was named ends it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from capitals import Project
from judged_project import judged, models_asked

from proctor.cli.main import main
from proctor.models.lifecycle import TODAY

__all__ = ["judged"]

CAPITALS, PLACES = "benchmarks/geo/test_capitals.py", "benchmarks/geo/test_places.py"


@pytest.fixture
def two(judged: Project) -> Project:
    """A project with a second task, ``geo/places``, which nobody judges, of three samples."""
    judged.second_benchmark("places")
    rows = judged.data.read_text().splitlines(keepends=True)
    judged.data.with_name("places.jsonl").write_text("".join(rows[:3]))
    return judged


def measured(project: Project) -> dict[str, int]:
    return {task["task"]: task["expected"] for task in project.report["tasks"]}


def remedy(text: str) -> str:
    """What stands behind the last ``pytest`` of a message."""
    return text.rpartition(": pytest ")[2].splitlines()[0]


def test_a_task_whose_judge_is_shut_down_is_left_out_and_the_remedy_measures_it(
    two: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TODAY, "2026-11-22")
    options = ("--record-mode", "once", "--role", "judge=o4-mini")
    result = two.run(*options)
    assert result.ret == 0
    assert measured(two) == {"places": 3}
    why = {"task": "geo/capitals", "model": "gpt-4o-mini", "why": "o4-mini was shut down"}
    assert two.report["run"]["left_out"] == [why]
    said = "- geo/capitals gpt-4o-mini: o4-mini was shut down"
    assert all(said in (two.folders[-1] / name).read_text().splitlines() for name in ("report.md", "summary.md"))
    result.stdout.fnmatch_lines(
        [
            "WARNING: left out: o4-mini was shut down on 2026-10-23 and cannot be asked for geo/capitals (judge)*",
            "*Ask others: pytest *--role geo/capitals:judge=gpt-5.6-terra",
            "*5 deselected*",
        ]
    )
    assert models_asked(two) == {("gpt-4o-mini-2024-07-18", "answer"): 3}
    assert two.run(*options, CAPITALS).ret == 4
    assert two.run(*options, "-k", "capitals").ret == 4
    assert two.run(*options, "--role", "geo/capitals:judge=gpt-5.6-terra").ret == 0
    assert measured(two) == {"capitals": 5, "places": 3}
    assert "left_out" not in two.report["run"]
    assert main(["report", *map(str, two.folders), "--output", "merged"]) == 0
    assert "left_out" not in json.loads(Path("merged/report.json").read_text())["run"]  # one of them has measured it


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_task_whose_judge_has_no_key_is_left_out(two: Project, monkeypatch: pytest.MonkeyPatch, workers: str) -> None:
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    options = ("--record-mode", "once", "--role", "judge=claude-sonnet-4.5", "-n", workers)
    result = two.run(*options)
    assert result.ret == 0
    said = result.stdout.str() + result.stderr.str()
    if workers == "0":
        assert "left out: OPENROUTER_API_KEY is not set, and claude-sonnet-4.5 must be asked for geo/capitals" in said
    assert measured(two) == {"places": 3}
    assert two.run(*options, CAPITALS, PLACES).ret == 4
    monkeypatch.setenv("OPENROUTER_BASE_URL", two.server.openai_url)
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-distinctiveKey0123456789")
    assert two.run(*options).ret == 0
    assert measured(two) == {"capitals": 5, "places": 3}


def test_a_replay_runs_what_is_recorded_and_its_remedy_asks_for_no_more_than_is_missing(two: Project) -> None:
    two.record(PLACES)
    two.server.requests.clear()
    result = two.run()
    assert result.ret == 0
    assert measured(two) == {"places": 3}
    result.stdout.fnmatch_lines(["WARNING: left out: no recordings of geo/capitals for gpt-4o-mini: *does not exist"])
    assert two.run(CAPITALS).ret == 4
    command = remedy(result.stdout.str()).split()
    assert command == ["--model", "gpt-4o-mini", "--record-mode", "once"]
    assert two.pytester.runpytest_inprocess(*command).ret == 0
    assert Counter(models_asked(two)) == {("gpt-4o-mini-2024-07-18", "answer"): 5, ("o4-mini", "judge"): 10}


def test_where_nothing_is_left_of_a_model_that_is_named_the_run_ends(two: Project) -> None:
    two.record(PLACES)
    result = two.run("--model", "gpt-4.1-mini")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: no recordings of geo/* for gpt-4.1-mini: *"])


def test_the_recordings_of_the_model_that_a_project_measures_by_default_are_all_wanted(two: Project) -> None:
    two.record(PLACES)
    two.configure("proctor_model = gpt-4o-mini")
    result = two.run(model=None)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: no recordings of geo/capitals for gpt-4o-mini: *"])


def test_a_built_in_model_answers_the_tasks_that_know_it(two: Project) -> None:
    result = two.run(model="chance")
    assert result.ret == 0
    assert measured(two) == {"places": 3}
    said = "task geo/capitals does not define the built-in model 'chance' (it defines: oracle)"
    result.stdout.fnmatch_lines([f"WARNING: left out: {said}"])
    assert two.report["run"]["left_out"] == [{"task": "geo/capitals", "model": "chance", "why": said}]
    two.run("--estimate", model="chance").stdout.fnmatch_lines(["geo/places*"])
    for args in ((CAPITALS,), ("-k", "capitals")):
        refused = two.run(*args, model="chance")
        assert (refused.ret, said in refused.stderr.str()) == (4, True)


def test_a_task_of_which_this_machine_can_examine_nothing_is_left_out(two: Project) -> None:
    module = two.module.read_text()
    two.module.write_text(module.replace('and sample.id == "Peru"', ""))
    (two.path / "needs-a-map").touch()
    result = two.run(model="oracle")
    assert result.ret == 0
    assert measured(two) == {"places": 3}
    result.stdout.fnmatch_lines(["WARNING: left out: geo/capitals cannot be examined: there is no map of Peru"])
    assert two.run(CAPITALS, model="oracle").ret == 1  # each says what it lacks
    two.module.write_text(module)
    assert two.run(model="oracle").ret == 1
    assert measured(two) == {"capitals": 5, "places": 3}
