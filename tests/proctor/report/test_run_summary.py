"""summary.md, GitHub's comment and annotations, and the link to the newest run."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from capitals import CAPITALS, Project

from proctor.report.github import LONGEST, MARKER, annotated, comment
from proctor.report.run_summary import MOST_LINES, summary
from proctor.results.latest_run import latest_run, point_to
from proctor.results.manifest import FILE_NAME

FLOOR = "floors: [{task: geo/capitals, metric: accuracy, at_least: 0.9}]\n"


def test_a_run_that_lost_says_so_in_summary_and_annotation(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.run(model="oracle")
    baseline = project.folders[-1].name
    shown = project.path / "shown.md"
    shown.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shown))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (project.path / "gate.yaml").write_text(FLOOR)
    result = project.run("--gate=gate.yaml", "--baseline", baseline, model="chance")
    lines = (project.folders[-1] / "summary.md").read_text().splitlines()
    assert lines[0] == "## Proctor: all 5 cases measured, gate NOT HELD"
    assert "- geo/capitals chance: 5 worse: France, Japan, Peru, Kenya, Cuba" in lines
    floor = re.compile(r"- geo/capitals chance: accuracy \(strict\) is 0\.0000 .*, must be at least 0\.9$")
    assert any(map(floor.match, lines))
    assert shown.read_text() == "before\n" + "\n".join(lines) + "\n\n"
    said = [line for line in result.outlines if line.startswith("::")]
    assert len(said) == 1
    assert said[0].startswith("::error title=Proctor%3A gate::gate: NOT HELD (1 floor, 1 comparison with ")
    assert "%0A  geo/capitals chance: accuracy" in said[0]


def test_a_summary_that_nobody_can_write_is_said(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "no/such.md"))
    result = project.run(model="oracle")
    assert any("could not be appended to GITHUB_STEP_SUMMARY" in line for line in result.outlines)
    assert result.ret == 0


def test_the_report_for_github(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.record("--limit", "1")
    project.run()  # the others have no recording
    capsys.readouterr()
    assert project.command("report", "latest", "--github") == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "::error title=Proctor%3A geo/capitals gpt-4o-mini::4 error: Japan, Peru, Kenya, … (1 more)"
    body = (project.folders[-1] / "comment.md").read_text()
    assert body.startswith(f"{MARKER}\n## Proctor: 4 of 5 cases not measured\n")
    assert body.count(MARKER) == 1


def test_neither_gets_too_long_and_no_text_commands(project: Project) -> None:
    project.write_rows(
        [{"country": f"{name}{number}", "capital": city} for number in range(40) for name, city in CAPITALS.items()]
    )
    project.run(model="chance")
    report = project.report
    (task,) = report["tasks"]
    hostile = "x\n::set-env name=A::b%0A </details> <!-- " + "long " * 500
    task["model"] = hostile
    task["failures"]["error"] = [hostile] * 100
    task["status"]["error"] = 100
    report["tasks"] = [task] * 200
    text = summary(report)
    assert len(text.splitlines()) <= MOST_LINES
    body = comment(report)
    assert len(body) <= LONGEST
    assert "cut here: the rest is in report.md." in body
    assert body.count("</details>") == 1
    lines = list(annotated(report))
    assert len(lines) == 10
    assert all(
        line.startswith("::error title=Proctor%3A") and "\n" not in line and "%25" in line for line in lines[:-1]
    )
    assert lines[-1] == "::error title=Proctor%3A failures::191 more, in report.md"


def test_latest_is_the_newest_run(project: Project) -> None:
    project.run(model="chance")
    project.run(model="oracle")
    link = project.path / "reports/latest"
    assert link.readlink() == Path(project.folders[-1].name)
    assert project.command("report", "latest") == 0


def folder_of(reports: Path, name: str) -> Path:
    (reports / name).mkdir()
    (reports / name / FILE_NAME).write_text("{}")
    return reports / name


def test_of_runs_that_end_at_once_the_newest_is_latest(tmp_path: Path) -> None:
    folders = [folder_of(tmp_path, f"2026010{number}T000000Z-aaaaaa") for number in range(1, 9)]
    threads = [threading.Thread(target=point_to, args=(folder,)) for folder in reversed(folders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert latest_run(tmp_path) == folders[-1]
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.endswith(".tmp")] == []


def test_where_links_cannot_be_had_latest_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (folder_of(tmp_path, name) for name in ("20260101T000000Z-aaaaaa", "20260102T000000Z-aaaaaa"))
    point_to(first)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    point_to(second)
    assert (tmp_path / "latest").read_text() == f"{second.name}\n"
    assert latest_run(tmp_path) == second
    point_to(first)
    assert latest_run(tmp_path) == second


def test_what_else_is_called_latest_stays(tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    point_to(folder_of(tmp_path, "20260101T000000Z-aaaaaa"))
    assert (tmp_path / "latest").is_dir()
    assert not (tmp_path / "latest").is_symlink()
