"""The recordings that ship: they replay whole, and their scores are what the published formulas give.

The formulas are written down here once more, straight from the benchmark's description, and share no code with the
scorers.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from proctor.recordings.cassette import Cassette

ROOT = Path(__file__).parents[3]
MODELS = ("qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-0.5b-instruct", "smollm2-135m-instruct")
CASES = {"sgqa": 100, "sgds": 50, "sa-sgg": 60, "ma-sgg": 40}
Row = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report folder of a replay of everything that ships, in a process without keys."""
    reports = tmp_path_factory.mktemp("reports")
    command = [sys.executable, "-m", "pytest", "benchmarks/tsg", f"--reports-dir={reports}", "-p", "no:cacheprovider"]
    for model in MODELS:
        command += ["--model", model]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
    assert result.returncode == 0, result.stdout + result.stderr
    (run,) = reports.glob("*Z-*")
    return run


@pytest.fixture(scope="module")
def rows(folder: Path) -> list[Row]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def of_task(rows: list[Row], task: str, model: str) -> list[Row]:
    return [row for row in rows if (row["task"], row["model"]) == (task, model)]


def reported(folder: Path, task: str, model: str) -> dict[str, dict[str, float]]:
    report = json.loads((folder / "report.json").read_text())
    (entry,) = [entry for entry in report["tasks"] if (entry["task"], entry["model"]) == (task, model)]
    assert entry["expected"] == CASES[task]
    assert entry["cassette"]["recorded"] == CASES[task]
    return {
        metric: {family: value["value"] for family, value in families.items()}
        for metric, families in entry["metrics"].items()
    }


def published_sgqa(row: Row) -> float:
    found = re.findall(r"\[(.*?)\]", row["response_text"])
    answer = found[0] if found else row["response_text"]
    return float(answer.lower().strip() == row["target"].lower().strip())


def published_sgds(row: Row) -> float:
    match = re.search(r"\[([A-E])\]|\b([A-E])\b", row["response_text"])
    return float(match is not None and (match[1] or match[2]) == row["target"])


def graphs(response: str) -> Iterator[list[list[str]]]:
    """Lines of three parts; a blank line begins the next graph."""
    graph: list[list[str]] = []
    for line in [*response.split("\n"), ""]:
        parts = [part.strip() for part in line.split("->")]
        if len(parts) == 3:
            graph.append(parts)
        elif not line.strip() and graph:
            yield graph
            graph = []


def published_scores(gold: list[list[str]], predicted: list[list[str]]) -> tuple[float, float, float]:
    true_set = {" ".join(triplet) for triplet in gold}
    pred_set = {" ".join(triplet) for triplet in predicted}
    correct = len(true_set & pred_set)
    precision = correct / len(pred_set) if pred_set else 0.0
    recall = correct / len(true_set) if true_set else 0.0
    f1 = 2 * (precision * recall) / (precision + recall) if precision + recall > 0 else 0.0
    return precision, recall, f1


def strict_scores(row: Row) -> tuple[float, float, float]:
    """The mean over the pairs of a sample, the shorter list padded with empty graphs."""
    if row["status"] != "scored":
        return (0.0, 0.0, 0.0)
    gold, predicted = row["target"], list(graphs(row["response_text"]))
    longest = max(len(gold), len(predicted))
    pad: list[list[list[str]]] = [[]] * longest
    pairs = list(zip([*gold, *pad][:longest], [*predicted, *pad][:longest], strict=True))
    scores = [published_scores(*pair) for pair in pairs]
    return fmean(s[0] for s in scores), fmean(s[1] for s in scores), fmean(s[2] for s in scores)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("task", "published"), [("sgqa", published_sgqa), ("sgds", published_sgds)])
def test_accuracy_is_what_the_published_formula_gives(
    folder: Path, rows: list[Row], task: str, model: str, published: Any
) -> None:
    mine = of_task(rows, task, model)
    assert len(mine) == CASES[task]
    assert reported(folder, task, model)["accuracy"]["official"] == fmean(published(row) for row in mine)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("task", ["sa-sgg", "ma-sgg"])
def test_macro_scores_are_what_the_published_formula_gives(
    folder: Path, rows: list[Row], task: str, model: str
) -> None:
    mine = of_task(rows, task, model)
    assert len(mine) == CASES[task]
    pairs = [
        published_scores(gold, predicted)
        for row in mine
        for gold, predicted in zip(row["target"], graphs(row["response_text"]), strict=False)
    ]
    found = reported(folder, task, model)
    strict = [strict_scores(row) for row in mine]
    for position, metric in enumerate(("precision", "recall", "f1")):
        assert found[metric]["official"] == fmean(pair[position] for pair in pairs)
        assert found[metric]["strict"] == pytest.approx(fmean(scores[position] for scores in strict), abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_the_official_sgqa_file_counts_the_same(folder: Path, rows: list[Row], model: str) -> None:
    (file,) = folder.glob(f"sgqa_{model}_*.json")
    content = json.loads(file.read_text())
    right = sum(published_sgqa(row) for row in of_task(rows, "sgqa", model))
    assert (content["total_questions"], content["correct"]) == (100, right)
    assert content["exact_match_percent"] == pytest.approx(right)
    assert sum(entry["exact_match"] for entry in content["results"]) == right


def test_recordings_name_the_model_that_spoke_and_nobody_else(rows: list[Row]) -> None:
    assert {file.stem for file in (ROOT / "cassettes/tsg").rglob("*.jsonl")} == set(MODELS)
    for file in (ROOT / "cassettes/tsg").rglob("*.jsonl"):
        for recording in Cassette(file):
            assert recording.origin["model"] == file.stem
            assert json.loads(recording.body)["model"] == file.stem
            assert recording.interaction["request"]["uri"].startswith("http://127.0.0.1:")


def test_models_differ_and_are_better_than_nothing(folder: Path) -> None:
    best, *_, worst = MODELS
    assert reported(folder, "sgds", best)["accuracy"]["strict"] > reported(folder, "sgds", worst)["accuracy"]["strict"]
