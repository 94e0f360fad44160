"""report.html says what a gate decided, which cases it did not need, and which value is the better one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from benchmark_module import COUNTING_ERRORS
from capitals import Project
from playwright.sync_api import Browser
from report_page import ReportPage, report_page


@pytest.fixture
def errors(project: Project) -> Project:
    """A project that counts errors, of which fewer are better, with a run that has none."""
    project.benchmark(**COUNTING_ERRORS)
    project.write_rows([{"country": f"Land{number:03}", "capital": "Paris"} for number in range(120)])
    assert project.run(model="oracle").ret == 0
    return project


@pytest.fixture
def shown(browser: Browser, errors: Project) -> Iterator[ReportPage]:
    baseline = str(errors.folders[0])
    assert errors.run("--stop-when-decided", "--baseline", baseline, model="chance").ret == 10
    with report_page(browser, errors.folders[-1] / "report.html") as page:
        yield page


def test_it_says_what_was_decided_and_what_was_not_needed(shown: ReportPage, errors: Project) -> None:
    found = errors.report["gate"]["decision"]
    shown.open()
    told = shown.page.locator("section[aria-labelledby=gate]").inner_text()
    assert "The gate does not hold." in told
    assert f"worse, by the first {found['counted']} of 120 cases" in told
    assert f"{120 - found['counted']} were not needed; none was asked but those in flight by then" in told
    assert f"{found['counted']} worse, 0 better" in told
    assert f"{120 - found['counted']} not needed" in shown.page.locator("table.scores").inner_text()
    sample = next(name for name, row in errors.rows.items() if row["status"] == "not_needed")
    shown.case("geo/capitals", sample, "chance")
    assert "was not asked" in shown.page.locator("main").inner_text()
    assert shown.said == []


def test_the_model_with_fewer_errors_is_the_best(browser: Browser, errors: Project) -> None:
    assert errors.run("--model", "oracle", "--limit", "30", model="chance").ret == 0
    with report_page(browser, errors.folders[-1] / "report.html") as page:
        page.open()
        (line,) = page.page.locator("table.leaders tbody tr").all_inner_texts()
        cells = [cell.strip() for cell in line.split("\t")]
        assert (cells[2], cells[5]) == ("oracle", "chance")
        assert page.page.locator("table.leaders caption").inner_text() == "lower is better, 1 is the worst"
        assert any("▲ better" in cell for cell in cells)
