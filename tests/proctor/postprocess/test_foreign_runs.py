"""Run folders that came from elsewhere are data: nothing in them is executed, and no path in them leads anywhere."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from capitals import Project

COMMANDS = (("report",), ("rescore",), ("export",), ("export", "--layout", "entry"), ("rescore", "--write"))

# Where a downloaded run may lie, seen from the project, and where a module that came with it.
LAYOUTS = [
    ("reports/{id}", "reports/{id}/test_capitals.py"),
    ("reports/{id}", "reports/test_capitals.py"),
    ("reports/{id}", "../outside/test_capitals.py"),
    ("shards/shard-1/{id}", "shards/shard-1/{id}/test_capitals.py"),
    ("shards/shard-1/{id}", "shards/shard-1/test_capitals.py"),
    ("shards/shard-1/{id}", "shards/shard-1/geo/test_capitals.py"),
    ("shards/shard-1/{id}", "shards/test_capitals.py"),
    ("test_shard/{id}", "test_shard/conftest.py"),
    ("test-run", "test-run/conftest.py"),
    ("downloaded", "downloaded/test_capitals.py"),
    ("downloaded", "downloaded/geo/capitals.py"),
    ("benchmarks/{id}", "benchmarks/{id}/geo/test_capitals.py"),
    ("benchmarks/shards/shard-1/{id}", "benchmarks/shards/shard-1/test_capitals.py"),
    ("benchmarks/shards/shard-1/{id}", "benchmarks/shards/shard-1/{id}/geo/test_capitals.py"),
    ("../elsewhere/{id}", "../elsewhere/{id}/test_capitals.py"),
    ("../elsewhere/{id}", "../elsewhere/conftest.py"),
]


@pytest.fixture
def run(project: Project) -> Path:
    project.record()
    project.server.stop()
    return project.folders[-1]


def changed(run: Path, **fields: Any) -> None:
    file = run / "selection.json"
    manifest = json.loads(file.read_text())
    manifest["tasks"][0].update(fields)
    file.write_text(json.dumps(manifest))


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(("place", "module"), LAYOUTS)
@pytest.mark.parametrize("absolute", [False, True])
def test_code_that_a_run_brings_along_is_not_executed(
    project: Project, run: Path, capsys: pytest.CaptureFixture[str], place: str, module: str, absolute: bool
) -> None:
    folder = project.path / place.format(id=run.name)
    if folder != run:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(run, folder)
    file = project.path / module.format(id=run.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    executed = project.path / "executed"
    file.write_text(f"open({str(executed)!r}, 'w')\n" + project.module.read_text())
    changed(folder, module=str(file) if absolute else module.format(id=run.name))
    capsys.readouterr()
    for words in COMMANDS:
        assert project.command(words[0], str(folder), *words[1:]) == 0
        assert not executed.exists()
    assert project.command("compare", str(folder), str(folder)) == 0
    assert project.command("report", str(folder), str(folder), "--output", "merged") == 0
    assert not executed.exists()
    # The project's own module has scored it.
    assert "geo/capitals gpt-4o-mini: 5 rows, 0 changed" in capsys.readouterr().out


def test_nothing_is_executed_where_the_command_is_given_inside_of_a_run(
    project: Project, run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    executed = project.path / "executed"
    for name in ("conftest.py", "test_capitals.py", "benchmarks/geo/test_capitals.py"):
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_text(f"open({str(executed)!r}, 'w')\n")
    (run / "pytest.ini").write_text("[pytest]\naddopts = -p conftest\n")
    monkeypatch.chdir(run)
    capsys.readouterr()
    assert project.command("report", ".") == 0
    assert "is the folder of a run, not of a project" in capsys.readouterr().out
    assert project.command("rescore", ".") == 4
    assert "is the folder of a run, not of a project" in capsys.readouterr().err
    assert not executed.exists()


@pytest.mark.parametrize("outside", ["../outside/capitals.jsonl", "{path}/../outside/capitals.jsonl", "linked.jsonl"])
def test_data_outside_of_the_project_is_not_read_for_a_run_from_elsewhere(
    project: Project, run: Path, capsys: pytest.CaptureFixture[str], outside: str
) -> None:
    """Not even if the run knows its hash."""
    secret = project.path.parent / "outside/capitals.jsonl"
    secret.parent.mkdir(exist_ok=True)
    secret.write_bytes(project.data.read_bytes().replace(b"}", b', "note": "not for you"}'))
    (project.path / "linked.jsonl").symlink_to(secret)
    shutil.move(run, project.path / "downloaded")
    folder = project.path / "downloaded"
    name = outside.format(path=project.path)
    changed(folder, data_file=name, data_sha256=hashlib.sha256(secret.read_bytes()).hexdigest())
    capsys.readouterr()
    assert project.command("export", str(folder), "--layout", "entry") == 4
    assert f"{name} lies outside of this project" in capsys.readouterr().err
    assert project.command("rescore", str(folder)) == 1
    assert f"{name} lies outside of this project" in capsys.readouterr().out
    project.command("report", str(folder))
    assert not any(b"not for you" in content for content in files(folder).values())


def test_data_outside_of_the_project_counts_for_a_run_of_the_project(project: Project) -> None:
    outside = project.path.parent / "outside/capitals.jsonl"
    outside.parent.mkdir(exist_ok=True)
    shutil.copy(project.data, outside)
    project.record("--dataset", f"geo/capitals={outside}")
    assert project.command("rescore", project.folders[-1].name) == 0


def test_what_stands_in_a_file_that_is_not_the_data_of_a_run_is_not_shown(
    project: Project, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project.path / ".env").write_text("SECRET=swordfish\n")
    changed(run, entry_files=[".env"])
    capsys.readouterr()
    for words in COMMANDS:
        project.command(words[0], str(run), *words[1:])
    assert "swordfish" not in "".join(capsys.readouterr())
    assert not any(b"swordfish" in content for content in files(run).values())
