"""``proctor export --format eee``: the exchange format of "Every Eval Ever" (evalevalai.com), schema version 0.3.0.

A benchmark and model make one JSON file with every score, and beside it a line for each case. The files lie as they do
in the datastore of that project: ``data/<benchmark>/<developer>/<model>/<uuid>.json`` and ``<uuid>_samples.jsonl``.
What a run does not know is said to be unknown: who is behind a model, and who measured.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from proctor._base.files import write_whole
from proctor._base.json_values import encoded
from proctor.models.registry import safe_file_name
from proctor.postprocess.exported_case import ExportedCase, exported_cases, in_utf8
from proctor.results.manifest import ManifestTask
from proctor.results.row import NOT_NEEDED
from proctor.results.saved_run import SavedRun
from proctor.statistics.aggregates import Measured
from proctor.statistics.tidy import ScoreColumns, score_rows, values_of

SCHEMA_VERSION = "0.3.0"
NO_DEVELOPER = "unspecified"
"""The folder of models whose id does not say who made them: the format takes no "unknown" there."""


@dataclass
class _Record:
    """What is collected of a benchmark and model."""

    results: list[dict[str, Any]] = field(default_factory=list)
    instances: list[dict[str, Any]] = field(default_factory=list)


def export_eee(run: SavedRun, folder: Path) -> tuple[list[tuple[Path, int]], list[str]]:
    """Write the files.

    A line's score is the strict headline metric; all other metrics of the case are in its ``metadata``.

    Args:
        run: The run.
        folder: Where to write.

    Returns:
        The files, each with the number of its scores or cases, and what is not in them, in words.

    Raises:
        OSError: If a file cannot be written.
        DataError: If a row cannot be read.
    """
    records: dict[tuple[str, str, str], _Record] = {}
    notes: list[str] = []
    for task, cases, exported in exported_cases(run):
        record = records.setdefault((task.benchmark, task.model, task.model_api_id), _Record())
        scores = list(score_rows(run.manifest.run, task, cases))
        values = _values(task, cases)
        record.results += [_result(run, task, score, values) for score in scores if score["value"] is not None]
        notes += [
            f"{task.name} {task.model}: no value of {score['metric']} ({score['family']}), left out"
            for score in scores
            if score["value"] is None
        ]
        record.instances += [_instance(run, task, case) for case in exported if case.row["status"] != NOT_NEEDED]
        if gone := len(cases) - len(exported):
            notes.append(f"{task.name} {task.model}: {gone} cases never finished; they have no line")
    files: list[tuple[Path, int]] = []
    for (benchmark, model, api_id), record in records.items():
        if record.results:
            files += _save(run, folder, benchmark, model, api_id, record)
    return files, notes


def _save(
    run: SavedRun, folder: Path, benchmark: str, model: str, api_id: str, record: _Record
) -> Iterator[tuple[Path, int]]:
    developer, _, name = _model_id(api_id).partition("/")
    path = f"data/{benchmark}/{safe_file_name(developer)}/{safe_file_name(name.replace('/', '_'))}"
    uuid = _uuid(run.id, benchmark, model)
    lines = b"".join(encoded(in_utf8(line)) + b"\n" for line in record.instances)
    info = run.manifest.run
    aggregate = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": _evaluation_id(run, benchmark, api_id),
        "evaluation_timestamp": _seconds(run),
        "retrieved_timestamp": _seconds(run),
        "source_metadata": {
            "source_name": "Proctor",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": {
                "run_id": run.id,
                "command": info["command"],
                "git_commit": info["git_commit"] or "",
            },
        },
        "eval_library": {"name": "proctor", "version": info["versions"].get("proctor") or "unknown"},
        "model_info": {
            "name": model,
            "id": _model_id(api_id),
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": record.results,
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{path}/{uuid}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(lines).hexdigest(),
            "total_rows": len(record.instances),
        },
    }
    (folder / path).mkdir(parents=True, exist_ok=True)
    samples, scores = folder / path / f"{uuid}_samples.jsonl", folder / path / f"{uuid}.json"
    write_whole(samples, lines)
    write_whole(scores, encoded(in_utf8(aggregate), indent=1) + b"\n")
    yield scores, len(record.results)
    yield samples, len(record.instances)


def _values(task: ManifestTask, cases: Sequence[Measured]) -> Mapping[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {}
    for measured in cases:
        for metric, family, values in values_of(task, measured):
            found.setdefault((metric, family), []).extend(values)
    return found


def _result(
    run: SavedRun, task: ManifestTask, score: ScoreColumns, values: Mapping[tuple[str, str], Sequence[float]]
) -> dict[str, Any]:
    metric, family = score["metric"], score["family"]
    mine = values.get((metric, family), ())
    low, high = sorted((score["worst"], score["best"]))
    uncertainty: dict[str, Any] = {"num_samples": score["n"]}
    if score["se"] is not None:
        uncertainty["standard_error"] = {"value": score["se"], "method": "analytic, clustered"}
    if score["ci_low"] is not None and score["ci_high"] is not None:
        uncertainty["confidence_interval"] = {
            "lower": score["ci_low"],
            "upper": score["ci_high"],
            "confidence_level": 0.95,
            "method": "analytic, clustered",
        }
    return {
        "evaluation_result_id": _result_id(run, task, metric, family),
        "evaluation_name": task.name,
        "source_data": {
            "dataset_name": task.name,
            "source_type": "other",
            "additional_details": {"data_file": task.data_file, "data_sha256": task.data_sha256},
        },
        "evaluation_timestamp": _seconds(run),
        "metric_config": {
            "evaluation_description": f"{metric} of {task.name}, {FAMILY_WORDS[family]}",
            "metric_id": f"{task.name}/{metric}/{family}",
            "metric_name": f"{metric} ({family})",
            "lower_is_better": score["best"] < score["worst"],
            "score_type": "binary" if {*mine} <= {0, 1} and (low, high) == (0, 1) else "continuous",
            "min_score": low if all(value >= low for value in mine) else "-Infinity",
            "max_score": high if all(value <= high for value in mine) else "Infinity",
        },
        "score_details": {
            "score": score["value"],
            "details": {"selected": str(score["selected"]), "not_measured": str(score["not_measured"])},
            "uncertainty": uncertainty,
        },
    }


FAMILY_WORDS = {
    "official": "by the published formula",
    "strict": "with every failure as the worst value",
}


def _instance(run: SavedRun, task: ManifestTask, case: ExportedCase) -> dict[str, Any]:
    row = case.row
    target, text = case.target, row["response_text"]
    usage, reasoning = row["usage"], row.get("reasoning_text")
    counted = usage["input_tokens"] is not None and usage["output_tokens"] is not None
    said = {name: str(value) for name, value in row["tags"].items()}
    said |= {
        f"{family}.{metric}": str(value) for family, found in case.scores.items() for metric, value in found.items()
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": _evaluation_id(run, task.benchmark, task.model_api_id),
        "model_id": _model_id(task.model_api_id),
        "evaluation_name": task.name,
        "evaluation_result_id": _result_id(run, task, task.headline, "strict"),
        "sample_id": row["sample_id"],
        "sample_hash": hashlib.sha256((case.prompt + target).encode("utf-8", "surrogatepass")).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": case.prompt, "reference": [target]},
        "output": {"raw": [] if text is None else [text], **({"reasoning_trace": [reasoning]} if reasoning else {})},
        "answer_attribution": []
        if case.prediction is None
        else [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": case.prediction,
                "extraction_method": "llm_judge" if row["judging"] else "custom",
                "is_terminal": True,
            }
        ],
        "evaluation": {
            "score": case.scores.get("strict", {}).get(task.headline, task.metrics[task.headline]),
            "is_correct": case.verdict == "correct",
        },
        **(
            {
                "token_usage": {
                    "input_tokens": usage["input_tokens"],
                    "output_tokens": usage["output_tokens"],
                    "total_tokens": (usage["input_tokens"] or 0) + (usage["output_tokens"] or 0),
                    "input_tokens_cache_read": usage["cached_tokens"],
                    "reasoning_tokens": usage["reasoning_tokens"],
                }
            }
            if counted
            else {}
        ),
        **({} if row["latency_s"] is None else {"performance": {"latency_ms": row["latency_s"] * 1000}}),
        "error": row["error"],
        "metadata": {"status": row["status"], "epoch": str(row["epoch"]), **said},
    }


def _model_id(api_id: str) -> str:
    """The id as the format has it: ``developer/model``."""
    return api_id if re.fullmatch(r"[^/]+(/[^/]+)+", api_id) else f"{NO_DEVELOPER}/{api_id.strip('/')}"


def _evaluation_id(run: SavedRun, benchmark: str, api_id: str) -> str:
    return f"{benchmark}/{_model_id(api_id).replace('/', '_')}/{_seconds(run)}"


def _result_id(run: SavedRun, task: ManifestTask, metric: str, family: str) -> str:
    return f"{run.id}/{task.name}/{task.model}/{metric}/{family}"


def _seconds(run: SavedRun) -> str:
    """When the run started: the same run gives the same files."""
    return str(datetime.fromisoformat(run.manifest.run["started"]).timestamp())


def _uuid(*parts: str) -> UUID:
    return UUID(bytes=hashlib.sha256("\n".join(parts).encode()).digest()[:16], version=4)
