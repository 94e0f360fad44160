"""``proctor.read_runs``: rows, scores and tables of runs that have ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from capitals import Project
from measured_runs import Outcome, write_run

import proctor

PAIRS: dict[str, object] = {
    "scores": {
        "official": {"accuracy": 0.5, "pairs": [{"accuracy": 1.0}, {"accuracy": 0.0}, {"accuracy": 0.5}]},
        "strict": {"accuracy": 0.25},
    },
    "prediction": ["x", 1],
    "usage": {"input_tokens": 7, "output_tokens": 2, "cached_tokens": None, "reasoning_tokens": None},
    "diagnostics": {"words": 3.0},
}


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """A run of each outcome, and a later one of another model."""
    outcomes: dict[str, Outcome] = {
        "a-1": 1.0,
        "a-2": 0.0,
        "b-1": PAIRS,
        "b-2": "error",
        "c-1": "missing",
        "c-2": "not_needed",
    }
    write_run(tmp_path / "run1", {"m": outcomes})
    write_run(tmp_path / "run2", {"n": {"a-1": 1.0}})
    (tmp_path / "no_run").mkdir()
    return tmp_path


def test_patterns_folders_and_links_name_each_run_once(reports: Path) -> None:
    (reports / "latest").symlink_to("run2")
    runs = proctor.read_runs(f"{reports}/*", reports / "run1")
    assert [run.id for run in runs] == ["run1", "run2"]
    assert repr(runs[1:]) == "<1 runs: run2>"
    assert runs[0].info["started"] == "2026-01-02T03:04:05+00:00"
    assert [run.id for run in proctor.read_runs(reports / "latest")] == ["run2"]


def test_what_is_no_run_is_said(reports: Path) -> None:
    with pytest.raises(proctor.UsageError, match=r"no run in .*/x\*"):
        proctor.read_runs(f"{reports}/x*")
    with pytest.raises(proctor.UsageError, match=r"no_run is not the folder of a run: it has no selection\.json"):
        proctor.read_runs(reports / "no_run")
    (reports / "run1/selection.json").write_text("{}")
    with pytest.raises(proctor.DataError, match=r"run1/selection\.json: field 'run': is missing"):
        proctor.read_runs(f"{reports}/*")


def test_rows_are_the_lines_of_all_runs(reports: Path) -> None:
    rows = list(proctor.read_runs(f"{reports}/*").rows())
    assert [(row["run_id"], row["sample_id"]) for row in rows] == [
        *(("run1", name) for name in ("a-1", "a-2", "b-1", "b-2", "c-2")),
        ("run2", "a-1"),
    ]


def test_scores_are_those_of_the_rows(reports: Path) -> None:
    official, strict = proctor.read_runs(reports / "run1").scores()
    # official: 1, 0, and the pairs 1, 0, 0.5; strict: 1, 0, 0.25, and 0 for the error and for the missing case
    assert (official["value"], official["n"]) == (2.5 / 5, 5)
    assert (strict["value"], strict["n"], strict["clusters"]) == (1.25 / 5, 5, 3)
    assert (strict["selected"], strict["not_measured"], strict["worst"], strict["best"]) == (6, 2, 0.0, 1.0)
    assert strict["ci_low"] is not None
    assert strict["ci_high"] is not None
    assert strict["ci_low"] < 0.25 < strict["ci_high"]


def test_the_weighted_mean_of_metrics_is_the_score(reports: Path) -> None:
    runs = proctor.read_runs(f"{reports}/*")
    frame = runs.to_pandas()
    assert str(frame.started.dtype).startswith("datetime64")
    for score in runs.scores():
        mine = frame[(frame.run_id == score["run_id"]) & (frame.family == score["family"])]
        assert (mine.value * mine.n).sum() / mine.n.sum() == pytest.approx(score["value"], abs=1e-15)
    statuses = frame[(frame.run_id == "run1") & (frame.family == "strict")].set_index("sample_id").status.to_dict()
    assert statuses == {"a-1": "scored", "a-2": "scored", "b-1": "scored", "b-2": "error", "c-1": "missing"}
    assert set(frame["tag.half"]) == {"0", "1"}


def test_cases_have_all_that_was_measured(reports: Path) -> None:
    frame = proctor.read_runs(reports / "run1").to_pandas("cases").set_index("sample_id")
    assert list(frame.index) == ["a-1", "a-2", "b-1", "b-2", "c-1", "c-2"]
    paired = frame.loc["b-1"].to_dict()
    assert [paired[name] for name in ("official.accuracy", "strict.accuracy", "diagnostic.words")] == [0.5, 0.25, 3.0]
    assert (paired["input_tokens"], paired["output_tokens"]) == (7, 2)
    assert (paired["verdict"], paired["prediction"], paired["target"]) == ("partial", '["x", 1]', "right")
    assert frame.verdict.isna().to_list() == [False, False, False, True, True, True]
    assert frame.loc["c-1", "status"] == "missing"
    with pytest.raises(proctor.UsageError, match="no table 'cells'\n  There are metrics, cases, scores"):
        proctor.read_runs(reports / "run1").to_pandas("cells")  # type: ignore[arg-type]


def test_a_run_of_a_project_is_found_by_its_id(project: Project) -> None:
    project.run(model="oracle")
    (folder,) = project.folders
    for names in ((), (folder.name,), ("reports/*",)):
        (official, strict) = proctor.read_runs(*names).scores()
        assert (official["value"], strict["value"], strict["model"]) == (1.0, 1.0, "oracle")


def test_importing_proctor_imports_neither_pandas_nor_what_reads_runs() -> None:
    seen = "import sys, proctor; print([n for n in sys.modules if n.startswith(('proctor.', 'pandas'))])"
    ended = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
