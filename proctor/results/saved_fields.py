"""What the files of a run hold, field by field: a folder from anywhere is checked by this before it is used."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from proctor._base.shapes import (
    Shape,
    Wrong,
    anything,
    count,
    either,
    fields,
    flag,
    like,
    list_of,
    map_of,
    name,
    number,
    one_of,
    optional,
    text,
)
from proctor.results.identity import TaskModel
from proctor.results.manifest import Manifest
from proctor.results.prompts import MEDIUM
from proctor.results.row import SCHEMA_VERSION, STATUSES, ResultRow
from proctor.tasks.names import BENCHMARK_NAME, TASK_NAME
from proctor.tasks.score import FAMILIES

RUN_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
MOMENT = re.compile(r"[0-9T:.Z+ -]+")
SHARD = re.compile(r"[0-9]{1,9}/[0-9]{1,9}")


def moment(value: Any) -> None:
    """A date and time."""
    like(MOMENT, "a date and time of ISO 8601")(value)
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise Wrong("is not a date and time of ISO 8601", value) from None


def _shard(value: Any) -> None:
    like(SHARD, "a shard, such as 3/8")(value)
    number_of_it, _, of = value.partition("/")
    if not 1 <= int(number_of_it) <= int(of):
        raise Wrong("is not a shard, such as 3/8", value)


RUN: Mapping[str, Shape] = {
    "id": like(RUN_ID, "the id of a run"),
    "started": moment,
    "command": name,
    "git_commit": optional(name),
    "versions": map_of(optional(name)),
}
MORE_OF_A_RUN: Mapping[str, Shape] = {
    "machine": map_of(optional(either(name, number))),
    "left_out": list_of(fields({"task": name, "model": name, "why": text})),
    "shard": _shard,
    "rescored": fields({"started": moment}),
}
PART = fields({**RUN, "models": list_of(name)}, {**MORE_OF_A_RUN, "duration_s": optional(number)})
"""A run that was merged into another one."""

CASE = fields(
    {
        "sample_id": name,
        "sample_index": count,
        "epoch": count,
        "cluster": name,
        "tags": map_of(name),
    },
    {"metrics": list_of(name)},
    closed=True,
)
ODD = fields(
    {
        "what": name,
        "field": name,
        "rows": count,
        "places": list_of(fields({"file": name, "line": optional(count), "field": name, "value": optional(text)})),
    },
    {"cases": count},
)
"""One kind of oddity in the rows of a data file."""

TASK = fields(
    {
        "benchmark": like(re.compile(BENCHMARK_NAME), "the name of a benchmark"),
        "task": like(re.compile(TASK_NAME), "the name of a task"),
        "model": name,
        "model_api_id": name,
        "metrics": map_of(number, least=1),
        "data_file": name,
        "data_sha256": name,
        "cassette_file": optional(name),
        "prompt_sha256": map_of(name),
        "module": name,
        "has_artifact": flag,
        "cases": list_of(CASE),
    },
    {
        "role_models": map_of(name),
        "responses": optional(
            fields(
                {"file": name, "sha256": name, "entries": count, "extra": list_of(name), "duplicates": list_of(name)}
            )
        ),
        "samples_in_data": count,
        "data_notes": list_of(name),
        "likeness": map_of(optional(flag)),
        "odd_rows": list_of(ODD),
        "unusable_rows": list_of(ODD),
        "composite": name,
        "test": name,
        "composite_tasks": list_of(name),
        "best": map_of(number),
        "entry_files": list_of(name),
        "scorer_sha256": text,
        "prescribed": map_of(fields({"model": name, "used": flag})),
    },
    closed=True,
)
SELECTION = fields(
    {
        "run": fields(RUN, {**MORE_OF_A_RUN, "merged": list_of(PART, least=1), "models": list_of(name)}),
        "tasks": list_of(TASK),
    }
)


def check_selection(content: Any) -> None:
    """Raise `Wrong` unless *content* is what selection.json of a run of this version holds."""
    SELECTION(content)
    for index, task in enumerate(content["tasks"]):
        try:
            _check_task(task)
        except Wrong as wrong:
            raise wrong.within(str(index)).within("tasks") from None


def _check_task(task: Mapping[str, Any]) -> None:
    for metric, best in task.get("best", {}).items():
        if best == task["metrics"].get(metric):
            raise Wrong("must not be the worst value, too", best).within(metric).within("best")
    headline = next(iter(task["metrics"]))
    for index, case in enumerate(task["cases"]):
        metrics = case.get("metrics", [])
        if metrics and not {headline} <= {*metrics} <= task["metrics"].keys():
            raise Wrong(f"must be some of the task's, with {headline}", metrics).within(f"cases.{index}.metrics")


def _version(value: Any) -> None:
    if value != SCHEMA_VERSION:
        raise Wrong(f"must be {SCHEMA_VERSION}", value)


COUNTED = {tokens: optional(count) for tokens in ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")}
ANSWERERS = list_of(fields(dict.fromkeys(("model", "provider", "fingerprint"), optional(name))))
ROLE = fields(
    {
        "model": name,
        "calls": count,
        "usage": fields(COUNTED),
        "cost_usd": optional(number),
        "latency_s": optional(number),
    },
    {"model_api_id": name, "answered_by": ANSWERERS, "spent_usd": optional(number)},
)
CALL = fields(
    {"role": name, "turn": count, "key": text, "source": optional(name)},
    {"prompt": text, "reply": text},
)
SPAN = list_of(count, least=2)
ROW = fields(
    {
        "schema_version": _version,
        "run_id": name,
        "benchmark": name,
        "task": name,
        "model": name,
        "sample_id": name,
        "sample_index": count,
        "epoch": count,
        "tags": map_of(name),
        "status": one_of(STATUSES),
        "scores": fields(dict.fromkeys(FAMILIES, map_of(either(number, list_of(map_of(number)))))),
        "diagnostics": map_of(optional(number)),
        "prediction": anything,
        "target": anything,
        "response_text": optional(text),
        "finish_reason": optional(name),
        "usage": fields(COUNTED),
        "cost_usd": optional(number),
        "latency_s": optional(number),
        "attempts": count,
        "source": name,
        "recorded_at": optional(name),
        "prompt_sha256": optional(name),
        "request_key": optional(name),
        "calls": list_of(CALL),
        "judging": map_of(ROLE),
        "error": optional(text),
    },
    {
        "model_api_id": name,
        "cluster": name,
        "spans": list_of(SPAN),
        "reasoning_text": optional(text),
        "seen_text": optional(text),
        "answered_by": ANSWERERS,
        "response_media": list_of(MEDIUM),
        "endpoints": list_of(name),
        "spent_usd": optional(number),
    },
)


def row_check(manifest: Manifest) -> Callable[[ResultRow], None]:
    """What raises `Wrong` for anything but a result row, and for one without the scores that its task has."""
    tasks = {task.identity: task for task in manifest.tasks}

    def check(row: ResultRow) -> None:
        ROW(row)
        task = tasks.get(TaskModel.of(row))
        if task is None:
            return
        for family in FAMILIES:
            scores = row["scores"][family]
            needed = {task.headline} if family == "strict" else set()
            for metric, value in scores.items():
                if metric == "pairs":
                    if not isinstance(value, list) or not all(task.metrics.keys() <= pair.keys() for pair in value):
                        raise Wrong("must be a list of the task's metrics", value).within(f"scores.{family}.pairs")
                elif isinstance(value, list):
                    raise Wrong("must be a number", value).within(f"scores.{family}.{metric}")
            if not needed <= scores.keys():
                raise Wrong("is missing").within(f"scores.{family}.{task.headline}")

    return check


INTERVAL = optional(list_of(number, least=2))
SIDE = fields({"run": name, "model": name, "value": optional(number)})
BOUNDS = ("at_least", "at_most", "shown_at_least", "shown_at_most", "shown_below", "shown_above")
FLOOR = fields(
    {
        **dict.fromkeys(("task", "model", "metric", "family"), name),
        "value": optional(number),
        "ci95": INTERVAL,
        "holds": optional(flag),
    },
    {"bound": one_of(BOUNDS), **dict.fromkeys(BOUNDS, number)},
)


def _floor(value: Any) -> None:
    FLOOR(value)
    bound = value.get("bound", "at_least")
    if bound not in value:
        raise Wrong("is missing").within(bound)


SUITE = fields(
    {
        "tasks": count,
        "difference": optional(number),
        "ci95": INTERVAL,
        "margin": number,
        "verdict": name,
        "worse_in_the_mean": flag,
        "detectable": optional(number),
        "not_compared": list_of(name),
    }
)
DECISION = fields(
    {
        **dict.fromkeys(("cases", "counted", "not_needed"), count),
        "difference": optional(number),
        "interval": INTERVAL,
        "margin": number,
        "verdict": name,
    }
)


def _decision(value: Any) -> None:
    DECISION(value)
    if value["difference"] is not None and value["interval"] is None:
        raise Wrong("is missing").within("interval")


GATE = fields(
    {
        "file": optional(name),
        "baseline": optional(name),
        "holds": optional(flag),
        "unmeasured": count,
        "floors": list_of(_floor),
        "against_baseline": list_of(
            fields(
                {
                    **dict.fromkeys(("benchmark", "task", "metric", "family", "verdict"), name),
                    **dict.fromkeys(("a", "b"), SIDE),
                    **dict.fromkeys(("n", "clusters"), count),
                    **dict.fromkeys(("lost", "won"), list_of(name)),
                    "difference": optional(number),
                    "detectable": optional(number),
                    "ci95": INTERVAL,
                    "margin": number,
                    "holds": optional(flag),
                    "unpaired": map_of(list_of(name)),
                    "data_differs": flag,
                }
            )
        ),
    },
    {"suite": optional(SUITE), "decision": optional(_decision)},
)
TABLE = fields(
    {
        **dict.fromkeys(("benchmark", "task", "title", "note"), name),
        "columns": list_of(name),
        "rows": list_of(list_of(optional(either(name, number)))),
    }
)
FORMER_REPORT = fields(
    {
        "run": fields({"id": name, "duration_s": optional(number)}),
        "tasks": list_of(
            fields(
                {
                    **dict.fromkeys(("benchmark", "task", "model"), name),
                    "cassette": fields(
                        {}, {**dict.fromkeys(("stale", "unused"), optional(list_of(name))), "pruned": optional(count)}
                    ),
                }
            )
        ),
    },
    {"gate": GATE, "tables": list_of(TABLE)},
)
"""What is taken from the report that a run has made of itself: no row tells it."""
