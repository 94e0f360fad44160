"""Result files in the layout of the published grader, with the scores of the official family."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import fmean
from typing import Any

from benchmarks.mixeval_x.entries import FREE_FORM, MULTIPLE_CHOICE, SUFFIXES, ProblemType
from benchmarks.mixeval_x.response_files import TASK_SUFFIXES, ResultRow, RowsByModel, answered, in_order
from proctor.models.registry import safe_file_name

FINAL = "overall score (final score)"
OVERALL = "overall"
METRICS: Mapping[ProblemType, str] = {FREE_FORM: "judge_score", MULTIPLE_CHOICE: "accuracy"}
Scores = dict[str, dict[str, float]]
"""By model, the mean over all its rows as `OVERALL` and those by source, to 3 places."""


def question_results(_: datetime, rows: RowsByModel) -> dict[str, Any]:
    """The result files of a task of questions: each judgment, and the scores by kind, by model and together.

    Args:
        rows: The task's rows by model.
    """
    files: dict[str, Any] = {}
    scores: dict[ProblemType, Scores] = {FREE_FORM: {}, MULTIPLE_CHOICE: {}}
    counts: dict[ProblemType, int] = {}
    base = ""
    for model, mine in rows.items():
        for kind, metric in METRICS.items():
            scored = scored_rows((row for row in mine if row["fields"]["problem_type"] == kind), [metric])
            if not scored:
                continue
            base = folder(scored[0])
            path = judgments_path(base, model, SUFFIXES[kind], scored)
            files[path] = [{**answered(row), **judgment(row, metric)} for row in scored]
            scores[kind][model] = by_source(scored, metric)
            counts[kind] = len(scored)  # the last model's counts weigh every model's means, as published
    for kind, suffix in SUFFIXES.items():
        if scores[kind]:
            files[f"{base}/score_{suffix}.json"] = scores[kind]
    together = combined(scores, counts)
    if together:
        files |= {f"{base}/{safe_file_name(model)}/score.json": score for model, score in together.items()}
        files[f"{base}/score.json"] = together
    return files


def combined(scores: Mapping[ProblemType, Scores], counts: Mapping[ProblemType, int]) -> Scores:
    """The scores of models that answered both kinds: overall, then by source.

    Args:
        scores: By kind, what `by_source` gives for each model.
        counts: By kind, the weight of its mean.
    """
    free, choice = scores[FREE_FORM], scores[MULTIPLE_CHOICE]
    return {
        model: {
            FINAL: round(
                (free[model][OVERALL] * counts[FREE_FORM] + choice[model][OVERALL] * counts[MULTIPLE_CHOICE])
                / (counts[FREE_FORM] + counts[MULTIPLE_CHOICE]),
                3,
            ),
            **{f"{source} ({FREE_FORM})": mean for source, mean in free[model].items() if source != OVERALL},
            **{f"{source} ({MULTIPLE_CHOICE})": mean for source, mean in choice[model].items() if source != OVERALL},
        }
        for model in free
        if model in choice
    }


def graded_results(metrics: Sequence[str], rows: RowsByModel) -> dict[str, Any]:
    """The result files of a task that is graded from 1 to 10: each judgment, and the means by model.

    Args:
        metrics: The metrics; with several, the means stand under their names.
        rows: The task's rows by model.
    """
    files: dict[str, Any] = {}
    means: dict[str, dict[str, float]] = {}
    path = ""
    for model, mine in rows.items():
        scored = scored_rows(mine, metrics)
        if not scored:
            continue
        suffix = TASK_SUFFIXES[scored[0]["task"]]
        base = folder(scored[0])
        path = f"{base}/score_{suffix}.json"
        files[judgments_path(base, model, suffix, scored)] = [
            {**answered(row), **{name: part for metric in metrics for name, part in judgment(row, metric).items()}}
            for row in scored
        ]
        found = {metric: round(fmean(row["scores"]["official"][metric] for row in scored), 3) for metric in metrics}
        means[model] = found if len(metrics) > 1 else {OVERALL: found[metrics[0]]}
    if means:
        files[path] = means
    return files


def by_source(rows: Iterable[ResultRow], metric: str) -> dict[str, float]:
    """The mean over all rows, and over those of each source, to 3 places."""
    values: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        for name in (OVERALL, row["tags"]["source"]):
            values[name].append(row["scores"]["official"][metric])
    return {name: round(fmean(mine), 3) for name, mine in values.items()}


def scored_rows(rows: Iterable[ResultRow], metrics: Sequence[str]) -> list[ResultRow]:
    """The rows in the order of the data that have official scores; the others the published grader would not have."""
    return [row for row in in_order(rows) if all(metric in row["scores"].get("official", {}) for metric in metrics)]


def judgment(row: ResultRow, metric: str) -> dict[str, Any]:
    """What a line of judgments has beside the entry: what the judge said, and the score."""
    evidence: Mapping[str, Any] = row["evidence"] or {}
    said: Mapping[str, Any] = evidence.get(metric, evidence)  # a task of several metrics has a verdict for each
    found = {"judge_response" + metric.removeprefix("judge_score").removeprefix("accuracy"): said.get("reply")}
    if metric == METRICS[MULTIPLE_CHOICE]:
        found["judge_option"] = row["prediction"]
    return found | {metric: row["scores"]["official"][metric]}


def folder(row: ResultRow) -> str:
    """Where the files of a task are."""
    return f"mixeval_x/official/{row['task']}"


def judgments_path(base: str, model: str, suffix: str, rows: Sequence[ResultRow]) -> str:
    """The file of one model's judgments, named for who judged."""
    judges = {role["model"] for row in rows for role in row["judging"].values()}
    by_rules = any((row["evidence"] or {}).get("parser") == "rule" for row in rows)
    # Where each request failed, or no picture was there, no row names a judge.
    read_by = "rule" if by_rules else f"model_judge_{safe_file_name('+'.join(sorted(judges)) or 'none')}"
    return f"{base}/{safe_file_name(model)}/judge_results_{suffix}_{read_by}.jsonl"
