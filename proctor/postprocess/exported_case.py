"""A case as other programs' formats want it: texts, numbers, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proctor.results.manifest import ManifestTask
from proctor.results.prompts import SavedPrompts
from proctor.results.row import ResultRow
from proctor.results.saved_run import SavedRun
from proctor.statistics.aggregates import Measured, measured_cases
from proctor.statistics.tidy import as_text, case_columns, mean_value, values_of


@dataclass(frozen=True)
class ExportedCase:
    """A case that has a row.

    Args:
        row: The row.
        verdict: ``correct``, ``partial`` or ``incorrect``; ``None`` if it was not measured.
        scores: By family and metric, as far as there are values.
        prompt: The first prompt: its texts, with the paths of media in brackets; empty if it is not known.
    """

    row: ResultRow
    verdict: str | None
    scores: Mapping[str, Mapping[str, float]]
    prompt: str

    @property
    def target(self) -> str:
        """The gold answer; JSON where it is not text."""
        return as_text(self.row["target"]) or ""

    @property
    def prediction(self) -> str | None:
        """What was read from the response; JSON where it is not text."""
        return as_text(self.row["prediction"])


def exported_cases(run: SavedRun) -> Iterator[tuple[ManifestTask, list[Measured], list[ExportedCase]]]:
    """For each task and model all its cases, and those that have a row.

    Args:
        run: The run.

    Raises:
        DataError: If a row or a kept prompt cannot be read.
    """
    prompts = SavedPrompts([run.folder])
    for task, cases in zip(run.manifest.tasks, measured_cases(run.manifest, run.rows()), strict=True):
        yield task, cases, [_exported(run, task, measured, measured.row, prompts) for measured in cases if measured.row]


def _exported(
    run: SavedRun, task: ManifestTask, measured: Measured, row: ResultRow, prompts: SavedPrompts
) -> ExportedCase:
    scores: dict[str, dict[str, float]] = {}
    for metric, family, values in values_of(task, measured):
        scores.setdefault(family, {})[metric] = mean_value(values)
    first = prompts.first(task.name, row["sample_id"], row["prompt_sha256"])
    pieces = first.pieces if first is not None else ()
    said = "\n".join(piece if isinstance(piece, str) else f"[{piece.kind}: {piece.file.name}]" for piece in pieces)
    return ExportedCase(row, case_columns(run.manifest.run, task, measured)["verdict"], scores, said)


def in_utf8(value: Any) -> Any:
    """A JSON value without halves of surrogate pairs, at which other programs stop: their code stands there instead."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {in_utf8(name): in_utf8(part) for name, part in value.items()}
    return [in_utf8(part) for part in value] if isinstance(value, list | tuple) else value
