"""xdist workers in other folders, as on other machines: what they find out reaches the controller's report."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from capitals import Project

CHECKOUT = ("benchmarks", "data", "prompts", "cassettes", "pytest.ini")


def workers(project: Project, folders: list[Path]) -> list[str]:
    """The options for a worker in each of these folders, with an interpreter of its own."""
    for folder in folders:
        for name in CHECKOUT:
            source = project.path / name
            if source.is_dir():
                shutil.copytree(source, folder / name)
            elif source.exists():
                shutil.copy(source, folder / name)
    return ["--dist", "load", *(f"--tx=popen//python={sys.executable}//chdir={folder}" for folder in folders)]


def test_workers_in_other_folders_report_to_the_controller(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    project.record()
    project.run()
    here = project.report
    elsewhere = [tmp_path_factory.mktemp("elsewhere") for _ in range(2)]
    result = project.run(*workers(project, elsewhere))
    assert result.ret == 0
    assert project.report["tasks"][0]["metrics"] == here["tasks"][0]["metrics"]
    assert project.report["tasks"][0]["expected"] == 5
    selection = json.loads((project.folders[-1] / "selection.json").read_text())
    assert selection["run"]["id"] == project.folders[-1].name
    assert not any((folder / "reports").exists() for folder in elsewhere)


def test_a_usage_error_of_workers_in_other_folders_is_said_once(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    result = project.run(*workers(project, [tmp_path_factory.mktemp("elsewhere")]))
    assert result.ret == 4
    assert str(result.stdout).count("no recordings of geo/capitals for gpt-4o-mini") == 1


def test_a_limit_of_costs_needs_workers_that_see_one_another(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folders = [tmp_path_factory.mktemp("elsewhere")]
    result = project.run(*workers(project, folders), "--disable-recording", "--max-cost", "1")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --max-cost cannot be kept by workers in other folders*"])
    assert project.server.count == 0


def test_what_workers_in_other_folders_record_is_said_to_be_there(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("elsewhere")
    result = project.run(*workers(project, [folder]), "--record-mode", "once")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["Workers in other places have recorded there: fetch their recordings*"])
    assert len((folder / "cassettes/geo/capitals/gpt-4o-mini.jsonl").read_text().splitlines()) == 5
    assert not project.cassette.exists()
