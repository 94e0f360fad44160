"""``proctor compare --html``, and what the page of a judged run says of cases that flipped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from capitals import Project, answers
from playwright.sync_api import Browser, Locator
from report_page import ReportPage, report_page
from stub_server import Request

# Japan gets worse and Peru better; Kenya says the same in other words; France and Cuba answer as before.
THEN = {"Japan": "I am sure: [Tokyo].", "Peru": "It is [Bogota] <b>now</b>", "Kenya": "[Nairobi]"}
NOW = {"Japan": "I am sure: [Kyoto].", "Peru": "It is [Lima] <b>now</b>", "Kenya": "Surely [Nairobi]"}


def parts(texts: Locator) -> list[str]:
    return texts.all_inner_texts()


@pytest.fixture
def runs(project: Project) -> tuple[str, str]:
    """The names of two runs, of which the second had another prompt."""
    said = THEN

    def answer(request: Request) -> str:
        return next((text for country, text in said.items() if country in request.question), answers(request))

    project.server.script = answer
    assert project.record().ret == 0
    said = NOW
    project.prompt.write_text("What is the largest city of {country}?\n")
    first = project.folders[0].name
    assert project.run("--record-mode", "all", "--baseline", first).ret in (0, 10)
    return first, next(folder.name for folder in project.folders if folder.name != first)


@pytest.fixture
def compared(browser: Browser, project: Project, runs: tuple[str, str]) -> Iterator[ReportPage]:
    assert project.command("compare", *runs, "--html") == 0
    with report_page(browser, project.path / f"reports/compare-{'-'.join(runs)}.html") as page:
        yield page.open()


def test_flipped_cases_stand_first_with_both_answers_and_what_is_another_in_them(compared: ReportPage) -> None:
    page = compared.page
    assert parts(page.locator("main summary h3")) == [
        "Worse in b: 1",
        "Better in b: 1",
        "Another answer, the same score: 1",
    ]
    (worse,) = page.locator('[data-kind="worse"] article').all()
    assert worse.get_attribute("data-sample") == "Japan"
    # The prompt first: one word of it is another.
    texts = worse.locator(".text")
    assert parts(texts) == [
        "What is the capital of Japan?\n",
        "What is the largest city of Japan?\n",
        "I am sure: [Tokyo].",
        "I am sure: [Kyoto].",
    ]
    assert parts(worse.locator("del")) == ["capital", "Tokyo"]
    assert parts(worse.locator("ins")) == ["largest city", "Kyoto"]
    assert [" ".join(line.split()) for line in parts(worse.locator(".side p"))] == [
        "✓ correct 1.0000, read as Tokyo",
        "✕ incorrect 0.0000, read as Kyoto",
    ]
    assert "Gold answer Tokyo" in worse.inner_text()
    (better,) = page.locator('[data-kind="better"] article').all()
    assert better.get_attribute("data-sample") == "Peru"
    assert "It is [Lima] <b>now</b>" in better.inner_text()
    (changed,) = page.locator('[data-kind="changed"]').all()
    assert changed.locator("article").count() == 0
    changed.locator("summary").first.focus()
    page.keyboard.press("Enter")
    changed.locator("article").wait_for()
    assert parts(changed.locator("ins")) == ["largest city", "Surely "]
    # Four of five before, four of five now.
    (line, *_) = [cells.split("\t") for cells in parts(page.locator("table.differences tbody tr")) if "strict" in cells]
    assert [cell.strip() for cell in line][4:7] == ["0.8000", "0.8000", "+0.0000"]


def test_a_page_of_two_models_of_one_run(
    browser: Browser, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.run("--model", "chance", model="oracle").ret == 0
    capsys.readouterr()
    assert project.command("compare", project.folders[0].name, "--html", "here.html", "--json") == 0
    told = capsys.readouterr()
    assert told.out.startswith("{")
    assert "here.html" in told.err
    with report_page(browser, project.path / "here.html") as page:
        page.open()
        # The models stand in the order in which they were asked for: the oracle knows what chance does not.
        article = page.page.locator("article", has_text="Japan")
        assert parts(article.locator("h5")) == ["a: chance", "b: oracle"]
        assert [" ".join(told.split()).partition(",")[0] for told in parts(article.locator(".side p"))] == [
            "✕ incorrect 0.0000",
            "✓ correct 1.0000",
        ]
    assert project.command("compare", project.folders[0].name, "--html", "no/such/folder.html") == 4


def test_the_page_of_a_judged_run_has_the_former_answers_of_what_flipped(
    browser: Browser, project: Project, runs: tuple[str, str]
) -> None:
    def check(page: ReportPage) -> None:
        gate = page.page.locator("section[aria-labelledby=gate]")
        worse, better = (
            gate.locator(".flips details", has_text=f"{word} than before: 1") for word in ("Worse", "Better")
        )
        worse.locator("summary").click()
        article = worse.locator("article")
        article.wait_for()
        assert parts(article.locator(".text")) == [
            "What is the capital of Japan?\n",
            "What is the largest city of Japan?\n",
            "I am sure: [Tokyo].",
            "I am sure: [Kyoto].",
        ]
        assert parts(article.locator("ins")) == ["largest city", "Kyoto"]
        better.locator("summary").click()
        better.locator("article").wait_for()
        assert parts(better.locator("article del"))[-1] == "Bogota"

    with report_page(browser, project.path / "reports" / runs[1] / "report.html") as page:
        check(page.open())
    # A report that is made anew finds the baseline beside the run.
    assert project.command("report", runs[1]) == 0
    with report_page(browser, project.path / "reports" / runs[1] / "report.html") as page:
        check(page.open())
