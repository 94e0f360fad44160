"""Folders of runs with given outcomes, as a run leaves them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proctor.results.manifest import Manifest, ManifestCase, ManifestTask
from proctor.results.row import append_result

STARTED = "2026-01-02T03:04:05+00:00"
WORST = {"accuracy": 0.0}

Outcome = float | str | Mapping[str, Any]
"""A score, a status (``missing``: no row), or fields of the row."""


def write_run(
    folder: Path,
    outcomes: Mapping[str, Mapping[str, Outcome]],
    *,
    task: str = "t",
    data_sha256: str = "0",
    metrics: Mapping[str, float] = WORST,
) -> Path:
    """Write selection.json and results.jsonl of a run, whose id is the folder's name.

    Args:
        folder: Its folder.
        outcomes: What came of each case, by model and sample. A sample is named ``<cluster>-…``, and ends in
            ``-epochK`` if it is not the first epoch.
        task: The task of benchmark ``b``.
        data_sha256: The hash of its data.
        metrics: Its metrics with their worst values; an outcome is the value of each.
    """
    folder.mkdir(parents=True)
    tasks = []
    for model, samples in outcomes.items():
        cases = []
        for index, (name, outcome) in enumerate(samples.items()):
            sample, _, epoch = name.partition("-epoch")
            case = ManifestCase(sample, index, int(epoch or 1), sample.partition("-")[0], {"half": str(index % 2)})
            cases.append(case)
            if outcome != "missing":
                append_result(folder / "results.jsonl", row(folder.name, task, model, case, outcome, metrics))
        tasks.append(
            ManifestTask(
                benchmark="b",
                task=task,
                model=model,
                model_api_id=model,
                metrics=dict(metrics),
                data_file=f"data/b/{task}.jsonl",
                data_sha256=data_sha256,
                cassette_file=None,
                prompt_sha256={},
                module=f"benchmarks/b/test_{task}.py",
                has_artifact=False,
                cases=tuple(cases),
            )
        )
    run = {"id": folder.name, "started": STARTED, "command": "pytest", "git_commit": None}
    Manifest(run | {"versions": {}, "machine": {}}, tuple(tasks)).save(folder)
    return folder


def row(run: str, task: str, model: str, case: ManifestCase, outcome: Outcome, metrics: Mapping[str, float]) -> Any:
    """The row of a case."""
    value = float(outcome) if isinstance(outcome, (int, float)) else 0.0
    failed = outcome in ("error", "judge_failed")
    return {
        "schema_version": 1,
        "run_id": run,
        "benchmark": "b",
        "task": task,
        "model": model,
        "model_api_id": model,
        "sample_id": case.sample_id,
        "sample_index": case.sample_index,
        "epoch": case.epoch,
        "cluster": case.cluster,
        "tags": case.tags,
        "status": outcome if isinstance(outcome, str) else "scored",
        "scores": {
            "official": {} if failed else dict.fromkeys(metrics, value),
            "strict": dict.fromkeys(metrics, value) if isinstance(outcome, (int, float)) else dict(metrics),
        },
        "diagnostics": {},
        "prediction": "right" if value == 1 else f"{model}'s",
        "target": "right",
        "response_text": "",
        "finish_reason": "stop",
        "usage": dict.fromkeys(("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")),
        "cost_usd": None,
        "latency_s": None,
        "attempts": 1,
        "source": "replayed",
        "recorded_at": None,
        "prompt_sha256": None,
        "request_key": None,
        "calls": [],
        "judging": {},
        "error": None,
    } | (dict(outcome) if isinstance(outcome, Mapping) else {})
