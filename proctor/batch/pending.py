"""The calls that the selected cases wait for: made by nobody yet, and dependent on no answer that is not there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from proctor._base.errors import UsageError
from proctor.conversations.context import TaskContext
from proctor.conversations.conversation import Conversation
from proctor.conversations.outcome import NeedsLive, Outcome
from proctor.conversations.rehearsal import Rehearsal
from proctor.conversations.replay import Replay, UnrecordedCall
from proctor.models.builtin import API as BUILTIN
from proctor.models.capabilities import check_answers
from proctor.recordings.record_mode import RecordMode
from proctor.recordings.recording import CallId, Origin
from proctor.run.case import Case, grouped
from proctor.run.preflight import check_can_show
from proctor.run.run import Run

if TYPE_CHECKING:
    from proctor.models.registry import Model
    from proctor.tasks.call import Call

CUSTOM_ID_LENGTH = 32  # hex digits; both providers take 64 letters
SUPPORTED_MODES = (RecordMode.NONE, RecordMode.ONCE, RecordMode.NEW_EPISODES)


@dataclass(frozen=True)
class PendingCall:
    """A call to be made.

    Args:
        model: Whom to ask.
        call_id: Its place.
        call: The call.
        origin: What it was made from.
        cassette: Where its recording goes, relative to the project's folder.
    """

    model: Model
    call_id: CallId
    call: Call
    origin: Origin
    cassette: str

    @property
    def custom_id(self) -> str:
        """Our name for it with a provider: of its place and key, so that no call is sent twice under two names."""
        name = "\0".join((self.cassette, *map(str, self.call_id), self.call.key))
        return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:CUSTOM_ID_LENGTH]


@dataclass
class PendingCalls:
    """What the selected cases wait for.

    Args:
        calls: The calls that can be made now.
        cases: How many cases were selected.
        changed: Calls that are left out since their place has a recording of another call; with record mode ``once``.
        whole_prompts: Whether recordings keep whole prompts.
    """

    calls: list[PendingCall] = field(default_factory=list)
    cases: int = 0
    changed: int = 0
    whole_prompts: bool = False


def _noting(
    context: TaskContext, cassette: str, waiting: PendingCalls
) -> Callable[[UnrecordedCall, Outcome], NoReturn]:
    """In the place of live answers: notes a call without a recording, and ends what waits for its answer.

    Args:
        context: What the sample is asked with.
        cassette: Where recordings go, relative to the project's folder.
        waiting: Takes up the calls.
    """

    def note(wanted: UnrecordedCall, _: Outcome) -> NoReturn:
        if context.mode is RecordMode.ONCE and context.cassette.others(wanted.call_id):
            waiting.changed += 1
        else:
            waiting.calls.append(PendingCall(wanted.model, wanted.call_id, wanted.call, wanted.origin, cassette))
        raise NeedsLive

    return note


def pending_calls(run: Run, cases: Sequence[Case]) -> PendingCalls:
    """What these cases wait for, each call once.

    Raises:
        UsageError: For an option that makes no sense here, or a template or recording that cannot be used.
    """
    options = run.options
    if options.record_mode not in SUPPORTED_MODES:
        raise UsageError(
            f"--record-mode {options.record_mode.value} asks again for what is recorded, which a batch does not",
            remedy="Remove the recordings first, or leave the option out: what has no recording is sent.",
        )
    if options.max_cost is not None:
        raise UsageError(
            "--max-cost ends a live run", remedy="See with --estimate what a batch costs, and use --limit."
        )
    for task, model, _ in grouped(cases):
        context = run.context(task, model)
        if model.api != BUILTIN:
            if context.provided is None:
                check_answers(model, task, run.registry)
            check_can_show(run, context)
    waiting = PendingCalls(cases=len(cases), whole_prompts=options.whole_prompts)
    for case in cases:
        if case.model.api == BUILTIN:
            continue
        context = run.context(case.task, case.model)
        cassette = os.path.relpath(context.cassette.file.resolve(), run.root.resolve())
        try:
            answerer = Rehearsal(Replay(context, _noting(context, cassette, waiting), in_every_mode=True))
            Conversation(context, case.sample, case.epoch, answerer).run()
        except NeedsLive:
            continue
    waiting.calls = list({call.custom_id: call for call in waiting.calls}.values())
    return waiting
