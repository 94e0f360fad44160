"""``proctor compare``: two runs, or the models of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from measured_runs import Outcome, write_run
from scipy import stats

from proctor.cli.main import main


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "reports"


def cases(*values: Outcome, first: int = 1) -> dict[str, Outcome]:
    """Outcomes of samples in clusters of their own: c1-q, c2-q, …"""
    return {f"c{place}-q": value for place, value in enumerate(values, first)}


def compared(capsys: pytest.CaptureFixture[str], *names: str) -> dict[str, Any]:
    assert main(["compare", "--json", *names]) == 0
    content: dict[str, Any] = json.loads(capsys.readouterr().out)
    return content


def strict(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [found for found in content["comparisons"] if found["family"] == "strict"]


def test_two_runs_are_compared_on_the_cases_that_both_measured(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = cases(1, 1, 0, 1, 0, 1, "error", 1, "missing", 1, 1)
    after = cases(1, 0, 1, 0, 0, 0, 1, "error", 1, {"target": "other"}) | {"c99-q": 1}
    write_run(reports / "before", {"m": before})
    write_run(reports / "after", {"m": after}, data_sha256="1")
    content = compared(capsys, "before", "after")
    (pairing,) = content["pairings"]
    assert pairing["paired"] == 6
    assert pairing["unpaired"] == {
        "not measured in a": ["c7-q", "c9-q"],
        "not measured in b": ["c8-q"],
        "gold answer differs": ["c10-q"],
        "only in a": ["c11-q"],
        "only in b": ["c99-q"],
    }
    assert pairing["data_differs"]
    (found,) = strict(content)
    assert (found["a"], found["b"]) == (
        {"run": "before", "model": "m", "value": pytest.approx(4 / 6)},
        {"run": "after", "model": "m", "value": pytest.approx(2 / 6)},
    )
    assert found["difference"] == pytest.approx(-2 / 6)
    assert (found["a_better"], found["b_better"], found["n"], found["clusters"]) == (3, 1, 6, 6)
    assert found["verdict"] == "no difference shown"
    assert found["ci95"][0] < -2 / 6 < 0 < found["ci95"][1]

    assert main(["compare", "before", str(reports / "after")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["a: before", "b: after"]
    assert lines[-6:] == [
        "b/t m / m: the data files differ (data/b/t.jsonl, data/b/t.jsonl)",
        "b/t m / m: 2 cases not compared, not measured in a: c7-q, c9-q",
        "b/t m / m: 1 case not compared, not measured in b: c8-q",
        "b/t m / m: 1 case not compared, gold answer differs: c10-q",
        "b/t m / m: 1 case not compared, only in a: c11-q",
        "b/t m / m: 1 case not compared, only in b: c99-q",
    ]


def test_a_large_difference_is_shown_either_way(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(reports / "bad", {"m": cases(*[0] * 18, 1, 1)})
    write_run(reports / "good", {"m": cases(*[1] * 18, 1, 0)})
    (up,) = strict(compared(capsys, "bad", "good"))
    (down,) = strict(compared(capsys, "good", "bad"))
    assert (up["verdict"], down["verdict"]) == ("better", "worse")
    assert down["difference"] == -up["difference"] == pytest.approx(-17 / 20)
    assert down["ci95"] == [pytest.approx(-up["ci95"][1]), pytest.approx(-up["ci95"][0])]
    assert up["p"] == down["p"] < 0.001
    assert (up["a_better"], up["b_better"]) == (1, 18)


def test_the_table_tells_all_in_a_hundred_columns(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b, name = "an-instructed-model-1.5b", "an-instructed-model-0.5b", "effectiveness_subjective"
    write_run(reports / "r", {a: cases(*[1] * 18, 1, 0), b: cases(*[0] * 18, 1, 1)}, metrics={"f1": 0.0, name: 0.0})
    (found, _) = strict(compared(capsys, "r"))
    assert main(["compare", "r"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0] == f"b/t: a = {a}, b = {b}"
    assert len(lines) == 2 + 2 * 4  # two metrics, two families
    low, high = found["ci95"]
    assert lines[4].split("  ")[0] == "f1"
    assert lines[4].endswith(f"  strict     0.9500   0.1000  -0.8500 [{low:+.3f}, {high:+.3f}]  <0.001    <0.001")
    assert lines[5] == (
        f"  b is worse: 18 a better, 1 b better, n 20, clusters 20, detectable {found['detectable']:.4f}"
    )


def test_failures_of_the_model_count_and_failures_to_measure_do_not(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(reports / "r", {"m": cases(1, 1, 1, 1), "n": cases("unparsed", "truncated", "judge_failed", 1)})
    content = compared(capsys, "r")
    (found,) = strict(content)
    assert (found["n"], found["a_better"]) == (3, 2)
    assert content["pairings"][0]["unpaired"] == {"not measured in b": ["c3-q"]}


def test_models_within_a_run_are_compared_in_pairs_and_p_values_adjusted(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    best, good, bad = [1] * 24 + [0] * 6, [1] * 16 + [0] * 14, [1] * 8 + [0] * 22
    write_run(reports / "r", {name: cases(*values) for name, values in (("x", best), ("y", good), ("z", bad))})
    found = strict(compared(capsys, "r"))
    assert [(f["a"]["model"], f["b"]["model"]) for f in found] == [("x", "y"), ("x", "z"), ("y", "z")]
    assert [f["verdict"] for f in found] == ["worse"] * 3
    # Holm: the least of three times 3, the next times 2, the last as it is, and none below the one before.
    ordered = sorted(found, key=lambda f: f["p"])
    assert ordered[0]["b"]["model"] == "z"
    assert ordered[0]["p_holm"] == pytest.approx(3 * ordered[0]["p"])
    assert ordered[1]["p_holm"] == ordered[2]["p_holm"] == pytest.approx(2 * ordered[1]["p"])


def test_what_could_be_detected_takes_the_number_of_comparisons_into_account(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = {name: cases(*([1, 0, 0, 1, 0] * 6)[shift:], *[0] * shift) for shift, name in enumerate("xyz")}
    write_run(reports / "r", models)
    for found in strict(compared(capsys, "r")):
        quantiles = stats.t.ppf(1 - 0.05 / 2 / 3, 29) + stats.t.ppf(0.8, 29)
        assert found["detectable"] == pytest.approx(quantiles * found["se"])


def test_other_metrics_do_not_cost_the_headline_power(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    half = [1] * 12 + [0] * 12
    write_run(reports / "a", {"m": cases(*half)}, metrics={"f1": 0.0, "precision": 0.0, "recall": 0.0})
    write_run(reports / "b", {"m": cases(*[0] * 24)}, metrics={"f1": 0.0, "precision": 0.0, "recall": 0.0})
    found = {f["metric"]: f for f in strict(compared(capsys, "a", "b"))}
    assert [f["headline"] for f in found.values()] == [True, False, False]
    assert found["f1"]["p_holm"] == found["f1"]["p"]
    assert found["recall"]["p_holm"] == pytest.approx(2 * found["recall"]["p"])


def test_epochs_are_averaged_on_each_side_before_samples_are_paired(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    four: dict[str, Outcome] = {"c1-epoch2": 0, "c1-epoch3": 1, "c1-epoch4": "error"}
    write_run(reports / "a", {"m": {"c1": 1, "c2": 0, "c3": "error"}})
    write_run(reports / "b", {"m": four | {"c1": 0, "c2": 1, "c2-epoch2": 0, "c3": 1}})
    content = compared(capsys, "a", "b")
    (found,) = strict(content)
    # c1: 1 against the mean of 0, 0 and 1; c2: 0 against the mean of 1 and 0.
    assert found["difference"] == pytest.approx((-2 / 3 + 1 / 2) / 2)
    assert (found["n"], found["clusters"], found["a_better"], found["b_better"]) == (2, 2, 1, 1)
    assert content["pairings"][0]["unpaired"] == {"not measured in b": ["c1-epoch4"], "not measured in a": ["c3"]}


def test_runs_of_one_model_each_are_compared_whatever_their_models(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(reports / "a", {"m": cases(1, 0)})
    write_run(reports / "b", {"n": cases(1, 1)})
    (found,) = strict(compared(capsys, "a", "b"))
    assert (found["a"]["model"], found["b"]["model"]) == ("m", "n")


def test_of_several_models_those_that_both_runs_have_are_compared(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(reports / "a", {"m": cases(1, 0), "n": cases(1, 1)})
    write_run(reports / "b", {"o": cases(1, 0), "n": cases(1, 0)})
    assert [f["b"]["model"] for f in strict(compared(capsys, "a", "b"))] == ["n"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["nowhere"], "no run 'nowhere': neither a folder nor an id in reports\n  Newest runs in reports: one, many"),
        (["reports"], "reports is not the folder of a run: it has no selection.json"),
        (["one"], "the run one asked no two models the same task\n  Name a second run."),
        (["one", "other-task"], "the runs one and other-task have no task in common"),
        (["many", "others"], "the runs many and others have no model in common: m, n; o, p\n  Compare runs of"),
        (["broken", "one"], "results.jsonl:3: is not JSON"),
    ],
)
def test_bad_usage_names_what_is_wrong(
    reports: Path, capsys: pytest.CaptureFixture[str], names: list[str], message: str
) -> None:
    if names[0] != "nowhere":
        write_run(reports / "other-task", {"m": cases(1)}, task="u")
        write_run(reports / "others", {"o": cases(1), "p": cases(1)})
        broken = write_run(reports / "broken", {"m": cases(1, 1)}) / "results.jsonl"
        broken.write_text(broken.read_text() + "nonsense\n")
    write_run(reports / "one", {"m": cases(1)})
    write_run(reports / "many", {"m": cases(1), "n": cases(1)})
    assert main(["compare", *names]) == 4
    assert message in capsys.readouterr().err


def test_of_a_runtime_less_is_better(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quick, slow = cases(*[1.0, 2.0] * 6), cases(*[21.0, 23.0] * 6)
    write_run(reports / "run", {"quick": quick, "slow": slow}, metrics={"seconds": 300.0})
    (found,) = strict(compared(capsys, "run"))
    # 20 seconds more in one half of the cases, 21 in the other.
    assert found["difference"] == pytest.approx(20.5)
    assert (found["verdict"], found["a_better"], found["b_better"]) == ("worse", 12, 0)
