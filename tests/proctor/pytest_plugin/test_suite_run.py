"""Running a benchmark: cases, outcomes, exit codes, and how pytest's own options work with it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from capitals import Project
from stub_server import Answer


def test_a_recorded_run_replays_without_server_and_key(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.record().assert_outcomes()
    assert project.server.count == 5
    project.server.stop()
    monkeypatch.delenv("OPENAI_API_KEY")
    result = project.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*5 correct in *"])
    assert {row["source"] for row in project.rows.values()} == {"replayed"}


def test_node_ids_name_model_and_sample(project: Project) -> None:
    result = project.run("--collect-only", "-q", model="oracle")
    result.stdout.fnmatch_lines(["benchmarks/geo/test_capitals.py::test_capitals[[]oracle-France[]]"])
    assert result.ret == 0


def test_collect_only_needs_no_recordings(project: Project) -> None:
    result = project.run("--collect-only", "-q")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["5 tests collected*"])


def test_a_wrong_answer_is_a_measurement(project: Project) -> None:
    project.server.script = lambda request: "[Porto]" if "France" in request.question else "[Rome]"
    result = project.record("-v")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*France*PARTIAL*"])
    result = project.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*test_capitals.py piiii*", "*1 partial, 4 incorrect in *"])


def test_fail_on_incorrect_lets_lf_rerun_the_wrong_ones(project: Project) -> None:
    project.server.script = lambda request: "[Paris]"
    project.record()
    result = project.run("--fail-on", "incorrect")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*incorrect (scored): predicted 'Paris', expected 'Tokyo'", "*4 failed, 1 correct*"])
    project.run("--fail-on", "incorrect", "--lf").stdout.fnmatch_lines(["*4 failed*"])


def test_fail_on_partial_includes_partial_answers(project: Project) -> None:
    project.server.script = "[Porto]"
    project.record()
    project.run("--fail-on", "incorrect", "-k", "France").stdout.fnmatch_lines(["*1 partial*"])
    assert project.run("--fail-on", "partial", "-k", "France").ret == 1


@pytest.mark.parametrize(
    ("expression", "selected"),
    [("Peru", {"Peru"}), ("america", {"Peru", "Cuba"}), ("continent-asia or Kenya", {"Japan", "Kenya"})],
)
def test_k_selects_by_id_and_by_meaning(project: Project, expression: str, selected: set[str]) -> None:
    assert project.run("-k", expression, model="oracle").ret == 0
    assert set(project.rows) == selected


def test_k_takes_a_tag_of_several_words_with_hyphens(project: Project) -> None:
    project.write_rows([{"country": "France", "capital": "Paris", "continent": "western europe"}])
    assert project.run("-k", "continent-western-europe", model="oracle").ret == 0
    assert set(project.rows) == {"France"}


def test_limit_takes_the_first_and_shuffle_is_seeded(project: Project) -> None:
    project.run("--limit", "2", model="oracle")
    assert list(project.rows) == ["France", "Japan"]
    project.run("--limit", "3", "--shuffle", "1", model="oracle")
    first = list(project.rows)
    project.run("--limit", "3", "--shuffle", "1", model="oracle")
    assert list(project.rows) == first
    assert first != ["France", "Japan", "Peru"]
    indices = {"France": 0, "Japan": 1, "Peru": 2, "Kenya": 3, "Cuba": 4}
    assert {name: row["sample_index"] for name, row in project.rows.items()} == {name: indices[name] for name in first}


def test_several_models_are_asked_each(project: Project) -> None:
    result = project.run("--model", "chance", "--model", "oracle", model="oracle")
    result.stdout.fnmatch_lines(["collected 10 items"])
    assert [task["model"] for task in project.report["tasks"]] == ["chance", "oracle"]


def test_chance_depends_on_neither_order_nor_number_of_cases(project: Project) -> None:
    project.run(model="chance")
    alone = {name: row["response_text"] for name, row in project.rows.items()}
    project.run("--shuffle", "3", "-n", "2", model="chance")
    assert {name: row["response_text"] for name, row in project.rows.items()} == alone
    assert len(set(alone.values())) == 5


def test_xdist_gives_the_same_rows(project: Project) -> None:
    project.record("-n", "2")
    assert project.server.count == 5
    parallel = project.rows
    project.run("-n", "0")
    serial = project.rows
    for row in [*parallel.values(), *serial.values()]:
        del row["run_id"], row["source"], row["spent_usd"]
        for call in row["calls"]:
            del call["source"]
    assert parallel == serial


def test_a_worker_that_dies_costs_only_its_case(project: Project) -> None:
    project.benchmark(test="if case.sample.id == 'Peru': import os; os._exit(3)\ncase.measure()")
    result = project.run("-n", "2", model="oracle")
    assert result.ret == 1
    assert set(project.rows) == {"France", "Japan", "Kenya", "Cuba"}
    task = project.report["tasks"][0]
    assert task["expected"] == 5
    assert task["status"] == {
        "scored": 4, "unparsed": 0, "refused": 0, "truncated": 0, "judge_failed": 0, "error": 0, "missing": 1,
        "not_needed": 0, "tool_call": 0,
    }  # fmt: skip
    assert task["failures"] == {"missing": ["Peru"]}
    strict = task["metrics"]["accuracy"]["strict"]
    assert (strict["value"], strict["n"], strict["clusters"]) == (0.8, 5, 5)
    assert task["metrics"]["accuracy"]["official"]["value"] == 1.0
    result.stdout.fnmatch_lines(["1 selected cases never finished*", "*geo/capitals[[]oracle-Peru[]]"])


@pytest.mark.parametrize("workers", ["0", "2"])
def test_x_stops_at_the_first_failure_and_lists_the_rest_as_missing(project: Project, workers: str) -> None:
    project.write_rows([{"country": f"Land{number}", "capital": "Paris"} for number in range(40)])
    project.server.script = "[Rome]"
    project.record()
    result = project.run("-x", "--fail-on", "incorrect", "-n", workers)
    assert result.ret == 1
    assert 1 <= len(project.rows) < 40
    status = project.report["tasks"][0]["status"]
    assert status["missing"] == 40 - len(project.rows)
    assert (workers == "2") or len(project.rows) == 1


def test_junitxml_counts_cases(project: Project) -> None:
    project.run("--junitxml", "junit.xml", model="oracle")
    suite = ElementTree.parse(project.path / "junit.xml").getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("5", "0", "0")
    assert suite.findall("testcase")[0].get("name") == "test_capitals[oracle-France]"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_junitxml_carries_scores_as_properties(project: Project, workers: str) -> None:
    answers: dict[str, str | Answer] = {"France": "[Porto]", "Peru": "Lima", "Kenya": Answer.error(400, "no")}
    project.server.script = lambda request: next((a for c, a in answers.items() if c in request.question), "[Tokyo]")
    project.record("--junitxml", "junit.xml", "-n", workers, "-k", "not Cuba")
    cases = ElementTree.parse(project.path / "junit.xml").getroot().iter("testcase")
    properties = {case.get("name"): {p.get("name"): p.get("value") for p in case.iter("property")} for case in cases}
    same = {"task": "geo/capitals", "model": "gpt-4o-mini", "epoch": "1"}
    half = {"official.accuracy": "0.5", "strict.accuracy": "0.5"}
    unparsed = {"official.accuracy": "0.0", "strict.accuracy": "0.0"}
    assert properties == {
        f"test_capitals[gpt-4o-mini-{name}]": {
            **same,
            "sample_id": name,
            "status": status,
            "verdict": verdict,
            **scores,
        }
        for name, status, verdict, scores in (
            ("France", "scored", "partial", half),
            ("Japan", "scored", "correct", {"official.accuracy": "1.0", "strict.accuracy": "1.0"}),
            ("Peru", "unparsed", "incorrect", unparsed),
            ("Kenya", "error", "incorrect", {"strict.accuracy": "0.0"}),
        )
    }


def test_a_test_that_does_not_measure_fails(project: Project) -> None:
    project.benchmark(test="pass")
    result = project.run(model="oracle")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*did not call case.measure()*", "*5 failed*"])


def test_ordinary_tests_beside_benchmarks_are_left_alone(project: Project) -> None:
    (project.path / "test_plain.py").write_text("def test_one(): assert 1\ndef test_two(tmp_path): assert tmp_path\n")
    result = project.run("test_plain.py", model=None)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*2 passed*"])
    assert not (project.path / "reports").exists()


def test_the_fixture_without_a_task_says_what_is_missing(project: Project) -> None:
    (project.path / "test_plain.py").write_text("def test_one(case): case.measure()\n")
    result = project.run("test_plain.py", model="oracle")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*fixture 'case' is for test functions decorated with @TASK.cases*"])


def test_a_scorer_that_fails_is_an_error_and_not_a_wrong_answer(project: Project) -> None:
    project.benchmark(scoring="[][99]")
    result = project.run("-k", "Peru", model="oracle")
    assert result.ret == 1
    assert project.rows["Peru"]["status"] == "error"
    assert project.rows["Peru"]["error"] == "IndexError: list index out of range"
    assert project.rows["Peru"]["scores"] == {"official": {}, "strict": {"accuracy": 0.0}}


def test_terminal_table_shows_both_families_and_what_was_not_scored(project: Project) -> None:
    project.server.script = lambda request: "Paris" if "France" in request.question else "[Tokyo]"
    result = project.record()
    result.stdout.fnmatch_lines(
        [
            "                         official                 strict",
            "geo/capitals gpt-4o-mini: n = 5, 1 unparsed, $0.000090",
            "  accuracy  0.2000 [[]0.036, 0.624]  0.2000 [[]0.036, 0.624]",
        ]
    )


def test_folders_are_beside_the_ini_file_whatever_the_root_folder(project: Project) -> None:
    (project.path / "elsewhere").mkdir()
    result = project.run("--rootdir", "elsewhere", "-c", "pytest.ini", "benchmarks", model="oracle")
    assert result.ret == 0
    assert len(project.rows) == 5
