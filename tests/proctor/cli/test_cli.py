"""The command ``proctor``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from capitals import CAPITALS, Project

from proctor.cli.main import main

CASSETTE = "cassettes/geo/capitals/gpt-4o-mini.jsonl"


@pytest.fixture
def recorded(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with five recordings of five cases, and six (with a stale one) of another model."""
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-v1-distinctiveKey0123456789")
    monkeypatch.setenv("OPENROUTER_BASE_URL", project.server.openai_url)
    project.record()
    project.run("--record-mode", "once", model="openai/gpt-x")
    project.prompt.write_text("Capital of {country}?")
    project.run("--record-mode", "new_episodes", "-k", "France", model="openai/gpt-x")
    monkeypatch.chdir(project.path)
    return project


def test_cassettes_lists_what_is_recorded(recorded: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cassettes"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    columns = "benchmark task model cases recordings first last size bytes each damaged lines"
    assert head.split() == columns.split()
    cells = [line.split() for line in lines]
    assert [line[:5] for line in cells] == [
        ["geo", "capitals", "gpt-4o-mini", "5", "5"],
        ["geo", "capitals", "openai/gpt-x", "5", "6"],
    ]
    date = json.loads(recorded.cassette.read_text().splitlines()[0])["recorded_at"][:10]
    size = recorded.cassette.stat().st_size
    assert cells[0][5:] == [date, date, f"{size / 1000:.1f}", "kB", str(round(size / 5)), "–"]


def test_cassettes_as_json(recorded: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cassettes", "--json", "cassettes/geo"]) == 0
    content = json.loads(capsys.readouterr().out)
    dates = [json.loads(line)["recorded_at"] for line in recorded.cassette.read_text().splitlines()]
    assert content["schema_version"] == 1
    assert len(content["cassettes"]) == 2
    assert content["cassettes"][0] == {
        "file": CASSETTE,
        "benchmark": "geo",
        "task": "capitals",
        "model": "gpt-4o-mini",
        "cases": 5,
        "recordings": 5,
        "first": min(dates),
        "last": max(dates),
        "bytes": recorded.cassette.stat().st_size,
        "bytes_per_recording": round(recorded.cassette.stat().st_size / 5),
        "damaged": [],
    }


def test_cassettes_names_each_damaged_line(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write_rows([{"country": country, "capital": capital} for country, capital in CAPITALS.items()])
    project.record()
    monkeypatch.chdir(project.path)
    lines = project.cassette.read_text().splitlines()
    lines[1] = lines[1].replace("Paris", "Lyon")
    lines[3] = lines[3][:-60]
    lines[4] = lines[4].replace("[Bamako]", "sk-proj-distinctiveKey0123456789")
    project.cassette.write_text("\n".join(lines) + "\n")
    capsys.readouterr()
    assert main(["cassettes"]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[1].split()[3:5] == ["3", "3"]
    assert out.splitlines()[1].endswith(" 3")
    assert out.splitlines()[2:] == [
        f"{CASSETTE}:2: the line was edited: its checksum does not fit",
        f"{CASSETTE}:4: the line is cut: it does not end in a checksum",
        f"{CASSETTE}:5: the recording holds a secret: the value of OPENAI_API_KEY",
    ]
    assert "distinctiveKey" not in out
    assert main(["cassettes", "--json"]) == 1
    assert [damaged["line"] for damaged in json.loads(capsys.readouterr().out)["cassettes"][0]["damaged"]] == [2, 4, 5]


def test_more_than_five_damaged_lines_are_counted(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.cassette.parent.mkdir(parents=True)
    project.cassette.write_text("x\n" * 8)
    assert main(["cassettes", str(project.path / "cassettes")]) == 1
    *_, line, last = capsys.readouterr().out.splitlines()
    assert ":5: " in line
    assert last.endswith("gpt-4o-mini.jsonl: … and 3 more, listed by --json")


def test_a_folder_without_recordings(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    (project.path / "empty").mkdir()
    assert main(["cassettes", str(project.path / "empty")]) == 0
    assert capsys.readouterr().out == f"no recordings in {project.path / 'empty'}\n"
    assert main(["cassettes", str(project.path / "nowhere")]) == 4
    assert capsys.readouterr().err.startswith(f"ERROR: there is no folder {project.path / 'nowhere'}\n")


def test_bad_usage_has_the_exit_code_of_all_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["cassette"], ["cassettes", "--yaml"]):
        with pytest.raises(SystemExit) as leaving:
            main(arguments)
        assert leaving.value.code == 4
        assert "usage: proctor" in capsys.readouterr().err


def test_python_m_proctor_is_the_same_command_and_its_reader_may_leave(recorded: Project) -> None:
    command = [sys.executable, "-m", "proctor", "cassettes"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, cwd=recorded.path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.splitlines()[1].split()[:3] == ["geo", "capitals", "gpt-4o-mini"]
    reading, writing = os.pipe()
    os.close(reading)
    left = subprocess.run(
        command, cwd=recorded.path, env=environment, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert left.stderr == ""


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"proctor {version('proctor')}\n"


@pytest.mark.parametrize("command", ["compare", "calibrate"])
def test_help_shows_a_percent_sign_once(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "95 % intervals" in (shown := " ".join(capsys.readouterr().out.split()))
    assert "%%" not in shown
