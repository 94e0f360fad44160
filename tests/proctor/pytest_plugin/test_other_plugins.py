"""What plugins that report elsewhere see of a case."""

from __future__ import annotations

import json

from capitals import Project

from proctor.pytest_plugin.other_plugins import VerdictColumn

WATCHER = """
import json
import pytest

class html:
    '''As pytest-html registers itself: it looks at reports when all is over.'''

def pytest_configure(config):
    if config.getoption("--as-html"):
        config.pluginmanager.register(html(), "html")

def pytest_addoption(parser):
    parser.addoption("--as-html", action="store_true")

REPORTS = []

def pytest_runtest_logreport(report):
    REPORTS.append((report, {"when": report.when, **dict(report.user_properties)}))

def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        seen = [told for _, told in REPORTS]
        late = [dict(report.user_properties) for report, told in REPORTS if told["when"] == "call"]
        with open("seen.json", "w") as file:
            json.dump({"seen": seen, "late": late}, file)

def pytest_itemcollected(item):
    with open("reprs.txt", "a") as file:
        file.write(repr(item.callspec.params["case"]) + "\\n")
"""
FRANCE = {
    "task": "geo/capitals",
    "model": "oracle",
    "sample_id": "France",
    "epoch": 1,
    "status": "scored",
    "verdict": "correct",
    "official.accuracy": 1.0,
    "strict.accuracy": 1.0,
}


def test_scores_are_properties_of_reports_and_cases_have_short_names(project: Project) -> None:
    (project.path / "conftest.py").write_text(WATCHER)
    for workers in ("0", "2"):
        project.run("-n", workers, "--limit", "1", model="oracle")
        seen = json.loads((project.path / "seen.json").read_text())["seen"]
        assert seen == [{"when": "setup"}, {"when": "call", **FRANCE}, {"when": "teardown", **FRANCE}]
    assert set((project.path / "reprs.txt").read_text().splitlines()) == {"<case geo/capitals oracle-France>"}


def test_properties_stay_with_reports_for_a_plugin_that_asks_when_all_is_over(project: Project) -> None:
    (project.path / "conftest.py").write_text(WATCHER)
    project.run("--limit", "1", model="oracle")
    assert json.loads((project.path / "seen.json").read_text())["late"] == [{}]
    project.run("--limit", "1", "--as-html", model="oracle")
    assert json.loads((project.path / "seen.json").read_text())["late"] == [FRANCE]


def test_pytest_htmls_table_has_a_column_of_verdicts() -> None:
    class Report:
        user_properties = (("verdict", "<partial>"),)

    cells = ["<td>Passed</td>", "<td>name</td>"]
    VerdictColumn().pytest_html_results_table_row(Report(), cells)  # type: ignore[arg-type]
    assert cells == ["<td>Passed</td>", "<td>&lt;partial&gt;</td>", "<td>name</td>"]
