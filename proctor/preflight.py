"""What is checked before the first case: whatever would fail all cases of a task and model is said once, by then."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.budget import check_price
from proctor.builtin import API as BUILTIN
from proctor.case import Case, grouped
from proctor.conversation import Conversation, NeedsLive, Place
from proctor.errors import UsageError
from proctor.options import Options
from proctor.providers import checked_key
from proctor.run import Run


def check(run: Run, cases: Sequence[Case]) -> None:
    """Find what would fail all cases of a task and model.

    Raises:
        UsageError: For an unusable template, parameter or recording, a data set for a task that is not selected, no
            recordings at all for a task and model in replay, a missing key or an unwritable cassette where a call is
            needed.
    """
    check_datasets(run)
    _check_cases_once(cases)
    for task, model, group in grouped(cases):
        place = run.place(task, model)
        if model.api == BUILTIN:
            continue
        if not run.asks_live and not len(place.cassette):
            raise UsageError(
                f"no recordings of {task.name} for {model.name}: {place.cassette.file} "
                f"{'is empty' if place.cassette.file.exists() else 'does not exist'}",
                remedy=f"Record it: {place.record_command}",
            )
        if run.asks_live and any(_needs_live(place, case) for case in group):
            _check_can_ask(run.options, place)


def check_datasets(run: Run) -> None:
    """Raise a `UsageError` for a data set whose task no collected test runs, whether it is selected or not."""
    for name in run.options.datasets:
        if name not in run.known_tasks:
            known = ", ".join(sorted(run.known_tasks))
            raise UsageError(f"--dataset {name}: no collected test runs that task", remedy=f"Collected: {known}.")


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


def _check_can_ask(options: Options, place: Place) -> None:
    """Raise a `UsageError` if a live answer could not be had, kept, or counted against ``--max-cost``."""
    if options.max_cost is not None:
        check_price(place.model)
    if options.max_cost == 0:
        return  # nothing is going to be asked
    key = place.model.missing_key()
    if key:
        raise UsageError(
            f"{key} is not set, and {place.model.name} must be asked for {place.task.name}",
            remedy=f"Set {key}, or replay what is recorded: leave out --record-mode.",
        )
    checked_key(place.model)
    place.model.url()
    if options.keep_recordings:
        try:
            place.cassette.check_writable()
        except OSError as problem:
            raise UsageError(
                f"recordings cannot be written to {place.cassette.file}: {problem.strerror}",
                remedy="Make it writable, or name another folder with --cassettes-dir.",
            ) from None


def _needs_live(place: Place, case: Case) -> bool:
    try:
        Conversation(place, case.sample, case.epoch, live=False).run()
    except NeedsLive:
        return True
    return False
