"""Runs as tables for other programs: a metric a row, a case a row, or a score a row.

Every selected case is in them, also one that never finished. A metric's score is the mean of its values, weighted by
their ``n``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from proctor.results.manifest import ManifestTask
from proctor.results.row import NOT_MEASURED, NOT_NEEDED, correctness
from proctor.statistics.aggregates import Measured, metric_values, metrics_of
from proctor.tasks.score import FAMILIES

TAG = "tag."
DIAGNOSTIC = "diagnostic."


class CaseColumns(TypedDict):
    """What tells a case apart, and what came of it.

    After these, ``tag.<name>`` has each of the sample's tags.

    Args:
        run_id: The run's id.
        started: When the run started, ISO 8601.
        benchmark: The benchmark.
        task: The task's short name.
        model: The model's name.
        model_api_id: The provider's id of the model.
        sample_id: The sample.
        sample_index: Its place in the data file, from 0.
        epoch: The repetition, from 1.
        cluster: What samples that hang together have in common; intervals respect it.
        status: ``scored``, ``unparsed``, …, or ``missing`` for a case that never finished.
        verdict: ``correct``, ``partial`` or ``incorrect`` by the strict headline metric; empty if not measured.
    """

    run_id: str
    started: str
    benchmark: str
    task: str
    model: str
    model_api_id: str
    sample_id: str
    sample_index: int
    epoch: int
    cluster: str
    status: str
    verdict: str | None


class MetricColumns(CaseColumns):
    """One metric of one case in one score family; a case without a value in a family has no row of it.

    Args:
        metric: The metric.
        headline: Whether it is the task's first metric.
        family: ``official``, the published formula, or ``strict``, which counts every failure as the worst value.
        value: Its value; where the published formula takes the mean over several pairs of a case, their mean.
        n: How many values that is the mean of: the weight of the row in the score.
    """

    metric: str
    headline: bool
    family: str
    value: float
    n: int


class WideColumns(CaseColumns):
    """One case with all that was measured of it.

    After these, ``<family>.<metric>`` has each metric's value, and ``diagnostic.<name>`` each diagnostic.

    Args:
        error: Why the case could not be measured, or what is doubtful about it.
        prediction: What was read from the response; JSON where it is not text.
        target: The gold answer; JSON where it is not text.
        response_text: The response.
        reasoning_text: What the model thought before, where that is known.
        finish_reason: ``stop``, ``length``, …
        input_tokens: Tokens of the prompts, where the provider counted them.
        output_tokens: Tokens of the answers.
        cached_tokens: Those of the prompts that came from a cache.
        reasoning_tokens: Those of the answers that were thoughts.
        cost_usd: Dollars that the answers of the model under test cost when they were made.
        spent_usd: What of it this run paid for.
        latency_s: Seconds until they were there.
        attempts: Requests, those that failed included.
        source: ``replayed``, ``recorded``, ``live`` or ``responses``.
        recorded_at: When the answer was recorded, ISO 8601.
        prompt_sha256: The hash of the first prompt.
        request_key: The hash of the first call.
    """

    error: str | None
    prediction: str | None
    target: str | None
    response_text: str | None
    reasoning_text: str | None
    finish_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    spent_usd: float | None
    latency_s: float | None
    attempts: int | None
    source: str | None
    recorded_at: str | None
    prompt_sha256: str | None
    request_key: str | None


class ScoreColumns(TypedDict):
    """One metric of one task and model in one score family, over all cases of a run.

    Args:
        run_id: The run's id.
        started: When the run started, ISO 8601.
        benchmark: The benchmark.
        task: The task's short name.
        model: The model's name.
        model_api_id: The provider's id of the model.
        metric: The metric.
        headline: Whether it is the task's first metric.
        family: ``official`` or ``strict``.
        value: The score; empty where nothing has a value.
        se: Its standard error, clusters respected.
        ci_low: The lower end of its 95 % interval.
        ci_high: The upper end.
        n: How many values it is the mean of.
        clusters: In how many clusters they are.
        selected: How many cases the run set out to measure.
        not_measured: How many of them could not be measured, or never finished.
        worst: The metric's worst value.
        best: Its best one: below *worst* where less is better.
        data_sha256: The hash of the data file: scores on other data do not compare.
    """

    run_id: str
    started: str
    benchmark: str
    task: str
    model: str
    model_api_id: str
    metric: str
    headline: bool
    family: str
    value: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    clusters: int
    selected: int
    not_measured: int
    worst: float
    best: float
    data_sha256: str


def metric_rows(run: Mapping[str, Any], task: ManifestTask, cases: Sequence[Measured]) -> Iterator[dict[str, Any]]:
    """One row for each case, metric and score family: `MetricColumns` and tags.

    Args:
        run: What the manifest says of the run.
        task: The task and model.
        cases: All its cases.
    """
    for measured in cases:
        head = case_columns(run, task, measured)
        for metric, family, values in values_of(task, measured):
            yield {
                **head,
                "metric": metric,
                "headline": metric == task.headline,
                "family": family,
                "value": mean_value(values),
                "n": len(values),
                **_tags(measured),
            }


def case_rows(run: Mapping[str, Any], task: ManifestTask, cases: Sequence[Measured]) -> Iterator[dict[str, Any]]:
    """One row for each case: `WideColumns`, tags, metrics and diagnostics.

    Args:
        run: What the manifest says of the run.
        task: The task and model.
        cases: All its cases.
    """
    for measured in cases:
        row: Mapping[str, Any] = measured.row or {}
        usage = row.get("usage") or {}
        own = {name: row.get(name) for name in WideColumns.__annotations__ if name not in CaseColumns.__annotations__}
        yield {
            **case_columns(run, task, measured),
            **own,
            **{name: usage.get(name) for name in own.keys() & usage.keys()},
            "prediction": as_text(row.get("prediction")),
            "target": as_text(row.get("target")),
            **_tags(measured),
            **{f"{family}.{metric}": mean_value(values) for metric, family, values in values_of(task, measured)},
            **{f"{DIAGNOSTIC}{name}": value for name, value in (row.get("diagnostics") or {}).items()},
        }


def score_rows(run: Mapping[str, Any], task: ManifestTask, cases: Sequence[Measured]) -> Iterator[ScoreColumns]:
    """One row for each metric and score family.

    Args:
        run: What the manifest says of the run.
        task: The task and model.
        cases: All its cases.
    """
    clusters = [measured.case.cluster for measured in cases]
    for metric in metrics_of(task, cases):
        found = metric.estimate(clusters, range(len(cases)))
        low, high = found.ci95 or (None, None)
        yield ScoreColumns(
            run_id=str(run["id"]),
            started=run["started"],
            benchmark=task.benchmark,
            task=task.task,
            model=task.model,
            model_api_id=task.model_api_id,
            metric=metric.name,
            headline=metric.name == task.headline,
            family=metric.family,
            value=found.value,
            se=found.se,
            ci_low=low,
            ci_high=high,
            n=found.n,
            clusters=found.clusters,
            selected=len(cases),
            not_measured=sum(measured.row is None or measured.status in NOT_MEASURED for measured in cases),
            worst=task.metrics[metric.name],
            best=task.best.get(metric.name, 1.0),
            data_sha256=task.data_sha256,
        )


def case_columns(run: Mapping[str, Any], task: ManifestTask, measured: Measured) -> CaseColumns:
    """What tells a case apart, and what came of it.

    Args:
        run: ``run`` of report.json.
        task: The task and model.
        measured: The case, and its row if it has one.
    """
    case, row = measured.case, measured.row
    judged = row is not None and measured.status not in NOT_MEASURED | {NOT_NEEDED}
    return CaseColumns(
        run_id=str(run["id"]),
        started=run["started"],
        benchmark=task.benchmark,
        task=task.task,
        model=task.model,
        model_api_id=task.model_api_id,
        sample_id=case.sample_id,
        sample_index=case.sample_index,
        epoch=case.epoch,
        cluster=case.cluster,
        status=measured.status,
        verdict=correctness(row, task) if row is not None and judged else None,
    )


def _tags(measured: Measured) -> dict[str, str]:
    return {f"{TAG}{name}": value for name, value in measured.case.tags.items()}


def values_of(task: ManifestTask, measured: Measured) -> Iterator[tuple[str, str, list[float]]]:
    """The metrics of a case that have values: name, family, and the values that the case adds to the mean.

    Args:
        task: The task and model.
        measured: The case, and its row if it has one.
    """
    for metric, worst in task.metrics.items():
        for family in FAMILIES:
            values = metric_values(measured, metric, family, worst)
            if values:
                yield metric, family, values


def mean_value(values: Sequence[float]) -> float:
    """The mean of what a case adds to a metric; see `values_of`."""
    return float(values[0]) if len(values) == 1 else math.fsum(values) / len(values)


def as_text(value: Any) -> str | None:
    """A prediction or gold answer; JSON where it is not text."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
