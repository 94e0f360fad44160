"""The tasks that a run leaves out since they cannot be measured, while others can."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from proctor._base.errors import TaskNotMeasurable, UsageError
from proctor.models.lifecycle import today
from proctor.run.asked_models import AskedModels

if TYPE_CHECKING:
    from proctor.conversations.context import TaskContext
    from proctor.models.registry import Model
    from proctor.results.run_info import LeftOutFields
    from proctor.run.case import Case
    from proctor.run.options import Options
    from proctor.run.run import Run
    from proctor.tasks.task import Task


class LeftOut:
    """The tasks that are left out, each with its model, and why.

    Args:
        options: What the user asked for.
        named: The names of the tasks that the user has named, none of which is left out.
    """

    def __init__(self, options: Options, named: Container[str]) -> None:
        self._named = named
        self._ended = AskedModels(options)
        self._why: dict[tuple[str, str], TaskNotMeasurable] = {}
        self._shut_down: dict[tuple[str, str], str] = {}

    def __bool__(self) -> bool:
        return bool(self._why)

    def keeps(self, case: Case) -> bool:
        """Whether a case is measured."""
        return (case.task.name, case.model.name) not in self._why

    @contextmanager
    def instead_of_error(self, task: Task, model: Model) -> Iterator[None]:
        """Leave the task out for the model, should it turn out inside that it cannot be measured.

        Raises:
            TaskNotMeasurable: If the user has named the task.
        """
        try:
            yield
        except TaskNotMeasurable as problem:
            if task.name in self._named:
                raise
            self._why[task.name, model.name] = problem

    def check_alive(self, context: TaskContext, needed: Container[Model]) -> None:
        """Raise a `TaskNotMeasurable` for a task that nobody has named if a model is shut down that it needs.

        Args:
            context: The task, its model, and those in its roles.
            needed: Models that have something to answer that is not recorded.
        """
        models = {context.model, *context.role_models.values()}
        ended = [model.name for model in models if model in needed and model.lifecycle.has_ended(today())]
        if ended and context.task.name not in self._named:
            self._ended.add(context, needed)
            self._shut_down[context.task.name, context.model.name] = f"{', '.join(sorted(ended))} was shut down"
            raise TaskNotMeasurable("")  # what to do is said once for all such models

    def check_rest(self, cases: Sequence[Case]) -> None:
        """Raise a `UsageError` for a model of which no case is left."""
        left = {case.model for case in cases if self.keeps(case)}
        for case in cases:
            if case.model not in left:
                self._ended.check_alive()
                raise self._why[case.task.name, case.model.name]

    def reasons(self) -> Iterator[tuple[str, str, str]]:
        """Task, model and why, in one sentence, of all that is left out."""
        for (task, model), why in self._why.items():
            yield task, model, str(why) or self._shut_down[task, model]

    def warnings(self) -> Iterator[str]:
        """Why each task is left out; what would mend several alike is said once."""
        ended, ask_others = self._ended.ended()
        told = [(problem, ask_others) for problem in ended]
        for why in filter(str, self._why.values()):
            problem, _, remedy = str(why).partition("\n  ")
            told.append((problem, remedy))
        for remedy, problems in groupby(told, key=itemgetter(1)):
            *others, last = (f"left out: {problem}" for problem, _ in problems)
            yield from (*others, f"{last}\n  {remedy}" if remedy else last)


def left_out_fields(left_out: LeftOut, run: Run) -> list[LeftOutFields]:
    """All tasks that a run leaves out, as selection.json and report.json hold them.

    Args:
        left_out: Those that cannot be measured. Others have no published files here, or a model cannot answer them.
        run: The run. Its folder is named in no reason.
    """
    found = [(task, "", str(problem)) for task, problem in run.collected.not_pulled.items()]
    found += [(task.name, model.name, problem) for (model, task), problem in run.collected.skipped.items()]
    found += left_out.reasons()
    return [
        {"task": task, "model": model, "why": why.partition("\n")[0].replace(f"{run.root}{os.sep}", "")}
        for task, model, why in sorted(found)
    ]


@contextmanager
def of_the_task() -> Iterator[None]:
    """What cannot be used inside keeps a task from being measured, but no other.

    Raises:
        TaskNotMeasurable: For a `UsageError`.
    """
    try:
        yield
    except UsageError as problem:
        raise TaskNotMeasurable(str(problem)) from None
