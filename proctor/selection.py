"""What a run set out to measure, written before its first case.

The denominator is decided before the run: a report walks this list, not the rows, so that a case which never finished
shows as missing, whatever happened to the run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.results import encoded

FILE_NAME = "selection.json"


def case_name(sample: str, epoch: int) -> str:
    """How a sample's case is called: by the sample, and from the second epoch on by the epoch too."""
    return sample if epoch == 1 else f"{sample}-epoch{epoch}"


@dataclass(frozen=True, slots=True)
class SelectedCase:
    """One case; the fields are those of its result row."""

    sample_id: str
    sample_index: int
    epoch: int
    cluster: str
    tags: Mapping[str, str]
    metrics: tuple[str, ...] = ()  # those of the task's that it is measured by; empty for all

    def measured_by(self, metric: str) -> bool:
        """Whether a metric of the task is one of this case's."""
        return not self.metrics or metric in self.metrics


@dataclass(frozen=True)
class SelectedTask:
    """The cases of one task and model.

    Args:
        benchmark: The benchmark.
        task: The task's short name.
        model: The model's name.
        model_api_id: The provider's id of it.
        metrics: Each metric's worst value; the first is the headline.
        data_file: The data file, relative to the project where possible.
        data_sha256: Its hash.
        cassette_file: The recordings, relative to the project; ``None`` for a built-in model.
        prompt_sha256: Hash of each prompt template by name.
        module: The test module, by which a report finds the task's code; relative to the project.
        has_artifact: Whether the task has a result file in its benchmark's own format.
        cases: The cases in the order in which they were selected.
        role_models: The models in the task's other roles, by role.
        responses: Where answers that were made elsewhere come from: ``file``, ``sha256``, the number of ``entries``,
            and the names of ``extra`` and ``duplicates`` among them; ``None`` where the model was asked.
        samples_in_data: How many samples the data file holds, selected or not; 0 where that is not known.
        data_notes: What a reader should know about the ids of its samples.
        composite: The score over several tasks that this one is part of; empty if none.
        best: The best value of each metric that is not on a scale from 0 to 1.
        entry_files: The files of responses whose entries are the data, where there is no data file; *data_file* is
            then their folder, and *data_sha256* the hash of the entries without the responses.
    """

    benchmark: str
    task: str
    model: str
    model_api_id: str
    metrics: Mapping[str, float]
    data_file: str
    data_sha256: str
    cassette_file: str | None
    prompt_sha256: Mapping[str, str]
    module: str
    has_artifact: bool
    cases: tuple[SelectedCase, ...]
    role_models: Mapping[str, str] = field(default_factory=dict)
    responses: Mapping[str, Any] | None = None
    samples_in_data: int = 0
    data_notes: tuple[str, ...] = ()
    composite: str = ""
    best: Mapping[str, float] = field(default_factory=dict)
    entry_files: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """The metric that decides a case's verdict."""
        return next(iter(self.metrics))

    @property
    def scale(self) -> tuple[float, float]:
        """The worst value of the headline metric, and the one that makes a case correct."""
        return self.metrics[self.headline], self.best.get(self.headline, 1.0)

    @property
    def responses_sha256(self) -> str | None:
        """The hash of the file that the answers come from; ``None`` if they were not made elsewhere."""
        return self.responses["sha256"] if self.responses else None


def _case(fields: Mapping[str, Any]) -> SelectedCase:
    return SelectedCase(**{**fields, "metrics": tuple(fields.get("metrics", ()))})


def _fields(task: SelectedTask) -> dict[str, Any]:
    """The task as JSON holds it; dataclasses.asdict would copy all tags of all cases, which takes ten times as long."""
    cases = [{name: getattr(case, name) for name in SelectedCase.__slots__} for case in task.cases]
    return {**vars(task), "cases": cases}


@dataclass(frozen=True)
class Selection:
    """All that a run selected.

    Args:
        run: Id, start, command, versions and machine of the run; see `proctor.run.describe`.
        tasks: One entry per task and model.
    """

    run: Mapping[str, Any]
    tasks: tuple[SelectedTask, ...]

    def encoded(self) -> bytes:
        """The content of selection.json."""
        return encoded({"run": self.run, "tasks": [_fields(task) for task in self.tasks]})

    def save(self, folder: Path, *, keep: bool = True) -> None:
        """Write the selection into a run's folder, whole or not at all.

        Args:
            folder: The run's folder.
            keep: False to find out whether it can be written, and leave nothing.

        Raises:
            OSError: If it cannot be written.
        """
        scratch = folder / f".{FILE_NAME}.{os.getpid()}"
        try:
            scratch.write_bytes(self.encoded())
            if keep:
                scratch.replace(folder / FILE_NAME)
        finally:
            scratch.unlink(missing_ok=True)

    @classmethod
    def load(cls, folder: Path) -> Selection:
        """Read what `save` wrote.

        Raises:
            FileNotFoundError: If the run has none.
        """
        content = json.loads((folder / FILE_NAME).read_bytes())
        return cls(
            content["run"],
            tuple(SelectedTask(**{**task, "cases": tuple(map(_case, task["cases"]))}) for task in content["tasks"]),
        )
