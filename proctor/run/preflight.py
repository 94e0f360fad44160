"""What is checked before the first case: whatever would fail all cases of a task and model is said once, by then."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from proctor._base.errors import TaskNotMeasurable, UsageError
from proctor.conversations.context import TaskContext
from proctor.live.budget import check_price
from proctor.models.builtin import API as BUILTIN
from proctor.models.capabilities import check_answers, check_helps, check_libraries
from proctor.models.lifecycle import today
from proctor.models.registry import Model
from proctor.models.roles import check_roles
from proctor.providers import checked_key
from proctor.recordings.record_mode import RecordMode
from proctor.run.asked_models import AskedModels
from proctor.run.case import Case, grouped
from proctor.run.left_out import LeftOut, of_the_task
from proctor.run.options import Options
from proctor.run.reaching import ANSWERS, asks, reach
from proctor.run.rehearsals import Rehearsals
from proctor.run.run import Run
from proctor.tasks.judge import Judged
from proctor.tasks.task import Task


@dataclass
class Preflight:
    """What is known before the first case.

    Args:
        left_out: The tasks that cannot be measured.
        warnings: What the user should know.
        asks: Whom the run is going to ask, and what for.
        missing: What this machine lacks for samples, by task and sample id: they are not asked.
    """

    left_out: LeftOut
    warnings: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    missing: dict[tuple[str, str], str] = field(default_factory=dict)


def check(run: Run, cases: Sequence[Case], *, named: Container[str]) -> Preflight:
    """Find what would fail all cases of a task and model.

    Args:
        run: The run.
        cases: What it is to measure.
        named: The names of the tasks that the user has named. Others are left out if they cannot be measured.

    Raises:
        UsageError: For an unusable template, parameter or recording, a data set for a task that is not selected, no
            recordings at all for a task and model in replay; where a call is needed, a missing key, an unwritable
            cassette or a model that is shut down.
    """
    _check_cases_once(cases)
    check_roles(run.options.roles, {case.task.name: case.task for case in cases}.values())
    checks = _Checks(run, cases, named)
    for task, model, group in grouped(case for case in cases if case.sample.error is None):
        checks.look_at(task, model, group)
    return checks.done()


class _Checks:
    """Looks at one task and model after another.

    Args:
        run: The run.
        cases: What it is to measure.
        named: The names of the tasks that the user has named.
    """

    def __init__(self, run: Run, cases: Sequence[Case], named: Container[str]) -> None:
        self._run = run
        self._cases = cases
        self._found = Preflight(LeftOut(run.options, named))
        self._asked = AskedModels(run.options)
        self._rehearsals = Rehearsals(run)
        self._to_reach: dict[Model, list[str]] = {}
        self._examined: set[Task] = set()
        self._of_machines: list[str] = []
        self._tasks_of: dict[Model, set[str]] = defaultdict(set)
        for case in cases:
            self._tasks_of[case.model].add(case.task.name)

    def look_at(self, task: Task, model: Model, group: Sequence[Case]) -> None:
        """Look at the cases of a task and model whose rows are usable."""
        run, left_out, missing = self._run, self._found.left_out, self._found.missing
        context = run.context(task, model)
        if task.judged is not None and task not in self._examined:
            self._examined.add(task)
            own = [case for case in self._cases if case.task is task and case.sample.error is None]
            self._of_machines += _find_missing(run, self._rehearsals, task.judged, own, missing)
        if not run.options.models_by_default and self._tasks_of[model] > {task.name}:
            with left_out.instead_of_error(task, model):
                _check_any_can_be_examined(group, missing)
        if not left_out.keeps(group[0]) or model.api == BUILTIN or (context.provided is not None and not task.roles):
            return
        if context.provided is None:
            check_answers(model, task, run.registry)
        with left_out.instead_of_error(task, model):
            if run.asks_live:
                self._look_live(context, [case for case in group if (task.name, case.sample.id) not in missing])
            elif not len(context.cassette) and _asks_somebody(run, context, self._rehearsals, group):
                raise _no_recordings(run, context)

    def _look_live(self, context: TaskContext, to_ask: Sequence[Case]) -> None:
        """Look at whom these cases of a task and model have yet to ask, and whether that can be done."""
        needed = _needed(context, self._rehearsals, to_ask)
        _check_can_ask_all(self._run, context, needed)
        self._found.left_out.check_alive(context, needed)
        for model, uses in needed.items():
            self._to_reach.setdefault(model, []).extend(f"{use} of {context.task.name}" for use in uses)
        if needed:
            self._asked.add(context, needed)
            _check_can_record(self._run.options, context)

    def done(self) -> Preflight:
        """What was found, when all are looked at."""
        run, found = self._run, self._found
        self._asked.check_alive()
        found.left_out.check_rest(self._cases)
        kept = list(filter(found.left_out.keeps, self._cases))
        if run.gate is not None:
            run.gate.check({(case.task.name, case.model.name): case.task.metrics for case in kept})
        if run.options.max_cost != 0:
            found.warnings += reach(run, self._to_reach)
            found.asks += asks(self._to_reach)
        found.warnings += [
            *found.left_out.warnings(),
            *self._asked.warnings(),
            *_in_words(found.missing, {case.task.name for case in kept}),
            *self._of_machines,
        ]
        return found


def _no_recordings(run: Run, context: TaskContext) -> UsageError:
    file = context.cassette.file
    # Of the model that a project measures by default, recordings are there; without them something is wrong.
    kind = UsageError if run.options.models_by_default else TaskNotMeasurable
    return kind(
        f"no recordings of {context.task.name} for {context.model.name}: {file} "
        f"{'is empty' if file.exists() else 'does not exist'}",
        remedy=f"Record it: {context.record_command(RecordMode.ONCE)}",
    )


def _check_can_ask_all(run: Run, context: TaskContext, needed: Mapping[Model, Sequence[str]]) -> None:
    """Raise a `UsageError` if a live answer could not be had; a `TaskNotMeasurable` if it is one of a role."""
    for model, uses in needed.items():
        with nullcontext() if ANSWERS in uses else of_the_task():
            _check_can_ask(run.options, model, context.task, uses)
    if needed:
        with of_the_task():
            check_can_show(run, context)


def _needed(context: TaskContext, rehearsals: Rehearsals, cases: Sequence[Case]) -> dict[Model, list[str]]:
    """The models that these cases have yet to ask, as far as that can be told, each with what for.

    A case without an answer needs whoever judges it, too. Where a judgment alone is missing, nobody else is.
    """
    waits_for: set[Model] = set()
    everybody: dict[Model, list[str]] = {} if context.provided is not None else {context.model: [ANSWERS]}
    for role, model in context.role_models.items():
        everybody.setdefault(model, []).append(role)
    for case in cases:
        rehearsed = rehearsals.of(case)
        if rehearsed.needs_live:
            if not rehearsed.waits_for or (context.provided is None and context.model in rehearsed.waits_for):
                return everybody  # a program's result may be judged yet
            waits_for |= rehearsed.waits_for
    return {model: uses for model, uses in everybody.items() if model in waits_for}


def _check_cases_once(cases: Sequence[Case]) -> None:
    """Raise a `UsageError` if two tests measure the same case: its row would count for both, or twice."""
    seen: set[tuple[str, str, str, int]] = set()
    for case in cases:
        name = (case.task.name, case.model.name, case.sample.id, case.epoch)
        if name in seen:
            raise UsageError(
                f"two tests measure {case.task.name} [{case.id}]",
                remedy="Give each task one test function, without further parameters, and collect it once; --epochs K "
                "asks each sample K times.",
            )
        seen.add(name)


def _in_words(missing: Mapping[tuple[str, str], str], tasks: Container[str]) -> Iterator[str]:
    """What this machine lacks for some samples of these tasks, each said once, with their number."""
    needs = Counter((task, need) for (task, _), need in missing.items() if task in tasks)
    for (task, need), number in needs.items():
        yield f"{task}: {number} samples cannot be examined: {need}"


def _find_missing(
    run: Run, rehearsals: Rehearsals, judged: Judged, cases: Sequence[Case], missing: dict[tuple[str, str], str]
) -> list[str]:
    """Find the cases that no machine can examine: they are not asked, and the others are not affected.

    Args:
        run: The run.
        rehearsals: Tells what can be replayed.
        judged: How the cases' task is scored.
        cases: The cases of one task.
        missing: What is lacking; takes up more.

    Returns:
        What the user should know before the others are examined.
    """
    if judged.unmet is None and judged.machine is None:
        return []
    # What is replayed needs nothing; and to find out what is lacking may take starting an interpreter.
    samples = {case.sample.id: case.sample for case in cases if rehearsals.of(case).needs_live}
    lacks = {name: judged.unmet(sample) for name, sample in samples.items()} if judged.unmet is not None else {}
    left = [sample for name, sample in samples.items() if lacks.get(name) is None]
    task, warnings = cases[0].task.name, []
    if judged.machine is not None and left:
        ready = run.programs.prepare(judged.machine(left))
        lacks |= {sample.id: lack for sample, lack in zip(left, ready.unmet, strict=True)}
        warnings = [f"{task}: {warning}" for warning in ready.warnings]
    missing.update({(task, name): lack for name, lack in lacks.items() if lack is not None})
    return warnings


def _check_any_can_be_examined(cases: Sequence[Case], missing: Mapping[tuple[str, str], str]) -> None:
    """Raise a `TaskNotMeasurable` if this machine lacks something for each of these cases, all of one task."""
    lacks = [missing.get((case.task.name, case.sample.id)) for case in cases]
    if None not in lacks:
        raise TaskNotMeasurable(f"{cases[0].task.name} cannot be examined: {lacks[0]}")


def _check_can_ask(options: Options, model: Model, task: Task, uses: Sequence[str]) -> None:
    """Raise a `UsageError` if a live answer could not be had, or counted against ``--max-cost``."""
    if model.lifecycle.has_ended(today()):
        return  # whatever else it lacks; what to do is said once for all such models
    if options.max_cost is not None:
        check_price(model)
    if options.max_cost == 0:
        return  # nothing is going to be asked
    key = model.missing_key()
    if key:
        raise UsageError(
            f"{key} is not set, and {model.name} must be asked for {task.name}"
            + ("" if ANSWERS in uses else f", as its {', '.join(uses)}"),
            remedy=f"Set {key}, or replay what is recorded: leave out --record-mode."
            if ANSWERS in uses
            else f"Set {key}, or name another with --role {uses[0]}=MODEL.",
        )
    from proctor.providers.connections import check_certificates  # imported here since a replay asks nobody

    checked_key(model)
    for url in model.urls():
        check_certificates(url)


def check_can_show(run: Run, context: TaskContext) -> None:
    """Raise a `UsageError` if a model in a role, or this machine, cannot show what the task's prompts do.

    Args:
        run: The run.
        context: The task, its model, and those in its roles.
    """
    task = context.task
    for role, model in context.role_models.items():
        check_helps(role, model, task, run.registry)
    own = task.inputs if context.provided is None else frozenset()
    check_libraries({*own, *(kind for role in task.roles.values() for kind in role.inputs)})


def _check_can_record(options: Options, context: TaskContext) -> None:
    """Raise a `UsageError` if a live answer could not be kept."""
    if options.max_cost == 0 or not options.keep_recordings:
        return
    try:
        context.cassette.check_writable()
    except OSError as problem:
        raise UsageError(
            f"recordings cannot be written to {context.cassette.file}: {problem.strerror}",
            remedy="Make it writable, or name another folder with --cassettes-dir.",
        ) from None


def _asks_somebody(run: Run, context: TaskContext, rehearsals: Rehearsals, cases: Sequence[Case]) -> bool:
    """Whether any call is made about these cases: answers that are provided may be scored by rules alone."""
    if context.provided is None:
        return True
    for case in cases:
        if (case.sample.id, case.epoch) in context.provided.replies:
            rehearsed = rehearsals.of(case)
            if rehearsed.asks or (rehearsed.needs_live and run.conversation(case).run().asked):  # after a program
                return True
    return False
