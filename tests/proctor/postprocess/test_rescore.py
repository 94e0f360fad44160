"""``proctor rescore``: a run's scores computed once more from its rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from capitals import Project, answers
from stub_server import Answer, Request

SCORE = "1.0 if guess == sample.target else 0.5 if guess and guess[0] == sample.target[0] else 0.0"
STRICTER = "1.0 if guess == sample.target else 0.0"


def script(request: Request) -> str | Answer:
    """Half right for Japan, cut for Peru, refused for Kenya, and none for Cuba."""
    special: dict[str, str | Answer] = {
        "Japan": "[Toronto]",
        "Peru": Answer("[Lima] is", finish="length"),
        "Kenya": Answer("[Nairobi]", finish="refusal"),
        "Cuba": Answer.error(400, "no"),
    }
    return next((answer for country, answer in special.items() if country in request.question), answers(request))


@pytest.fixture
def run(project: Project) -> Path:
    """The folder of a run with cases of every kind."""
    project.server.script = script
    project.record()
    statuses = {name: row["status"] for name, row in project.rows.items()}
    assert statuses == {
        "France": "scored", "Japan": "scored", "Peru": "truncated", "Kenya": "refused", "Cuba": "error"
    }  # fmt: skip
    project.server.stop()
    return project.folders[-1]


def change(project: Project, old: str, new: str) -> None:
    text = project.module.read_text()
    assert text.count(old) == 1
    project.module.write_text(text.replace(old, new))


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "results.jsonl").read_text().splitlines()
    return {row["sample_id"]: row for row in map(json.loads, lines)}


def test_the_scores_of_a_run_are_what_they_were(
    project: Project, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(run)
    capsys.readouterr()
    assert project.command("rescore", run.name) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{run.name}, scored again:",
        "  geo/capitals gpt-4o-mini: 5 rows, 0 changed",
    ]
    assert files(run) == before
    assert len(project.folders) == 1


def test_every_case_that_today_is_worth_something_else_is_listed(
    project: Project, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(project, SCORE, STRICTER)
    before = files(run)
    capsys.readouterr()
    assert project.command("rescore", str(run)) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  geo/capitals gpt-4o-mini: 5 rows, 1 changed",
        "geo/capitals[gpt-4o-mini-Japan]: verdict partial -> incorrect; official accuracy 0.5 -> 0.0; "
        "strict accuracy 0.5 -> 0.0",
    ]
    assert project.command("rescore", str(run), "--json") == 1
    (task,) = json.loads(capsys.readouterr().out)["tasks"]
    assert (task["rows"], task["kept"]) == (5, [])
    (changed,) = task["changed"]
    assert (changed["sample_id"], changed["epoch"]) == ("Japan", 1)
    assert (changed["before"]["verdict"], changed["after"]["verdict"]) == ("partial", "incorrect")
    assert changed["before"]["scores"]["strict"] == {"accuracy": 0.5}
    assert changed["after"]["scores"] == {"official": {"accuracy": 0.0}, "strict": {"accuracy": 0.0}}
    assert files(run) == before


def test_new_scores_are_written_as_a_run_of_its_own(project: Project, run: Path) -> None:
    change(project, SCORE, STRICTER)
    before = files(run)
    assert project.command("rescore", str(run), "--write") == 1
    assert files(run) == before
    written = next(folder for folder in project.folders if folder != run)
    assert set(files(written)) >= set(before)
    report = json.loads((written / "report.json").read_text())
    # One of five is right, and scored; before, Japan had a half.
    assert report["tasks"][0]["metrics"]["accuracy"]["strict"]["value"] == pytest.approx(1 / 5)
    assert report["run"]["id"] == written.name
    assert report["run"]["rescored"]["from"] == run.name
    assert report["notes"][0].startswith(f"Scored again from {run.name} on 20")
    assert rows(written)["France"] == {**rows(run)["France"], "run_id": written.name}
    assert project.command("rescore", str(written)) == 0
    # It counts as the later one of both.
    project.command("report", str(written), str(run), "--output", "merged")
    assert rows(project.path / "merged")["Japan"]["run_id"] == written.name


def test_the_status_rules_are_those_of_a_run(project: Project, run: Path) -> None:
    """A cut or refused answer stays one, however good; an answer in another format is unparsed."""
    change(project, r'"\[(.*?)\]"', '"<(.*?)>"')
    assert project.command("rescore", str(run), "--write") == 1
    written = next(folder for folder in project.folders if folder != run)
    statuses = {name: (row["status"], row["scores"]["strict"]["accuracy"]) for name, row in rows(written).items()}
    assert statuses == {
        "France": ("unparsed", 0), "Japan": ("unparsed", 0), "Peru": ("truncated", 0), "Kenya": ("refused", 0),
        "Cuba": ("error", 0),
    }  # fmt: skip
    assert rows(written)["Cuba"]["error"] == rows(run)["Cuba"]["error"]


def test_what_a_broken_scorer_left_as_an_error_is_scored_when_it_is_mended(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    change(project, "    found = ", "    assert sample.id != 'Peru', 'broken'\n    found = ")
    project.record()
    run = project.folders[-1]
    assert rows(run)["Peru"]["status"] == "error"
    capsys.readouterr()
    assert project.command("rescore", str(run)) == 0
    change(project, "    assert sample.id != 'Peru', 'broken'\n", "")
    capsys.readouterr()
    assert project.command("rescore", str(run)) == 1
    assert capsys.readouterr().out.splitlines()[2:] == [
        "geo/capitals[gpt-4o-mini-Peru]: verdict incorrect -> correct; status error -> scored; "
        'strict accuracy 0.0 -> 1.0; official accuracy null -> 1.0; prediction null -> "Lima"'
    ]


def test_rows_whose_data_has_changed_are_not_scored(
    project: Project, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.data.write_text(project.data.read_text().replace("Paris", "Lyon"))
    capsys.readouterr()
    assert project.command("rescore", str(run)) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[1] == "  geo/capitals gpt-4o-mini: 5 rows, 0 changed, 5 not scored again"
    reason, _, names = out[2].rpartition(": ")
    assert reason == ("not scored again, geo/capitals gpt-4o-mini: data/geo/capitals.jsonl has changed since the run")
    assert set(names.split(", ")) == {"France", "Japan", "Peru", "Kenya", "Cuba"}


def test_a_sample_that_is_gone_is_listed_and_keeps_its_scores(
    project: Project, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(project, '    tags = {"cont', '    if row.text("country") == "Japan":\n        return\n    tags = {"cont')
    capsys.readouterr()
    assert project.command("rescore", str(run), "--write") == 1
    reason = "data/geo/capitals.jsonl gives no sample of that id any more"
    assert f"not scored again, geo/capitals gpt-4o-mini: {reason}: Japan" in capsys.readouterr().out
    written = next(folder for folder in project.folders if folder != run)
    assert rows(written)["Japan"]["scores"] == rows(run)["Japan"]["scores"]
    notes = json.loads((written / "report.json").read_text())["notes"]
    assert f"1 cases of geo/capitals, gpt-4o-mini, keep their former scores: {reason}." in notes


def test_a_task_that_is_gone_is_said(project: Project, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project.module.write_text("")
    capsys.readouterr()
    assert project.command("rescore", str(run)) == 1
    assert "defines a task named 'geo/capitals'" in capsys.readouterr().out
    project.module.write_text("import nothing_of_that_name")
    assert project.command("rescore", str(run)) == 1
    assert "benchmarks/geo/test_capitals.py cannot be imported" in capsys.readouterr().out


def test_settings_of_the_project_do_not_get_in_the_way(
    project: Project, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Workers, a JUnit file and cases that fail belong to test runs."""
    (project.path / "junit.xml").write_text("kept")
    (project.path / "pytest.ini").write_text(
        "[pytest]\naddopts = --import-mode=importlib -n 2 -v --junitxml=junit.xml\npythonpath = lib\n"
    )
    (project.path / "lib").mkdir()
    (project.path / "lib/of_the_project.py").write_text("")
    project.module.write_text("import of_the_project\n" + project.module.read_text())
    before = sorted(project.path.iterdir())
    capsys.readouterr()
    assert project.command("rescore", str(run)) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert (project.path / "junit.xml").read_text() == "kept"
    assert sorted(project.path.iterdir()) == before


JUDGED = """
from proctor import Judged

def examine(sample, response, ask):
    return {"letters": len(response)}

def judged_score(sample, response, evidence):
    value = float(evidence["letters"] == len(sample.target) + 2)
    return Score(response, {"accuracy": value}, {"accuracy": value})
"""


def test_judged_answers_are_scored_by_the_evidence_in_the_row(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.benchmark(before=JUDGED, score="Judged({}, examine, judged_score)")
    project.record()
    run = project.folders[-1]
    assert rows(run)["France"]["evidence"] == {"letters": 7}
    change(project, '    return {"letters": len(response)}', "    raise AssertionError")
    capsys.readouterr()
    assert project.command("rescore", str(run)) == 0
    change(project, "len(sample.target) + 2", "len(sample.target) + 3")
    assert project.command("rescore", str(run)) == 1
    assert "5 rows, 5 changed" in capsys.readouterr().out
