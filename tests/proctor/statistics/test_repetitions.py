"""What several epochs tell: pass@k, pass^k, the majority's answer, two variances; and the places of three models."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from measured_runs import STARTED, Outcome, write_run

from proctor.report.build import build_report
from proctor.report.findings import repetition_lines
from proctor.report.summary import markdown
from proctor.results.saved_run import SavedRun


def report_of(folder: Path, models: dict[str, dict[str, Outcome]], **run: Any) -> dict[str, Any]:
    """The report of a run with these outcomes, by model and case."""
    saved = SavedRun.load(write_run(folder, models, **run))
    return build_report(saved.manifest, saved.rows(), finished=datetime.fromisoformat(STARTED))


def epochs(**samples: list[Outcome]) -> dict[str, Outcome]:
    """Outcomes of samples, epoch by epoch; each sample is a cluster."""
    return {
        name if place == 1 else f"{name}-epoch{place}": value
        for name, values in samples.items()
        for place, value in enumerate(values, 1)
    }


def test_epochs_give_pass_at_k_pass_hat_k_and_variances(tmp_path: Path) -> None:
    cases = epochs(a=[1, 1, 1, 1], b=[1, 0, 1, 0], c=[0, 0, 0, 0], d=[0, 0, 0, 1])
    report = report_of(tmp_path / "r", {"m": cases})
    found = report["tasks"][0]["repetitions"]
    assert list(found["pass_at"]) == ["1", "2", "4"]
    # Right 4, 2, 0 and 1 of four times; pairs without a right one: 0, 1, 6 and 3 of six; with none wrong: 6, 1, 0, 0.
    assert found["pass_at"]["1"]["value"] == found["pass_all"]["1"]["value"] == pytest.approx(7 / 16)
    assert found["pass_at"]["2"]["value"] == pytest.approx((1 + 5 / 6 + 0 + 3 / 6) / 4)
    assert found["pass_all"]["2"]["value"] == pytest.approx((1 + 1 / 6) / 4)
    assert (found["pass_at"]["4"]["value"], found["pass_all"]["4"]["value"]) == (0.75, 0.25)
    assert found["pass_at"]["4"]["ci95"] == [pytest.approx(0.3006, abs=1e-4), pytest.approx(0.9544, abs=1e-4)]  # Wilson
    assert (found["pass_at"]["4"]["n"], found["pass_at"]["4"]["clusters"]) == (4, 4)
    # Variances of the samples: 0, 1/3, 0, 1/4. Means 1, 1/2, 0, 1/4: their variance less a quarter of the former.
    within = (1 / 3 + 1 / 4) / 4
    assert found["variance"]["within"] == pytest.approx(within)
    means = [1, 0.5, 0, 0.25]
    spread = sum((mean - 7 / 16) ** 2 for mean in means) / 3
    assert found["variance"]["between"] == pytest.approx(spread - within / 4)
    (line,) = repetition_lines(report)
    assert line.startswith("b/t m, 4 epochs: pass@4 0.7500 [0.301, 0.954], pass^4 0.2500 [0.046, 0.699], majority 0.")
    assert "## Several epochs" in markdown(report)


def answered(prediction: str, value: float) -> Outcome:
    return {"prediction": prediction, "scores": {"official": {"accuracy": value}, "strict": {"accuracy": value}}}


def test_the_majority_is_of_predictions_not_of_right_answers(tmp_path: Path) -> None:
    right, wrong, other = answered("A", 1.0), answered("B", 0.0), answered("C", 0.0)
    unread = {"prediction": None, "status": "unparsed"}
    cases = epochs(
        a=[right, wrong, other, right],  # A twice: right, although half of the answers are not
        b=[right, wrong, wrong, other],
        c=[right, right, wrong, wrong],  # a tie
        d=[right, unread, unread, unread],  # an answer that was not read has no vote
        e=[unread, unread, unread, unread],
    )
    found = report_of(tmp_path / "r", {"m": cases})["tasks"][0]["repetitions"]
    assert found["majority"]["value"] == pytest.approx((1 + 0 + 0.5 + 1 + 0) / 5)


def test_samples_measured_too_seldom_are_left_out_and_nothing_is_a_dash_with_a_reason(tmp_path: Path) -> None:
    report = report_of(
        tmp_path / "r", {"m": epochs(a=[1, "error", 0], b=["error", "missing", 0], c=[0, 1, "judge_failed"])}
    )
    found = report["tasks"][0]["repetitions"]
    assert (found["pass_at"]["2"]["value"], found["pass_at"]["2"]["n"], found["pass_at"]["2"]["left_out"]) == (
        1.0,
        2,
        1,
    )
    assert (found["pass_at"]["3"]["value"], found["pass_at"]["3"]["reason"]) == (None, "no sample was measured 3 times")
    (line,) = repetition_lines(report)
    assert "pass@3 – (no sample was measured 3 times)" in line
    assert "nan" not in markdown(report).lower()


def test_one_epoch_says_nothing_of_repetitions(tmp_path: Path) -> None:
    report = report_of(tmp_path / "r", {"m": {"a": 1, "b": 0}})
    assert "repetitions" not in report["tasks"][0]
    assert list(repetition_lines(report)) == []


def test_full_marks_pass_where_less_is_better(tmp_path: Path) -> None:
    report = report_of(tmp_path / "r", {"m": epochs(a=[1.0, 5.0], b=[7.0, 5.0])}, metrics={"seconds": 300.0})
    assert report["tasks"][0]["repetitions"]["pass_at"]["2"]["value"] == 0.5


def clusters(values: Sequence[float]) -> dict[str, Outcome]:
    return {f"c{place}-q": value for place, value in enumerate(values)}


def test_three_models_have_places_and_no_best_among_equals(tmp_path: Path) -> None:
    good, equal, bad = [1] * 30 + [0] * 6, [0] * 2 + [1] * 29 + [0] * 5, [1] * 4 + [0] * 32
    report = report_of(tmp_path / "r", {name: clusters(v) for name, v in (("z", bad), ("x", good), ("y", equal))})
    (found,) = report["ranks"]
    assert found["models"] == [
        {"model": "x", "rank": [1, 2]},
        {"model": "y", "rank": [1, 2]},
        {"model": "z", "rank": [3, 3]},
    ]
    assert found["best"] == ["x", "y"]
    assert "| b/t | x: 1–2, y: 1–2, z: 3 | none alone: x, y |" in markdown(report)


def test_a_model_that_is_better_than_all_others_is_the_best(tmp_path: Path) -> None:
    models = {"a": [1.0] * 40, "b": [0.0] * 40, "c": [0.0, 1.0] + [0.0] * 38}
    report = report_of(tmp_path / "r", {name: clusters(values) for name, values in models.items()})
    assert report["ranks"][0]["best"] == ["a"]
    assert [one["rank"] for one in report["ranks"][0]["models"]] == [[1, 1], [2, 3], [2, 3]]


def test_two_models_have_no_places(tmp_path: Path) -> None:
    assert report_of(tmp_path / "r", {"a": clusters([1.0] * 9), "b": clusters([0.0] * 9)})["ranks"] == []
