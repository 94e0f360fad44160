"""In all reports nothing measured is never a zero, and numbers on different scales share no column."""

from __future__ import annotations

import pytest
from benchmark_module import scoring
from capitals import Project
from playwright.sync_api import Browser
from report_page import report_page

OFFICIAL = '{"points": 40.0, "slips": 2.5, "accuracy": value}'


@pytest.fixture
def fails(project: Project) -> Project:
    """A project in which a model called chance is never measured, and oracle but for one case."""
    fails = 'if "France" in str(sample.fields) or response != f"[{sample.target}]":'
    project.benchmark(scoring=scoring(before=f'{fails}\n    raise ValueError("no <b>luck</b>")\n'))
    assert project.run("--model", "oracle", model="chance").ret == 1
    return project


def test_what_was_not_measured_stands_before_any_score(fails: Project, browser: Browser) -> None:
    chance, oracle = sorted(fails.report["tasks"], key=lambda task: str(task["model"]))
    assert chance["not_measured"]["cases"] == chance["expected"] == 5
    assert oracle["not_measured"] == {
        "cases": 1,
        "because": [{"status": "error", "told": "ValueError: no <b>luck</b>", "cases": 1}],
    }
    for family in ("strict", "official"):
        assert chance["metrics"]["accuracy"][family]["value"] is None
    assert oracle["metrics"]["accuracy"]["strict"]["value"] == 0.8  # the one that failed counts with the worst value
    assert oracle["metrics"]["accuracy"]["official"]["value"] == 1.0

    told = "5 of 5 not measured, because ValueError: no"
    text = (fails.folders[-1] / "report.md").read_text()
    assert text.index(told) < text.index("| task | model | metric |")
    assert "| geo/capitals | chance | accuracy | – (n = 0) | – (n = 0) |" in text

    with report_page(browser, fails.folders[-1] / "report.html") as shown:
        main = shown.open().page.locator("main").inner_text()
        assert told in main
        assert main.index("1 of 5 not measured") < main.index("0.8000")
        assert shown.page.locator('tr[data-model="chance"] td.strict').inner_text() == "–"
        (line,) = shown.page.locator("table.leaders tbody tr").all_inner_texts()
        assert "chance" not in line
        assert "no other model was measured" in line
        shown.page.get_by_role("link", name="5 of 5 not measured").click()
        shown.page.locator("#found").wait_for()
        assert shown.found() == 5
        assert "0.0000" not in shown.page.locator("table.cases").inner_text()


def test_scores_on_different_scales_share_no_column(
    project: Project, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    project.benchmark(
        scoring=scoring(OFFICIAL, OFFICIAL),
        metrics='{"points": 0.0, "slips": 9.0, "accuracy": 0.0}',
        best='{"points": 100.0, "slips": 0.0}',
    )
    result = project.run(model="oracle")
    said = [line.rstrip() for line in result.outlines]
    start = said.index("0 to 100, higher is better:")
    points, slips, accuracy = said[start + 2], said[start + 5], said[start + 8]
    assert points.split()[3:5] == ["points", "40.00"]
    assert said[start + 3] == "lower is better, 9 is the worst:"
    assert slips.split()[3:5] == ["slips", "2.5000"]
    assert said[start + 6] == "0 to 1, higher is better:"
    assert accuracy.split()[3:5] == ["accuracy", "1.0000"]
    text = (project.folders[-1] / "report.md").read_text()
    heads = ["0 to 100, higher is better:", "Lower is better, 9 is the worst:", "0 to 1, higher is better:"]
    places = [text.index(f"\n{head}\n") for head in heads]
    assert places == sorted(places)
    with report_page(browser, project.folders[-1] / "report.html") as shown:
        shown.open("#/task/geo%2Fcapitals")
        captions = shown.page.locator("section[aria-label=Metrics] caption").all_inner_texts()
    assert captions == [
        f"{family}, {head[0].lower()}{head[1:-1]}" for family in ("strict", "official") for head in heads
    ]
