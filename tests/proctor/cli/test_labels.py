"""``proctor label``, ``judge-check`` and ``calibrate``: from a run to labels and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from capitals import CAPITALS, Project
from judged_project import judged
from measured_runs import write_run

from proctor.cli.main import main

__all__ = ["judged"]


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "reports"


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def write(file: Path, labels: Sequence[Mapping[str, Any]]) -> str:
    file.write_text("".join(json.dumps(label) + "\n" for label in labels))
    return str(file)


def found(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    content: dict[str, Any] = json.loads(capsys.readouterr().out)
    return content


def test_labels_are_drawn_blind_and_lead_back_to_the_answers(
    judged: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    judged.run("--record-mode", "once", "--model", "gpt-4.1")
    run = judged.folders[-1]
    capsys.readouterr()
    assert judged.command("label", run.name, "--n", "3", "--seed", "1") == 0
    told = capsys.readouterr().out
    assert "geo/capitals: 6 answers to 3 samples of 5, of 2 models. label: accuracy, from 0 (worst) to 1" in told
    drawn = lines(run / "labels.jsonl")
    assert len(drawn) == len({line["key"] for line in drawn}) == 6
    for line in drawn:
        assert list(line) == ["key", "task", "metric", "scale", "question", "answer", "target", "label"]
        assert line["question"] == f"What is the capital of {CAPITALS_OF[line['target']]}?\n"
        assert (line["answer"], line["label"]) == (line["target"], None)
    text = (run / "labels.jsonl").read_text()
    assert not any(name in text for name in ("gpt", "o4", "judge", "yes"))

    # The same seed draws the same; what is there, made by hand, is never replaced.
    assert judged.command("label", run.name, "--n", "3", "--seed", "1") == 4
    assert "labels.jsonl is there already\n  Name another file with --output." in capsys.readouterr().err
    assert judged.command("label", run.name, "--n", "3", "--seed", "1", "--output", "again.jsonl") == 0
    assert Path("again.jsonl").read_text() == text
    judged.command("label", run.name, "--n", "3", "--seed", "2", "--output", "others.jsonl")
    assert Path("others.jsonl").read_text() != text

    # Lima was judged half right, for both models; a person says that it is right.
    judged.command("label", run.name, "--output", "all.jsonl")
    labels = write(Path("filled.jsonl"), [line | {"label": True} for line in lines(Path("all.jsonl"))])
    (check,) = found(capsys, "judge-check", run.name, "--labels", labels)["checks"]
    assert check["judge"] == {"run": run.name, "roles": {"judge": "o4-mini"}}
    groups = {group["name"]: group for group in check["groups"]}
    assert [(name, group["n"]) for name, group in groups.items()][:3] == [
        ("all", 10),
        ("gpt-4.1", 5),
        ("gpt-4o-mini", 5),
    ]
    assert groups["all"]["agreement"]["value"] == pytest.approx(0.8)
    assert groups["all"]["bias"]["difference"] == pytest.approx(-0.1)
    assert groups["all"]["constant"] == {"score": 1.0, "agreement": 1.0}
    (task,) = found(capsys, "calibrate", run.name, "--labels", labels)["tasks"]
    for model in task["models"]:
        assert model["judged"]["value"] == pytest.approx(0.9)
        assert model["calibrated"]["value"] == pytest.approx(1.0)
    (pair,) = task["differences"]
    assert (pair["judged"]["difference"], pair["calibrated"]["difference"]) == (0, 0)
    assert pair["verdict"] == "no difference shown"


CAPITALS_OF = {capital: country for country, capital in CAPITALS.items()}


def test_two_judges_of_the_same_answers(judged: Project, capsys: pytest.CaptureFixture[str]) -> None:
    judged.record()
    first = judged.folders[-1].name
    judged.server.script = "no"
    judged.run("--record-mode", "new_episodes", "--role", "judge=gpt-4.1")
    second = judged.folders[-1].name
    (check,) = found(capsys, "judge-check", first, "--against", second)["checks"]
    assert (check["judge"]["roles"], check["reference"]["roles"]) == ({"judge": "o4-mini"}, {"judge": "gpt-4.1"})
    assert check["reference"]["run"] == second
    assert check["groups"][0]["n"] == 5
    assert check["groups"][0]["bias"]["difference"] == pytest.approx(0.9)
    assert check["groups"][0]["agreement"]["value"] == 0
    assert main(["judge-check", first, "--against", second]) == 0
    assert f"judge o4-mini, run {first}, against judge gpt-4.1, run {second}" in capsys.readouterr().out


def samples(*values: float | str) -> dict[str, Any]:
    return {f"c{place}-q": value for place, value in enumerate(values)}


def test_a_judge_that_favours_a_model_is_found_and_corrected(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Both models are right on every second sample; the judge lets b pass on a further quarter.
    right = [float(place % 2) for place in range(200)]
    favoured = [1.0 if place % 4 == 0 else value for place, value in enumerate(right)]
    write_run(reports / "r", {"a": samples(*right), "b": samples(*favoured)})
    labels = write(
        reports / "labels.jsonl",
        [
            {"sample_id": f"c{place}-q", "model": model, "label": right[place]}
            for place in range(0, 200, 3)
            for model in "ab"
        ],
    )
    (check,) = found(capsys, "judge-check", "r", "--labels", labels)["checks"]
    bias = {group["name"]: group["bias"] for group in check["groups"]}
    assert bias["a"]["difference"] == 0
    assert bias["b"]["difference"] == pytest.approx(17 / 67)
    assert bias["b"]["p"] < 0.001
    (task,) = found(capsys, "calibrate", "r", "--labels", labels)["tasks"]
    a, b = task["models"]
    assert (a["judged"]["value"], b["judged"]["value"]) == (0.5, 0.75)
    assert b["calibrated"]["ci95"][0] < 0.5 < b["calibrated"]["ci95"][1] < 0.75
    (pair,) = task["differences"]
    assert pair["judged"]["p"] < 0.001
    assert pair["verdict"] == "no difference shown"
    assert main(["calibrate", "r", "--labels", labels]) == 0
    out = capsys.readouterr().out
    assert "b - a" in out
    assert "no difference shown" in out


def test_few_labels_are_said(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(reports / "r", {"m": samples(*[1.0, 0.0] * 50)})
    labels = write(reports / "l.jsonl", [{"sample_id": f"c{place}-q", "label": place % 2} for place in range(10)])
    assert main(["calibrate", "r", "--labels", labels]) == 0
    assert "b/t m: 10 labels; the intervals were shown to hold from 60 on" in capsys.readouterr().out


def test_a_metric_has_its_own_unit(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run(reports / "r", {"m": samples(*[4.0, 10.0] * 40)}, metrics={"grade": 1.0})
    selection = json.loads((folder / "selection.json").read_text())
    selection["tasks"][0]["best"] = {"grade": 10}
    (folder / "selection.json").write_text(json.dumps(selection))
    labels = [{"sample_id": f"c{place}-q", "label": 10 if place % 2 else 3} for place in range(60)]
    file = write(reports / "l.jsonl", labels)
    (task,) = found(capsys, "calibrate", "r", "--labels", file)["tasks"]
    (model,) = task["models"]
    # The judge is one grade too high on every second answer.
    assert (model["judged"]["value"], model["calibrated"]["value"]) == (pytest.approx(7), pytest.approx(6.5))
    (check,) = found(capsys, "judge-check", "r", "--labels", file)["checks"]
    assert check["groups"][0]["bias"]["difference"] == pytest.approx(0.5)
    write(reports / "l.jsonl", [{"sample_id": "c0-q", "label": 0}])
    assert main(["calibrate", "r", "--labels", file]) == 4
    assert "l.jsonl:1: field 'label': is not on the scale of the metric (found 0)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ({"sample_id": "c0-q", "model": "m"}, "l.jsonl:2: field 'label': there is no label\n  Fill in a number from 0"),
        ({"sample_id": "c0-q", "model": "m", "label": None}, "l.jsonl:2: field 'label': there is no label"),
        ({"sample_id": "c0-q", "model": "m", "label": "yes"}, "field 'label': is no label (found 'yes')"),
        ({"sample_id": "c0-q", "model": "m", "label": [1]}, "field 'label': is no label (found [1])"),
        ({"sample_id": "c0-q", "model": "m", "label": float("nan")}, "field 'label': is no"),
        ({"sample_id": "c0-q", "model": "m", "label": 1.5}, "is not on the scale of the metric (found 1.5)"),
        ({"sample_id": "c1-q", "model": "m", "label": 1}, "field 'sample_id': labels the same answer as line 1"),
        ({"sample_id": "c0-q", "label": 1}, "'sample_id': 2 answers of the run r are to that sample (found 'c0-q')"),
        ({"sample_id": "c9-q", "label": 1}, "the run r has no measured answer to that sample (found 'c9-q')"),
        ({"sample_id": "c2-q", "model": "m", "label": 1}, "the run r has no measured answer to that sample"),
        ({"sample_id": ["c0-q"], "label": 1}, "the run r has no measured answer to that sample (found ['c0-q'])"),
        ({"key": "00", "label": 1}, "field 'key': the run r has no measured answer of that key (found '00')"),
        ({"key": 7, "label": 1}, "field 'key': the run r has no measured answer of that key (found 7)"),
        ({"label": 1}, "l.jsonl:2: field 'key': is missing\n  A line needs the key"),
        (
            {"sample_id": "c0-q", "model": "m", "label": 1, "metric": "f9"},
            "field 'metric': is no metric of this answer",
        ),
    ],
)
@pytest.mark.parametrize("command", ["judge-check", "calibrate"])
def test_a_bad_label_is_named(
    reports: Path, capsys: pytest.CaptureFixture[str], command: str, label: Mapping[str, Any], message: str
) -> None:
    write_run(reports / "r", {"m": samples(1, 0, "error"), "n": samples(1, 0, 1)})
    file = write(reports / "l.jsonl", [{"sample_id": "c1-q", "model": "m", "label": 1}, label])
    assert main([command, "r", "--labels", file]) == 4
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["calibrate", "r", "--labels", "nowhere.jsonl"], "no such file of labels: nowhere.jsonl\n  proctor label"),
        (["judge-check", "r"], "judge-check needs something to measure the judge against\n  Give --labels FILE"),
        (["judge-check", "r", "--against", "r"], "the runs r and r have no judged answer in common"),
        (["calibrate", "r", "--labels", "broken.jsonl"], "broken.jsonl:2: not JSON"),
        (["label", "r"], "no answer of the run r is judged\n  Name a task with --task"),
        (["label", "r", "--task", "b/u"], "the run r has no measured answer to b/u\n  Its tasks: b/t."),
        (["label", "r", "--task", "b/t", "--metric", "f1"], "b/t has no metric 'f1'\n  Its metrics: accuracy."),
    ],
)
def test_bad_usage_is_named(reports: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    write_run(reports / "r", {"m": samples(1, 0)})
    Path("broken.jsonl").write_text('{"sample_id": "c0-q", "label": 1}\n{"sample\n')
    assert main(words) == 4
    assert message in capsys.readouterr().err
