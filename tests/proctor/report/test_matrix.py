"""Samples by models; the command of a case; what the address and the title of a page say."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest
from capitals import Project
from playwright.sync_api import Browser
from report_page import ReportPage, report_page

SCORES = {"a": (1.0, 1.0), "b": (0.25, 1.0), "c": (0.5, 0.0), "it's": (1.0, 0.0)}
TEST_MODULE = """
from proctor import Placeholders, Sample, Score, Task

def samples_of(row):
    yield Sample(row.text("id"), dict(row.data), "yes")

def score(sample, response):
    return Score(response, {"mark": 1.0}, {"mark": float(response)})

TASK = Task(
    name="geo/marks", samples_of=samples_of, prompts={"marks": Placeholders("id")}, score=score, metrics={"mark": 0.0},
    converse=lambda sample, ask: ask("marks", id=sample.id),
    builtin={name: lambda sample, _, name=name: sample.fields[name] for name in ("oracle", "chance")},
)

class TestMarks:
    @TASK.cases
    def test_marks(self, case):
        case.measure()
"""


@pytest.fixture
def marks(project: Project) -> Project:
    """A run of two models with known scores, one test of which is in a class."""
    project.module.unlink()
    (project.path / "benchmarks/geo/test_marks.py").write_text(TEST_MODULE)
    (project.path / "prompts/geo/marks.txt").write_text("{id}?")
    (project.path / "data/geo/marks.jsonl").write_text(
        "".join(f'{{"id": "{name}", "oracle": "{o}", "chance": "{c}"}}\n' for name, (o, c) in SCORES.items())
    )
    assert project.run("--model", "oracle", "--model", "chance", model=None).ret == 0
    return project


@pytest.fixture
def shown(marks: Project, browser: Browser) -> Iterator[ReportPage]:
    with report_page(browser, marks.folders[-1] / "report.html") as page:
        yield page


def lines(shown: ReportPage) -> list[list[str]]:
    return [
        [cell.strip() for cell in row.split("\t")] for row in shown.page.locator(".matrix tbody tr").all_inner_texts()
    ]


def test_samples_are_sorted_by_how_far_models_are_apart(shown: ReportPage) -> None:
    shown.open().page.get_by_role("link", name="Matrix").click()
    shown.page.locator(".matrix").wait_for()
    assert [row[0] for row in lines(shown)] == ["a", "b", "c", "it's"]
    shown.page.get_by_role("link", name="Disagreement").click()
    shown.page.locator("th[aria-sort=descending]").wait_for()
    # |1 - 0|, |0.25 - 1|, |0.5 - 0|, |1 - 1|
    assert [row[:2] for row in lines(shown)] == [["it's", "1.00"], ["b", "0.75"], ["c", "0.50"], ["a", "0.00"]]
    assert lines(shown)[1][2:] == ["◐ 0.2500\npartial", "✓ 1.0000\ncorrect"]
    address = shown.page.evaluate("location.hash")
    shown.open(address)
    assert lines(shown)[0][0] == "it's"
    shown.page.get_by_role("link", name="0.2500").click()
    shown.page.locator("article.chosen[data-model=oracle]").wait_for()


def test_the_command_of_a_case_runs_it_alone(marks: Project, shown: ReportPage) -> None:
    shown.case("geo/marks", "it's", "chance")
    command = shown.page.locator(".command code").inner_text()
    program, *words = shlex.split(command)
    assert (program, words[0]) == ("pytest", "benchmarks/geo/test_marks.py::TestMarks::test_marks[chance-it's]")
    assert marks.run(*words, model=None).parseoutcomes() == {"incorrect": 1}
    shown.page.get_by_role("button", name="Copy").click()
    shown.page.get_by_text("Copied").wait_for()


def test_the_address_says_which_scores_are_shown_and_the_title_which_run(marks: Project, shown: ReportPage) -> None:
    shown.open("#/cases?verdict=partial")
    shown.page.get_by_role("radio", name="official").check()
    assert shown.page.evaluate("location.hash") == "#/cases?verdict=partial&scores=official"
    shown.page.get_by_role("link", name="geo/marks", exact=True).first.click()
    shown.page.locator("section[aria-label=Metrics]").wait_for()
    address = shown.page.evaluate("location.hash")
    assert address == "#/task/geo%2Fmarks?scores=official"
    shown.open(address)
    assert shown.page.get_by_role("radio", name="official").is_checked()
    assert marks.folders[-1].name in shown.page.title()


def test_narrow_screens_show_the_verdict(marks: Project, browser: Browser) -> None:
    with report_page(browser, marks.folders[-1] / "report.html", viewport={"width": 390, "height": 800}) as shown:
        shown.list()
        box = shown.page.locator("tr.case .verdict").first.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] < 390
        shown.case("geo/marks", "b", "oracle")
        assert not shown.too_wide()
