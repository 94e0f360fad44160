"""Rows that are not as they should be: an odd one is measured and listed, an unusable one costs its own cases alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from capitals import CAPITALS, Project
from report_page import report_page

from proctor import Row, Sample
from proctor._base.errors import DataError
from proctor.tasks.oddities import Findings
from proctor.tasks.samples import read_samples

if TYPE_CHECKING:
    from playwright.sync_api import Browser


GOOD = json.dumps({"country": "France", "capital": "Paris"})
PERU = json.dumps({"country": "Peru", "capital": "Lima"})

LENIENT = """
# The row's sample. It is known by its country from here on.
country = row.identify("country")
cities = row.listed("cities")
for number, city in enumerate(cities):
    if city == "":
        row.odd(f"cities[{number}]", "an empty name", value=city)
yield Sample(country, {"country": row.textual("country")}, row.text("capital"), tags=row.labels("continent"))
"""


@pytest.fixture
def lenient(project: Project) -> Project:
    """The project with a reader that minds nothing but the capital."""
    project.benchmark(samples=LENIENT)
    return project


# ---- unusable rows


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"country": "France"', "not JSON: Expecting ',' delimiter (column 21) (found '{\"country\": \"France\"')"),
        ("[1]", "must be a JSON object (found [1])"),
        ('{"country": "Peru"}', "field 'capital': is missing\n  The row has: country"),
        ('{"country": 5, "capital": "x"}', "field 'country': must be a string (found 5)"),
        ('{"country": "\udcff"}', "not UTF-8: invalid start byte at byte 13"),
        (r'{"country": "\ud83d", "capital": "x"}', "field 'country': holds half of a surrogate pair"),
        ('{"country": ' + "[" * 100_000 + "]" * 100_000 + "}", "not usable JSON: maximum recursion depth"),
        ('{"country": ' + "1" * 5000 + "}", "not usable JSON: Exceeds the limit"),
    ],
)
def test_an_unusable_row_costs_its_own_case(project: Project, line: str, said: str) -> None:
    project.data.write_bytes(f"{GOOD}\n{line}\n{PERU}\n".encode("utf-8", "surrogateescape"))
    assert project.run(model="oracle").ret == 1
    rows = list(project.rows.values())
    assert [row["status"] for row in rows] == ["scored", "error", "scored"]
    assert rows[1]["error"].startswith(f"data/geo/capitals.jsonl:2: {said}")
    assert rows[1]["response_text"] is None
    assert rows[1]["scores"] == {"official": {}, "strict": {"accuracy": 0.0}}
    task = project.report["tasks"][0]
    assert task["expected"] == 3
    assert task["metrics"]["accuracy"]["strict"]["value"] == pytest.approx(2 / 3)
    assert task["metrics"]["accuracy"]["official"]["n"] == 2
    (kind,) = task["unusable_rows"]
    assert (kind["rows"], kind["cases"], kind["places"][0]["line"]) == (1, 1, 2)


def test_a_reader_that_fails_costs_the_row_that_it_fails_on(project: Project) -> None:
    project.benchmark(samples='yield Sample("x", {"country": row.text("country")}, row.data["capital"].strip())')
    project.data.write_text(f'{GOOD}\n{{"country": "Cuba", "capital": 7}}\n{PERU}\n')
    project.run(model="oracle")
    assert [row["status"] for row in project.rows.values()] == ["scored", "error", "scored"]
    (failed,) = (row for row in project.rows.values() if row["status"] == "error")
    assert "capitals.jsonl:2: the reader of rows fails with AttributeError: 'int' object" in failed["error"]


def test_an_unusable_row_is_asked_of_nobody_and_found_again_in_all_that_comes_after(project: Project) -> None:
    countries = list(CAPITALS.items())[:4]
    lines = [json.dumps({"country": country, "capital": capital}) for country, capital in countries]
    lines[1] = json.dumps({"country": "Japan", "capital": None})
    project.data.write_text("\n".join(lines) + "\n")
    assert project.run("--record-mode", "once", "--epochs", "2", "-n", "2").ret == 1
    assert project.server.count == 6
    assert sorted(row["status"] for row in project.rows.values()) == ["error"] + ["scored"] * 3
    assert project.report["tasks"][0]["status"]["error"] == 2
    folder = project.folders[-1]
    before = json.loads((folder / "report.json").read_bytes())["tasks"]
    assert project.run("--estimate").ret == 0
    assert project.command("report", str(folder)) == 1
    assert before == json.loads((folder / "report.json").read_bytes())["tasks"]
    assert project.command("rescore", str(folder)) == 0
    assert project.run("--limit", "3").ret == 1
    folder = project.folders[-1]
    for form in ("proctor", "entry"):
        assert project.command("export", str(folder), "--layout", form, "--output", form) == 0
        assert project.run("--responses", form, "--limit", "3").ret == 1
        assert [row["status"] for row in project.rows.values()] == ["scored", "error", "scored"]
        assert {row["source"] for row in project.rows.values() if row["status"] == "scored"} == {"responses"}
    assert project.server.count == 6


# ---- odd rows

ODD: list[dict[str, Any]] = [
    {"country": "France", "capital": "Paris", "cities": ["Lyon", ""], "continent": 5},
    {"country": 7, "capital": "Paris", "cities": None},
    {"country": None, "capital": "Paris", "cities": ["", ""], "continent": ["x"]},
    {"country": "Peru", "capital": "Lima", "cities": []},
]


def test_odd_rows_are_scored_and_listed_by_file_line_and_field(lenient: Project) -> None:
    lenient.write_rows(ODD)
    for workers in ("0", "2"):
        result = lenient.run("-n", workers, "--model", "chance", model="oracle")
        assert result.ret == 0
        assert [row["status"] for row in lenient.rows.values()] == ["scored"] * 4
        lines = [line for line in str(result.stdout).splitlines() if " of geo/capitals ha" in line]
        assert lines == [  # once, though two models met them
            "2 rows of geo/capitals have an empty name in cities (lines 1, 3)",
            "1 row of geo/capitals has no list in cities (line 2)",
            "1 row of geo/capitals has no text but something else in country (line 2)",
            "1 row of geo/capitals has no id in country (line 3)",
            "1 row of geo/capitals has no text in country (line 3)",
            "1 row of geo/capitals has something that is no label in continent (line 3)",
        ]
    assert set(lenient.rows) >= {"France", "7", "Peru"}
    assert lenient.rows["France"]["tags"] == {"continent": "5"}
    kinds = {kind["what"]: kind for kind in lenient.report["tasks"][0]["odd_rows"]}
    assert kinds["an empty name"]["rows"] == 2
    assert kinds["an empty name"]["places"] == [
        {"file": "data/geo/capitals.jsonl", "line": line, "field": field, "value": "''"}
        for line, field in ((1, "cities[1]"), (3, "cities[0]"), (3, "cities[1]"))
    ]
    told = (lenient.folders[-1] / "report.md").read_text()
    assert "**Odd**: 2 rows of geo/capitals have an empty name in cities (lines 1, 3)" in told
    assert "| data/geo/capitals.jsonl | 3 | cities[1] | '' |" in told


def test_odd_and_unusable_rows_are_shown_in_a_browser(lenient: Project, browser: Browser) -> None:
    lenient.write_rows([*ODD, {"country": "Cuba", "cities": []}])
    lenient.run(model="oracle")
    with report_page(browser, lenient.folders[-1] / "report.html") as shown:
        shown.open("#/task/geo%2Fcapitals")
        section = shown.page.get_by_role("region", name="Rows not as they should be")
        kinds = section.locator("summary").all_inner_texts()
        assert kinds[:2] == [
            "1 row of geo/capitals cannot be used, 1 case: capital: is missing (line 5)",
            "2 rows of geo/capitals have an empty name in cities (lines 1, 3)",
        ]
        section.locator("summary").nth(1).click()
        told = section.locator("details").nth(1).locator("tbody tr").all_inner_texts()
        assert [line.split() for line in told] == [
            ["data/geo/capitals.jsonl", line, field, "''"]
            for line, field in (("1", "cities[1]"), ("3", "cities[0]"), ("3", "cities[1]"))
        ]
        shown.case("geo/capitals", "Cuba", "oracle")
        assert "data/geo/capitals.jsonl:5: field 'capital': is missing" in shown.page.locator("main").inner_text()


def test_a_broken_row_is_known_by_the_id_that_it_has(lenient: Project) -> None:
    lenient.write_rows([{"country": "Cuba", "cities": []}, {"country": "Peru", "capital": "Lima", "cities": []}])
    assert lenient.run(model="oracle").ret == 1
    assert {name: row["status"] for name, row in lenient.rows.items()} == {"Cuba": "error", "Peru": "scored"}


def test_blank_lines_a_mark_and_line_ends_of_windows_are_read(project: Project) -> None:
    project.data.write_bytes(f"\ufeff\r\n{GOOD}\r\n\r\n  \r\n{PERU}\r\n\r\n".encode())
    result = project.run(model="oracle")
    assert result.ret == 0
    assert list(project.rows) == ["France", "Peru"]
    said = str(result.stdout)
    assert "1 row of geo/capitals has a blank line before it (line 2)" in said
    assert "1 row of geo/capitals has blank lines before it (line 5)" in said


def test_an_id_that_another_row_has_is_odd_and_told_apart(project: Project) -> None:
    other = json.dumps({"country": "France", "capital": "Lyon"})
    project.data.write_text(f"{GOOD}\n{PERU}\n{other}\n")
    result = project.run(model="oracle")
    assert result.ret == 0
    assert "1 row of geo/capitals has an id that an earlier row has (line 3)" in str(result.stdout)
    assert sorted(row["target"] for row in project.rows.values()) == ["Lima", "Lyon", "Paris"]
    assert all(name == "Peru" or name.startswith("France-") for name in project.rows)


def test_a_suffix_that_tells_apart_is_not_one_that_another_row_has(project: Project) -> None:
    taken = json.dumps({"country": "France-copy2", "capital": "Nice"})
    project.data.write_text(f"{GOOD}\n{taken}\n{GOOD}\n{GOOD}\n")
    assert project.run(model="oracle").ret == 0
    assert set(project.rows) == {"France", "France-copy2", "France-copy3", "France-copy4"}


def test_no_more_places_of_a_kind_are_kept_than_a_report_can_show(lenient: Project) -> None:
    lenient.write_rows([{"country": f"c{n}", "capital": "x", "cities": [""]} for n in range(150)])
    lenient.run("--limit", "1", model="oracle")
    (kind,) = lenient.report["tasks"][0]["odd_rows"]
    assert (kind["rows"], len(kind["places"])) == (150, 100)
    told = (lenient.folders[-1] / "report.md").read_text()
    assert "(lines 1, 2, 3, 4, 5, 6, 7, 8 and 142 more)" in told
    assert "These are the first 100; proctor check-data lists all." in told


# ---- for authors of data


def test_strict_data_refuses_both_kinds_before_the_first_call(lenient: Project) -> None:
    lenient.write_rows([*ODD[:1], {"country": "Cuba", "cities": []}, *ODD[3:]])
    for workers in ("0", "2"):
        result = lenient.run("--strict-data", "--record-mode", "once", "-n", workers)
        assert result.ret == 4
        said = str(result.stderr) + str(result.stdout)
        assert "capitals.jsonl: --strict-data: 2 odd or unusable things in geo/capitals" in said
        assert "capitals.jsonl:1: field 'cities[1]': an empty name (found '')" in said
        assert "capitals.jsonl:2: field 'capital': unusable: is missing" in said
    assert lenient.server.count == 0
    lenient.write_rows(ODD[3:])
    assert lenient.run("--strict-data", "--record-mode", "once").ret == 0


def test_check_data_lists_all_at_once(lenient: Project, capsys: pytest.CaptureFixture[str]) -> None:
    lenient.write_rows([*ODD[:1], {"country": "Cuba", "cities": []}])
    for name in ("geo", "geo/capitals"):
        assert lenient.command("check-data", name) == 1
        assert capsys.readouterr().out.splitlines() == [
            "geo/capitals: data/geo/capitals.jsonl: rows: 2, odd: 1, unusable: 1; samples: 2",
            "  data/geo/capitals.jsonl:1: field 'cities[1]': an empty name (found '')",
            "  data/geo/capitals.jsonl:2: field 'capital': unusable: is missing",
        ]
    good = lenient.path / "good.jsonl"
    good.write_text('{"country": "Peru", "capital": "Lima", "cities": []}\n')
    assert lenient.command("check-data", "geo", "--dataset", f"geo/capitals={good}") == 0
    assert capsys.readouterr().out == "geo/capitals: good.jsonl: rows: 1, odd: 0, unusable: 0; samples: 1\n"
    assert not (lenient.path / "reports").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["geo/rivers"], "there is no task geo/rivers\n  Known: geo/capitals."),
        (["goe"], "there is no task goe\n  A benchmark is a folder of test modules below benchmarks/."),
        (["Geo!"], "check-data takes BENCH or BENCH/TASK, not 'Geo!'"),
        (["geo", "--dataset", "geo/capitals=gone.jsonl"], "gone.jsonl: no such data file"),
        (["geo", "--dataset", "geo/rivers=gone.jsonl"], "--dataset geo/rivers: no collected test runs that task"),
        (["geo", "--dataset", "gone.jsonl"], "--dataset takes BENCH/TASK=PATH, not 'gone.jsonl'"),
        (["geo", "--official"], "--official: nothing is published for the collected tests"),
    ],
)
def test_check_data_says_what_cannot_be_checked(
    project: Project, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert project.command("check-data", *words) == 4
    assert said in capsys.readouterr().err


# ---- readers


def row(**data: object) -> Row:
    return Row(data, Path("rows.jsonl"), 3)


def test_strict_readers_raise_and_note_nothing() -> None:
    for name, read in (("a", "text"), ("a", "integer"), ("b", "sequence"), ("a", "mapping"), ("c", "there")):
        one = row(a=None, b=[])
        with pytest.raises(DataError, match=rf"rows.jsonl:3: field '{name}': "):
            getattr(one, read)(name)
        assert one.oddities == []


@pytest.mark.parametrize(
    ("reader", "value", "read", "odd"),
    [
        ("textual", "a", "a", False),
        ("textual", 5, "5", True),
        ("textual", None, "", True),
        ("textual", ["a"], "['a']", True),
        ("formatted", "", "", False),
        ("formatted", None, "None", True),
        ("listed", [], [], False),
        ("listed", None, [], True),
        ("listed", "abc", [], True),
        ("label", "a", "a", False),
        ("label", 2.5, "2.5", False),
        ("label", None, None, False),
        ("label", " ", None, True),
        ("label", True, None, True),
        ("identify", "a", "a", False),
        ("identify", 5, "5", False),
        ("get", [1], [1], False),
    ],
)
def test_lenient_readers_take_what_is_there(reader: str, value: object, read: object, odd: bool) -> None:
    one = row(a=value)
    assert getattr(one, reader)("a") == read
    assert [oddity.field for oddity in one.oddities] == (["a"] if odd else [])


def test_an_id_of_several_fields_falls_back_to_the_content() -> None:
    one = row(a="x", b=2)
    assert one.identify("a", "b", prefix="p-") == one.id == "p-x-2"
    assert one.identify("a", "c") == one.content_id
    assert [(oddity.field, oddity.what) for oddity in one.oddities] == [("c", "no id")]


def test_one_of_several_samples_of_a_row_may_be_unusable(tmp_path: Path) -> None:
    def samples_of(row: Row) -> list[Sample]:
        error = row.error("parts[1]", "is no good", value=7)
        good = Sample("a", {}, "x", cluster="c")
        return [good, row.unusable("b", error, cluster="c", tags={"kind": "odd"}, metrics=("score",))]

    file = tmp_path / "rows.jsonl"
    file.write_text(f"{GOOD}\n")
    found = Findings()
    first, second = read_samples(file, samples_of, findings=found)
    assert first.error is None
    assert str(second.error) == f"{file}:1: field 'parts[1]': is no good (found 7)"
    assert (second.index, second.cluster, second.tags, second.metrics) == (1, "c", {"kind": "odd"}, ("score",))
    assert [(one.field, one.what, one.value, one.cases) for one in found.unusable] == [
        ("parts[1]", "is no good", "7", 1)
    ]


def test_an_unusable_row_keeps_nothing_of_its_reader(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(f"{GOOD}\n")
    (sample,) = read_samples(file, lambda row: [Sample(row.text("city"), {}, "x")])
    assert sample.error is not None
    assert sample.error.__traceback__ is None  # what it holds is more than twice what a sample takes


@pytest.mark.parametrize("content", ["%s\n%s\n", "[%s,\n%s]"])
def test_a_key_that_a_row_has_twice_is_odd_and_the_last_one_counts(tmp_path: Path, content: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(content % (PERU, '{"capital": "Cusco", "at": {"x": 1, "x": 2}, "capital": "Lima"}'))
    found = Findings()
    samples = read_samples(file, lambda row: [Sample(str(row.line), {}, row.text("capital"))], findings=found)
    assert [sample.target for sample in samples] == ["Lima", "Lima"]
    assert [(one.line, one.what, one.value) for one in found.odd] == [
        (2, "a key twice", "'x'"),
        (2, "a key twice", "'capital'"),
    ]
