"""What a run set out to measure, written before its first case.

The denominator is decided before the run: a report walks this list, not the rows, so that a case which never finished
shows as missing, whatever happened to the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from proctor._base.files import write_whole
from proctor._base.json_values import encoded
from proctor.results.identity import CaseKey, TaskModel
from proctor.tasks.metrics import Headline

FILE_NAME = "selection.json"


@dataclass(frozen=True, slots=True)
class ManifestCase:
    """One case; the fields are those of its result row.

    Args:
        sample_id: The sample.
        sample_index: Its place in the data file, from 0.
        epoch: The repetition, from 1.
        cluster: What samples that hang together have in common.
        tags: What the sample is about, by name.
        metrics: The metrics of the task that it is measured by; empty for all.
    """

    sample_id: str
    sample_index: int
    epoch: int
    cluster: str
    tags: Mapping[str, str]
    metrics: tuple[str, ...] = ()

    @property
    def key(self) -> CaseKey:
        """What it is told apart by from the task's other cases."""
        return CaseKey(self.sample_id, self.epoch)

    def measured_by(self, metric: str) -> bool:
        """Whether a metric of the task is one of this case's."""
        return not self.metrics or metric in self.metrics


@dataclass(frozen=True)
class ManifestTask(Headline):
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
        module: The test module, by which tasks are ordered; relative to the project. It is never imported by this path.
        has_artifact: Whether the task has a result file in its benchmark's own format.
        cases: The cases; see `in_order`.
        role_models: The models in the task's other roles, by role.
        prescribed: By role the ``model`` that the benchmark prescribes, and whether that one was ``used``; empty in
            runs from before this was kept.
        responses: Where answers that were made elsewhere come from: ``file``, ``sha256``, the number of ``entries``,
            and the names of ``extra`` and ``duplicates`` among them; ``None`` where the model was asked.
        samples_in_data: How many samples the data file holds, selected or not; 0 where that is not known.
        data_notes: What a reader should know about the ids of its samples.
        likeness: Whether ``data``, ``prompts`` and ``judges`` are the published ones; ``None`` where nothing tells.
        odd_rows: What is odd in its rows, selected or not; see `proctor.tasks.oddities.as_fields`.
        unusable_rows: What makes rows unusable, in the same form.
        composite: The score over several tasks that this one is part of; empty if none.
        composite_tasks: The names of all tasks that it is the mean of; empty if that is not known.
        best: The best value of each metric that is not on a scale from 0 to 1.
        entry_files: The files of responses whose entries are the data, where there is no data file; *data_file* is
            then their folder, and *data_sha256* the hash of the entries without the responses.
        test: The test function, as node ids name it behind the module; empty in runs from before this was kept.
        scorer_sha256: Hash of the code that scores; empty in runs from before this was kept.
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
    cases: tuple[ManifestCase, ...]
    role_models: Mapping[str, str] = field(default_factory=dict)
    responses: Mapping[str, Any] | None = None
    samples_in_data: int = 0
    data_notes: tuple[str, ...] = ()
    likeness: Mapping[str, bool | None] = field(default_factory=dict)
    odd_rows: tuple[Mapping[str, Any], ...] = ()
    unusable_rows: tuple[Mapping[str, Any], ...] = ()
    composite: str = ""
    composite_tasks: tuple[str, ...] = ()
    best: Mapping[str, float] = field(default_factory=dict)
    entry_files: tuple[str, ...] = ()
    prescribed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    test: str = ""
    scorer_sha256: str = ""

    @property
    def name(self) -> str:
        """The task's full name, ``benchmark/task``."""
        return f"{self.benchmark}/{self.task}"

    @property
    def identity(self) -> TaskModel:
        """The task and model."""
        return TaskModel(self.benchmark, self.task, self.model)

    @property
    def responses_sha256(self) -> str | None:
        """The hash of the file that the answers come from; ``None`` if they were not made elsewhere."""
        return self.responses["sha256"] if self.responses else None


def _case(fields: Mapping[str, Any]) -> ManifestCase:
    return ManifestCase(**{**fields, "metrics": tuple(fields.get("metrics", ()))})


def _fields(task: ManifestTask) -> dict[str, Any]:
    """The task as JSON holds it; dataclasses.asdict would copy all tags of all cases, which takes ten times as long."""
    cases = [{name: getattr(case, name) for name in ManifestCase.__slots__} for case in task.cases]
    return {**vars(task), "cases": cases}


def in_order(tasks: Iterable[ManifestTask], models: Sequence[str]) -> tuple[ManifestTask, ...]:
    """Tasks and their cases in an order that depends on nothing but what they are.

    Sums of numbers depend, in their last digit, on the order of these. So a report is the same whatever the order of
    paths, and of samples (``--shuffle``), in which they were asked for, and that of merged shards is that of one run.

    Args:
        tasks: The tasks, each with one model.
        models: The models in the order in which they are to be shown.
    """
    rank = {model: number for number, model in reversed(list(enumerate(models)))}
    return tuple(
        replace(task, cases=tuple(sorted(task.cases, key=lambda case: (case.epoch, case.sample_index, case.sample_id))))
        for task in sorted(
            tasks,
            key=lambda task: (PurePath(task.module).parts, task.benchmark, task.task, rank.get(task.model, len(rank))),
        )
    )


@dataclass(frozen=True)
class Manifest:
    """All that a run selected.

    Args:
        run: What `proctor.results.run_info.describe` says of the run, and its ``models`` in their order.
        tasks: One entry per task and model; see `in_order`.
    """

    run: Mapping[str, Any]
    tasks: tuple[ManifestTask, ...]

    def encoded(self) -> bytes:
        """The content of selection.json."""
        return encoded({"run": self.run, "tasks": [_fields(task) for task in self.tasks]})

    def save(self, folder: Path) -> None:
        """Write the selection into a run's folder, whole or not at all.

        Raises:
            OSError: If it cannot be written.
        """
        write_whole(folder / FILE_NAME, self.encoded())

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """Read what `save` wrote.

        Raises:
            FileNotFoundError: If the run has none.
        """
        return cls.of(json.loads((folder / FILE_NAME).read_bytes()))

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Manifest:
        """The selection that JSON holds as *content*."""
        return cls(
            content["run"],
            tuple(ManifestTask(**{**task, "cases": tuple(map(_case, task["cases"]))}) for task in content["tasks"]),
        )
