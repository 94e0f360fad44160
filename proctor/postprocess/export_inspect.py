"""``proctor export --format inspect``: logs of Inspect (inspect.aisi.org.uk), which ``inspect view`` opens.

A task and model make one log, in the JSON format of version 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from proctor._base.files import write_whole
from proctor._base.json_values import encoded, sha256_of
from proctor.models.registry import safe_file_name
from proctor.postprocess.exported_case import ExportedCase, exported_cases, in_utf8
from proctor.results.manifest import ManifestTask
from proctor.results.row import NOT_NEEDED, UsageFields
from proctor.results.saved_run import SavedRun
from proctor.statistics.tidy import ScoreColumns, score_rows

LOG_VERSION = 2
STOP_REASONS = {"stop": "stop", "length": "max_tokens", "refusal": "content_filter", "tool_call": "tool_calls"}
ID_LENGTH = 22  # characters, as Inspect's own ids


def export_inspect(run: SavedRun, folder: Path) -> list[tuple[Path, int]]:
    """Write the logs.

    Scores have two scorers, ``official`` and ``strict``, with all metrics of the task. Cases that never finished are
    not among the samples; the log's status is then ``cancelled``.

    Args:
        run: The run.
        folder: Where to write.

    Returns:
        The files, each with the number of its samples.

    Raises:
        OSError: If a file cannot be written.
        DataError: If a row cannot be read.
    """
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    started = datetime.fromisoformat(run.manifest.run["started"])
    for task, cases, exported in exported_cases(run):
        asked = [case for case in exported if case.row["status"] != NOT_NEEDED]
        scores = list(score_rows(run.manifest.run, task, cases))
        identity = sha256_of([run.id, task.name, task.model])[:ID_LENGTH]
        name = safe_file_name(f"{task.benchmark}-{task.task}-{task.model}")
        file = folder / f"{started:%Y-%m-%dT%H-%M-%S}+00-00_{name}_{identity}.json"
        log = in_utf8(_log(run, task, identity, asked, scores, len(cases) - len(exported)))
        write_whole(file, encoded(log, indent=1) + b"\n")
        written.append((file, len(asked)))
    return written


def _log(
    run: SavedRun,
    task: ManifestTask,
    identity: str,
    cases: Sequence[ExportedCase],
    scores: Sequence[ScoreColumns],
    unfinished: int,
) -> dict[str, Any]:
    info = run.manifest.run
    commit = info["git_commit"]
    started = datetime.fromisoformat(info["started"])
    ended = started if run.duration_s is None else started + timedelta(seconds=run.duration_s)
    return {
        "version": LOG_VERSION,
        "status": "cancelled" if unfinished else "success",
        "eval": {
            "eval_id": identity,
            "run_id": run.id,
            "created": info["started"],
            "task": task.name,
            "task_id": identity,
            "task_version": 0,
            "task_file": task.module,
            "dataset": {
                "name": task.name,
                "location": task.data_file,
                "samples": len({case.sample_id for case in task.cases}),
                "sample_ids": list(dict.fromkeys(case.sample_id for case in task.cases)),
            },
            "model": task.model,
            "config": {"epochs": max((case.epoch for case in task.cases), default=1)},
            **({} if commit is None else {"revision": _revision(commit)}),
            "packages": {name: version for name, version in info["versions"].items() if version},
            "metadata": {
                "model_api_id": task.model_api_id,
                "data_sha256": task.data_sha256,
                "command": info["command"],
                "roles": dict(task.role_models),
            },
        },
        "results": {
            "total_samples": len(task.cases),
            "completed_samples": len(cases),
            "scores": list(_results(task, scores)),
        },
        "stats": {
            "started_at": info["started"],
            "completed_at": ended.isoformat(timespec="milliseconds"),
            "model_usage": _usage_of(task.model, _total([case.row["usage"] for case in cases])),
        },
        "samples": [_sample(task, case) for case in cases],
    }


def _revision(commit: str) -> dict[str, Any]:
    return {"type": "git", "origin": "", "commit": commit.rstrip("+"), "dirty": commit.endswith("+")}


def _results(task: ManifestTask, scores: Sequence[ScoreColumns]) -> Iterator[dict[str, Any]]:
    for score in scores:
        if score["value"] is not None:
            figures = {
                "mean": score["value"],
                "stderr": score["se"],
                "ci_low": score["ci_low"],
                "ci_high": score["ci_high"],
            }
            yield {
                "name": score["metric"],
                "scorer": score["family"],
                "scored_samples": score["n"],
                "unscored_samples": len(task.cases) - score["n"] if score["n"] <= len(task.cases) else 0,
                "metrics": {
                    name: {"name": name, "value": value} for name, value in figures.items() if value is not None
                },
                "metadata": {"worst": score["worst"], "best": score["best"], "clusters": score["clusters"]},
            }


def _sample(task: ManifestTask, case: ExportedCase) -> dict[str, Any]:
    row = case.row
    text, reasoning = row["response_text"], row.get("reasoning_text")
    question = {"role": "user", "content": case.prompt}
    messages: list[dict[str, Any]] = [question] if case.prompt else []
    choices: list[dict[str, Any]] = []
    if text is not None:
        content: Any = text
        if reasoning:
            content = [{"type": "reasoning", "reasoning": reasoning}, {"type": "text", "text": text}]
        answer = {"role": "assistant", "content": content, "source": "generate", "model": task.model}
        messages.append(answer)
        stop = STOP_REASONS.get(row["finish_reason"] or "", "unknown")
        choices = [{"message": answer, "stop_reason": stop}]
    usage = _usage_of(task.model, _total([row["usage"]]))
    spent = {} if row["latency_s"] is None else {"total_time": row["latency_s"], "working_time": row["latency_s"]}
    failed = row["error"] if row["status"] == "error" else None
    return {
        "id": row["sample_id"],
        "epoch": row["epoch"],
        "input": case.prompt,
        "target": case.target,
        "messages": messages,
        "output": {
            "model": task.model_api_id,
            "choices": choices,
            "completion": text or "",
            **({"usage": usage[task.model]} if usage else {}),
            **({} if row["latency_s"] is None else {"time": row["latency_s"]}),
        },
        "scores": {
            family: {
                "value": dict(values) if len(task.metrics) > 1 else values[task.headline],
                "answer": case.prediction,
                "explanation": row["error"],
                "metadata": {"verdict": case.verdict},
            }
            for family, values in case.scores.items()
        },
        "metadata": {"status": row["status"], "verdict": case.verdict, **row["tags"]},
        "model_usage": usage,
        **spent,
        **({} if failed is None else {"error": {"message": failed, "traceback": "", "traceback_ansi": ""}}),
    }


def _total(usages: Sequence[UsageFields]) -> Mapping[str, int]:
    """Tokens by their name in Inspect's logs; nothing where no provider counted."""
    read = [
        (usage["input_tokens"], usage["output_tokens"], usage["cached_tokens"], usage["reasoning_tokens"])
        for usage in usages
    ]
    sums = [[count for count in column if count is not None] for column in zip(*read, strict=True)]
    if len(sums) < 2 or not (sums[0] or sums[1]):
        return {}
    names = ("input_tokens", "output_tokens", "input_tokens_cache_read", "reasoning_tokens")
    found = {name: sum(column) for name, column in zip(names, sums, strict=True) if column}
    return {**found, "total_tokens": found.get("input_tokens", 0) + found.get("output_tokens", 0)}


def _usage_of(model: str, total: Mapping[str, int]) -> dict[str, Mapping[str, int]]:
    return {model: total} if total else {}
