"""Result files as the published grader writes and reads them, with the scores of the official family."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from benchmarks.mixeval_x.entries import FREE_FORM, MULTIPLE_CHOICE, SUFFIXES, ProblemType, in_published_words
from benchmarks.mixeval_x.multiple_choice import drawn_option
from benchmarks.mixeval_x.response_files import TASK_SUFFIXES, ResultRow, RowsByModel, answered, in_order
from benchmarks.mixeval_x.rule_parser import option_letter
from benchmarks.mixeval_x.run_settings import Settings
from proctor import safe_file_name

FINAL = "overall score (final score)"
OVERALL = "overall"
METRICS: Mapping[ProblemType, str] = {FREE_FORM: "judge_score", MULTIPLE_CHOICE: "accuracy"}
Means = dict[Any, float]
"""The mean over all of a model's rows as `OVERALL`, and those by source, to 3 places."""


def question_results(settings: Settings, judge: str, _: datetime, rows: RowsByModel) -> dict[str, Any]:
    """The result files of a task of questions: each judgment, and the scores by kind, by model and together.

    Args:
        settings: What the options of a run say.
        judge: The prescribed judge, which names the files where no row tells another.
        rows: The task's rows by model.
    """
    files: dict[str, Any] = {}
    scores: dict[ProblemType, dict[str, Means]] = {FREE_FORM: {}, MULTIPLE_CHOICE: {}}
    counts: dict[ProblemType, int] = {}
    base = ""
    for model, mine in rows.items():
        for kind, metric in METRICS.items():
            scored = scored_rows((row for row in mine if row["fields"]["problem_type"] == kind), [metric])
            if not scored:
                continue
            base, name = folder(scored[0]), safe_file_name(model)
            path = judgments_path(base, model, SUFFIXES[kind], scored, judge)
            files[path] = [{**answered(settings, row), **judgment(row, metric)} for row in scored]
            scores[kind][name] = by_source(scored, metric)
            counts[kind] = len(scored)  # the last model's counts weigh every model's means, as published
    for kind, suffix in SUFFIXES.items():
        if scores[kind]:
            files[f"{base}/score_{suffix}.json"] = best_first(scores[kind], OVERALL)
    together = combined(scores, counts)
    if together:
        files |= {f"{base}/{name}/score.json": score for name, score in together.items()}
        files[f"{base}/score.json"] = best_first(together, FINAL)
    return files


def combined(scores: Mapping[ProblemType, Mapping[str, Means]], counts: Mapping[ProblemType, int]) -> dict[str, Means]:
    """The scores of models that answered both kinds: overall, not rounded, then by source.

    Args:
        scores: By kind, what `by_source` gives for each model.
        counts: By kind, the weight of its mean.
    """
    free, choice = scores[FREE_FORM], scores[MULTIPLE_CHOICE]
    return {
        model: {
            FINAL: (free[model][OVERALL] * counts[FREE_FORM] + choice[model][OVERALL] * counts[MULTIPLE_CHOICE])
            / (counts[FREE_FORM] + counts[MULTIPLE_CHOICE]),
            **{f"{source} ({FREE_FORM})": mean for source, mean in free[model].items() if source != OVERALL},
            **{f"{source} ({MULTIPLE_CHOICE})": mean for source, mean in choice[model].items() if source != OVERALL},
        }
        for model in free
        if model in choice
    }


def graded_results(
    settings: Settings, metrics: Mapping[str, str], judge: str, _: datetime, rows: RowsByModel
) -> dict[str, Any]:
    """The result files of a task that is graded from 1 to 10: each judgment, and the means by model.

    Args:
        settings: What the options of a run say.
        metrics: The metrics, and what their means are called.
        judge: The prescribed judge, which names the files where no row tells another.
        rows: The task's rows by model.
    """
    files: dict[str, Any] = {}
    means: dict[str, Means] = {}
    path = ""
    for model, mine in rows.items():
        scored = scored_rows(mine, list(metrics))
        if not scored:
            continue
        task = scored[0]["task"]
        base, suffix, name = folder(scored[0]), TASK_SUFFIXES[task], safe_file_name(model)
        path = f"{base}/score_{suffix}.json"
        responses = f"../../../responses/{task}/{name}/"
        files[judgments_path(base, model, suffix, scored, judge)] = [
            {
                **answered(settings, row, responses),
                **{key: part for metric in metrics for key, part in judgment(row, metric).items()},
            }
            for row in scored
        ]
        means[name] = {
            called: mean([row["scores"]["official"][metric] for row in scored]) for metric, called in metrics.items()
        }
    if means:
        files[path] = best_first(means, next(iter(metrics.values())))
    return files


def by_source(rows: Iterable[ResultRow], metric: str) -> Means:
    """The mean over all rows, and over those of each source; a source of the name `OVERALL` counts twice there."""
    values: dict[Any, list[float]] = defaultdict(list)
    for row in rows:
        for name in (
            OVERALL,
            in_published_words(row["fields"]["entry"], row["fields"]["problem_type"])["benchmark_name"],
        ):
            values[name].append(row["scores"]["official"][metric])
    return {name: mean(mine) for name, mine in values.items()}


def mean(values: Sequence[float]) -> float:
    """The mean to 3 places as the published grader computes it: what is added one by one, from the left.

    Its Python, 3.11, adds so in ``sum``; later ones, and ``fmean``, lose fewer bits, and a tie in the third decimal
    then goes another way.
    """
    total = 0.0
    for value in values:
        total += value
    return round(total / len(values), 3)


def best_first(scores: Mapping[str, Means], by: str) -> dict[str, Means]:
    """The models with the best one first, as published."""
    return dict(sorted(scores.items(), key=lambda scored: scored[1][by], reverse=True))


def scored_rows(rows: Iterable[ResultRow], metrics: Sequence[str]) -> list[ResultRow]:
    """The rows in the order of the data that have official scores; at the others the published grader crashes."""
    return [row for row in in_order(rows) if all(metric in row["scores"].get("official", {}) for metric in metrics)]


def judgment(row: ResultRow, metric: str) -> dict[str, Any]:
    """What a line of judgments has beside the entry: what the judge said, and the score.

    Of questions the published grader keeps the last reply, and the option that was graded; of plans and pictures the
    first reply.
    """
    evidence: Mapping[str, Any] = row["evidence"] or {}
    said: Mapping[str, Any] = evidence.get(metric, evidence)  # a task of several metrics has a verdict for each
    score = {metric: row["scores"]["official"][metric]}
    if metric == METRICS[MULTIPLE_CHOICE]:
        option = graded_option(row)
        reply = f"[[{option}]]" if said.get("blocked") else said.get("reply")
        return {"judge_response": reply, "judge_option": option, **score}
    if row["task"] in TASK_SUFFIXES:
        turn = metric.removeprefix(METRICS[FREE_FORM])
        return {f"judge_response{turn}": said.get("first_reply", said.get("reply")), **score}
    return {"judge_response": "[[0.0]]" if said.get("blocked") else said.get("reply"), **score}


def graded_option(row: ResultRow) -> str | None:
    """The letter that the official score of a multiple-choice answer comes from, drawn or read."""
    evidence, options = row["evidence"] or {}, row["fields"]["options"]
    if evidence.get("parser") == "rule":
        return option_letter(row["response_text"] or "", options)
    found: str | None = evidence.get("value")
    return drawn_option(row["task"], row["sample_id"], options) if found is None else found


def folder(row: ResultRow) -> str:
    """Where the files of a task are."""
    return f"mixeval_x/official/{row['task']}"


def judgments_path(base: str, model: str, suffix: str, rows: Sequence[ResultRow], judge: str) -> str:
    """The file of one model's judgments, named for who judged, by the API id that the published command is given.

    Where each request failed, or no picture was there, no row tells a judge.
    """
    roles = (role for row in rows for role in row["judging"].values())
    judges = {role.get("model_api_id", role["model"]) for role in roles} or {judge}
    by_rules = any((row["evidence"] or {}).get("parser") == "rule" for row in rows)
    read_by = "rule" if by_rules else f"model_judge_{safe_file_name('+'.join(sorted(judges)))}"
    return f"{base}/{safe_file_name(model)}/judge_results_{suffix}_{read_by}.jsonl"
