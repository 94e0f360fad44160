"""What the options and the collected tests alone tell before the first case: what is refused, and what is left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from proctor._base.errors import UsageError
from proctor.conversations.builtin import check_builtin
from proctor.models.builtin import API as BUILTIN
from proctor.models.capabilities import check_answers
from proctor.official.pulled import NotPulled
from proctor.run.case import Case
from proctor.run.options import Options
from proctor.run.run import Run

SHOWN = 5  # files in a warning


def check_datasets(options: Options, tasks: Collection[str], not_pulled: Mapping[str, NotPulled]) -> None:
    """Raise a `UsageError` for a data set whose task no collected test runs, whether it is selected or not.

    Args:
        options: What the user asked for.
        tasks: The names of the tasks that collected tests run.
        not_pulled: Those of them that ``--official`` leaves out, with the reason.
    """
    official = options.official
    there = [name for name in sorted(tasks) if name not in not_pulled]
    if official is not None and tasks:
        if not there:
            raise next(iter(not_pulled.values()))
        if not not_pulled and not any(official.data_file(*name.split("/")) for name in there):
            raise UsageError(
                "--official: nothing is published for the collected tests",
                remedy="proctor pull --list says what there is.",
            )
    for name in options.datasets:
        if name not in tasks:
            known = ", ".join(sorted(tasks))
            raise UsageError(f"--dataset {name}: no collected test runs that task", remedy=f"Collected: {known}.")


def tasks_not_pulled(not_pulled: Mapping[str, NotPulled]) -> list[str]:
    """The tasks that ``--official`` leaves out, since their files are not here, each with what it lacks."""
    return [f"left out: {name}: {problem}" for name, problem in sorted(not_pulled.items())]


def check_skipped(run: Run, cases: Sequence[Case]) -> None:
    """Raise a `UsageError` for a model that was named and can be asked none of the questions that are selected.

    Args:
        run: The run.
        cases: Those that are selected.
    """
    asked = {case.model for case in cases}
    for model, task in run.collected.skipped:
        if model not in asked and not run.options.models_by_default:
            if model.api == BUILTIN:
                check_builtin(task, model)
            check_answers(model, task, run.registry)


def skipped_models(run: Run) -> list[str]:
    """Which tasks a model is not asked, and why."""
    remedy = "; name a model with --model" if run.options.models_by_default else ""
    return [f"left out: {problem}{remedy}" for problem in run.collected.skipped.values()]


def check_responses(run: Run) -> None:
    """Raise a `UsageError` for a model that was named and has no response to any collected test.

    Also if no model has any, though there are files that look as if they were meant for these tests.
    """
    options = run.options
    if options.responses is None or not run.collected.tasks:
        return
    silent = [model.name for model in run.models if not run.collected.measures(model)]
    if silent and (options.models or (len(silent) == len(run.models) and run.data.unread_files())):
        raise UsageError(
            f"no responses of {', '.join(silent)} in {run.shown(options.responses)} that a collected test reads",
            remedy="Check the names; the files stand in a folder that is called as the model is, and have its name.",
        )


def unread_responses(run: Run) -> list[str]:
    """The files among the models' responses that nothing reads, such as one whose name is mistyped."""
    files = [run.shown(file) for file in run.data.unread_files()]
    if not files:
        return []
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    return [f"no collected test reads {', '.join(files[:SHOWN])}{more}: see how files of responses are called"]
