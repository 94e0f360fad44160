"""``proctor export --format``: tables, Every Eval Ever's files and Inspect's logs, of a run with every outcome."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from capitals import Project
from measured_runs import Outcome, write_run
from pyarrow import parquet

from proctor.cli.main import main

HALF = "\ud83d"  # of a surrogate pair: no UTF-8
ANSWER: dict[str, object] = {
    "scores": {"official": {"accuracy": 0.5}, "strict": {"accuracy": 0.25}},
    "prediction": ["x", 1],
    "response_text": f'=1+1, "{HALF}"\n',
    "reasoning_text": "Well.",
    "finish_reason": "length",
    "usage": {"input_tokens": 7, "output_tokens": 2, "cached_tokens": 3, "reasoning_tokens": None},
    "latency_s": 1.5,
}
SHOWN = '=1+1, "\\ud83d"\n'  # other programs read no half of a pair
FAILED: dict[str, object] = {
    "status": "error",
    "scores": {"official": {}, "strict": {"accuracy": 0.0}},
    "error": "HTTP 500",
    "response_text": None,
    "prediction": None,
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    outcomes: dict[str, Outcome] = {"a-1": 1.0, "b-1": ANSWER, "b-2": FAILED, "c-1": "missing", "c-2": "not_needed"}
    write_run(tmp_path / "run1", {"m": outcomes})
    pieces = ["What is it?", {"kind": "image", "path": "data/cat.png", "sha256": "0"}]
    prompt = {"benchmark": "b", "task": "t", "sample_id": "b-1", "sha256": None, "pieces": pieces}
    (tmp_path / "run1/prompts.jsonl").write_text(json.dumps(prompt) + "\n")
    return tmp_path / "run1"


def exported(run: Path, *options: str) -> Path:
    assert main(["export", str(run), *options, "--output", str(run.parent / "out")]) == 0
    return run.parent / "out"


def table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_csv_with_a_metric_a_row(run: Path) -> None:
    folder = exported(run, "--format", "csv")
    rows = table(folder / "metrics.csv")
    assert [(row["sample_id"], row["family"], row["value"], row["n"]) for row in rows] == [
        *[("a-1", "official", "1.0", "1"), ("a-1", "strict", "1.0", "1")],
        *[("b-1", "official", "0.5", "1"), ("b-1", "strict", "0.25", "1")],
        *[("b-2", "strict", "0.0", "1"), ("c-1", "strict", "0.0", "1")],
    ]
    official, strict = table(folder / "scores.csv")
    assert (official["value"], strict["value"], strict["not_measured"]) == ("0.75", "0.3125", "2")


def test_csv_with_a_case_a_row(run: Path) -> None:
    rows = table(exported(run, "--format", "csv", "--wide") / "cases.csv")
    assert [row["status"] for row in rows] == ["scored", "scored", "error", "missing", "not_needed"]
    assert rows[1]["response_text"] == SHOWN
    assert (rows[1]["strict.accuracy"], rows[1]["prediction"], rows[1]["tag.half"]) == ("0.25", '["x", 1]', "1")
    assert (rows[3]["strict.accuracy"], rows[3]["attempts"], rows[4]["strict.accuracy"]) == ("0.0", "", "")


def test_parquet_has_the_same_with_types(run: Path) -> None:
    folder = exported(run, "--format", "parquet", "--wide")
    read = parquet.read_table(folder / "cases.parquet")
    kinds = {
        name: str(read.schema.field(name).type) for name in ("sample_index", "cost_usd", "strict.accuracy", "error")
    }
    assert kinds == {"sample_index": "int64", "cost_usd": "double", "strict.accuracy": "double", "error": "string"}
    case = read.to_pylist()[1]
    assert (case["input_tokens"], case["official.accuracy"], case["response_text"]) == (7, 0.5, SHOWN)
    assert [row["value"] for row in parquet.read_table(folder / "scores.parquet").to_pylist()] == [0.75, 0.3125]


def test_every_eval_ever(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = exported(run, "--format", "eee")
    assert "b/t m: 1 cases never finished; they have no line" in capsys.readouterr().out
    (samples,) = folder.rglob("*_samples.jsonl")
    (scores,) = folder.rglob("*.json")
    told = json.loads(scores.read_text())
    assert samples.parent == folder / "data/b/unspecified/m"
    assert told["detailed_evaluation_results"]["file_path"] == samples.relative_to(folder).as_posix()
    assert told["detailed_evaluation_results"]["checksum"] == hashlib.sha256(samples.read_bytes()).hexdigest()
    official, strict = told["evaluation_results"]
    assert (official["score_details"]["score"], strict["score_details"]["score"]) == (0.75, 0.3125)
    assert strict["score_details"]["details"] == {"selected": "5", "not_measured": "2"}
    config = {
        name: strict["metric_config"][name] for name in ("lower_is_better", "min_score", "max_score", "score_type")
    }
    assert config == {"lower_is_better": False, "min_score": 0.0, "max_score": 1.0, "score_type": "continuous"}
    lines = [json.loads(line) for line in samples.read_bytes().splitlines()]
    assert {line["evaluation_result_id"] for line in lines} == {strict["evaluation_result_id"]}
    assert {line["evaluation_id"] for line in lines} == {told["evaluation_id"]}
    assert [line["evaluation"] for line in lines] == [
        {"score": 1.0, "is_correct": True},
        {"score": 0.25, "is_correct": False},
        {"score": 0.0, "is_correct": False},
    ]
    assert lines[1]["input"] == {"raw": "What is it?\n[image: cat.png]", "reference": ["right"]}
    assert lines[1]["output"] == {"raw": [SHOWN], "reasoning_trace": ["Well."]}
    assert lines[1]["metadata"]["official.accuracy"] == "0.5"
    assert (lines[2]["error"], lines[2]["output"]) == ("HTTP 500", {"raw": []})
    again = exported(run, "--format", "eee")
    assert json.loads(next(again.rglob("*.json")).read_text()) == told


def test_a_log_of_inspect(run: Path) -> None:
    (file,) = exported(run, "--format", "inspect").iterdir()
    log: dict[str, Any] = json.loads(file.read_text())
    assert (log["version"], log["status"], log["eval"]["task"], log["eval"]["model"]) == (2, "cancelled", "b/t", "m")
    means = {score["scorer"]: score["metrics"]["mean"]["value"] for score in log["results"]["scores"]}
    assert means == {"official": 0.75, "strict": 0.3125}
    assert (log["results"]["total_samples"], log["results"]["completed_samples"]) == (5, 3)
    _, answered, failed = log["samples"]
    assert answered["input"] == "What is it?\n[image: cat.png]"
    assert [message["role"] for message in answered["messages"]] == ["user", "assistant"]
    assert answered["output"]["choices"][0]["stop_reason"] == "max_tokens"
    assert answered["output"]["completion"] == SHOWN
    usage = {"input_tokens": 7, "output_tokens": 2, "input_tokens_cache_read": 3, "total_tokens": 9}
    assert answered["output"]["usage"] == usage
    assert answered["scores"]["strict"]["value"] == 0.25
    assert answered["scores"]["official"] == {
        "value": 0.5,
        "answer": '["x", 1]',
        "explanation": None,
        "metadata": {"verdict": "partial"},
    }
    assert failed["error"]["message"] == "HTTP 500"
    assert failed["messages"] == []
    assert log["stats"]["model_usage"] == {"m": usage}


def test_a_run_of_a_project_keeps_its_prompts_in_what_is_exported(project: Project) -> None:
    project.record("--limit", "1")
    for name in ("eee", "inspect"):
        assert project.command("export", project.folders[-1].name, "--format", name) == 0
    (log,) = (project.folders[-1] / "inspect").iterdir()
    assert json.loads(log.read_text())["samples"][0]["input"] == "What is the capital of France?\n"
    (samples,) = (project.folders[-1] / "eee").rglob("*_samples.jsonl")
    assert json.loads(samples.read_text())["input"]["raw"] == "What is the capital of France?\n"


def test_wide_is_about_tables(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(run), "--wide"]) == 4
    assert "--wide is about tables\n  Give --format csv" in capsys.readouterr().err
