"""``proctor export``: a run's responses as files, which score the same when they are read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from capitals import CAPITALS, Project, answers
from stub_server import Answer, Request

TWO_QUESTIONS_A_ROW = """
def samples_of(row):
    for name, capital in row.mapping("capitals").items():
        yield Sample(name, {"country": name}, capital, cluster=row.content_id)

def old_samples_of(row):"""

ARTIFACT = """
from proctor import Artifact

def files(start, rows):
    return {f"geo_{model}_{start:%Y%m%d}.json": {"answers": answers(mine)} for model, mine in rows.items()}

def answers(rows):
    return [(row["fields"]["country"], row["status"], row["response_text"]) for row in rows]
"""


def script(request: Request) -> str | Answer:
    """In no format for Japan, cut for Peru, and none for Cuba."""
    special: dict[str, str | Answer] = {
        "Japan": "It is \U0001f600 Tokyo.",
        "Peru": Answer("[Lima] is", finish="length", tokens=(10, 4, 3, 1)),
        "Cuba": Answer.error(400, "no"),
    }
    return next((answer for country, answer in special.items() if country in request.question), answers(request))


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def scores(project: Project) -> dict[str, tuple[Any, ...]]:
    return {
        name: (row["status"], row["scores"], row["prediction"], row["response_text"])
        for name, row in project.rows.items()
        if row["response_text"] is not None
    }


def test_the_layout_of_proctor(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.server.script = script
    project.record("--epochs", "2", "--concurrency", "1", "-k", "France or Peru or Cuba")
    run = project.folders[-1]
    capsys.readouterr()
    assert project.command("export", run.name) == 0
    file = Path("reports", run.name, "responses/gpt-4o-mini/capitals.jsonl")
    assert capsys.readouterr().out == f"{file}: 4 responses; no response of Cuba, Cuba-epoch2\n"
    france = {
        "sample_id": "France",
        "response": "[Paris]",
        "finish_reason": "stop",
        "usage": {"input_tokens": 100, "output_tokens": 5, "cached_tokens": 0, "reasoning_tokens": 0},
    }
    peru = {
        "sample_id": "Peru",
        "response": "[Lima] is",
        "finish_reason": "length",
        "usage": {"input_tokens": 10, "output_tokens": 3, "cached_tokens": 4, "reasoning_tokens": 1},
    }
    assert lines(project.path / file) == [france, peru, {**france, "epoch": 2}, {**peru, "epoch": 2}]


def test_the_layout_of_entries_keeps_the_rows_of_the_data(project: Project) -> None:
    project.server.script = script
    project.record()
    assert project.command("export", project.folders[-1].name, "--layout", "entry", "--output", "out") == 0
    peru = {"country": "Peru", "capital": "Lima", "continent": "america"}
    assert lines(project.path / "out/gpt-4o-mini/capitals.jsonl") == [
        {"country": "France", "capital": "Paris", "continent": "europe", "response": "[Paris]"},
        {"country": "Japan", "capital": "Tokyo", "continent": "asia", "response": "It is \U0001f600 Tokyo."},
        peru | {"response": "[Lima] is", "finish_reason": "length"},
        {"country": "Kenya", "capital": "Nairobi", "continent": "africa", "response": "[Nairobi]"},
    ]


def test_an_entry_with_several_samples_holds_a_list_of_responses(project: Project) -> None:
    project.module.write_text(project.module.read_text().replace("\ndef samples_of(row):", TWO_QUESTIONS_A_ROW))
    pairs = [("France", "Japan"), ("Peru", "Cuba"), ("Kenya", "Mali")]
    project.write_rows([{"capitals": {name: CAPITALS[name] for name in pair}} for pair in pairs])
    project.server.script = script
    project.record("-k", "not Kenya and not Mali")
    before = scores(project)
    project.command("export", project.folders[-1].name, "--layout", "entry", "--output", "out")
    assert lines(project.path / "out/gpt-4o-mini/capitals.jsonl") == [
        {"capitals": {"France": "Paris", "Japan": "Tokyo"}, "response": ["[Paris]", "It is \U0001f600 Tokyo."]},
        {
            "capitals": {"Peru": "Lima", "Cuba": "Havana"},
            "response": ["[Lima] is", None],
            "finish_reason": ["length", None],
        },
    ]
    project.run("--responses", "out", model=None)
    assert scores(project) == before


@pytest.mark.parametrize("layout", ["proctor", "entry"])
def test_what_was_exported_scores_the_same_when_it_is_read_back(project: Project, layout: str) -> None:
    project.server.script = script
    epochs = ("--epochs", "2") if layout == "proctor" else ()
    project.record(*epochs)
    before, metrics = scores(project), project.report["tasks"][0]["metrics"]
    project.command("export", project.folders[-1].name, "--layout", layout, "--output", "out")
    project.server.stop()
    project.run("--responses", "out", *epochs, model=None)
    assert scores(project) == before
    assert project.report["tasks"][0]["metrics"] == metrics


def test_an_entry_has_no_place_for_epochs(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.run("--epochs", "2", model="oracle")
    assert project.command("export", project.folders[-1].name, "--layout", "entry") == 4
    assert "geo/capitals has several epochs, and an entry holds one response" in capsys.readouterr().err


def test_entries_need_the_data_of_the_run(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.run(model="oracle")
    run = project.folders[-1].name
    project.write_rows([{"country": "France", "capital": "Paris", "response": "[Rome]"}])
    assert project.command("export", run, "--layout", "entry") == 4
    assert "data/geo/capitals.jsonl has changed since the run; its entries are not known" in capsys.readouterr().err
    project.run(model="oracle")
    run = project.folders[-1].name
    assert project.command("export", run, "--layout", "entry") == 4
    said = capsys.readouterr().err
    assert "data/geo/capitals.jsonl:1: field 'response': the layout 'entry' adds a field of that name" in said
    assert project.command("export", run) == 0


def test_a_model_of_any_name_stays_in_the_folder(project: Project) -> None:
    project.run(model="oracle")
    run = project.folders[-1]
    for name in ("selection.json", "results.jsonl"):
        text = (run / name).read_text()
        (run / name).write_text(text.replace('"model": "oracle"', '"model": "../../up"'))
    assert project.command("export", str(run), "--output", "deep/in/out") == 0
    (file,) = (project.path / "deep").rglob("*.jsonl")
    assert file.parent.parent == project.path / "deep/in/out"
    assert len(lines(file)) == 5


def test_tasks_of_one_name_in_two_benchmarks_have_files_of_their_own(project: Project) -> None:
    project.second_benchmark("more", name='"more/capitals"')
    for folder, name in (("data", "capitals.jsonl"), ("prompts", "capitals.txt")):
        (project.path / folder / "more").mkdir()
        (project.path / folder / "more" / name).write_text((project.path / folder / "geo" / name).read_text())
    project.run(model="oracle")
    assert project.command("export", project.folders[-1].name, "--output", "out") == 0
    names = sorted(file.name for file in (project.path / "out/oracle").iterdir())
    assert names == ["geo.capitals.jsonl", "more.capitals.jsonl"]
    project.run("--responses", "out", model=None)
    assert [task["status"]["scored"] for task in project.report["tasks"]] == [5, 5]


def with_artifact(project: Project) -> None:
    project.benchmark(before=ARTIFACT, artifacts="(Artifact(files),)")


def test_result_files_of_a_benchmark_are_written_beside_the_responses(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    with_artifact(project)
    project.run("-k", "France or Peru", model="oracle")
    run = project.folders[-1]
    (by_the_run,) = run.glob("geo_oracle_*.json")
    assert project.command("export", run.name, "--output", "out") == 0
    assert (project.path / "out" / by_the_run.name).read_bytes() == by_the_run.read_bytes()
    assert json.loads(by_the_run.read_text())["answers"] == [
        ["France", "scored", "[Paris]"],
        ["Peru", "scored", "[Lima]"],
    ]
    project.write_rows([])
    capsys.readouterr()
    assert project.command("export", run.name, "--output", "again") == 1
    assert "geo/capitals: data/geo/capitals.jsonl has changed" in capsys.readouterr().out
    assert (project.path / "again/oracle/capitals.jsonl").exists()


def test_a_rebuilt_report_has_the_result_files_too(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    with_artifact(project)
    project.run("-k", "France or Peru", model="oracle")
    run = project.folders[-1]
    (by_the_run,) = run.glob("geo_oracle_*.json")
    before = by_the_run.read_bytes()
    by_the_run.unlink()
    assert project.command("report", run.name) == 0
    assert by_the_run.read_bytes() == before
    project.module.unlink()
    capsys.readouterr()
    assert project.command("report", run.name) == 0
    assert "of geo/capitals: no test module in benchmarks of" in capsys.readouterr().out
