"""``--gate`` and ``--baseline``: scores that a run must reach for its build to pass."""

from __future__ import annotations

import json
from typing import Any

import pytest
from capitals import Project, answers
from measured_runs import write_run
from stub_server import Answer, Request

LANDS = 12


@pytest.fixture
def lands(project: Project) -> Project:
    """A project with a dozen samples and a gate file for it."""
    project.write_rows([{"country": f"Land{number:02}", "capital": "Paris"} for number in range(LANDS)])
    write_gate(project, "floors:\n  - {task: geo/capitals, metric: accuracy, at_least: 0.9}\n")
    return project


def write_gate(project: Project, text: str) -> None:
    (project.path / "gate.yaml").write_text(text)


def gate(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = project.report["gate"]
    return found


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_floor_that_is_not_reached_ends_with_exit_code_10(lands: Project, workers: str) -> None:
    result = lands.run("--gate", "gate.yaml", "-n", workers, model="chance")
    assert result.ret == 10
    result.stdout.fnmatch_lines(
        [
            "gate: NOT HELD (1 floor)",
            "  geo/capitals chance: accuracy (strict) is 0.0000 [[]0.000, 0.242], the floor 0.9",
        ]
    )
    assert gate(lands)["holds"] is False
    assert (gate(lands)["floors"][0]["value"], gate(lands)["floors"][0]["at_least"]) == (0.0, 0.9)
    text = (lands.folders[-1] / "report.md").read_text()
    assert "## Gate\n\n**NOT HELD (1 floor)**\n\n- geo/capitals chance: accuracy (strict) is 0.0000" in text


@pytest.mark.parametrize("more", [[], ["--limit", "3"], ["-k", "Land03"]])
def test_a_floor_that_is_reached_changes_nothing(lands: Project, more: list[str]) -> None:
    result = lands.run("--gate", "gate.yaml", *more, model="oracle")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["gate: holds (1 floor)"])
    assert gate(lands)["holds"] is True


def test_a_case_that_was_not_measured_fails_the_run_and_leaves_the_gate_open(project: Project) -> None:
    write_gate(project, "floors: [{task: geo/capitals, metric: accuracy, at_least: 1}]")
    project.server.script = lambda r: Answer.error(400, "no") if "Peru" in r.question else "[Rome]"
    result = project.record("--gate", "gate.yaml")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["gate: not decided, 1 case could not be measured (1 floor)"])
    assert (gate(project)["holds"], gate(project)["floors"][0]["holds"]) == (None, False)


def test_wrong_answers_that_count_as_failures_come_before_the_gate(lands: Project) -> None:
    assert lands.run("--gate", "gate.yaml", "--fail-on", "incorrect", model="chance").ret == 1
    assert gate(lands)["holds"] is False


def test_a_run_that_stops_early_leaves_the_gate_open(lands: Project) -> None:
    result = lands.run("--gate", "gate.yaml", "-x", "--fail-on", "incorrect", model="chance")
    assert result.ret == 1
    assert (gate(lands)["holds"], gate(lands)["unmeasured"]) == (None, LANDS - 1)


def test_a_floor_may_be_for_one_model_and_one_family(lands: Project) -> None:
    # The answer without brackets is unparsed: nothing in the strict family, but the official one counts it as it reads.
    text = lands.module.read_text()
    lands.module.write_text(
        text.replace('{"accuracy": value}, {"accuracy": value if', '{"accuracy": 1.0}, {"accuracy": value if')
    )
    write_gate(
        lands,
        "floors:\n"
        "  - {task: geo/capitals, metric: accuracy, family: official, at_least: 1}\n"
        "  - {task: geo/capitals, metric: accuracy, model: oracle, at_least: 1}\n",
    )
    assert lands.run("--gate", "gate.yaml", "--model", "chance", model="oracle").ret == 0
    assert [(floor["model"], floor["family"], floor["value"]) for floor in gate(lands)["floors"]] == [
        ("chance", "official", 1.0),
        ("oracle", "official", 1.0),
        ("oracle", "strict", 1.0),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("flors: []", "gate.yaml:1: field 'flors': unknown key\n  did you mean 'floors'?"),
        (
            "floors:\n- task: geo/capitals\n  metric: accuracy\n  atleast: 1",
            "gate.yaml:4: field 'floors[[]0].atleast': unknown key\n  did you mean 'at_least'?",
        ),
        (
            "floors:\n- {task: geo/capitals, at_least: 1}",
            "gate.yaml:2: field 'floors[[]0]': 'metric' is missing\n  add a line metric: …",
        ),
        (
            "floors:\n- {task: geo/capitals, metric: accuracy, at_least: high}",
            "gate.yaml:2: field 'floors[[]0].at_least': expected a number, not text (found 'high')",
        ),
        (
            "floors:\n- {task: geo/capitals, metric: accuracy, at_least: 1, family: both}",
            "gate.yaml:2: field 'floors[[]0].family': must be official or strict (found 'both')",
        ),
        (
            "floors:\n- {task: geo/capital, metric: accuracy, at_least: 1}",
            "gate.yaml:2: field 'floors[[]0].task': this run does not measure that task: 'geo/capital'\n"
            "  did you mean 'geo/capitals'?",
        ),
        (
            "floors:\n- {task: geo/capitals, metric: f1, at_least: 1}",
            "gate.yaml:2: field 'floors[[]0].metric': geo/capitals has no such metric: 'f1'\n  it has: accuracy",
        ),
        (
            "floors:\n- {task: geo/capitals, metric: accuracy, at_least: 1, model: gpt-9}",
            "gate.yaml:2: field 'floors[[]0].model': this run does not ask that model for geo/capitals: 'gpt-9'\n"
            "  it has: oracle",
        ),
        (
            "floors:\n- {task: geo/capitals, metric: accuracy, at_least: 1}\nbaseline_margin:\n  geo/rivers: 0.1",
            "gate.yaml:4: field 'baseline_margin.geo/rivers': this run does not measure that task: 'geo/rivers'\n"
            "  it has: geo/capitals",
        ),
        ("baseline_margin: 0.1", "gate.yaml:1: no floor, and no baseline to compare with\n  Add floors, or give *"),
        ("floors: {}", "gate.yaml:1: field 'floors': expected a list such as [[]a, b], not a mapping"),
    ],
)
def test_a_gate_that_cannot_be_judged_is_bad_usage_before_the_first_case(
    project: Project, text: str, message: str
) -> None:
    write_gate(project, text)
    result = project.run("--gate", "gate.yaml", model="oracle")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [f"ERROR: *{line}" if place == 0 else line for place, line in enumerate(message.split("\n"))]
    )
    assert not (project.path / "reports").exists()


def test_a_gate_file_that_is_not_there_is_bad_usage(project: Project) -> None:
    result = project.run("--gate", "gate.yaml", model="oracle")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *gate.yaml: cannot be read: No such file or directory"])


def test_workers_say_once_what_the_gate_cannot_judge(lands: Project) -> None:
    write_gate(lands, "floors: [{task: geo/rivers, metric: accuracy, at_least: 1}]")
    result = lands.run("--gate", "gate.yaml", "-n", "2", model="oracle")
    assert result.ret == 4
    assert str(result.stdout).count("this run does not measure that task: 'geo/rivers'") == 1


def test_a_shown_drop_below_the_baseline_ends_with_exit_code_10_and_names_the_cases(lands: Project) -> None:
    assert lands.run(model="oracle").ret == 0
    before = lands.folders[-1].name
    result = lands.run("--baseline", before, model="chance")
    assert result.ret == 10
    result.stdout.fnmatch_lines(
        [
            f"gate: NOT HELD (0 floors, 1 comparison with {before})",
            "  geo/capitals chance against oracle: accuracy (strict) dropped from 1.0000 to 0.0000, by -1.0000 *",
            "    lower in 12 cases: Land00, Land01, *, Land09, … (2 more)",
            "    higher in 0 cases",
        ]
    )
    (found,) = gate(lands)["against_baseline"]
    assert (found["holds"], found["margin"], found["won"]) == (False, 0.0, [])
    assert found["lost"] == [f"Land{number:02}" for number in range(LANDS)]
    assert (found["a"]["run"], found["a"]["model"], found["b"]["model"]) == (before, "oracle", "chance")
    assert found["ci95"][1] < 0


def test_noise_and_gains_hold_against_the_baseline(lands: Project) -> None:
    def mostly_right(request: Request) -> str:
        return "[Rome]" if "Land03" in request.question else "[Paris]"

    assert lands.run(model="oracle").ret == 0
    first = lands.folders[-1]
    lands.server.script = mostly_right
    result = lands.record("--baseline", str(first))
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"gate: holds (0 floors, 1 comparison with {first.name})"])
    (found,) = gate(lands)["against_baseline"]
    assert (found["difference"], found["lost"]) == (pytest.approx(-1 / LANDS), ["Land03"])
    assert lands.run(model="chance").ret == 0
    assert lands.run("--baseline", lands.folders[-1].name, model="oracle").ret == 0


@pytest.mark.parametrize(("margin", "code"), [("0.01", 10), ("0.9", 0), ("{geo/capitals: 0.9}", 0)])
def test_a_margin_below_the_baseline_may_be_lost(lands: Project, margin: str, code: int) -> None:
    write_gate(lands, f"baseline_margin: {margin}")
    assert lands.run(model="oracle").ret == 0
    result = lands.run("--gate", "gate.yaml", "--baseline", lands.folders[-1].name, model="chance")
    assert result.ret == code
    if code:
        result.stdout.fnmatch_lines(
            ["  geo/capitals chance against oracle: accuracy (strict) dropped below the margin of 0.01 from *"]
        )


def test_cases_that_the_baseline_has_not_are_told(lands: Project) -> None:
    assert lands.run("--limit", "10", model="oracle").ret == 0
    lands.write_rows([{"country": f"Land{number:02}", "capital": "Paris"} for number in range(1, LANDS)])
    result = lands.run("--baseline", lands.folders[-1].name, model="oracle")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "  geo/capitals oracle: the data file is not that of the baseline",
            "  geo/capitals oracle: 3 not compared (a is the baseline). only in a: 1 case: Land00; only in b: 2 *",
        ]
    )


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        ("nowhere", "no run 'nowhere': neither a folder nor an id in *reports"),
        ("runs/rivers", "the baseline rivers and this run have no task in common"),
        ("runs/models", "the runs models and this one have no model in common: m, n; oracle"),
        ("data", "data is not the folder of a run: it has no selection.json"),
    ],
)
def test_a_baseline_that_cannot_be_compared_is_bad_usage(project: Project, baseline: str, message: str) -> None:
    write_run(project.path / "runs/rivers", {"oracle": {"c1": 1}}, task="rivers")
    write_run(project.path / "runs/models", {"m": {"c1": 1}, "n": {"c1": 1}})
    result = project.run("--baseline", baseline, model="oracle")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: *{message}"])
    assert not (project.path / "reports").exists()


def test_a_baseline_whose_rows_are_damaged_fails_the_run(lands: Project) -> None:
    assert lands.run(model="oracle").ret == 0
    rows = lands.folders[-1] / "results.jsonl"
    rows.write_text("nonsense\n" + rows.read_text())
    result = lands.run("--baseline", lands.folders[-1].name, model="oracle")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["the gate could not be judged: *results.jsonl:1: not a result row*"])
    assert len(lands.rows) == LANDS
    assert json.loads((lands.folders[-1] / "report.json").read_text())["tasks"][0]["expected"] == LANDS


def test_without_a_gate_nothing_is_said_of_one(project: Project) -> None:
    project.server.script = answers
    result = project.record()
    result.stdout.no_fnmatch_line("gate*")
    assert "gate" not in project.report
