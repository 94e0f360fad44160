"""The cases that collected tests stand for, and what was left out of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from proctor.conversations.builtin import not_built_in
from proctor.models.builtin import API as BUILTIN
from proctor.models.capabilities import cannot_answer
from proctor.models.registry import Model
from proctor.official.pulled import NotPulled
from proctor.run.case import Case, Measures
from proctor.run.request import RunRequest
from proctor.tasks.samples import choose
from proctor.tasks.task import Task


class Collected:
    """Makes the cases of one task after another, and remembers what it has seen.

    Args:
        request: What was asked for.
        measures: Measures the cases.
    """

    def __init__(self, request: RunRequest, measures: Measures) -> None:
        self._request = request
        self._measures = measures
        self._tasks: dict[str, Task] = {}
        self._not_pulled: dict[str, NotPulled] = {}
        self._measured_models: set[str] = set()
        self._skipped: dict[tuple[Model, Task], str] = {}

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The tasks of all collected tests, by name."""
        return MappingProxyType(self._tasks)

    @property
    def not_pulled(self) -> Mapping[str, NotPulled]:
        """Why tasks are left out whose published files are not here, by the task's name."""
        return MappingProxyType(self._not_pulled)

    @property
    def skipped(self) -> Mapping[tuple[Model, Task], str]:
        """Why models are not asked tasks that they cannot answer."""
        return MappingProxyType(self._skipped)

    def measures(self, model: Model) -> bool:
        """Whether any collected task is asked of a model."""
        return model.name in self._measured_models

    def cases(self, task: Task, *, named: bool = True) -> list[Case]:
        """The task's cases: each model with each chosen sample.

        Args:
            task: The task.
            named: Whether the user has named its test module, and not a folder with many.

        Raises:
            UsageError: For a model, data file or row that cannot be used.
        """
        data, options = self._request.data, self._request.options
        self._tasks[task.name] = task
        not_pulled = data.not_pulled(task)
        if not_pulled is not None:
            self._not_pulled[task.name] = not_pulled
            return []
        epochs = range(1, options.epochs + 1)
        cases: list[Case] = []
        for model in self._models(task, named=named):
            self._measured_models.add(model.name)
            chosen = choose(data.samples(task, model), limit=options.limit, shuffle=options.shuffle)
            cases += [Case(self._measures, task, model, sample, epoch) for epoch in epochs for sample in chosen]
        return cases

    def _models(self, task: Task, *, named: bool) -> Sequence[Model]:
        models, folder = self._request.models, self._request.options.responses
        if folder is None:
            return [model for model in models if not self._is_skipped(model, task, named=named)]
        from proctor.conversations.responses import file_of

        with_entries = [model for model in models if self._request.data.entry_files(task, model)]
        if with_entries:
            return with_entries  # the others have answered nothing of a task that is known by its answers alone
        # pytest says if there is nothing: a task that nobody has answered is not one that everybody failed.
        return models if any(file_of(folder, model, task).exists() for model in models) else ()

    def _is_skipped(self, model: Model, task: Task, *, named: bool) -> bool:
        """Whether the model cannot be asked the task's questions, and nobody has said that it is to be.

        Where the user has named both, or nothing is left of what was named, the model is refused instead; see
        `proctor.run.option_checks`.
        """
        if named and not self._request.options.models_by_default:
            return False
        problem = not_built_in(task, model) if model.api == BUILTIN else cannot_answer(model, task)
        if problem is not None:
            self._skipped[model, task] = problem
        return problem is not None
