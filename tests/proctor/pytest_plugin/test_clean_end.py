"""Runs under ``-W error`` and ``filterwarnings = error``: no warning, and nothing left open or running at the end."""

from __future__ import annotations

import subprocess
import sys

import pytest
from capitals import Project, answers
from stub_server import Answer, Request
from waiting import LIMIT

MODES = ("once", "new_episodes", "none", "all", "rewrite")

LEFT_BEHIND = """
import atexit
import threading

def tell():
    left = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    print(f"left behind: {left}")

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        atexit.register(tell)
"""
"""A conftest.py that prints at the end of the interpreter which threads still run."""


@pytest.mark.parametrize("setting", ["-W", "filterwarnings"])
def test_each_record_mode_is_clean_under_warnings_as_errors(project: Project, setting: str) -> None:
    if setting == "filterwarnings":
        with (project.path / "pytest.ini").open("a") as file:
            file.write("filterwarnings = error\n")
    arguments = ["-W", "error"] if setting == "-W" else []
    for mode in MODES:  # each on the recordings of the one before
        result = project.run("--record-mode", mode, *arguments)
        assert result.ret == 0, mode
        assert "Warning" not in result.stdout.str() + result.stderr.str()
    assert project.server.count == 15  # once, all, rewrite


def faulty(request: Request) -> str | Answer:
    """A request that is refused, bodies that cannot be read, and failures that go on, beside right answers."""
    by_country = {
        "France": Answer.error(400, "too long"),
        "Japan": Answer(body=b"{not json"),
        "Peru": Answer.error(500, retry_after="0.01"),
    }
    return next((answer for country, answer in by_country.items() if country in request.question), answers(request))


@pytest.mark.parametrize(("mode", "workers"), [("new_episodes", "0"), ("new_episodes", "2"), ("none", "0")])
def test_nothing_is_left_open_or_running_where_python_watches(
    project: Project, mode: str, workers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Warnings of the interpreter's start and end as errors, in development mode, which makes imports slow, once."""
    project.run("--record-mode", "once", "-k", "Kenya")
    project.server.script = faulty
    (project.path / "conftest.py").write_text(LEFT_BEHIND)
    monkeypatch.setenv("PYTHONPATH", "")
    development = ["-X", "dev"] if workers == "0" else []
    watched = [sys.executable, *development, "-W", "error", "-m", "pytest", "-W", "error", "-n", workers]
    asked = [*watched, "--model", "gpt-4o-mini", "--record-mode", mode, "-k", "" if mode == "new_episodes" else "Kenya"]
    ended = subprocess.run(asked, cwd=project.path, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert ended.returncode == (1 if mode == "new_episodes" else 0), ended.stdout + ended.stderr
    assert "left behind: []" in ended.stdout
    assert "Warning" not in ended.stdout + ended.stderr
    assert "ignored" not in ended.stderr
    if mode == "new_episodes":
        assert {name: row["status"] for name, row in project.rows.items()} == {
            **dict.fromkeys(("France", "Japan", "Peru"), "error"),
            **dict.fromkeys(("Kenya", "Cuba"), "scored"),
        }
