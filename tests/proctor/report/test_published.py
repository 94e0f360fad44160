"""Published results beside a run's own: shown with what keeps them from being compared."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from capitals import Project
from judged_project import judged
from report_page import browser, report_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser", "judged"]

ROOT = Path(__file__).parents[3]
CATALOGUE = """title: Capitals
page: https://example.org
licence: none
revision: "1"
url: https://example.org/{{revision}}/{{path}}
files:
  - path: capitals.jsonl
    task: capitals
    sha256: {data}
  - path: capitals.txt
    prompt: capitals
    git_blob: {prompt}
"""
PUBLISHED = {
    "source": "a *paper*",
    "columns": [
        {"title": "Capitals", "task": "capitals", "metric": "accuracy", "factor": 100},
        {"title": "Rivers", "task": "rivers", "metric": "accuracy", "factor": 100},
    ],
    "models": [["Atlas-1", 91.5, None], ["<Globe>", 80, 70.25]],
}


def publish(project: Project, *, data: bytes | None = None, prompt: bytes | None = None) -> None:
    """Say that a data file and a prompt are the published ones: the project's own, if no other are given."""
    data = project.data.read_bytes() if data is None else data
    prompt = project.prompt.read_bytes() if prompt is None else prompt
    blob = hashlib.sha1(b"blob %d\0" % len(prompt) + prompt, usedforsecurity=False).hexdigest()
    folder = project.module.parent
    (folder / "published.json").write_text(json.dumps(PUBLISHED))
    (folder / "official.yaml").write_text(CATALOGUE.format(data=hashlib.sha256(data).hexdigest(), prompt=blob))


def found(project: Project) -> dict[str, Any]:
    (entry,) = project.report["published"]
    return dict(entry)


def test_official_data_and_prompts_compare(project: Project) -> None:
    publish(project)
    project.server.script = "[Paris]"
    assert project.record().ret == 0
    (own,) = found(project)["own"]
    value = project.report["tasks"][0]["metrics"]["accuracy"]["official"]["value"]
    assert own == {"model": "gpt-4o-mini", "values": [pytest.approx(100 * value), None], "differs": []}
    text = (project.folders[-1] / "report.md").read_text()
    assert "## Published results\n\ngeo: a \\*paper\\*\n" in text
    assert "| Atlas-1 | 91.50 | – |" in text
    assert "| &lt;Globe> | 80.00 | 70.25 |" in text
    assert f"| **this run, official:** gpt-4o-mini | {100 * value:.2f} | – |" in text
    assert "The figures of gpt-4o-mini compare: official data and prompts, prescribed judges, all samples." in text


def test_what_keeps_figures_from_being_compared_is_said(project: Project) -> None:
    publish(project, data=b"other", prompt=b"other")
    assert project.record("--limit", "2").ret == 0
    (own,) = found(project)["own"]
    assert own["differs"] == [
        "other data than the official ones (capitals)",
        "other prompts than the official ones (capitals)",
        f"not all samples (capitals: 2 of {len(project.data.read_text().splitlines())})",
    ]
    text = (project.folders[-1] / "report.md").read_text()
    assert "gpt-4o-mini do not compare with the published ones: other data than the official ones (capitals); " in text
    before = found(project)
    assert project.command("report", str(project.folders[-1])) == 0
    assert found(project) == before


def test_where_nothing_is_known_of_the_published_files_that_is_said(project: Project) -> None:
    publish(project)
    (project.module.parent / "official.yaml").unlink()
    project.record()
    assert found(project)["own"][0]["differs"] == [
        "whether the data are the official ones is not known (capitals)",
        "whether the prompts are the official ones is not known (capitals)",
    ]


def test_without_published_results_nothing_is_said(project: Project) -> None:
    project.record()
    assert project.report["published"] == []
    assert "Published results" not in (project.folders[-1] / "report.md").read_text()


def test_another_judge_is_said(judged: Project) -> None:
    publish(judged)
    judged.record()
    prescribed = [one for one in found(judged)["own"][0]["differs"] if "judges" in one]
    judged.run("--record-mode", "new_episodes", "--role", "judge=gpt-4.1")
    other = [one for one in found(judged)["own"][0]["differs"] if "judges" in one]
    assert (prescribed, other) == ([], ["other judges than the prescribed ones (capitals)"])


def test_each_judged_task_says_who_was_prescribed_and_who_judged(judged: Project, browser: Browser) -> None:
    publish(judged)
    told = judged.record().stdout.str()
    (task,) = judged.report["tasks"]
    role = task["judging"]["judge"]
    assert (role["model"], role["prescribed"], role["as_prescribed"]) == ("o4-mini", "o4-mini", True)
    # The judge's prompt is none of the published ones.
    assert task["published"] == {"compares": False, "differs": ["other prompts than the official ones"]}
    line = "judge: o4-mini, as prescribed, in geo/capitals; figures do not compare with published ones"
    assert line in told

    told = judged.run("--record-mode", "new_episodes", "--role", "judge=gpt-4.1").stdout.str()
    (task,) = judged.report["tasks"]
    role = task["judging"]["judge"]
    assert (role["model"], role["prescribed"], role["as_prescribed"]) == ("gpt-4.1", "o4-mini", False)
    assert "other judges than the prescribed ones" in task["published"]["differs"]
    line = "judge: gpt-4.1 instead of o4-mini, who is prescribed, in geo/capitals; figures do not compare with"
    assert line in told
    folder = judged.folders[-1]
    assert "| judge | gpt-4.1 | o4-mini | do not compare | 10 |" in (folder / "report.md").read_text()
    with report_page(browser, folder / "report.html") as page:
        text = page.open("#/task/geo%2Fcapitals").page.inner_text("main")
        assert page.said == []
    assert "do not compare: other prompts than the official ones; other judges than the prescribed ones" in text

    before = judged.report
    assert judged.command("report", str(folder)) == 0
    assert judged.report["tasks"] == before["tasks"]


def test_where_nothing_is_published_nothing_is_said_of_it(judged: Project) -> None:
    told = judged.record().stdout.str()
    assert "published" not in judged.report["tasks"][0]
    assert "judge: o4-mini, as prescribed, in geo/capitals\n" in told


def test_the_page_shows_them_too(project: Project, browser: Browser) -> None:
    publish(project)
    project.record("--limit", "1")
    with report_page(browser, project.folders[-1] / "report.html") as page:
        text = page.open().page.locator('section[aria-labelledby="published"]').inner_text()
        assert page.said == []
    assert "Atlas-1" in text
    assert "<Globe>" in text
    assert "does not compare with the published figures: not all samples" in text


@pytest.mark.parametrize("benchmark", ["tsg", "sgi", "mixeval_x"])
def test_the_shipped_tables_are_whole(benchmark: str) -> None:
    told = json.loads((ROOT / f"benchmarks/{benchmark}/published.json").read_bytes())
    assert all(len(row) == 1 + len(told["columns"]) for row in told["models"])
    for column in told["columns"]:
        assert "composite" in column or (ROOT / f"data/{benchmark}/{column['task']}.jsonl").exists()
