"""The files that a project's tasks are made from, and the samples in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from proctor._base.errors import DataError
from proctor._base.garbage import many_objects_that_stay
from proctor.models.registry import Model
from proctor.official.comparable import ContentHashes
from proctor.official.pulled import NotPulled
from proctor.results.manifest import ManifestTask
from proctor.run.options import Options
from proctor.tasks.oddities import Findings
from proctor.tasks.prompt import Template
from proctor.tasks.sample import Sample
from proctor.tasks.samples import read_samples
from proctor.tasks.task import Task

if TYPE_CHECKING:
    from proctor.conversations.responses import Responses

SHOWN = 20  # odd or unusable things in a message


class Unavailable(LookupError):
    """What a run was made with is not there any more, or not as it was."""


class DataSets:
    """Finds data files and prompt templates by what the user asked for, and reads each of them once.

    Args:
        options: What the user asked for.
        root: The project's folder.
    """

    def __init__(self, options: Options, root: Path) -> None:
        self._options = options
        self._root = root
        self._entry_files: dict[tuple[str, str], tuple[Path, ...]] = {}
        self._files_offered: set[Path] = set()
        self._samples: dict[tuple[str, tuple[str, ...]], tuple[list[Sample], Findings]] = {}
        self._templates: dict[str, Mapping[str, Template]] = {}
        self._hashes: dict[Path, ContentHashes] = {}

    def data_file(self, task: Task) -> Path:
        """The task's data file."""
        named, official = self._options.datasets.get(task.name), self._options.official
        if named is None and official is not None:
            named = official.data_file(task.benchmark, task.short_name)
        return named or self._options.data_dir / f"{task.name}.jsonl"

    def not_pulled(self, task: Task) -> NotPulled | None:
        """Why the task cannot be run on published files, if ``--official`` asks for that and some are not here.

        Raises:
            UsageError: If one is here, and is not what was published.
        """
        if self._options.official is None:
            return None
        try:
            self.data_file(task)
            for name in task.prompts:
                self.template_file(task, name)
        except NotPulled as problem:
            return problem
        return None

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

    def templates(self, task: Task) -> Mapping[str, Template]:
        """The task's prompt templates by name.

        Raises:
            DataError: For one that cannot be used.
        """
        if task.name not in self._templates:
            self._templates[task.name] = {
                name: Template.load(self.template_file(task, name), known) for name, known in task.prompts.items()
            }
        return self._templates[task.name]

    def hashes(self, file: Path) -> ContentHashes:
        """Those of a file's content, as it was when they were first wanted."""
        real = file.resolve()
        if real not in self._hashes:
            self._hashes[real] = ContentHashes.of(file.read_bytes())
        return self._hashes[real]

    def entry_files(self, task: Task, model: Model) -> tuple[Path, ...]:
        """The files of responses whose entries are the data; none where that is in a data file.

        Args:
            task: The task.
            model: Whose responses they are.
        """
        if self._options.responses is None:
            return ()
        from proctor.conversations.response_files import (  # imported here since most runs ask models
            entry_files,
            files_offered,
        )

        name = (task.name, model.name)
        if name not in self._entry_files:
            self._entry_files[name] = entry_files(self._options.responses, model, task)
            self._files_offered |= files_offered(self._options.responses, model, task)
        return self._entry_files[name]

    def entry_responses(self, task: Task, model: Model) -> Responses:
        """The responses in a model's files of entries; what is odd in them is among the `findings` from then on.

        Raises:
            DataError: If something is odd or unusable, and the options do not allow that.
        """
        from proctor.conversations.response_files import read_entry_responses

        files = self.entry_files(task, model)
        samples, findings = self._read(task, files)
        found = read_entry_responses(files, task, samples, findings, self._shown)
        if findings and self._options.strict_data:
            raise _refused(task, findings, files[0])
        return found

    def unread_files(self) -> list[Path]:
        """The files among the responses that lie where files of entries do, and that no task so far has read."""
        return sorted(self._files_offered.difference(*self._entry_files.values()))

    def samples(self, task: Task, model: Model) -> list[Sample]:
        """All samples of the task's data file, or of the model's files of entries."""
        return self._read(task, self._files(task, model))[0]

    def findings(self, task: Task, model: Model) -> Findings:
        """What is odd or unusable in the rows that these samples come from.

        Args:
            task: The task.
            model: The model whose responses hold the data, where they do.
        """
        return self._read(task, self._files(task, model))[1]

    def checked(self, task: Task) -> tuple[list[Sample], Findings]:
        """All samples of the task's data file, and what is odd or unusable in its rows."""
        return self._read(task, (self.data_file(task),))

    def _files(self, task: Task, model: Model) -> tuple[Path, ...]:
        return self.entry_files(task, model) or (self.data_file(task),)

    def samples_of_run(self, selected: ManifestTask, task: Task) -> Sequence[Sample]:
        """All samples of what a task was run on.

        Args:
            selected: What a run has selected of the task.
            task: The task as the project defines it today.

        Raises:
            Unavailable: If the data is not there, has changed since, or is not what the task reads today.
        """
        names = selected.entry_files or (selected.data_file,)
        files = tuple(self._root / name for name in names)
        for file, name in zip(files, names, strict=True):
            if not file.is_file():
                raise Unavailable(f"there is no {name} in {self._root}")
        if selected.entry_files:
            from proctor.conversations.response_files import entries_sha256

            try:
                found = entries_sha256(self._read(task, files)[0])
            except DataError as problem:  # what it says may hold more of the file than the run has ever seen
                raise Unavailable(f"{names[0]} has changed since the run, and is no file of entries") from problem
        else:
            found = self.hashes(files[0]).sha256
        if found != selected.data_sha256:
            raise Unavailable(f"{selected.data_file} has changed since the run")
        try:
            return self._read(task, files)[0]
        except DataError as problem:
            raise Unavailable(str(problem)) from None

    def _read(self, task: Task, files: tuple[Path, ...]) -> tuple[list[Sample], Findings]:
        # A run's selection names a file in another way than the options do; it is not to be read again for that.
        name = (task.name, tuple(map(os.path.abspath, files)))
        if name not in self._samples:
            findings = Findings()
            with many_objects_that_stay():
                samples = read_samples(
                    files, task.samples_of, without=task.response_fields, findings=findings, shown=self._shown
                )
            if findings and self._options.strict_data:
                raise _refused(task, findings, files[0])
            for metrics in {sample.metrics for sample in samples}:
                if metrics and not {task.headline} <= {*metrics} <= {*task.metrics}:
                    raise ValueError(
                        f"{task.name} measures a sample by {metrics}, without {task.headline} or by others"
                    )
            self._samples[name] = samples, findings
        return self._samples[name]

    def _shown(self, file: Path) -> Path:
        """A path relative to the project, so that a message that goes into a report names no home folder."""
        return Path(os.path.relpath(file, self._root))


def _refused(task: Task, findings: Findings, file: Path) -> DataError:
    """What ``--strict-data`` says of rows that a run would ask, or count as errors."""
    found = findings.all()
    more = [f"… and {len(found) - SHOWN} more: proctor check-data {task.name} lists all"] if len(found) > SHOWN else []
    return DataError(
        f"--strict-data: {len(found)} odd or unusable things in {task.name}",
        file=file,
        remedy="\n  ".join([*map(str, found[:SHOWN]), *more]),
    )
