"""``--gate`` and ``--baseline``: scores that a run must reach for its build to pass."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from benchmark_module import COUNTING_ERRORS, SCORING
from capitals import Project, answers
from measured_runs import STARTED, write_run
from stub_server import Answer, Request

from proctor.gates.baseline import against_baseline
from proctor.gates.gate import Gate
from proctor.report.build import build_report
from proctor.results.saved_run import SavedRun
from proctor.statistics.comparison import compare, pairs_between, sides

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
            "  geo/capitals chance: accuracy (strict) is 0.0000 [[]0.000, 0.242], must be at least 0.9",
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
    lands.benchmark(scoring=SCORING.replace('{"accuracy": value},', '{"accuracy": 1.0},'))
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
            "floors:\n- {task: geo/capitals, metric: accuracy}",
            "gate.yaml:2: field 'floors[[]0]': a bound is missing\n  Write one of at_least, at_most, shown_at_least, *",
        ),
        (
            "floors:\n- {task: geo/capitals, metric: accuracy, at_least: 1, shown_below: 1}",
            "gate.yaml:2: field 'floors[[]0]': one bound is needed, not at_least and shown_below\n  Write one of *",
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
            "  geo/capitals chance against oracle: accuracy (strict) is worse: 1.0000 before, 0.0000 now, -1.0000 *",
            "    worse in 12 cases: Land00, Land01, *, Land09, … (2 more)",
        ]
    )
    (found,) = gate(lands)["against_baseline"]
    assert (found["holds"], found["margin"], found["won"]) == (False, 0.0, [])
    assert found["lost"] == [f"Land{number:02}" for number in range(LANDS)]
    assert (found["a"]["run"], found["a"]["model"], found["b"]["model"]) == (before, "oracle", "chance")
    assert found["ci95"][1] < 0


def test_noise_is_undecided_and_a_gain_holds_against_the_baseline(lands: Project) -> None:
    def mostly_right(request: Request) -> str:
        return "[Rome]" if "Land03" in request.question else "[Paris]"

    assert lands.run(model="oracle").ret == 0
    first = lands.folders[-1]
    lands.server.script = mostly_right
    result = lands.record("--baseline", str(first))
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            f"gate: undecided (0 floors, 1 comparison with {first.name})",
            "  geo/capitals gpt-4o-mini against oracle: accuracy (strict) is undecided: * could have been shown",
            "    worse in 1 case: Land03",
        ]
    )
    (found,) = gate(lands)["against_baseline"]
    assert (found["difference"], found["lost"], found["holds"]) == (pytest.approx(-1 / LANDS), ["Land03"], None)
    assert lands.record("--baseline", str(first), "--gate-undecided", "fail").ret == 10
    assert lands.run(model="chance").ret == 0
    assert lands.run("--baseline", lands.folders[-1].name, "--gate-undecided", "fail", model="oracle").ret == 0
    assert (gate(lands)["holds"], gate(lands)["suite"]["verdict"]) == (True, "no worse")
    assert len(gate(lands)["against_baseline"][0]["won"]) == LANDS


@pytest.mark.parametrize(("margin", "code"), [("0.01", 10), ("0.9", 0), ("{geo/capitals: 0.9}", 0)])
def test_a_margin_below_the_baseline_may_be_lost(lands: Project, margin: str, code: int) -> None:
    write_gate(lands, f"baseline_margin: {margin}")
    assert lands.run(model="oracle").ret == 0
    result = lands.run("--gate", "gate.yaml", "--baseline", lands.folders[-1].name, model="chance")
    assert result.ret == code
    if code:
        result.stdout.fnmatch_lines(
            ["  geo/capitals chance against oracle: accuracy (strict) is worse by more than the margin of 0.01: *"]
        )


def test_a_margin_may_be_given_on_the_command_line(lands: Project) -> None:
    assert lands.run(model="oracle").ret == 0
    baseline = ("--baseline", lands.folders[-1].name)
    assert lands.run(*baseline, "--margin", "0.9", model="chance").ret == 0
    assert gate(lands)["holds"] is None
    assert lands.run(*baseline, "--margin", "0.5", model="oracle").ret == 0
    assert (gate(lands)["holds"], gate(lands)["suite"]["margin"]) == (True, 0.5)
    result = lands.run("--margin", "0.1", model="oracle")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --margin needs a former run to compare with", "  Add --baseline RUN."])


SECONDS = {"seconds": 10.0}


def against(folder: Path, before: Any, after: Any, *, task: str = "t", **run: Any) -> dict[str, Any]:
    """What the gate without any file makes of two sets of outcomes of one model, by case."""
    write_run(folder / "before", {"m": before}, task=task, **run)
    write_run(folder / "after", {"m": after}, task=task, **run)
    saved = SavedRun.load(folder / "after")
    rows = list(saved.rows())
    found = Gate.read(None, "before", folder)
    assert found is not None
    report = build_report(saved.manifest, rows, finished=datetime.fromisoformat(STARTED))
    return found.result(report, saved.manifest, rows)


def clusters(values: Sequence[float]) -> dict[str, float]:
    return {f"c{place}-q": value for place, value in enumerate(values)}


@pytest.mark.parametrize("metrics", [SECONDS, {"errors": 30.0}])
def test_where_less_is_better_more_is_worse(tmp_path: Path, metrics: dict[str, float]) -> None:
    quick, slow = clusters([2.0, 2.5, 3.0] * 8), clusters([4.0, 5.5, 5.0] * 8)
    worse = against(tmp_path / "worse", quick, slow, metrics=metrics)
    assert (worse["holds"], worse["suite"]["verdict"], worse["suite"]["difference"] < 0) == (False, "worse", True)
    assert len(worse["against_baseline"][0]["lost"]) == 24
    better = against(tmp_path / "better", slow, quick, metrics=metrics)
    assert (better["holds"], better["suite"]["verdict"]) == (True, "no worse")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"c1-q": 1, "c2-q": 1}, {"d1-q": 0, "d2-q": 0}),
        ({"c1-q": 1, "c1-r": 1, "c1-s": 1}, {"c1-q": 0, "c1-r": 0, "c1-s": 0}),
        ({"c1-q": 1, "c2-q": 1}, {"c1-q": {"target": "x"}, "c2-q": {"target": "x"}}),
    ],
    ids=["no pair", "one cluster", "changed gold answers"],
)
def test_nothing_compared_is_undecided(tmp_path: Path, before: Any, after: Any) -> None:
    found = against(tmp_path, before, after)
    assert (found["holds"], found["suite"]["verdict"], found["suite"]["not_compared"]) == (None, "undecided", ["b/t m"])
    assert found["against_baseline"][0]["holds"] is None


def test_many_small_drops_are_shown_together_where_none_is_alone(tmp_path: Path) -> None:
    # In each of six tasks, of 200 cases 12 were lost and 4 won: p is about 0.025 one-sided in each.
    before, after = clusters([1] * 12 + [0] * 4 + [1] * 184), clusters([0] * 12 + [1] * 4 + [1] * 184)
    pairings = []
    for task in "opqrst":
        for name, outcomes in (("before", before), ("after", after)):
            write_run(tmp_path / task / name, {"m": outcomes}, task=task)
        runs = [SavedRun.load(tmp_path / task / name) for name in ("before", "after")]
        pairings += pairs_between(*(sides(run.manifest, run.rows()) for run in runs))
    suite, parts = against_baseline(compare(pairings), lambda _: 0.0)
    assert [part["verdict"] for part in parts] == ["undecided"] * 6
    assert (suite["verdict"], suite["worse_in_the_mean"], suite["tasks"]) == ("worse", True, 6)
    assert suite["se"] == pytest.approx(parts[0]["se"] / 6**0.5)
    one, part = against_baseline(compare(pairings[:1]), lambda _: 0.0)
    assert (part[0]["p_worse"], one["p_worse"]) == (pytest.approx(parts[0]["p_worse"]),) * 2


@pytest.mark.parametrize(
    ("bound", "holds"),
    [
        ("at_least: 0.75", True),
        ("at_least: 0.76", False),
        ("at_most: 0.75", True),
        ("at_most: 0.74", False),
        ("shown_at_least: 0.4", True),
        ("shown_at_least: 0.6", False),
        ("shown_at_most: 0.95", True),
        ("shown_at_most: 0.8", False),
        ("shown_below: 0.8", True),
        ("shown_below: 0.95", False),
        ("shown_above: 0.6", True),
        ("shown_above: 0.4", False),
    ],
)
def test_bounds_of_a_value_and_of_its_interval(lands: Project, bound: str, holds: bool) -> None:
    # 9 of 12: Wilson's interval is [0.468, 0.911].
    lands.server.script = lambda r: "[Rome]" if any(f"Land0{n}" in r.question for n in (1, 2, 3)) else "[Paris]"
    write_gate(lands, f"floors: [{{task: geo/capitals, metric: accuracy, {bound}}}]")
    assert lands.record("--gate", "gate.yaml").ret == (0 if holds else 10)
    (found,) = gate(lands)["floors"]
    assert found["ci95"] == [pytest.approx(0.468, abs=1e-3), pytest.approx(0.911, abs=1e-3)]
    assert (found["holds"], gate(lands)["holds"]) == (holds, holds)


def test_a_metric_whose_best_value_is_0_is_reported_and_gated(lands: Project) -> None:
    lands.benchmark(**COUNTING_ERRORS)
    write_gate(lands, "floors: [{task: geo/capitals, metric: errors, at_most: 0.1}]")
    assert lands.run("--gate", "gate.yaml", model="oracle").ret == 0
    assert lands.report["tasks"][0]["metrics"]["errors"]["strict"]["ci95"] == [0.0, pytest.approx(0.242, abs=1e-3)]
    result = lands.run("--gate", "gate.yaml", "--baseline", lands.folders[-1].name, model="chance")
    assert result.ret == 10
    assert (gate(lands)["floors"][0]["holds"], gate(lands)["suite"]["verdict"]) == (False, "worse")
    result.assert_outcomes()
    result.stdout.fnmatch_lines(["*12 incorrect*"])


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


def test_without_a_gate_nothing_is_said_of_one(project: Project) -> None:
    project.server.script = answers
    result = project.record()
    result.stdout.no_fnmatch_line("gate*")
    assert "gate" not in project.report
