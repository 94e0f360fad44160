"""The workflows of docs/how-to/ci.md: their steps are run here one by one, with stand-ins for GitHub's own actions."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from proctor.report.github import MARKER

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs/how-to/ci.md").read_text(encoding="utf-8")
WORKFLOWS: dict[str, Any] = {
    name: yaml.safe_load(block)
    for name, block in re.findall(r"`\.github/workflows/(\w+)\.yml`\n\n```yaml\n(.*?)```", TEXT, re.DOTALL)
}
NEEDED = (
    "conftest.py",
    "pytest.ini",
    "models.yaml",
    "proctor",
    "benchmarks",
    "prompts",
    "data",
    "cassettes",
    "Makefile",
)
GH = """#!/bin/sh
echo "$@" >> "$GH_LOG"
case "$*" in
  *pulls*) echo 7 ;;
  *--paginate*) cat "$GH_FORMER" ;;
esac
"""


class Runner:
    """Runs the steps of a job as GitHub would, in a fresh checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.artifacts = folder / "artifacts"
        self.summary = folder / "summary"
        self.log = folder / "gh.log"
        (folder / "bin").mkdir()
        (folder / "bin/gh").write_text(GH)
        (folder / "bin/gh").chmod(0o755)
        (folder / "former").write_text("")

    def job(self, name: str, job: dict[str, Any], **values: str) -> Path:
        """Run a job; where its steps leave things."""
        place = self.folder / name
        place.mkdir()
        for step in job["steps"]:
            with_ = {key: filled(str(value), values) for key, value in step.get("with", {}).items()}
            action = step.get("uses", "").partition("@")[0]
            if action == "actions/checkout":
                for needed in NEEDED:
                    (place / needed).symlink_to(ROOT / needed)
            elif action == "actions/upload-artifact":
                found = list(place.glob(with_["path"].rstrip("/")))
                for one in found:  # of several folders what they have in common is left out, of one all of it
                    target = self.artifacts / with_["name"]
                    shutil.copytree(one, target / one.name if "*" in with_["path"] else target)
                assert found, with_
            elif action == "actions/download-artifact":
                for one in self.artifacts.glob(with_.get("pattern", with_.get("name", ""))):
                    shutil.copytree(one, place / with_["path"] / (one.name if "pattern" in with_ else ""))
            else:
                assert not action, action
                self.run(
                    place, filled(step["run"], values), {k: filled(v, values) for k, v in step.get("env", {}).items()}
                )
        return place

    def run(self, place: Path, command: str, environment: dict[str, str]) -> None:
        if command == "make setup":  # what it makes is here
            (place / ".venv").symlink_to(Path(sys.prefix))
            return
        more = {
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GH_LOG": str(self.log),
            "GH_FORMER": str(self.folder / "former"),
        }
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        steering = ("PYTEST_CURRENT_TEST", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER")
        kept = {key: value for key, value in os.environ.items() if key not in steering}
        ended = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", command],
            cwd=place,
            env=kept | more | environment | {"PATH": path},
            capture_output=True,
            text=True,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr


def filled(text: str, values: dict[str, str]) -> str:
    """A text with the values of its expressions."""
    return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: values.get(found[1], "x"), text)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_shards_are_merged_and_one_comment_is_kept(runner: Runner) -> None:
    jobs, comments = WORKFLOWS["benchmarks"]["jobs"], WORKFLOWS["comment"]["jobs"]
    for shard in jobs["shard"]["strategy"]["matrix"]["shard"]:
        runner.job(f"shard{shard}", jobs["shard"], **{"matrix.shard": str(shard)})
    merged = runner.job("report", jobs["report"]) / "merged"
    report = json.loads((merged / "report.json").read_text())
    assert sum(task["expected"] for task in report["tasks"]) == 250
    assert runner.summary.read_text().count("## Proctor: all ") == 3  # each shard, and all together
    assert "## Proctor: all 250 cases measured" in runner.summary.read_text()
    place = runner.job("comment1", comments["comment"], **{"github.repository": "o/r"})
    assert (place / "merged/comment.md").read_text().startswith(f"{MARKER}\n## Proctor: all 250 cases measured\n")
    (runner.folder / "former").write_text("41\n42\n")
    runner.job("comment2", comments["comment"], **{"github.repository": "o/r"})
    said = runner.log.read_text().splitlines()
    assert said[2] == "api -X POST repos/o/r/issues/7/comments -F body=@merged/comment.md"
    assert said[5] == "api -X PATCH repos/o/r/issues/comments/41 -F body=@merged/comment.md"
    assert MARKER in said[1]


def test_no_workflow_gives_what_a_fork_has_written_a_right() -> None:
    assert WORKFLOWS["benchmarks"]["permissions"] == {"contents": "read"}
    steps = WORKFLOWS["comment"]["jobs"]["comment"]["steps"]
    assert not any("checkout" in step.get("uses", "") for step in steps)
    assert not any("${{" in step.get("run", "") for step in steps)
