"""prompts.jsonl: what a run's page shows of its prompts stays with the run."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmark_module import CONVERSE
from capitals import CAPITALS, Project
from report_page import records

FRENCH = "What is the capital of France?\n"


@pytest.fixture
def run(project: Project) -> Path:
    assert project.record().ret == 0
    return project.folders[-1]


def lines(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "prompts.jsonl").read_text().splitlines()]


def prompts(run: Path) -> list[Any]:
    """What report.html shows of prompts; ``None`` where there is none."""
    return [record.get("prompt") for record in records(run, "samples")]


def test_each_prompt_stands_there_once_whatever_number_of_models_was_asked_it(project: Project) -> None:
    assert project.record("--model", "gpt-4.1-mini", "--epochs", "2").ret == 0
    run = project.folders[-1]
    assert len((run / "results.jsonl").read_text().splitlines()) == 20
    assert sorted(line["pieces"] for line in lines(run)) == sorted(
        [f"What is the capital of {country}?\n"] for country in list(CAPITALS)[:5]
    )
    assert {(line["benchmark"], line["task"]) for line in lines(run)} == {("geo", "capitals")}
    asked = {line["sample_id"]: line["sha256"] for line in lines(run)}
    assert asked == {name: row["prompt_sha256"] for name, row in project.rows.items()}


def test_a_report_shows_them_without_the_code_and_data_that_made_them(project: Project, run: Path) -> None:
    shown = prompts(run)
    assert FRENCH in shown
    assert None not in shown
    kept = (run / "prompts.jsonl").read_bytes()
    shutil.rmtree(project.module.parent)
    project.data.unlink()
    project.prompt.unlink()
    (run / "report.html").unlink()
    assert project.command("report", run.name) == 0
    assert prompts(run) == shown
    assert (run / "prompts.jsonl").read_bytes() == kept


def test_a_folder_from_elsewhere_needs_no_project(
    project: Project, run: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.move(run, elsewhere / "run")
    monkeypatch.chdir(elsewhere)
    assert project.command("report", "run", "--output", "again") == 0
    assert FRENCH in prompts(elsewhere / "again")
    assert sorted(map(str, lines(elsewhere / "again"))) == sorted(map(str, lines(elsewhere / "run")))


def test_merged_runs_bring_theirs_along(project: Project) -> None:
    for shard in ("1/2", "2/2"):
        assert project.record("--shard", shard).ret == 0
    shutil.rmtree(project.module.parent)
    assert project.command("report", *(run.name for run in project.folders), "--output", "merged") == 0
    merged = project.path / "merged"
    assert len(lines(merged)) == 5
    assert sorted(prompts(merged)) == sorted(f"What is the capital of {country}?\n" for country in list(CAPITALS)[:5])


def test_a_killed_run_leaves_what_it_has_asked(project: Project, run: Path) -> None:
    with (run / "prompts.jsonl").open("a") as file:
        file.write('{"benchmark": "geo", "task": "cap')
    assert project.command("report", run.name) == 0
    assert FRENCH in prompts(run)


def test_test_modules_and_conversations_are_not_run_again_for_them(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "log"
    note = f"open({str(log)!r}, 'a').write"
    project.benchmark(before=f"\n{note}('import\\n')\n", converse=f"{note}('converse\\n')\n{CONVERSE}")
    assert project.record().ret == 0
    log.unlink()
    assert project.run("-n", "1").ret == 0
    assert log.read_text().split() == ["import", *["converse"] * 5]
    assert len(lines(project.folders[-1])) == 5


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "prompts.jsonl:6: is not JSON"),
        ("[]", "prompts.jsonl:6: "),
        ('{"benchmark": "geo", "task": "capitals", "sample_id": "Mali", "sha256": null, "pieces": [1]}', "pieces.0"),
        (
            '{"benchmark": "geo", "task": "capitals", "sample_id": "Mali", "sha256": 1, "pieces": []}',
            "field 'sha256': must be a string",
        ),
    ],
)
def test_a_damaged_line_is_named(
    project: Project, run: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    with (run / "prompts.jsonl").open("a") as file:
        file.write(line + "\n")
    assert project.command("report", run.name) == 4
    assert said in capsys.readouterr().err


def test_the_rows_are_read_once_at_the_end_of_a_run(project: Project) -> None:
    project.benchmark(
        imports="Artifact, Placeholders, Sample, Score, Table, Task",
        artifacts='[Artifact(lambda started, rows: {"all.json": {m: len(of) for m, of in rows.items()}})]',
        tables='lambda rows: [Table("cases", ["model", "n"], [[m, len(of)] for m, of in rows.items()])]',
    )
    opened: list[str] = []
    watching = True

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event == "open" and str(arguments[0]).endswith("results.jsonl") and arguments[1] == "r":
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)
    assert project.run(model="oracle").ret == 0
    watching = False
    assert len(opened) == 1
    assert json.loads((project.folders[-1] / "all.json").read_text()) == {"oracle": 5}
    assert project.report["tables"][0]["rows"] == [["oracle", 5]]
