"""The modules of the pages' scripts, each called by name in Chromium as the module that it is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from proctor.report.html.document import ASSETS

ORIGIN = "http://pages.invalid/"
CALL = """async ([module, name, args]) => {
  const told = (value) => value instanceof Node ? value.outerHTML : Array.isArray(value) ? value.map(told)
    : value instanceof Set ? [...value] : value;
  return told(await (await import(`/${module}.js`))[name](...args));
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page of a site that has the modules."""

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(ORIGIN)
        if name:
            route.fulfill(content_type="text/javascript", body=(ASSETS / name).read_text(encoding="utf-8"))
        else:
            route.fulfill(content_type="text/html", body="<!doctype html><p id=announcement></p><main id=main></main>")

    context = browser.new_context()
    context.route("**/*", answer)
    opened = context.new_page()
    opened.goto(ORIGIN)
    yield opened
    context.close()


class Modules:
    """What the modules export: ``call("numbers.score", 0.5)``. Elements are given as HTML."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def call(self, path: str, *args: Any) -> Any:
        module, name = path.split(".")
        return self.page.evaluate(CALL, [module, name, list(args)])


@pytest.fixture(scope="module")
def modules(page: Page) -> Modules:
    return Modules(page)


MINUS = "\u2212"


@pytest.mark.parametrize(
    ("path", "args", "expected"),
    [
        ("numbers.count", [1234567], "1,234,567"),
        ("numbers.count", [None], "–"),
        ("numbers.score", [0.25], "0.2500"),
        ("numbers.score", [None], "–"),
        ("numbers.score", [-0.00004], "0.0000"),
        ("numbers.score", [-0.5, {"signed": True}], f"{MINUS}0.5000"),
        ("numbers.score", [0.5, {"signed": True}], "+0.5000"),
        ("numbers.score", [6.5, {"scale": [0, 100]}], "6.50"),  # as 40.4 beside it on the same scale
        ("numbers.score", [6.5, {"scale": [0, 10]}], "6.5000"),
        ("numbers.score", [12.345, {"scale": [100, 0]}], "12.35"),  # less is better: by the value alone
        ("numbers.scoreWithSpread", [{"value": 0.5, "epochs": {"sd": 0.125}}], "0.5000 ±0.1250"),
        ("numbers.interval", [[0.125, 0.5]], "[0.125, 0.500]"),
        ("numbers.interval", [[-0.1, 0.1], {"signed": True}], f"[{MINUS}0.100, +0.100]"),
        ("numbers.interval", [[6, 40.44], {"scale": [0, 100]}], "[6.0, 40.4]"),
        ("numbers.interval", [None], ""),
        ("numbers.scaleInWords", [[0, 1]], "0 to 1, higher is better"),
        ("numbers.scaleInWords", [[2.5, 0]], "lower is better, 2.5 is the worst"),
        ("numbers.dollars", [0], "$0.00"),
        ("numbers.dollars", [1.005], "$1.00"),
        ("numbers.dollars", [0.0123], "$0.0123"),
        ("numbers.dollars", [0.000036], "$0.000036"),
        ("numbers.dollars", [None], "unknown"),
        ("numbers.dollarsThen", [{"cost_usd": 3, "spent_usd": 3}], "$3.00"),
        ("numbers.dollarsThen", [{"cost_usd": 3, "spent_usd": 0}], "$3.00 then"),
        ("numbers.dollarsThen", [{"cost_usd": 3, "spent_usd": 1}], "$1.00 + $2.00 then"),
        ("numbers.seconds", [9.876], "9.88 s"),
        ("numbers.seconds", [98.76], "98.8 s"),
        ("numbers.seconds", [987.6], "988 s"),
        ("numbers.probability", [0.0004], "p < 0.001"),
        ("numbers.probability", [0.9996], "p = 1"),
        ("numbers.probability", [0.0321], "p = 0.032"),
        ("numbers.moment", ["2026-11-22T19:31:24.123+00:00"], "2026-11-22 19:31 UTC"),
        ("numbers.tickText", [0.1 + 0.2], "0.3"),
        ("text.words", ["exact_match_rate"], "exact match rate"),
        ("text.plain", ["a\u202eb\x00c\x7f"], "aU+202Eb␀c␡"),
        ("text.plain", ["tab\tline\nzero\u200cjoiner"], "tab\tline\nzero\u200cjoiner"),
        ("text.cut", ["abcdef", 4], "abc…"),
        ("text.cut", ["ab😀cd", 4], "ab…"),  # not half of the picture
        ("text.inUnits", ["a😀b", [[1, 2], [2, 3]]], [[1, 3], [3, 4]]),
        ("text.inUnits", ["abc", [[1, 2]]], [[1, 2]]),
        ("axes.extent", [[3, 1, 2]], [1, 3]),
        ("axes.axisOf", [[0.3, 0.9, None]], [0, 1, 0.25]),
        ("axes.axisOf", [[7]], [0, 8, 2]),
        ("axes.axisOf", [[-3, 3]], [-4, 4, 2]),
        ("axes.axisOf", [[0]], [0, 0.5, 0.5]),
        ("axes.ticks", [[0, 1, 0.25]], [0, 0.25, 0.5, 0.75, 1]),
        ("verdicts.verdictOf", ["scored", 1, [0, 1]], "correct"),
        ("verdicts.verdictOf", ["scored", 0.5, [0, 1]], "partial"),
        ("verdicts.verdictOf", ["scored", 0, [0, 1]], "incorrect"),
        ("verdicts.verdictOf", ["refused", 0.5, [0, 1]], "incorrect"),
        ("verdicts.verdictOf", ["scored", 0, [2, 0]], "correct"),  # less is better
        ("verdicts.verdictOf", ["scored", 2, [2, 0]], "incorrect"),
        ("verdicts.verdictOf", ["error", 0, [0, 1]], "not measured"),
        ("verdicts.verdictOf", ["scored", None, [0, 1]], "not measured"),
        ("triplets.isGraphs", [[[["a", "is", "b"]]]], True),
        ("triplets.isGraphs", [[[["a", "b"]]]], False),
        ("triplets.isGraphs", [[]], False),
        ("values.excerpt", [[[["a", "is", "b"], ["b", "is", "c"]]]], "1 graph, 2 triplets"),
        ("values.excerpt", [None], "–"),
        ("values.excerpt", [{"a": 1}], '{"a":1}'),
        ("addresses.caseAddress", ["b/t", "s #1", "m"], "#/case/b%2Ft/s%20%231/m"),
        ("addresses.caseAddress", ["b/t", "s", "m", 2], "#/case/b%2Ft/s/m/2"),
        ("addresses.listHash", [{"task": "b/t", "tag": "k=v w"}], "#/cases?task=b%2Ft&tag=k%3Dv+w"),
        ("addresses.listHash", [{}], "#/cases"),
        ("addresses.matrixHash", ["b/t", "-m", 3], "#/matrix/b%2Ft?sort=-m&page=3"),
        ("addresses.withFamily", ["#/cases?scores=official&q=a"], "#/cases?q=a"),
        ("addresses.decoded", ["100%"], "100%"),
        ("find.order", [1, 2, False], -1),
        ("find.order", [1, 2, True], 1),
        ("find.order", [None, 2, True], 1),  # unknown ones are last both ways
        ("find.order", [None, 2, False], 1),
    ],
)
def test_values(modules: Modules, path: str, args: list[Any], expected: Any) -> None:
    assert modules.call(path, *args) == expected


def test_grades_have_a_bin_each_and_other_values_a_tenth(modules: Modules) -> None:
    grades = modules.call("axes.binsOf", [0, 0.3, 1], [0, 1])
    # Eleven grades of tenths, each the middle of its bin; about five ticks: every two tenths.
    assert (grades["from"], grades["size"], grades["count"], grades["grades"]) == (-0.05, 0.1, 11, True)
    assert grades["axis"][:2] == [0, 1]
    assert math.isclose(grades["axis"][2], 0.2)
    # 0.3 / 0.1 is a little less than 3, and still counts as the fourth grade.
    assert modules.call("axes.counted", [0, 0.3, 0.3, 1], grades) == [1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1]
    tenths = modules.call("axes.binsOf", [0.123, 0.98], [0, 1])
    assert tenths == {"axis": [0, 1, 0.25], "from": 0, "size": 0.1, "count": 10, "grades": False}
    # The last one holds its end too.
    assert modules.call("axes.counted", [0.123, 0.98, 1], tenths) == [0, 1, 0, 0, 0, 0, 0, 0, 0, 2]


@pytest.mark.parametrize(
    ("before", "after", "left", "right"),
    [
        ("the same", "the same", [("the same", True)], [("the same", True)]),
        (
            "It is Tokyo now",
            "It is Kyoto now",
            [("It is ", True), ("Tokyo", False), (" now", True)],
            [("It is ", True), ("Kyoto", False), (" now", True)],
        ),
        # The longest that both have is "b c": what stands before and behind it is another.
        ("a b c", "b c d", [("a ", False), ("b c", True)], [("b c", True), (" d", False)]),
        ("", "new", [], [("new", False)]),
    ],
)
def test_texts_are_compared_word_by_word(
    modules: Modules, before: str, after: str, left: list[tuple[str, bool]], right: list[tuple[str, bool]]
) -> None:
    found = modules.call("diff.diffParts", before, after)
    assert [[(part["text"], part["kept"]) for part in side] for side in found] == [left, right]


def test_long_texts_are_compared_line_by_line_and_longer_ones_not_at_all(modules: Modules) -> None:
    # 2,100 words on each side, all of them others but those of the line in the middle: more cells than are computed.
    left, right = ("\n".join(f"{side}{number} " * 10 for number in range(210)) for side in "ab")
    found = modules.call("diff.diffParts", f"{left}\nboth\n{left}", f"{right}\nboth\n{right}")
    assert [[part["text"] for part in side if part["kept"]] for side in found] == [["both\n"], ["both\n"]]
    lines = ["\n".join(f"{side}{number}" for number in range(2100)) for side in "ab"]
    assert modules.call("diff.diffParts", *lines) == [[{"kept": False, "text": text}] for text in lines]


def test_lines_are_paired(modules: Modules) -> None:
    assert modules.call("diff.pairedLines", "a\nb\nc\n", "a\nx\ny\nc") == [
        ["a", "a"],
        ["b", "x"],
        [None, "y"],
        ["c", "c"],
    ]
    assert modules.call("diff.pairedLines", "", "a") == [[None, "a"]]


def test_graphs_are_compared_place_by_place(modules: Modules) -> None:
    gold = [[["a", "is", "b"], ["b", "is", "c"]], [["x", "is", "y"]]]
    predicted = [[["a", "is", "b"], ["a", "is", "b"], ["c", "is", "d"]]]
    assert modules.call("triplets.tripletCounts", gold, predicted) == {"matched": 1, "missing": 2, "wrong": 1}


def test_a_comparison_is_turned_round(modules: Modules) -> None:
    found = {"difference": 0.2, "ci95": [0.1, 0.4], "verdict": "better", "p": 0.01, "p_holm": 0.03, "detectable": 0.15}
    assert modules.call("run.signedComparison", found, -1) == {
        "lead": -0.2,
        "ci95": [-0.4, -0.1],
        "shows": "worse",
        "p": 0.03,
        "detectable": 0.15,
    }
    nothing = {"difference": None, "ci95": None, "verdict": "undecided", "p": None, "p_holm": None, "detectable": None}
    assert modules.call("run.signedComparison", nothing, 1)["shows"] == "none"


def test_a_prompt_keeps_its_end_and_its_media(modules: Modules) -> None:
    medium = {"kind": "image", "name": "cat.png"}
    found = modules.call("folding.endOf", ["a" * 1000, medium, "b" * 800])
    # 900 characters stay: all 800 behind the picture, and the last 100 before it.
    assert found == {"kept": ["a" * 100, medium, "b" * 800], "left": 900}
    # Where a line begins near the cut, it is cut there.
    assert modules.call("folding.endOf", ["x" * 500 + "\n" + "y" * 850]) == {"kept": ["y" * 850], "left": 501}


def test_what_data_holds_becomes_text(modules: Modules) -> None:
    made = modules.call(
        "elements.el", "p", {"class": "a", "hidden": False, "title": None}, "<b>", None, [0, False, ["&"]]
    )
    assert made == '<p class="a">&lt;b&gt;0&amp;</p>'
    assert modules.call("text.shown", "a\u202eb") == [
        "a",
        '<span class="hidden-character" title="the character U+202E">U+202E</span>',
        "b",
    ]


def test_models_keep_colour_and_marker(modules: Modules) -> None:
    modules.call("models.setModels", [f"m{number}" for number in range(10)])
    assert modules.call("models.seriesClass", "m9") == "series-1"  # eight colours
    assert modules.call("models.legend").count("<li>") == 10


def test_a_list_grows_by_five_and_the_focus_goes_on(page: Page) -> None:
    told = page.evaluate("""async () => {
      const { growingList, openingList } = await import("/growing.js");
      const { el } = await import("/elements.js");
      const draw = async (item) => el("article", {}, item);
      const { part, drawn } = openingList({ open: true }, "all", growingList([..."abcdefg"], 9, draw));
      document.getElementById("main").replaceChildren(part);
      await drawn;
      const now = () => [part.querySelectorAll("article").length, part.querySelector("button").textContent,
        part.querySelector("button").hidden, part.lastChild.textContent];
      const before = now();
      part.querySelector("button").click();
      await new Promise((done) => requestAnimationFrame(done));
      return [before, now(), document.activeElement.textContent];
    }""")
    assert told == [
        [5, "Show 2 more of 9", False, "2 more are in results.jsonl."],
        [7, "Show 0 more of 9", True, "2 more are in results.jsonl."],
        "f",
    ]


def test_cases_are_found_and_sorted(page: Page) -> None:
    """Two models on three samples: what each filter lets through, and the command of a case."""
    told = page.evaluate("""async () => {
      const { run } = await import("/run.js");
      const { findCases } = await import("/find.js");
      const { filtersOf } = await import("/view.js");
      const { commandOf } = await import("/command.js");
      const { disagreement, casesBySample } = await import("/matrix.js");
      const numbers = (values) => ({ strict: { f1: values }, official: { f1: values }, input_tokens: [1, 2, 3],
        output_tokens: [1, 1, 1], cost_usd: [null, 2, 1], latency_s: [1, 1, 1], samples: [0, 1, 2], epochs: null,
        answers: [null, null, null], confusion: null, metrics: ["f1"], scale: [0, 1] });
      const report = { run: { id: "r", command: "pytest --model 'a b' --temperature 0.5 -k x --epochs=2" },
        tasks: [{ responses: null }, { responses: null }] };
      run.take({ report, statuses: ["scored", "error"], media_left_out: 0, former: null,
        starts: { samples: [], answers: [], media: [] },
        samples: [{ task: "b/t", ids: ["One", "Two", "Three"], texts: [null, null, null],
          tags: { kind: { values: ["x=y", "z"], of: [0, 1, -1] } } }],
        cases: [{ task: "b/t", model: "m 1", test: "t.py::test", status: [0, 0, 1], ...numbers([1, 0.5, null]) },
          { task: "b/t", model: "m2", test: null, status: [0, 0, 0], ...numbers([0, 0.5, 1]) }] });
      const told = (one) => `${run.sampleId(one)} ${one.set.model}`;
      const found = {};
      for (const query of ["verdict=correct", "status=error", "tag=kind%3Dx%3Dy", "agreement=disagree", "agreement=all",
        "agreement=none", "q=TWO&model=m2", "model=m2&sort=-cost", "model=m 1&sort=strict"]) {
        found[query] = (await findCases(filtersOf(query))).map(told);
      }
      return [found, run.cases.map(commandOf), casesBySample("b/t").map(disagreement)];
    }""")
    found, commands, apart = told
    assert found == {
        "verdict=correct": ["One m 1", "Three m2"],
        "status=error": ["Three m 1"],
        "tag=kind%3Dx%3Dy": ["One m 1", "One m2"],
        "agreement=disagree": ["One m 1", "One m2"],
        "agreement=all": ["Three m 1", "Three m2"],  # all that were measured
        "agreement=none": ["Two m 1", "Two m2"],
        "q=TWO&model=m2": ["Two m2"],
        "model=m2&sort=-cost": ["Two m2", "Three m2", "One m2"],
        "model=m 1&sort=strict": ["Two m 1", "One m 1", "Three m 1"],
    }
    assert commands[:2] == [
        f"pytest 't.py::test[m 1-{sample}]' --model 'm 1' --temperature 0.5 --epochs=2" for sample in ("One", "Two")
    ]
    assert commands[3] is None
    assert apart == [1, 0, None]
