"""report.html in Chromium: what it shows is what was measured, and what models wrote stays text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from report_page import MODELS, ReportPage, report_page

ROOT = Path(__file__).parents[3]
Row = Mapping[str, Any]


@pytest.fixture(scope="module")
def report(run_folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((run_folder / "report.json").read_bytes())
    return content


@pytest.fixture(scope="module")
def rows(run_folder: Path) -> list[Row]:
    return [json.loads(line) for line in (run_folder / "results.jsonl").read_bytes().splitlines()]


def name(row: Row) -> str:
    return f"{row['benchmark']}/{row['task']}"


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def interval(ci95: list[float]) -> str:
    return f"[{ci95[0]:.3f}, {ci95[1]:.3f}]"


def verdict(row: Row) -> str:
    value = row["scores"]["strict"]["accuracy" if "accuracy" in row["scores"]["strict"] else "f1"]
    return "correct" if value == 1 else "partial" if row["status"] == "scored" and value > 0 else "incorrect"


# ---- the first page


def test_the_first_page_has_the_numbers_of_report_json(shown: ReportPage, report: dict[str, Any]) -> None:
    shown.open()
    assert len(report["tasks"]) == 12
    for task in report["tasks"]:
        line = shown.page.locator(f'tr[data-task="{name(task)}"][data-model="{task["model"]}"]')
        headline = next(iter(task["metrics"].values()))
        cells = line.locator("td").all_inner_texts()
        assert cells[:5] == [
            str(task["expected"]),
            *(number(headline["strict"]["value"]), interval(headline["strict"]["ci95"])),
            *(number(headline["official"]["value"]), interval(headline["official"]["ci95"])),
        ]
        assert cells[5] == ", ".join(f"{n} {status}" for status, n in task["status"].items() if n)
        assert cells[6:9] == [f"{task['usage']['input_tokens']:,}", f"{task['usage']['output_tokens']:,}", "$0.00"]


def test_it_says_which_model_is_best_by_how_much_and_how_sure(shown: ReportPage, report: dict[str, Any]) -> None:
    shown.open()
    assert shown.page.locator("table.leaders caption").all_inner_texts() == ["0 to 1, higher is better"]
    for family in ("strict", "official"):
        shown.page.get_by_role("radio", name=family).check()
        for task in {name(task) for task in report["tasks"]}:
            mine = [t for t in report["tasks"] if name(t) == task]
            values = {t["model"]: next(iter(t["metrics"].values()))[family]["value"] for t in mine}
            order = sorted(values, key=lambda model: -values[model])
            pairs = {
                frozenset((c["a"]["model"], c["b"]["model"])): c
                for c in report["comparisons"]
                if name(c) == task and c["family"] == family and c["headline"]
            }
            places = next(entry["best"] for entry in report["ranks"] if name(entry) == task)
            if family == "official":  # all that the first is not shown to be better than
                undecided = [m for m in order[1:] if pairs[frozenset((order[0], m))]["verdict"].startswith("no")]
                places = [order[0], *undecided]
            line = shown.page.locator(f'table.leaders tr[data-task="{task}"]')
            cells = [text.split("\n") for text in line.locator("td").all_inner_texts()]
            told = [model for model in order if model in places]
            pair = pairs[frozenset(order[:2])]
            if len(places) > 1:
                assert cells[1] == ["no best is shown among", *told]
                assert cells[2][-len(told) :] == [number(values[model]) for model in told]
                assert "▲ better" not in line.inner_text() or pair["verdict"] != "no difference shown"
            else:
                assert (cells[1], cells[2], cells[4]) == ([order[0]], [number(values[order[0]])], [order[1]])
                assert cells[5][0] == f"+{number(abs(pair['difference']))}"
                assert "▲ better" in cells[6][0]


def test_scores_over_several_tasks_are_shown(browser: Browser, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "benchmarks/sgi", "-p", "no:cacheprovider", f"--reports-dir={tmp_path}"]
    ended = subprocess.run([*command, "-k", "wet or dry"], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (folder,) = tmp_path.glob("*Z-*")
    (composite,) = json.loads((folder / "report.json").read_bytes())["composites"]
    with report_page(browser, folder / "report.html") as page:
        section = page.open().page.locator('section[aria-labelledby="composites"]')
        line = [cell.strip() for cell in section.locator("tbody tr").inner_text().split("\t")]
        assert section.locator("p").inner_text() == f"SGI-Score is without {', '.join(composite['missing'])}."
    assert line == [
        "SGI-Score",
        composite["model"],
        f"{composite['strict']['value']:.1f}",
        "[{:.1f}, {:.1f}]".format(*composite["strict"]["ci95"]),
        "sgi/dry_experiment, sgi/wet_experiment",
    ]


def test_the_pairwise_matrix_marks_what_was_not_shown(shown: ReportPage, report: dict[str, Any]) -> None:
    shown.open()
    found = Counter(cell[0] for cell in shown.page.locator("table.pairs td.outcome").all_inner_texts())
    verdicts = Counter(c["verdict"] for c in report["comparisons"] if c["family"] == "strict" and c["headline"])
    undecided = verdicts["no difference shown"]
    # Each pair stands in the matrix twice, from either side.
    assert found == {"▲": 12 - undecided, "▼": 12 - undecided, "=": 2 * undecided}
    assert undecided > 0


def test_plots_show_every_score_and_are_described(shown: ReportPage, report: dict[str, Any]) -> None:
    shown.open()
    charts = shown.page.locator("section[aria-labelledby=plot] svg.chart")
    labels = [charts.nth(place).get_attribute("aria-label") or "" for place in range(charts.count())]
    assert len(labels) == 4
    for task in report["tasks"]:
        strict = next(iter(task["metrics"].values()))["strict"]
        assert any(f"{task['model']} {number(strict['value'])} {interval(strict['ci95'])}" in label for label in labels)
    assert shown.page.locator("section[aria-labelledby=plot] svg.chart path.whisker").count() == 12
    assert shown.page.locator("section[aria-labelledby=cost] svg.chart path.marker").count() == 12


# ---- one task


def test_a_task_is_shown_by_tag_with_confusion_and_diagnostics(
    shown: ReportPage, report: dict[str, Any], rows: list[Row]
) -> None:
    shown.open("#/task/tsg%2Fma-sgg")
    table = shown.page.locator(
        "table.estimates", has=shown.page.get_by_text("f1 by gold graphs, 0 to 1, higher is better", exact=True)
    )
    lines = table.locator("tbody tr").all_inner_texts()
    by_tag = report["tasks"][0]["by_tag"]["gold_graphs"]
    assert [line.split("\t")[0] for line in lines] == list(by_tag)
    for line, group in zip(lines, by_tag.values(), strict=True):
        assert number(group["metrics"]["f1"]["strict"]["value"]) in line.split("\t")[2]
    text = shown.page.locator("main").inner_text()
    assert "best assignment f1" in text
    assert "f1 edge …" in text
    assert shown.page.locator("section[aria-label='How scores are spread'] svg.chart").count() == 6

    shown.open("#/task/tsg%2Fsgds")
    cells = shown.page.locator("table.confusion").first.locator("tbody td").all_inner_texts()
    mine = [row for row in rows if (row["task"], row["model"]) == ("sgds", MODELS[0])]
    answers = Counter((row["target"], row["prediction"]) for row in mine)
    assert cells == [str(answers[target, given] or "·") for target in "ABCDE" for given in "ABCDE"]


# ---- the list of cases


def test_filters_and_search_find_what_the_rows_have(shown: ReportPage, rows: list[Row]) -> None:
    by_sample: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        by_sample.setdefault((row["task"], row["sample_id"]), set()).add(verdict(row))
    wanted = {
        ("task", "tsg/sgqa"): sum(row["task"] == "sgqa" for row in rows),
        ("model", MODELS[1]): sum(row["model"] == MODELS[1] for row in rows),
        ("status", "truncated"): sum(row["status"] == "truncated" for row in rows),
        ("verdict", "partial"): sum(verdict(row) == "partial" for row in rows),
        ("tag", "question_type=causal"): sum(row["tags"].get("question_type") == "causal" for row in rows),
        ("q", "SEIZE -> dobj"): sum("seize -> dobj" in (row["response_text"] or "").lower() for row in rows),
        ("agreement", "disagree"): sum(len(by_sample[row["task"], row["sample_id"]]) > 1 for row in rows),
    }
    for (field, value), expected in wanted.items():
        assert 0 < expected < len(rows)
        shown.list(**{field: value})
        assert shown.found() == expected, (field, value)
    both = sum(row["task"] == "sgqa" and row["status"] == "unparsed" for row in rows)
    shown.list(task="tsg/sgqa", status="unparsed")
    assert shown.found() == both
    assert shown.list(q="no such words") == []


def test_prompts_are_searched_too(shown: ReportPage, rows: list[Row]) -> None:
    data = [json.loads(line) for line in (ROOT / "data/tsg/ma-sgg.jsonl").read_text().splitlines()]
    sentence = data[7]["target_sentence"]
    lines = shown.list(q=sentence, task="tsg/ma-sgg")
    same = sum(sentence in row["context"] or sentence in row["target_sentence"] for row in data)
    assert len(lines) == 3 * same


def test_the_list_sorts_by_what_its_heads_say(shown: ReportPage, rows: list[Row]) -> None:
    shown.list(task="tsg/sgds")
    head = shown.page.locator("th [data-sort=latency]")
    column = shown.page.locator("tr.case td:last-child")
    for order in ("descending", "ascending"):
        head.click()
        expect(shown.page.locator("th[aria-sort]")).to_have_attribute("aria-sort", order)
        seconds = sorted((row["latency_s"] for row in rows if row["task"] == "sgds"), reverse=order == "descending")
        told = [float(text.removesuffix(" s")) for text in column.all_inner_texts()]
        assert told == pytest.approx(seconds[:100], rel=0.05)
    assert "sort=latency" in shown.page.url


def test_the_whole_way_goes_by_keyboard(shown: ReportPage) -> None:
    shown.open()
    keys = shown.page.keyboard
    keys.press("/")
    expect(shown.page.locator("#filter-q")).to_be_focused()
    keys.type("paddle")
    # Whoever types slowly has searched for less before; only the search for all of it is the last one.
    expect(shown.page).to_have_url(re.compile(r"\?q=paddle$"))
    expect(shown.page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    expect(shown.page.locator("#found")).not_to_contain_text("750 of")
    while shown.page.evaluate("document.activeElement.closest('tr.case')") is None:
        keys.press("Tab")
    links = shown.page.locator("tr.case th a")
    keys.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    assert shown.style("a:focus", "outlineStyle") == "solid"
    keys.press("Enter")
    expect(shown.page.locator("article[aria-current]")).to_be_visible()
    second = shown.page.url
    keys.press("ArrowRight")
    expect(shown.page.locator(".neighbours")).to_contain_text("3 of")
    keys.press("ArrowLeft")
    expect(shown.page.locator(".neighbours")).to_contain_text("2 of")  # the address is there before the case
    assert shown.page.url == second
    keys.press("Escape")
    expect(links.nth(1)).to_be_focused()
    assert "q=paddle" in shown.page.url
    keys.press("/")
    keys.press("Escape")
    expect(shown.page.locator("#found")).to_contain_text("750 of 750")


def test_a_list_that_was_left_searches_no_more(shown: ReportPage) -> None:
    shown.page.clock.install(time=datetime(2026, 1, 1))
    shown.list()
    shown.page.clock.pause_at(datetime(2026, 1, 2))
    link = shown.page.locator("tr.case th a").first
    case = link.get_attribute("href")
    shown.page.locator("#filter-q").fill("paddle")
    link.click()
    expect(shown.page.locator("article[aria-current]")).to_be_visible()
    shown.page.clock.run_for(1000)
    assert shown.page.evaluate("location.hash") == case


def test_the_skip_link_leads_into_the_page_that_is_shown(shown: ReportPage) -> None:
    shown.list(task="tsg/sgds")
    address = shown.page.url
    shown.page.keyboard.press("Tab")
    assert shown.focused() == "Skip to content"
    shown.page.keyboard.press("Enter")
    expect(shown.page.locator("main")).to_be_focused()
    assert shown.page.url == address
    assert shown.page.locator("main h2").inner_text() == "Cases"


def test_pages_of_the_list_are_turned_by_keyboard(shown: ReportPage) -> None:
    shown.list(task="tsg/sgds")
    following, former = (shown.page.get_by_role("button", name=name) for name in ("Next", "Previous"))
    following.focus()
    shown.page.keyboard.press("Enter")
    expect(shown.page.locator("#found")).to_have_text("150 of 750 cases, 101 to 150 shown")
    expect(former).to_be_focused()  # there is no next page
    shown.page.keyboard.press("Enter")
    expect(shown.page.locator("#found")).to_have_text("150 of 750 cases, 1 to 100 shown")
    expect(following).to_be_focused()


def test_of_two_pages_asked_for_at_once_the_last_is_shown(shown: ReportPage) -> None:
    shown.list()
    case = shown.page.locator("tr.case th a").first.get_attribute("href")
    shown.open("#/task/tsg%2Fsgds")  # nothing of the case is unpacked yet
    shown.page.evaluate(
        """(address) => new Promise((done) => {
          addEventListener("hashchange", () => { location.hash = "#/overview"; }, { once: true });
          location.hash = address;
          setTimeout(done, 500);
        })""",
        case,
    )
    assert shown.page.locator("main").get_attribute("data-page") == "overview"


# ---- one case


def test_a_case_has_an_address_of_its_own_and_shows_all_models(shown: ReportPage, rows: list[Row]) -> None:
    row = next(row for row in rows if row["task"] == "sgqa" and row["model"] == MODELS[1] and row["status"] == "scored")
    shown.case(name(row), row["sample_id"], row["model"])
    assert shown.page.locator("h2").inner_text() == row["sample_id"]
    assert shown.page.locator("article").count() == 3
    mine = shown.answer(row["model"])
    assert mine.get_attribute("aria-current") == "true"
    text = mine.inner_text()
    assert mine.locator("mark").inner_text() == row["prediction"]
    assert row["response_text"] in text
    assert f"“{row['prediction']}” was read" in text
    assert f"{row['recorded_at'][:10]} {row['recorded_at'][11:16]} UTC" in text
    assert f"Tokens in\n{row['usage']['input_tokens']:,}" in text
    assert f"accuracy\t{number(row['scores']['strict']['accuracy'])}" in text
    shown.page.get_by_role("button", name="Show whole prompts").click()
    question = shown.page.locator("section[aria-label=Question]").inner_text()
    template = (ROOT / "prompts/tsg/sgqa.txt").read_text()
    assert template.partition("{")[0].strip() in question
    assert row["target"] in question


def test_graphs_are_drawn_with_matched_missing_and_wrong_triplets(shown: ReportPage, rows: list[Row]) -> None:
    def triplets(graphs: list[list[list[str]]]) -> set[tuple[int, tuple[str, ...]]]:
        return {(place, tuple(triplet)) for place, graph in enumerate(graphs) for triplet in graph}

    row = next(
        r for r in rows
        if r["task"] == "ma-sgg" and len(r["prediction"] or []) == len(r["target"]) < 4 and verdict(r) == "partial"
    )  # fmt: skip
    gold, found = triplets(row["target"]), triplets(row["prediction"])
    shown.case("tsg/ma-sgg", row["sample_id"], row["model"])
    mine = shown.answer(row["model"])
    kinds = ("matched", "missing", "wrong")
    drawn = {kind: mine.locator(f"svg.graph .relation[data-kind={kind}]").count() for kind in kinds}
    assert drawn == {"matched": len(gold & found), "missing": len(gold - found), "wrong": len(found - gold)}
    assert all(drawn.values())
    marked = "".join(mine.locator("mark").all_inner_texts())
    assert all(" -> ".join(triplet) in marked for _, triplet in found)
    looks = [[shown.style(f".relation .edge.{kind}", name) for name in ("stroke", "strokeDasharray")] for kind in drawn]
    assert len({stroke for stroke, _ in looks}) == len({dashes for _, dashes in looks}) == 3
    heads = {shown.page.locator(f".relation .arrow.{kind}").first.get_attribute("class") for kind in drawn}
    signs = [mine.locator(f".edge-label.{kind}").first.text_content() or "" for kind in drawn]
    assert len(heads) == 3
    assert [sign[0] for sign in signs] == ["✓", "○", "✕"]


def test_an_unknown_address_says_so(shown: ReportPage) -> None:
    shown.open("#/case/tsg%2Fsgqa/nothing/%zz")
    assert "No such case" in shown.page.locator("main").inner_text()
