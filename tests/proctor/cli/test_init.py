"""``proctor init``: what it writes, what runs there, and what it refuses."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from proctor.cli.main import main

ROOT = Path(__file__).parents[3]


def files_in(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def refused(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What ``proctor init`` says that is refused."""
    capsys.readouterr()
    assert main(["init", *arguments]) == 4
    return capsys.readouterr().err


def run_pytest(folder: Path, *arguments: str) -> str:
    ended = subprocess.run([sys.executable, "-m", "pytest", *arguments], cwd=folder, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_a_project_has_a_benchmarks_files_and_a_frame(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "deep" / "project"
    assert main(["init", str(project), "--with", "tsg"]) == 0
    files = files_in(project)
    assert f"{len(files)} files in {project}" in capsys.readouterr().out
    frame = "conftest.py pytest.ini requirements.txt .gitignore .gitattributes .github/workflows/benchmarks.yml"
    assert set(frame.split()) <= files
    for folder in ("benchmarks/tsg", "prompts/tsg", "data/tsg"):
        shipped = {f"{folder}/{name}" for name in files_in(ROOT / folder) if "__pycache__" not in name}
        assert shipped <= files
        assert all((project / name).read_bytes() == (ROOT / name).read_bytes() for name in shipped)
    assert not [name for name in files if "sgi" in name or "mixeval" in name or name.startswith("cassettes")]
    jobs = yaml.safe_load((project / ".github/workflows/benchmarks.yml").read_text())["jobs"]
    assert {"run": "pytest"} in jobs["replay"]["steps"]
    assert re.search(r"[1-9]\d* correct in ", run_pytest(project, "-q", "--limit", "2"))


def test_what_is_there_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data/tsg").mkdir(parents=True)
    mine = tmp_path / "data/tsg/sgqa.jsonl"
    mine.write_text("mine")
    (tmp_path / ".gitignore").write_text("kept")
    message = refused([str(tmp_path), "--with", "tsg"], capsys)
    assert "data/tsg/sgqa.jsonl already; nothing was written" in message
    assert files_in(tmp_path) == {"data/tsg/sgqa.jsonl", ".gitignore"}
    mine.unlink()
    assert main(["init", str(tmp_path), "--with", "tsg"]) == 0
    assert (tmp_path / ".gitignore").read_text() == "kept"
    assert "pytest.ini is there already" in refused([str(tmp_path), "--with", "tsg"], capsys)


@pytest.mark.parametrize(
    ("name", "text"),
    [("pyproject.toml", "[tool.pytest.ini_options]\n"), ("tox.ini", "[pytest]\n"), ("setup.cfg", "[tool:pytest]\n")],
)
def test_a_pytest_ini_never_hides_settings(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text)
    assert f"{name} is there already" in refused([str(tmp_path)], capsys)
    assert main(["init", str(tmp_path), "--new", "dates/weekday"]) == 0
    assert files_in(tmp_path) - {name} == {
        "benchmarks/dates/test_weekday.py",
        "prompts/dates/weekday.txt",
        "data/dates/weekday.jsonl",
    }


def test_a_new_benchmark_is_the_tutorials_under_its_own_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs/tutorial/own-benchmark.md").read_text(encoding="utf-8")
    assert main(["init", str(tmp_path), "--new", "dates/weekday"]) == 0
    for name in ("benchmarks/dates/test_weekday.py", "prompts/dates/weekday.txt", "data/dates/weekday.jsonl"):
        assert f"\n{(tmp_path / name).read_text()}```" in page
    assert main(["init", str(tmp_path), "--new", "calendar/day-of-week"]) == 0
    assert "pytest benchmarks/calendar --model oracle" in capsys.readouterr().out
    module = (tmp_path / "benchmarks/calendar/test_day_of_week.py").read_text()
    assert 'name="calendar/day-of-week"' in module
    assert "def test_day_of_week(" in module
    assert " 6 correct in " in run_pytest(tmp_path).splitlines()[-1]
    assert "already; nothing was written" in refused([str(tmp_path), "--new", "dates/weekday"], capsys)


def test_what_cannot_be_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "project"
    assert "no benchmark is called 'mmlu'\n  There is: mixeval_x, sgi, tsg." in refused(
        [str(target), "--with", "tsg,mmlu"], capsys
    )
    for name in ("weekday", "Dates/weekday", "../dates/weekday", "dates/week day", ""):
        assert "BENCH/TASK" in refused([str(target), "--new", name], capsys)
    assert not target.exists()
    target.write_text("a file")
    assert "cannot be written: Not a directory" in refused([str(target), "--new", "dates/weekday"], capsys)
