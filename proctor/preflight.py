"""What is checked before the first case: whatever would fail all cases of a task and model is said once, by then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from proctor.builtin import API as BUILTIN
from proctor.case import Case, grouped
from proctor.conversation import NeedsLive, Place
from proctor.errors import UsageError
from proctor.live.budget import check_price
from proctor.models.capabilities import check_answers, check_helps, check_libraries
from proctor.models.registry import Model
from proctor.models.roles import check_roles
from proctor.options import Options
from proctor.providers import checked_key
from proctor.run import Run
from proctor.task import Task

SHOWN = 5  # files in a warning


def check(run: Run, cases: Sequence[Case]) -> None:
    """Find what would fail all cases of a task and model.

    Raises:
        UsageError: For an unusable template, parameter or recording, a data set for a task that is not selected, no
            recordings at all for a task and model in replay, a missing key or an unwritable cassette where a call is
            needed.
    """
    check_datasets(run)
    _check_cases_once(cases)
    if run.gate is not None:
        run.gate.check({(case.task.name, case.model.name): case.task.metrics for case in cases})
    check_roles(run.options.roles, {case.task.name: case.task for case in cases}.values())
    for task, model, group in grouped(cases):
        place = run.place(task, model)
        _note_unmet(run, group)
        if model.api == BUILTIN:
            continue
        if place.given is not None and not task.roles:
            continue
        if place.given is None:
            check_answers(model, task, run.registry)
        if not run.asks_live and not len(place.cassette) and _asks_somebody(run, place, group):
            raise UsageError(
                f"no recordings of {task.name} for {model.name}: {place.cassette.file} "
                f"{'is empty' if place.cassette.file.exists() else 'does not exist'}",
                remedy=f"Record it: {place.record_command}",
            )
        if run.asks_live and any(_needs_live(run, case) for case in group):
            answering = {place.model} if place.given is None else set()
            for asked in {*answering, *place.role_models.values()}:
                _check_can_ask(run.options, asked, task)
            check_can_show(run, place)
            _check_can_record(run.options, place)


def check_datasets(run: Run) -> None:
    """Raise a `UsageError` for a data set whose task no collected test runs, whether it is selected or not."""
    official = run.options.official
    if official is not None and not any(official.data_file(*name.split("/")) for name in run.known_tasks):
        raise UsageError(
            "--official: nothing is published for the collected tests",
            remedy="proctor pull --list says what there is.",
        )
    for name in run.options.datasets:
        if name not in run.known_tasks:
            known = ", ".join(sorted(run.known_tasks))
            raise UsageError(f"--dataset {name}: no collected test runs that task", remedy=f"Collected: {known}.")


def check_responses(run: Run) -> None:
    """Raise a `UsageError` for a model that was named and has no response to any collected test.

    Also if no model has any, though there are files that look as if they were meant for these tests.
    """
    options = run.options
    if options.responses is None or not run.known_tasks:
        return
    silent = [model.name for model in run.models if model.name not in run.measured_models]
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


def _check_cases_once(cases: Sequence[Case]) -> None:
    """Raise a `UsageError` if two tests measure the same case: its row would count for both, or twice."""
    seen: set[tuple[str, str, str, int]] = set()
    for case in cases:
        name = (case.task.name, case.model.name, case.sample.id, case.epoch)
        if name in seen:
            raise UsageError(
                f"two tests measure {case.task.name} [{case.id}]",
                remedy="Give each task one test function, without further parameters, and collect it once.",
            )
        seen.add(name)


def unmet_needs(run: Run) -> list[str]:
    """What this machine lacks for some cases, each said once, with their number."""
    counts = Counter((task, need) for (task, _), need in run.unmet.items())
    return [f"{task}: {number} samples cannot be examined: {need}" for (task, need), number in counts.items()]


def _note_unmet(run: Run, cases: Sequence[Case]) -> None:
    """Find the cases that this machine cannot examine. They are not asked; the others are not affected."""
    for case in cases:
        judged = case.task.judged
        if judged is None or judged.unmet is None:
            return
        name = (case.task.name, case.sample.id)
        # What is replayed needs nothing; and to find out what is lacking may take starting an interpreter.
        if name not in run.unmet and _needs_live(run, case) and (unmet := judged.unmet(case.sample)) is not None:
            run.unmet[name] = unmet


def _check_can_ask(options: Options, model: Model, task: Task) -> None:
    """Raise a `UsageError` if a live answer could not be had, or counted against ``--max-cost``."""
    if options.max_cost is not None:
        check_price(model)
    if options.max_cost == 0:
        return  # nothing is going to be asked
    key = model.missing_key()
    if key:
        raise UsageError(
            f"{key} is not set, and {model.name} must be asked for {task.name}",
            remedy=f"Set {key}, or replay what is recorded: leave out --record-mode.",
        )
    from proctor.providers.connections import check_certificates  # imported here since a replay asks nobody

    checked_key(model)
    check_certificates()
    model.url()


def check_can_show(run: Run, place: Place) -> None:
    """Raise a `UsageError` if a model in a role, or this machine, cannot show what the task's prompts do."""
    task = place.task
    for role, model in place.role_models.items():
        check_helps(role, model, task, run.registry)
    own = task.inputs if place.given is None else frozenset()
    check_libraries({*own, *(kind for role in task.roles.values() for kind in role.inputs)})


def _check_can_record(options: Options, place: Place) -> None:
    """Raise a `UsageError` if a live answer could not be kept."""
    if options.max_cost == 0 or not options.keep_recordings:
        return
    try:
        place.cassette.check_writable()
    except OSError as problem:
        raise UsageError(
            f"recordings cannot be written to {place.cassette.file}: {problem.strerror}",
            remedy="Make it writable, or name another folder with --cassettes-dir.",
        ) from None


def _asks_somebody(run: Run, place: Place, cases: Sequence[Case]) -> bool:
    """Whether any call is made about these cases: answers that are given may be scored by rules alone."""
    return place.given is None or any(
        run.conversation(case).run().asked for case in cases if (case.sample.id, case.epoch) in place.given.replies
    )


def _needs_live(run: Run, case: Case) -> bool:
    try:
        run.conversation(case, live=False).run()
    except NeedsLive:
        return True
    return False
