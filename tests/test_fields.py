"""docs/reference/fields.md: it is current, and real runs hold what it says, no more and no less."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from capitals import Project, project

from proctor.report.fields import ReportFields
from proctor.results import saved_fields
from proctor.results.manifest import Manifest, ManifestCase, ManifestTask
from proctor.results.row import ResultRow
from proctor.results.run_info import RunFields
from scripts import page_types
from scripts.fields_page import PAGE, TOLD_APART, fields_of, is_record, page

__all__ = ["project"]
ROOT = Path(__file__).parents[1]


def differences(value: Any, held: Any, place: str = "") -> Iterator[str]:
    """Where a JSON value is not what its type says."""
    origin, inside = get_origin(held), get_args(held)
    if held is Any:
        return
    if origin in (Union, types.UnionType):
        found = [list(differences(value, part, place)) for part in inside]
        if all(found):
            yield from found[0]
    elif is_record(held):
        if not isinstance(value, dict):
            yield f"{place} is no object"
            return
        fields = fields_of(held)
        yield from (f"{place}.{name} is not documented" for name in value.keys() - fields.keys())
        yield from (f"{place}.{name} is missing" for name in fields.keys() - value.keys() if not fields[name][1])
        for name in fields.keys() & value.keys():
            yield from differences(value[name], fields[name][0], f"{place}.{name}")
    elif origin is Literal:
        if value not in inside:
            yield f"{place} is {value!r}"
    elif isinstance(value, list) and inside:
        for part in value:
            yield from differences(part, inside[0], f"{place}[]")
    elif isinstance(value, dict) and len(inside) == 2:
        for name, part in value.items():
            yield from differences(part, inside[1], f"{place}.{name}")
    elif inside or not isinstance(value, (int, float) if held is float else held):
        yield f"{place} is {value!r}"


def wrong(folder: Path) -> list[str]:
    """Where the files of a run are not what the page says."""
    selection = json.loads((folder / "selection.json").read_text(encoding="utf-8"))
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    found = [*differences(selection, Manifest, "selection"), *differences(report, ReportFields, "report")]
    return [*found, *(one for line in lines for one in differences(json.loads(line), ResultRow, "row"))]


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m scripts.fields_page"


def test_the_types_of_the_pages_are_current() -> None:
    assert page_types.FILE.read_text(encoding="utf-8") == page_types.declarations(), "run: python -m scripts.page_types"


def test_what_is_checked_in_saved_runs_is_what_is_documented() -> None:
    documented: Mapping[str, type] = {"TASK": ManifestTask, "CASE": ManifestCase, "ROW": ResultRow}
    for name, kind in documented.items():
        checked = vars(getattr(saved_fields, name))["known"]
        assert checked <= fields_of(kind).keys()
        assert name == "ROW" or checked == fields_of(kind).keys()  # a task and a case are closed
    run = {*saved_fields.RUN, *saved_fields.MORE_OF_A_RUN, "merged", "models", "duration_s"}
    assert fields_of(RunFields).keys() == run
    assert TOLD_APART[Manifest] == {"run": RunFields}


def test_a_live_run_against_a_baseline_with_epochs_and_floors(project: Project) -> None:
    project.run("--limit", "3", "--epochs", "2", model="chance")
    baseline = project.folders[-1].name
    gate = project.path / "gate.yaml"
    gate.write_text("floors: [{task: geo/capitals, metric: accuracy, at_least: 0.5}]\n")
    project.record("--epochs", "2", f"--gate={gate}", "--baseline", baseline, "--model", "oracle", "--model", "chance")
    report = project.report
    assert (len(report["tasks"]), len(report["comparisons"]), len(report["gate"]["floors"])) == (3, 6, 3)
    assert report["ranks"]
    assert wrong(project.folders[-1]) == []
    assert wrong(project.path / "reports" / baseline) == []


def test_benchmarks_with_judges_composites_tables_and_published_figures(
    pytester: pytest.Pytester, tmp_path: Path
) -> None:
    names = ("smollm2-135m-instruct", "qwen2.5-coder-1.5b-instruct")
    models = [word for name in names for word in ("--model", name)]
    reports = f"--reports-dir={tmp_path}"
    chosen = [f"{ROOT}/benchmarks/sgi", f"{ROOT}/benchmarks/tsg/test_sgqa.py", "--limit", "4"]
    pytester.runpytest_subprocess(*chosen, *models, reports, f"--rootdir={ROOT}", f"-c{ROOT}/pytest.ini")
    (folder,) = tmp_path.glob("*Z-*")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["composites"]
    assert report["tables"]
    assert report["published"]
    assert any(task["judging"] for task in report["tasks"])
    assert wrong(folder) == []
