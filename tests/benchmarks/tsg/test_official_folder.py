"""The published files themselves, whole, where a folder beside the project holds them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
OFFICIAL = Path(os.environ.get("PROCTOR_OFFICIAL_FILES", ROOT.parent / "shared/official")) / "tsg"
LACKING = [
    task for task in ("sa-sgg", "ma-sgg") if not (OFFICIAL / f"resource/dataset/generation/{task}.jsonl").is_file()
]
MODELS = ("oracle", "chance", "constant")

pytestmark = pytest.mark.skipif(
    not (OFFICIAL / "resource").is_dir(),
    reason=f"the published files are not here: no {OFFICIAL}/resource; PROCTOR_OFFICIAL_FILES names another folder",
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the benchmark, and of data nothing but the published files that are there."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "benchmarks/tsg", folder / "benchmarks/tsg", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "benchmarks/__init__.py").touch()
    (folder / "pytest.ini").write_text(
        "[pytest]\ntestpaths = benchmarks\npythonpath = .\naddopts = --import-mode=importlib\n"
    )
    pulled = run(folder, "proctor", "pull", "tsg", "--from", str(OFFICIAL))
    assert pulled.returncode == 0, pulled.stdout
    assert all(f"  {task}.jsonl: left out: " in pulled.stdout for task in LACKING)
    return folder


@pytest.fixture(scope="module")
def report(project: Path) -> dict[str, Any]:
    """report.json of a run of the built-in models on all that is there."""
    done = run(project, "pytest", "--official", *(word for name in MODELS for word in ("--model", name)))
    assert done.returncode == 0, done.stdout
    for task in LACKING:
        assert f"WARNING: left out: tsg/{task}: --official: resource/dataset/generation/{task}.jsonl" in done.stdout
    assert "4 rows of tsg/sgds have an empty name in context_graphs (lines 54, 57, 177, 178)" in done.stdout
    assert "1 row of tsg/sgqa has an empty name in context_graphs (line 50)" in done.stdout
    (folder,) = (project / "reports").glob("*Z-*")
    content: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return content


def run(folder: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=folder, capture_output=True, text=True)


def test_every_case_is_scored_and_the_oracle_is_always_right(report: dict[str, Any]) -> None:
    expected = {"sgqa": 500, "sgds": 250}
    scores = {}
    for task in report["tasks"]:
        assert task["status"]["scored"] == task["expected"]
        if task["task"] not in expected:
            continue
        assert task["expected"] == expected[task["task"]]
        families = task["metrics"]["accuracy"]
        assert families["official"]["value"] == families["strict"]["value"]
        scores[task["task"], task["model"]] = families["official"]["value"]
    assert scores["sgqa", "oracle"] == scores["sgds", "oracle"] == 1.0
    assert scores["sgds", "constant"] == 54 / 250  # so often A is right in the published file
    assert 0.1 < scores["sgds", "chance"] < 0.3
    assert scores["sgqa", "chance"] < 0.1


def test_the_odd_rows_are_listed(report: dict[str, Any]) -> None:
    lines = {
        (task["task"], kind["what"], kind["field"]): [place["line"] for place in kind["places"]]
        for task in report["tasks"]
        for kind in task["odd_rows"]
        if task["task"] in ("sgqa", "sgds")
    }
    assert lines == {
        ("sgqa", "an empty name", "context_graphs"): [50],
        ("sgds", "an empty name", "context_graphs"): [54, 57, 177, 178],
    }
    assert all(task["unusable_rows"] == [] for task in report["tasks"])


def test_an_author_would_be_told_of_them(project: Path, report: dict[str, Any]) -> None:
    checked = run(project, "proctor", "check-data", "tsg", "--official")
    assert checked.returncode == 1
    assert "sgqa.jsonl:50: field 'context_graphs[7][1][2]': an empty name (found '')" in checked.stdout
    refused = run(project, "pytest", "--official", "--model", "oracle", "--strict-data")
    assert refused.returncode == 4
    assert "--strict-data: 4 odd or unusable things in tsg/sgds" in refused.stderr
    assert [folder.name for folder in (project / "reports").glob("*Z-*")] == [report["run"]["id"]]
