"""A case's page: the answer first, what judges were asked and said, long prompts folded to their end."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from capitals import Project
from judged_project import judged
from playwright.sync_api import Browser
from report_page import ReportPage, report_page

from proctor._base.json_values import Shared
from proctor.report.build import reported
from proctor.results.row import read_results

__all__ = ["judged"]
WIDE = {"width": 1440, "height": 900}


@pytest.fixture
def long_prompt(project: Project, browser: Browser) -> Iterator[ReportPage]:
    """A run with a prompt of some 9,000 characters."""
    project.prompt.write_text("First words. " + "Read this with care.\n" * 400 + "What is the capital of {country}?\n")
    assert project.run(model="oracle").ret == 0
    with report_page(browser, project.folders[-1] / "report.html", viewport=WIDE) as shown:
        yield shown


def bottom(shown: ReportPage, selector: str) -> float:
    box = shown.page.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


def test_verdict_response_and_target_are_on_the_first_screen(long_prompt: ReportPage) -> None:
    long_prompt.case("geo/capitals", "France", "oracle")
    for selector in ("article.chosen .verdict", "article.chosen .text", "section[aria-label=Question] .text"):
        assert bottom(long_prompt, selector) < 900
    assert long_prompt.page.locator("section[aria-label=Question] .text").first.inner_text() == "Paris"


def test_a_long_prompt_is_folded_to_its_end_and_the_choice_remembered(long_prompt: ReportPage) -> None:
    long_prompt.case("geo/capitals", "France", "oracle")
    prompt = long_prompt.page.locator(".foldable .text")
    assert prompt.inner_text().rstrip().endswith("What is the capital of France?")
    assert "First words" not in prompt.inner_text()
    long_prompt.page.get_by_role("button", name="Show whole prompts").press("Enter")
    assert long_prompt.focused() == "Fold prompts to their end"
    assert prompt.inner_text().startswith("First words.")
    long_prompt.case("geo/capitals", "Japan", "oracle")  # opened afresh
    assert prompt.inner_text().startswith("First words.")


def test_each_question_to_a_judge_is_shown_with_its_reply(judged: Project, browser: Browser) -> None:
    assert judged.record().ret == 0
    calls = judged.rows["France"]["calls"]
    votes = [call for call in calls if call["role"].startswith("judge/")]
    assert [call["reply"] for call in votes] == ["yes", "yes"]
    assert all("France" in call["prompt"] for call in votes)
    assert all("reply" not in call for call in calls if call["role"] == "answer")
    with report_page(browser, judged.folders[-1] / "report.html") as shown:
        shown.case("geo/capitals", "France", "gpt-4o-mini")
        said = shown.answer("gpt-4o-mini").locator(".call")
        assert said.count() == 2
        for place in range(2):
            text = said.nth(place).inner_text()
            assert "o4-mini" in text.splitlines()[0]
            assert [block.strip() for block in said.nth(place).locator(".text").all_inner_texts()] == [
                "yes",
                votes[place]["prompt"].strip(),
            ]


def test_votes_are_a_table_and_outputs_of_programs_are_compared(project: Project, browser: Browser) -> None:
    assert project.run("-k", "France", model="oracle").ret == 0
    rows = project.folders[-1] / "results.jsonl"
    row = json.loads(rows.read_text())
    row["target"] = ["a\nb\nc\n", "same\n"]
    row["evidence"] = {
        "votes": {
            "judge_1": {"novelty": {"winner": "A <b>", "reason": "new"}, "detail": {"winner": "B", "reason": "more"}},
            "judge_2": {"novelty": {"winner": "B", "reason": "old"}, "detail": {"winner": "B", "reason": "far more"}},
        },
        "tests": [
            {"stdout": "a\nx\nc\nd\n", "stderr": "boom", "judgment": "incorrect", "reason": "second line"},
            {"stdout": "same\n", "stderr": "", "judgment": "correct"},
        ],
    }
    rows.write_text(json.dumps(row) + "\n")
    assert project.command("report", str(project.folders[-1])) == 0
    with report_page(browser, project.folders[-1] / "report.html") as shown:
        shown.case("geo/capitals", "France", "oracle")
        votes = shown.page.locator("table.votes tbody tr")
        assert [cell.strip() for cell in votes.nth(0).inner_text().split("\t")] == ["judge 1", "A <b>\nnew", "B\nmore"]
        assert votes.count() == 2
        first, second = (shown.page.locator(".program-test").nth(place) for place in range(2))
        assert first.locator("tbody tr").all_inner_texts() == ["a\ta", "− b\t+ x", "c\tc", "\t+ d"]
        assert "judgment incorrect; reason second line" in first.inner_text()
        assert "boom" in first.inner_text()
        assert second.locator("ins, del").count() == 0


def test_rows_say_what_judges_said_only_there(judged: Project) -> None:
    """A report in memory has no judges' texts: they would be most of it."""
    assert judged.record().ret == 0
    (row, *_) = read_results(judged.folders[-1] / "results.jsonl")
    assert any("reply" in call for call in row["calls"])
    assert "calls" not in reported(row, Shared())
