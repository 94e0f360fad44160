"""What is checked before the first case: whatever would fail all cases of a task and model is said once, by then."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.budget import check_price
from proctor.builtin import API as BUILTIN
from proctor.case import Case, grouped
from proctor.conversation import Conversation, NeedsLive, Place
from proctor.errors import UsageError
from proctor.options import Options
from proctor.run import Run


def check(run: Run, cases: Sequence[Case]) -> None:
    """Find what would fail all cases of a task and model.

    Raises:
        UsageError: For an unusable template, parameter or recording, a data set for a task that is not selected, no
            recordings at all for a task and model in replay, a missing key or an unwritable cassette where a call is
            needed.
    """
    check_datasets(run.options, cases)
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


def check_datasets(options: Options, cases: Sequence[Case]) -> None:
    """Raise a `UsageError` for a data set whose task is not among these cases."""
    known = sorted({case.task.name for case in cases})
    for name in options.datasets:
        if name not in known:
            raise UsageError(
                f"--dataset {name}: no selected test runs that task", remedy=f"Selected: {', '.join(known)}."
            )


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
