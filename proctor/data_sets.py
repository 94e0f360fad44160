"""The files that a project's tasks are made from, and the samples in them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from proctor.garbage import many_objects_that_stay
from proctor.models.registry import Model
from proctor.options import Options
from proctor.prompts import Template
from proctor.samples import Sample, read_samples
from proctor.selection import SelectedTask
from proctor.task import Task


class DataChanged(LookupError):
    """What a run was made with is not there any more, or not as it was."""


class DataSets:
    """Finds data files and prompt templates by what the user asked for, and reads each data file once.

    Args:
        options: What the user asked for.
        root: The project's folder.
    """

    def __init__(self, options: Options, root: Path) -> None:
        self._options = options
        self._root = root
        self._entry_files: dict[tuple[str, str], tuple[Path, ...]] = {}
        self._files_offered: set[Path] = set()
        self._samples: dict[tuple[str, tuple[str, ...]], list[Sample]] = {}

    def data_file(self, task: Task) -> Path:
        """The task's data file."""
        given, official = self._options.datasets.get(task.name), self._options.official
        if given is None and official is not None:
            given = official.data_file(task.benchmark, task.short_name)
        return given or self._options.data_dir / f"{task.name}.jsonl"

    def uses_other_data(self, task_name: str) -> bool:
        """Whether that task's samples are, or may be, others than those that its recordings were made for."""
        return self._options.official is not None or task_name in self._options.datasets

    def template_file(self, task: Task, name: str) -> Path:
        """The file of one of the task's prompt templates."""
        options = self._options
        if options.official is not None and not options.prompts_chosen:
            official = options.official.template(task.benchmark, name)
            if official is not None:
                return official
        return options.prompts_dir / task.benchmark / f"{name}.txt"

    def templates(self, task: Task) -> dict[str, Template]:
        """The task's prompt templates by name.

        Raises:
            DataError: For one that cannot be used.
        """
        return {name: Template.load(self.template_file(task, name), known) for name, known in task.prompts.items()}

    def entry_files(self, task: Task, model: Model) -> tuple[Path, ...]:
        """The files of responses whose entries are the data; none where that is in a data file."""
        if self._options.responses is None:
            return ()
        from proctor.entries import entry_files, files_offered  # imported here since most runs ask models

        name = (task.name, model.name)
        if name not in self._entry_files:
            self._entry_files[name] = entry_files(self._options.responses, model, task)
            self._files_offered |= files_offered(self._options.responses, model, task)
        return self._entry_files[name]

    def unread_files(self) -> list[Path]:
        """The files among the responses that lie where files of entries do, and that no task so far has read."""
        return sorted(self._files_offered.difference(*self._entry_files.values()))

    def samples(self, task: Task, model: Model) -> list[Sample]:
        """All samples of the task's data file, or of the model's files of entries."""
        return self._read(task, self.entry_files(task, model) or (self.data_file(task),))

    def samples_of_run(self, selected: SelectedTask, task: Task) -> Sequence[Sample]:
        """All samples of what a task was run on.

        Args:
            selected: What a run has selected of the task.
            task: The task as the project defines it today.

        Raises:
            DataChanged: If the data is not there, or has changed since.
            DataError: If it is not what the task reads today.
        """
        names = selected.entry_files or (selected.data_file,)
        files = tuple(self._root / name for name in names)
        for file, name in zip(files, names, strict=True):
            if not file.is_file():
                raise DataChanged(f"there is no {name} in {self._root}")
        if selected.entry_files:
            samples = self._read(task, files)
            from proctor.entries import entries_sha256

            found = entries_sha256(samples)
        else:
            found = hashlib.sha256(files[0].read_bytes()).hexdigest()
        if found != selected.data_sha256:
            raise DataChanged(f"{selected.data_file} has changed since the run")
        return self._read(task, files)

    def _read(self, task: Task, files: tuple[Path, ...]) -> list[Sample]:
        # A run's selection names a file in another way than the options do; it is not to be read again for that.
        name = (task.name, tuple(map(os.path.abspath, files)))
        if name not in self._samples:
            with many_objects_that_stay():
                samples = read_samples(files, task.samples_of, without=task.response_fields)
            for metrics in {sample.metrics for sample in samples}:
                if metrics and not {task.headline} <= {*metrics} <= {*task.metrics}:
                    raise ValueError(
                        f"{task.name} measures a sample by {metrics}, without {task.headline} or by others"
                    )
            self._samples[name] = samples
        return self._samples[name]
