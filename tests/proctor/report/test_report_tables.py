"""What a task says of itself in tables, and metrics that only some of its cases are measured by, in every report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from capitals import Project
from playwright.sync_api import Browser
from report_page import ReportPage, report_page

MODULE = """
from proctor import Placeholders, Sample, Score, Table, Task

def samples_of(row):
    metrics = ("overall", row.text("kind"))
    yield Sample(row.text("id"), dict(row.data), "yes", metrics=metrics, tags={"kind": row.text("kind")})

def converse(sample, ask):
    return ask("exam", id=sample.id)

def score(sample, response):
    if response == "boom":
        raise ValueError("no such grade")
    grade = float(response)
    scores = {"overall": grade, sample.fields["kind"]: grade}
    return Score(response, scores, scores)

def tables(rows):
    def line(model, cases):
        return [model, len(cases), sum(row["scores"]["strict"]["overall"] for row in cases)]

    kinds = sorted({row["fields"]["kind"] for cases in rows.values() for row in cases})
    lines = [line(model, cases) for model, cases in rows.items()]
    odd = [["third", 1 / 3], ["one", 1.0], ["none", None], ["endless", float("inf")], ["count", 1000]]
    return [
        Table("Cases <b>and</b> | sums", ["model", "cases", "sum"], lines, note=f"<i>{' '.join(kinds)}</i>"),
        Table("Odd", ["what", "value"], odd),
    ]

TASK = Task(
    name="geo/exam",
    samples_of=samples_of,
    prompts={"exam": Placeholders("id")},
    converse=converse,
    score=score,
    metrics={"overall": WORST, "oral": WORST, "written": WORST},
    best={"overall": BEST, "oral": BEST, "written": BEST},
    builtin={
        "oracle": lambda sample, generator: sample.fields["oracle"],
        "chance": lambda sample, generator: sample.fields["chance"],
    },
    tables=tables,
)

@TASK.cases
def test_exam(case):
    case.measure()
"""
BOTH = ("--model", "oracle", "--model", "chance")
GRADES: Mapping[str, Mapping[str, str]] = {
    "o1": {"kind": "oral", "oracle": "1.0", "chance": "0.3"},
    "o2": {"kind": "oral", "oracle": "0.9", "chance": "0.6"},
    "o3": {"kind": "oral", "oracle": "0.7", "chance": "0.7"},
    "w1": {"kind": "written", "oracle": "1.0", "chance": "0.0"},
    "w2": {"kind": "written", "oracle": "0.0", "chance": "1.0"},
}


class Exam:
    """A project whose samples are marked in one of two ways, and as a whole."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.module = project.path / "benchmarks/geo/test_exam.py"
        self.data = project.path / "data/geo/exam.jsonl"
        project.module.unlink()
        (project.path / "prompts/geo/exam.txt").write_text("{id}?")
        self.write(GRADES)

    def write(self, grades: Mapping[str, Mapping[str, str]], worst: float = 0, best: float = 1) -> None:
        """Write the task and its data."""
        self.module.write_text(MODULE.replace("WORST", str(worst)).replace("BEST", str(best)))
        self.data.write_text("".join(json.dumps({"id": name, **row}) + "\n" for name, row in grades.items()))

    def run(self, *args: str, ret: int = 0) -> dict[str, Any]:
        """Ask both built-in models; report.json."""
        assert self.project.run(*BOTH, *args, model=None).ret == ret
        return self.project.report

    @property
    def folder(self) -> Path:
        """The newest run."""
        return self.project.folders[-1]


@pytest.fixture
def exam(project: Project) -> Exam:
    return Exam(project)


@pytest.fixture
def shown(browser: Browser, exam: Exam) -> Iterator[ReportPage]:
    """The page of a run of both models."""
    exam.run()
    with report_page(browser, exam.folder / "report.html") as page:
        yield page


# ---- tables of a task's own


def test_tables_are_in_every_report(exam: Exam, shown: ReportPage) -> None:
    first, odd = exam.project.report["tables"]
    # 1.0 + 0.9 + 0.7 + 1.0 + 0.0 and 0.3 + 0.6 + 0.7 + 0.0 + 1.0
    assert first["rows"] == [["oracle", 5, pytest.approx(3.6)], ["chance", 5, pytest.approx(2.6)]]
    assert (first["benchmark"], first["task"], first["columns"]) == ("geo", "exam", ["model", "cases", "sum"])
    assert odd["rows"] == [["third", 1 / 3], ["one", 1.0], ["none", None], ["endless", None], ["count", 1000]]

    text = (exam.folder / "report.md").read_text()
    section = text.partition("## geo/exam, all models")[2].partition("## geo/exam, oracle")[0]
    assert "**Cases &lt;b>and&lt;/b> \\| sums**\n\n| model | cases | sum |\n" in section
    assert "| oracle | 5 | 3.6000 |\n| chance | 5 | 2.6000 |" in section
    assert "&lt;i>oral written&lt;/i>" in section
    assert "| third | 0.3333 |\n| one | 1.0000 |\n| none | – |\n| endless | – |\n| count | 1000 |" in section

    shown.open("#/task/geo%2Fexam")
    details = shown.page.locator("section[aria-label=Details]")
    assert details.locator("caption").all_inner_texts() == ["Cases <b>and</b> | sums", "Odd"]
    lines = [line.split("\t") for line in details.locator("tbody").nth(0).inner_text().splitlines()]
    assert lines == [["oracle", "5", "3.6000"], ["chance", "5", "2.6000"]]
    lines = [line.split("\t") for line in details.locator("tbody").nth(1).inner_text().splitlines()]
    assert lines == [["third", "0.3333"], ["one", "1.0000"], ["none", "–"], ["endless", "–"], ["count", "1000"]]
    assert "<i>oral written</i>" in details.inner_text()
    assert details.locator("b, i").count() == 0
    assert details.locator("thead").nth(0).locator("th.number").all_inner_texts() == ["cases", "sum"]


def test_a_report_made_anew_has_them_too(exam: Exam) -> None:
    before = exam.run()["tables"]
    folder = exam.folder
    # The scorer is another one today, and the report is about what was measured.
    exam.module.write_text(exam.module.read_text().replace("float(response)", "0.5"))
    assert exam.project.command("report", str(folder)) == 0
    assert json.loads((folder / "report.json").read_text())["tables"] == before
    # Today's scores are what a run that is scored again is about: five times 0.5.
    assert exam.project.command("rescore", str(folder), "--write") == 1
    assert [row[2] for row in exam.project.report["tables"][0]["rows"]] == [2.5, 2.5]
    # Without the data that it was made with, a report keeps what it has.
    exam.data.write_text(exam.data.read_text() + "\n")
    assert exam.project.command("report", str(folder)) == 0
    assert json.loads((folder / "report.json").read_text())["tables"] == before


def test_shards_have_the_tables_of_all_their_cases_once_merged(exam: Exam) -> None:
    folders = []
    for shard in ("1/2", "2/2"):
        assert len(exam.run("--shard", shard)["tables"]) == 2
        folders.append(str(exam.folder))
    assert exam.project.command("report", *folders) == 0
    assert exam.project.report["tables"][0]["rows"][0] == ["oracle", 5, pytest.approx(3.6)]


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        ("    return 1 / 0", "ZeroDivisionError: division by zero"),
        ('    return [Table("T", ["a", "b"], [["one"]])]', "ValueError: table 'T' has 2 columns, and a row of 1 cells"),
        ('    return [Table("T", ["a"], [[rows]])]', "TypeError: a cell must be a text, a number or None, not {'"),
    ],
)
def test_a_mistake_in_them_costs_nothing_else(exam: Exam, browser: Browser, mistake: str, said: str) -> None:
    exam.module.write_text(exam.module.read_text().replace("def tables(rows):\n", f"def tables(rows):\n{mistake}\n"))
    result = exam.project.run(*BOTH, model=None)
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"geo/exam: tables could not be made: {said.replace('[', '[[]')}*"])
    (entry,) = exam.project.report["tables"]
    assert entry["note"].startswith(f"The tables could not be made: {said}")
    assert f"The tables could not be made: {said}" in (exam.folder / "report.md").read_text()
    assert exam.project.report["tasks"][0]["metrics"]["overall"]["strict"]["value"] == pytest.approx(0.72)
    with report_page(browser, exam.folder / "report.html") as shown:
        shown.open("#/task/geo%2Fexam")
        assert said in shown.page.locator("section[aria-label=Details]").inner_text()


# ---- metrics of some cases


def test_a_metric_is_over_the_cases_that_it_measures(exam: Exam, shown: ReportPage) -> None:
    mine, other = (task["metrics"] for task in exam.project.report["tasks"])
    # oral: (1.0 + 0.9 + 0.7) / 3; written: (1 + 0) / 2; over all: 3.6 / 5
    for family in ("strict", "official"):
        found = {name: (mine[name][family]["value"], mine[name][family]["n"]) for name in mine}
        assert found == {"overall": (pytest.approx(0.72), 5), "oral": (pytest.approx(2.6 / 3), 3), "written": (0.5, 2)}
    assert other["oral"]["strict"]["value"] == pytest.approx(1.6 / 3)
    pairs = {c["metric"]: c for c in exam.project.report["comparisons"] if c["family"] == "strict"}
    # chance less oracle: overall (2.6 - 3.6) / 5, oral (1.6 - 2.6) / 3, written 0; of the oral ones the third is even
    assert {name: (c["n"], c["clusters"]) for name, c in pairs.items()} == {
        "overall": (5, 5),
        "oral": (3, 3),
        "written": (2, 2),
    }
    assert [pairs[name]["difference"] for name in ("overall", "oral", "written")] == pytest.approx([-0.2, -1 / 3, 0])
    assert (pairs["oral"]["a_better"], pairs["oral"]["b_better"]) == (2, 0)

    shown.open("#/task/geo%2Fexam")
    table = shown.page.locator("section[aria-label=Metrics] table").first
    lines = [line.split("\t") for line in table.locator("tbody").inner_text().splitlines() if "\t" in line]
    assert [line[:2] for line in lines] == [["overall", "5"], ["oral", "3"], ["written", "2"]]
    shown.case("geo/exam", "w1", "oracle")
    scores = shown.answer("oracle").locator("table.case-scores tbody").inner_text()
    assert scores.splitlines() == [
        f"{name}\t1.0000\t1.0000\t0 to 1, higher is better" for name in ("overall", "written")
    ]


def test_a_case_without_a_score_has_the_worst_of_its_own_metrics_alone(exam: Exam, browser: Browser) -> None:
    exam.write({**GRADES, "o2": {**GRADES["o2"], "oracle": "boom"}, "w2": {**GRADES["w2"], "chance": "boom"}})
    (mine, other), pairs = exam.run(ret=1)["tasks"], exam.project.report["comparisons"]
    assert exam.project.rows["o2"]["scores"]["strict"].keys() == {"overall", "oral"}
    # oracle, oral: (1.0 + 0 + 0.7) / 3; written as before. chance, written: (0 + 0) / 2.
    assert mine["metrics"]["oral"]["strict"]["value"] == pytest.approx(1.7 / 3)
    assert mine["metrics"]["oral"]["official"]["n"] == 2
    assert mine["metrics"]["written"]["strict"]["n"] == 2
    assert other["metrics"]["written"]["strict"]["value"] == 0
    compared = {(c["metric"], c["family"]): c["n"] for c in pairs}
    # Both were measured on o1, o3 and w1.
    assert compared == {
        (m, f): n for m, n in (("overall", 3), ("oral", 2), ("written", 1)) for f in ("strict", "official")
    }
    with report_page(browser, exam.folder / "report.html") as shown:
        shown.case("geo/exam", "o2", "oracle")
        assert "not measured" in shown.answer("oracle").locator("h4").inner_text()
        assert "0.0000" not in shown.answer("oracle").inner_text()


def test_a_missing_case_has_no_score_in_a_metric_that_is_not_its_own(exam: Exam, browser: Browser) -> None:
    exam.run()
    rows = exam.folder / "results.jsonl"
    kept = [line for line in rows.read_text().splitlines(keepends=True) if json.loads(line)["sample_id"] != "w1"]
    rows.write_text("".join(kept))
    assert exam.project.command("report", str(exam.folder)) == 1
    found = exam.project.report["tasks"][0]["metrics"]
    assert (found["oral"]["strict"]["n"], found["written"]["strict"]["n"]) == (3, 2)
    assert found["written"]["strict"]["value"] == 0  # 0 for the missing one, and 0.0 of w2
    with report_page(browser, exam.folder / "report.html") as shown:
        shown.case("geo/exam", "w1", "oracle")
        assert "not measured" in shown.answer("oracle").locator("h4").inner_text()
        assert "0.0000" not in shown.answer("oracle").inner_text()


def test_junit_has_the_metrics_that_a_case_is_measured_by(exam: Exam) -> None:
    exam.run("--junitxml=out.xml", "-k", "w1")
    text = (exam.project.path / "out.xml").read_text()
    assert 'name="strict.written"' in text
    assert 'name="strict.overall"' in text
    assert "oral" not in text


# ---- how scores are spread


def bars(shown: ReportPage) -> list[tuple[str, list[int]]]:
    """For each chart what it says its bars are, and how many cases each has."""
    shown.open("#/task/geo%2Fexam")
    charts = shown.page.locator("section[aria-label='How scores are spread'] svg.chart")
    told = [charts.nth(place).get_attribute("aria-label") or "" for place in range(charts.count())]
    assert [charts.nth(place).locator("rect.bar").count() for place in range(len(told))] == [
        len(label.rpartition(": ")[2].split(", ")) for label in told
    ]
    split = [label.rpartition(": ") for label in told]
    return [(head.partition("cases by ")[2], [int(size) for size in sizes.split(", ")]) for head, _, sizes in split]


def test_tenths_have_a_bar_each(shown: ReportPage) -> None:
    label = "overall, strict, by grade from 0 to 1"
    # 0.0 0.1 … 0.9 1.0: nine tenths and full marks are not the same.
    assert bars(shown) == [(label, [1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2]), (label, [1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1])]


@pytest.mark.parametrize(
    ("grades", "label", "sizes"),
    [
        (["1.0", "9.0", "10.0", "10.0", "3.0"], "by grade from 1 to 10", [1, 0, 1, 0, 0, 0, 0, 0, 1, 2]),
        (["1.0", "9.5", "10.0", "10.0", "3.0"], "by grade from 1 to 10", [1, *[0] * 3, 1, *[0] * 12, 1, 2]),
        # A grade that no grader should give is no reason to leave it out.
        (["1.0", "9.0", "12.0", "10.0", "3.0"], "by grade from 1 to 12", [1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1]),
        (["1.0", "9.3", "10.0", "10.0", "3.7"], "in tenths from 0 to 10", [0, 1, 0, 1, 0, 0, 0, 0, 0, 3]),
    ],
)
def test_other_scales_have_bars_and_verdicts_of_their_own(
    exam: Exam, browser: Browser, grades: list[str], label: str, sizes: list[int]
) -> None:
    marked = {name: {**row, "oracle": grade} for (name, row), grade in zip(GRADES.items(), grades, strict=True)}
    exam.write(marked, worst=1, best=10)
    assert exam.project.run(model="oracle").ret == 0
    with report_page(browser, exam.folder / "report.html") as shown:
        assert bars(shown) == [(f"overall, strict, {label}", sizes)]
        full = sum(float(grade) >= 10 for grade in grades)
        for verdict, found in {"correct": full, "incorrect": 1, "partial": 4 - full}.items():
            shown.list(verdict=verdict)
            assert shown.found() == found
