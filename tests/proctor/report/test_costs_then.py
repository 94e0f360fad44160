"""What replayed answers cost is said as what they cost then: on the terminal, in rows, report.json, .md and .html."""

from __future__ import annotations

import pytest
from capitals import Project
from playwright.sync_api import Browser, expect
from report_page import report_page

PRICED = """
models:
  paid: {provider: openai, api_id: paid, price: {input: 100, output: 2000}, prices: none, key_env: OPENAI_API_KEY}
"""
# an answer: 100 tokens in at $100, 5 tokens out at $2,000 a million: $0.01 + $0.01


@pytest.fixture
def paid(project: Project) -> Project:
    (project.path / "models.yaml").write_text(PRICED)
    return project


def cost_of(project: Project) -> tuple[float, float]:
    task = project.report["tasks"][0]
    return round(task["cost_usd"], 6), round(task["spent_usd"], 6)


def test_a_replay_spends_nothing(paid: Project, browser: Browser) -> None:
    result = paid.run("--record-mode", "once", "-k", "France or Japan", model="paid")
    assert "then" not in str(result.stdout).partition("scores")[2]
    assert cost_of(paid) == (0.04, 0.04)
    result = paid.run("--record-mode", "once", model="paid")
    assert "$0.0600 + $0.0400 then" in str(result.stdout)
    assert cost_of(paid) == (0.1, 0.06)
    assert sorted(row["spent_usd"] for row in paid.rows.values()) == [0, 0, 0.02, 0.02, 0.02]
    result = paid.run(model="paid")
    result.stdout.fnmatch_lines(["geo/capitals * $0.1000 then", "then: what replayed answers cost*"])
    assert cost_of(paid) == (0.1, 0)
    said = (paid.folders[-1] / "report.md").read_text()
    assert "| $0.1000 then |" in said
    assert "this run paid nothing for them" in said
    with report_page(browser, paid.folders[-1] / "report.html") as shown:
        shown.page.goto(shown.file.as_uri())
        expect(shown.page.locator("table.leaders td").last).to_have_text("$0.1000 then")
    with report_page(browser, paid.path / "reports" / "index.html") as shown:
        shown.page.goto(shown.file.as_uri())
        costs = shown.page.locator("table.runs tbody tr td:nth-last-child(2)").all_inner_texts()
        assert costs == ["$0.1000 then", "$0.0600 + $0.0400 then", "$0.0400"]
