"""reports/index.html: every run of a folder, where each task and model stands, and how it came to it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmark_module import scoring
from capitals import CAPITALS, Project
from measured_runs import write_run
from playwright.sync_api import Browser
from report_page import ReportPage, report_page

from proctor.postprocess.rebuild import rebuilt_report
from proctor.report.build import save_report
from proctor.report.many.histories import histories, leaderboard
from proctor.report.many.index_page import update_index
from proctor.report.many.summaries import read_folder
from proctor.results.saved_run import SavedRun


def rename(folder: Path, started: str, **of_run: object) -> None:
    """Let a run have begun at another time, which names of one second leave open."""
    report = json.loads((folder / "report.json").read_text())
    report["run"] |= {"started": started, **of_run}
    (folder / "report.json").write_text(json.dumps(report))


def texts(page: ReportPage, selector: str) -> list[str]:
    return [" ".join(text.split()) for text in page.page.locator(selector).all_inner_texts()]


@pytest.fixture
def reports(project: Project) -> Path:
    """Four runs: 2 of 5 right; all right; one sample alone; all right with another prompt."""
    project.write_rows([{"country": country, "capital": CAPITALS[country]} for country in list(CAPITALS)[:5]])
    folders: list[Path] = []

    def run(*arguments: str, model: str = "oracle") -> None:
        assert project.run(*arguments, model=model).ret == 0
        folders.append(next(folder for folder in project.folders if folder not in folders))

    responses = project.path / "responses/oracle"
    responses.mkdir(parents=True)
    told = {"France": "[Paris]", "Japan": "[Tokyo]", "Peru": "[x]", "Kenya": "[y]", "Cuba": "no idea"}
    lines = [json.dumps({"sample_id": country, "response": response}) for country, response in told.items()]
    (responses / "capitals.jsonl").write_text("\n".join(lines))
    run("--responses", "responses", model="oracle")
    run()
    run("-k", "Japan")
    project.prompt.write_text("Name the capital of {country}.\n")
    run("--model", "chance")
    for day, folder in enumerate(folders, 1):
        rename(folder, f"2026-01-0{day}T10:00:00.000+00:00", git_commit=f"{day:040}")
    return project.path / "reports"


def test_the_newest_whole_score_stands_and_the_history_is_split_where_prompts_differ(reports: Path) -> None:
    runs = read_folder(reports).runs
    assert [run["started"][:10] for run in runs] == [f"2026-01-0{day}" for day in (4, 3, 2, 1)]
    (board,) = leaderboard(runs)
    lines = {line["model"]: line for line in board["lines"]}
    assert (board["task"], board["metric"], board["scale"]) == ("geo/capitals", "accuracy", [0.0, 1.0])
    assert lines["oracle"]["run"] == lines["chance"]["run"] == 0
    assert lines["oracle"]["entry"]["scores"]["strict"]["value"] == 1
    assert lines["chance"]["entry"]["scores"]["strict"]["value"] == 0
    history = next(found for found in histories(runs) if found["model"] == "oracle")
    # Two right of five; the official rules say the same.
    assert [point["scores"]["strict"]["value"] for point in history["points"]] == [0.4, 1, 1, 1]
    assert [point["whole"] for point in history["points"]] == [True, True, False, True]
    assert [point["differs"] for point in history["points"]] == [[], [], [], ["prompts"]]
    # Wilson's interval of 2 in 5, each a cluster of its own, lies around it.
    low, high = history["points"][0]["scores"]["strict"]["ci95"]
    assert 0.1 < low < 0.4 < high < 0.8


def test_a_run_of_one_sample_does_not_take_the_place_of_a_whole_one(reports: Path) -> None:
    shutil.rmtree(next(folder for folder in reports.glob("*Z-*") if '00004"' in (folder / "report.json").read_text()))
    (board,) = leaderboard(read_folder(reports).runs)
    (line,) = board["lines"]
    assert (line["run"], line["newer"], line["entry"]["expected"]) == (1, 0, 5)


def test_another_scorer_and_other_data_split_a_history(project: Project) -> None:
    assert project.run(model="oracle").ret == 0
    project.benchmark(scoring=scoring(guess="found[0]"))
    assert project.run(model="oracle").ret == 0
    project.write_rows([{"country": "France", "capital": "Paris"}])
    assert project.run(model="oracle").ret == 0
    for day, folder in enumerate(project.folders, 1):
        rename(folder, f"2026-01-0{day}T10:00:00.000+00:00")
    (history,) = histories(read_folder(project.path / "reports").runs)
    assert [point["differs"] for point in history["points"]] == [[], ["scorer"], ["data"]]


def test_what_was_not_measured_is_no_score(tmp_path: Path) -> None:
    for name, outcomes in (("a", {"c1": 1.0, "c2": 0.0}), ("b", {"c1": "error", "c2": "error"})):
        folder = write_run(tmp_path / name, {"m": outcomes})
        run = SavedRun.load(folder)
        save_report(rebuilt_report(run.manifest, run.rows(), duration_s=1), folder)
    rename(tmp_path / "b", "2026-05-05T00:00:00+00:00")
    (board,) = leaderboard(read_folder(tmp_path).runs)
    (line,) = board["lines"]
    assert (line["run"], line["newer"], line["entry"]["scores"]["strict"]["value"]) == (1, None, 0.5)


def test_damaged_and_foreign_folders_are_named_and_reports_are_read_once(reports: Path) -> None:
    runs = sorted(reports.glob("*Z-*"))
    (reports / "notes").mkdir()
    (reports / "torn").mkdir()
    (reports / "torn/report.json").write_text('{"run": ')
    (reports / "odd").mkdir()
    (reports / "odd/report.json").write_text('{"run": {"id": "x", "started": "yesterday"}, "tasks": []}')
    (reports / "elsewhere").symlink_to(reports.parent / "data")
    shutil.copytree(runs[0], reports / "going-on")
    (reports / "going-on/report.json").unlink()
    update_index(reports)
    found = read_folder(reports)
    assert len(found.runs) == 4
    assert [run["folder"] for run in found.unfinished] == ["going-on"]
    problems = {other["folder"]: other["problem"] for other in found.others}
    assert list(problems) == ["elsewhere", "notes", "odd", "torn"]
    assert "not followed" in problems["elsewhere"]
    assert problems["notes"] == "no run: there is neither report.json nor selection.json"
    assert "run.started" in problems["odd"]
    assert "is not JSON" in problems["torn"]
    # A report of the same size and time is not read again: what stands in it now cannot be.
    for run in runs:
        before = (run / "report.json").stat()
        (run / "report.json").write_bytes(b"x" * before.st_size)
        os.utime(run / "report.json", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert read_folder(reports).runs == found.runs


def test_a_run_ends_well_where_its_reports_are_a_mess(project: Project) -> None:
    reports = project.path / "reports"
    for name in ("torn", "x\udcff\n"):
        (reports / name).mkdir(parents=True)
        (reports / name / "report.json").write_text("[" * 100_000)
    (reports / ".index.jsonl").write_text('{"version": 1}\nnull\n{"version": 1, "folder": []}\n')
    result = project.run(model="oracle")
    assert result.ret == 0
    assert len(read_folder(reports).runs) == 1
    assert {other["folder"] for other in read_folder(reports).others} == {"torn", "x?\n"}


@pytest.fixture
def shown(browser: Browser, reports: Path) -> Iterator[ReportPage]:
    hostile = '"><img src=x onerror=alert(1)>\u202e'
    run = next(folder for folder in reports.glob("*Z-*") if '00002"' in (folder / "report.json").read_text())
    shutil.copytree(run, reports / hostile)
    report = json.loads((run / "report.json").read_text())
    report["run"] |= {
        "id": "other",
        "started": "2026-01-05T10:00:00.000+00:00",
        "command": "</script><script>alert(2)</script>",
    }
    report["tasks"][0]["model"] = "javascript:alert(3)"
    (reports / hostile / "report.json").write_text(json.dumps(report))
    (reports / "<b>foreign").mkdir()
    update_index(reports)
    with report_page(browser, reports / "index.html") as page:
        yield page


def test_the_page_shows_it_inertly_and_leads_to_each_report(shown: ReportPage) -> None:
    shown.open()
    assert texts(shown, ".leaderboard tbody tr") == [
        "geo/capitals accuracy, 1 is best",
        "javascript:alert(3) 1.0000 [0.566, 1.000] 2026-01-05 10:00 UTC",
        "oracle 1.0000 [0.566, 1.000] 2026-01-04 10:00 UTC other prompts than the newest of this task",
        "chance 0.0000 [0.000, 0.434] 2026-01-04 10:00 UTC other prompts than the newest of this task",
    ]
    assert shown.page.locator("#runs-found tbody tr").count() == 5
    assert "<b>foreign: no run" in shown.page.locator("#main").inner_text()
    # Of the oracle's four runs three are of all samples; the last has another prompt.
    chart = shown.page.locator("svg.history")
    assert chart.count() == 1
    assert chart.locator("polyline").count() == 2
    assert chart.locator(".split").text_content() == "other prompts"
    assert "2026-01-01 10:00 UTC: 0.4000" in (chart.get_attribute("aria-label") or "")
    assert "1 run of a part only" in shown.page.locator("figcaption").inner_text()
    hrefs = shown.page.locator("main a").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    assert all(href.startswith("./") and href.endswith("/report.html") for href in hrefs)


def test_it_goes_by_keys_and_its_links_lead_to_pages(shown: ReportPage) -> None:
    shown.open("#official")
    assert shown.page.locator("input[value=official]").is_checked()
    assert "Official" in shown.page.locator("#main").inner_text()
    shown.page.keyboard.press("/")
    shown.page.keyboard.type("chance")
    assert shown.page.locator("#runs-found tbody tr").count() == 1
    shown.page.locator("#runs-found tbody a").focus()
    with shown.page.expect_navigation():
        shown.page.keyboard.press("Enter")
    shown.page.locator("html[data-ready]").wait_for()
    assert shown.page.locator("h1").inner_text() == "Proctor report"
    shown.requests.clear()  # of a page beside this one
