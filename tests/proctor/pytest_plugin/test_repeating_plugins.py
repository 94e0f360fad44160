"""Plugins that run a test more than once: pytest-rerunfailures and pytest-repeat, the real ones."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from capitals import Project, answers
from stub_server import Answer, Request

pytest.importorskip("pytest_rerunfailures")
pytest.importorskip("pytest_repeat")


@pytest.fixture(autouse=True)
def with_them(project: Project) -> None:
    project.configure(other_plugins=True)


def lines(project: Project) -> list[tuple[str, str]]:
    rows = (project.folders[-1] / "results.jsonl").read_text().splitlines()
    return sorted((row["sample_id"], row["status"]) for row in map(json.loads, rows))


ALL_SCORED = [(country, "scored") for country in ("Cuba", "France", "Japan", "Kenya", "Peru")]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_case_that_is_run_again_leaves_its_last_row(project: Project, workers: str) -> None:
    asked: Counter[str] = Counter()

    def script(request: Request) -> str | Answer:
        asked[request.question] += 1
        refused = "Peru" in request.question and asked[request.question] <= 2
        return Answer.error(400, "not now") if refused else answers(request)

    project.server.script = script
    result = project.record("--reruns", "2", "-n", workers)
    assert result.ret == 0
    assert project.server.count == 7
    assert lines(project) == ALL_SCORED
    assert project.report["tasks"][0]["status"]["scored"] == 5


def test_a_case_that_stays_broken_leaves_one_row(project: Project) -> None:
    project.server.script = lambda r: Answer.error(400, "never") if "Peru" in r.question else answers(r)
    assert project.record("--reruns", "2").ret == 1
    assert lines(project) == [*ALL_SCORED[:4], ("Peru", "error")]


def test_a_case_whose_teardown_failed_leaves_its_last_row(project: Project) -> None:
    (project.path / "conftest.py").write_text(
        "import pytest\nleft = ['first']\n"
        "@pytest.fixture(autouse=True)\ndef late(request):\n    yield\n"
        "    assert 'Peru' not in request.node.nodeid or not left or left.clear()\n"
    )
    assert project.record("--reruns", "1").ret == 0
    assert lines(project) == ALL_SCORED


@pytest.mark.parametrize("workers", ["0", "2"])
def test_count_names_epochs_instead(project: Project, workers: str) -> None:
    result = project.run("--count", "3", "-n", workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    shown = f"{result.stdout}{result.stderr}"
    assert "pytest-repeat would measure each case 3 times" in shown
    assert "--epochs 3" in shown
    assert project.server.count == 0
