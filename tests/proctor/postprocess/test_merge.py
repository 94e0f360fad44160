"""``proctor report``: reports rebuilt from rows, and several runs merged into one."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from benchmark_module import scoring
from capitals import Project, answers
from stub_server import Answer, Request

WRITTEN = ("results.jsonl", "selection.json", "report.json", "report.md", "report.html")


def some_wrong(request: Request) -> str | Answer:
    """Wrong for Japan, in no format for Kenya, and none for Peru."""
    if "Peru" in request.question:
        return Answer.error(400, "no")
    if "Japan" in request.question:
        return "[Kyoto]"
    return "I do not know." if "Kenya" in request.question else answers(request)


def content(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


def rows_of(folder: Path) -> dict[tuple[str, str, int], dict[str, Any]]:
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    return {(row["model"], row["sample_id"], row["epoch"]): row for row in rows}


def page_texts(folder: Path) -> str:
    """What report.html holds of the samples."""
    blocks = re.findall('data-block="samples">([^<]*)<', (folder / "report.html").read_text())
    return "".join(zlib.decompress(base64.b64decode(block)).decode() for block in blocks)


def without_the_run(report: dict[str, Any]) -> dict[str, Any]:
    """What a report says about the models, and not about how it came to be."""
    report = {name: value for name, value in report.items() if name not in ("run", "notes")}
    for task in report["tasks"]:
        for name in ("stale", "unused", "pruned"):
            del task["cassette"][name]
    for comparison in report["comparisons"]:
        del comparison["a"]["run"], comparison["b"]["run"]
    return report


def test_the_merged_report_of_shards_equals_that_of_one_whole_run(project: Project) -> None:
    project.server.script = some_wrong
    both = ("--epochs", "2", "--model", "chance")
    project.record(*both)
    project.server.stop()
    assert project.run(*both).ret == 1
    whole = project.folders[-1]
    for number in (1, 2, 3):
        project.run(*both, "--shard", f"{number}/3")
    shards = project.folders[-3:]
    assert project.command("report", *map(str, shards), "--output", "merged") == 1  # Peru was not measured
    merged = project.path / "merged"
    assert without_the_run(content(merged)) == without_the_run(content(whole))
    assert content(merged)["tasks"][1]["status"] == {
        "scored": 6, "unparsed": 2, "refused": 0, "truncated": 0, "judge_failed": 0, "error": 2, "missing": 0,
        "not_needed": 0, "tool_call": 0,
    }  # fmt: skip
    own = {"run_id": "", "error": ""}  # an error message names the command that would mend it
    expected = {place: row | own for place, row in rows_of(whole).items()}
    assert {place: row | own for place, row in rows_of(merged).items()} == expected
    assert (merged / "report.html").exists()
    text = (merged / "report.md").read_text()
    assert text.partition("## Scores")[2] == (whole / "report.md").read_text().partition("## Scores")[2]
    assert f"Merged from 3 runs: {', '.join(folder.name for folder in shards)}." in text


def test_neither_the_order_of_samples_nor_that_of_paths_changes_a_digit(project: Project) -> None:
    """Not even in sums of numbers such as 0.1, which depend on the order in which they are added."""
    for name in ("capitals", "towns"):
        grade = "1.0 if guess == sample.target else 0.1 * (len(sample.target) % 7)"
        project.second_benchmark(name, scoring=scoring(grade=grade))
        rows = [{"country": f"Land {n}", "capital": "x" * (n + 1), "continent": f"c{n % 3}"} for n in range(40)]
        project.data.with_name(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    paths = [f"benchmarks/geo/test_{name}.py" for name in ("capitals", "towns")]
    both = ("--model", "chance", "--epochs", "2")
    project.run(*paths, *both, model="oracle")
    project.run(*reversed(paths), *both, "--shuffle", "7", model="oracle")
    plain, shuffled = project.folders
    for number in (1, 2, 3):
        project.run(*(paths if number == 2 else reversed(paths)), *both, "--shuffle", str(number),
                    "--shard", f"{number}/3", model="oracle")  # fmt: skip
    assert project.command("report", *map(str, reversed(project.folders[2:])), "--output", "merged") == 0
    expected = without_the_run(content(plain))
    assert expected["tasks"][0]["metrics"]["accuracy"]["strict"]["n"] == 80
    assert without_the_run(content(shuffled)) == expected
    assert without_the_run(content(project.path / "merged")) == expected


@pytest.fixture
def three(project: Project) -> list[Path]:
    """A run in which two cases fail, a repetition of these, and a run of another model."""
    project.server.script = some_wrong
    project.record()
    project.server.script = answers
    project.record("-k", "Peru or Kenya")
    project.run(model="oracle")
    return project.folders


def test_neither_order_nor_repetition_nor_steps_change_the_outcome(project: Project, three: list[Path]) -> None:
    def merged(*runs: Path | str) -> list[bytes]:
        assert project.command("report", *map(str, runs), "--output", "merged") == 0
        return [(project.path / "merged" / name).read_bytes() for name in WRITTEN]

    first = merged(*three)
    assert merged(*reversed(three)) == first
    assert merged(*three[1:], three[0]) == first
    assert merged(*three, *three) == first
    assert merged("merged", *three) == first
    assert merged("merged") == first
    project.command("report", str(three[2]), str(three[0]), "--output", "some")
    assert merged("some", three[1]) == first
    assert merged("some", "merged") == first


def test_what_could_be_measured_counts_before_what_could_not_and_then_the_latest(project: Project) -> None:
    project.record("-k", "France or Peru or Japan")
    project.server.script = some_wrong
    project.run("--record-mode", "all", "-k", "Peru or Japan")
    good, bad = project.folders
    assert rows_of(bad)["gpt-4o-mini", "Peru", 1]["status"] == "error"
    assert project.command("report", bad.name, good.name, "--output", "merged") == 0
    rows = rows_of(project.path / "merged")
    assert {place[1]: (row["response_text"], row["run_id"]) for place, row in rows.items()} == {
        "France": ("[Paris]", good.name),
        "Peru": ("[Lima]", good.name),  # the later run could not measure it
        "Japan": ("[Kyoto]", bad.name),  # the later run could
    }
    status = content(project.path / "merged")["tasks"][0]["status"]
    assert (status["scored"], status["error"], status["missing"]) == (3, 0, 0)


def test_what_a_killed_run_has_not_finished_is_missing_until_another_run_has(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.record()
    project.run()
    project.run()
    _, whole, killed = project.folders
    lines = (killed / "results.jsonl").read_bytes().splitlines(keepends=True)
    (killed / "results.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:40])
    for name in WRITTEN[2:]:
        (killed / name).unlink()
    assert project.command("report", str(killed)) == 1
    assert content(killed)["tasks"][0]["failures"] == {"missing": ["Kenya", "Cuba"]}
    assert content(killed)["run"]["duration_s"] is None
    assert "- Duration: unknown" in (killed / "report.md").read_text()
    assert "2 selected cases never finished: geo/capitals[gpt-4o-mini-Kenya]" in capsys.readouterr().out
    project.run("-k", "Kenya or Cuba")
    assert project.command("report", *map(str, project.folders[2:]), "--output", "merged") == 0
    assert without_the_run(content(project.path / "merged")) == without_the_run(content(whole))


def test_a_report_rebuilt_in_place_is_the_one_that_the_run_wrote(project: Project) -> None:
    project.record()
    project.prompt.write_text("Capital of {country}?")
    project.run("--record-mode", "new_episodes", "-k", "France")
    folder = project.folders[-1]
    before = {name: (folder / name).read_bytes() for name in WRITTEN}
    assert content(folder)["tasks"][0]["cassette"]["stale"] == ["France/answer"]
    (folder / "report.md").unlink()
    assert project.command("report", folder.name) == 0
    assert {name: (folder / name).read_bytes() for name in WRITTEN} == before
    # Without the former report, what rows do not tell is said not to be known.
    (folder / "report.json").unlink()
    assert project.command("report", folder.name) == 0
    cassette = content(folder)["tasks"][0]["cassette"]
    assert (cassette["stale"], cassette["unused"], cassette["pruned"], cassette["recorded"]) == (None, None, None, 1)
    assert content(folder)["notes"] == ["Which recordings were stale or unused is not known: rows do not tell."]
    assert without_the_run(content(folder)) == without_the_run(json.loads(before["report.json"]))


def test_models_of_several_runs_stand_in_one_report(project: Project, three: list[Path]) -> None:
    assert project.command("report", *map(str, three)) == 0
    merged = next(folder for folder in project.folders if folder.name.startswith("merged-"))
    tasks = content(merged)["tasks"]
    assert [(task["model"], task["expected"], task["status"]["scored"]) for task in tasks] == [
        ("gpt-4o-mini", 5, 4),
        ("oracle", 5, 5),
    ]
    parts = content(merged)["run"]["merged"]
    assert [part["id"] for part in parts] == [folder.name for folder in three]
    assert content(merged)["run"]["duration_s"] == pytest.approx(sum(part["duration_s"] for part in parts))


def test_a_shard_that_is_not_there_is_named(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 3):
        project.run("--shard", f"{number}/4", model="oracle")
    capsys.readouterr()
    assert project.command("report", *map(str, project.folders)) == 1
    note = "Shards that are missing: 2/4, 4/4. What they selected is not counted here."
    assert note in capsys.readouterr().out.splitlines()
    assert note in content(project.path / "reports" / project.folders[-1].name)["notes"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda project: project.write_rows([{"country": "France", "capital": "Lyon"}]), "data_sha256"),
        (lambda project: project.prompt.write_text("Capital of {country}?"), "prompt_sha256"),
        (lambda project: project.benchmark(metrics='{"accuracy": -1.0}'), "metrics"),
    ],
)
def test_runs_that_did_not_measure_the_same_are_not_merged(
    project: Project, capsys: pytest.CaptureFixture[str], change: Any, field: str
) -> None:
    project.run(model="oracle")
    change(project)
    project.run("--model", "chance", model="oracle")
    one, other = project.folders
    capsys.readouterr()
    assert project.command("report", str(other), str(one), "--output", "merged") == 4
    said = capsys.readouterr().err
    assert said.startswith(f"ERROR: geo/capitals, oracle: {field} of {one} is ")
    assert f"that of {other} " in said
    assert not (project.path / "merged").exists()


def test_rows_of_another_run_are_never_overwritten(
    project: Project, three: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = (three[0] / "results.jsonl").read_bytes()
    capsys.readouterr()
    assert project.command("report", *map(str, three), "--output", str(three[0])) == 4
    assert f"{three[0]} holds the rows of {three[0].name}, which would be lost" in capsys.readouterr().err
    assert (three[0] / "results.jsonl").read_bytes() == before


def test_a_run_that_is_none_is_named(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert project.command("report", "nowhere") == 4
    assert "no run 'nowhere'" in capsys.readouterr().err
    project.run(model="oracle")
    file = project.folders[-1] / "selection.json"
    manifest = json.loads(file.read_text())
    manifest["tasks"][0]["task"] = "../../elsewhere"
    file.write_text(json.dumps(manifest))
    capsys.readouterr()
    assert project.command("report", str(file.parent)) == 4
    assert (
        f"{file}: field 'tasks.0.task': is not the name of a task (found '../../elsewhere')" in capsys.readouterr().err
    )


def test_a_report_can_be_rebuilt_away_from_the_project(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.record()
    folder = project.folders[-1]
    before = content(folder)
    assert "What is the capital of France?" in page_texts(folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert project.command("report", str(folder)) == 0
    assert content(folder) == before
    assert "What is the capital of France?" in page_texts(folder)
    monkeypatch.chdir(project.path)
    assert project.command("report", str(folder)) == 0
    assert "What is the capital of France?" in page_texts(folder)
