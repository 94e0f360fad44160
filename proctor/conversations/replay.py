"""Answers from recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from proctor._base.files import NotKept
from proctor.conversations.answerer import Answerer, OpenQuestion
from proctor.conversations.context import TaskContext
from proctor.conversations.conversation import call_of
from proctor.conversations.outcome import Answered, NotRecorded, Outcome, failed
from proctor.media.generated import keep
from proctor.providers import read_reply
from proctor.recordings.record_mode import RecordMode
from proctor.recordings.recording import CallId, Origin, Recording
from proctor.tasks.call import Call, Message, Reply
from proctor.tasks.judge import FAILURES, JudgeFailed, role_name
from proctor.tasks.prompt import Question

if TYPE_CHECKING:
    from proctor.models.registry import Model

SAMPLING = ("temperature", "seed")
"""Parameters that make a model repeat itself."""


class UnrecordedCall(NamedTuple):
    """A call that has no recording, or one that is not to be replayed.

    Args:
        asked: The question that it puts.
        model: Whom it asks.
        call: The call.
        origin: What it was made from.
    """

    asked: OpenQuestion
    model: Model
    call: Call
    origin: Origin

    @property
    def call_id(self) -> CallId:
        """Its place in the conversation."""
        return self.asked.call_id


class Replay(Answerer):
    """Makes the call of a question, and answers it from its recording.

    Args:
        context: What the sample is asked with.
        unrecorded: Answers a call without a recording; the outcome takes up what failed.
        in_every_mode: Whether recordings count also where the record mode asks anew for what is recorded.
    """

    def __init__(
        self,
        context: TaskContext,
        unrecorded: Callable[[UnrecordedCall, Outcome], Answered],
        *,
        in_every_mode: bool = False,
    ) -> None:
        self._context = context
        self._unrecorded = unrecorded
        self._in_every_mode = in_every_mode
        self._answered_anew: Counter[str] = Counter()
        self._first_messages: dict[str, Message] = {}

    def answer(self, asked: OpenQuestion, outcome: Outcome) -> Answered:
        """See `Answerer`."""
        context, call_id = self._context, asked.call_id
        model, call = self._call(asked)
        outcome.failed_call = call
        outcome.asked.append((call_id, call.key))
        recording = self._recorded(call_id, call)
        if recording is not None:
            return Answered(
                role=call_id.role,
                model=model,
                call=call,
                reply=with_images_kept(context, read_reply(model.api, recording.body)),
                source="replayed",
                latency_s=recording.latency_s,
                attempts=recording.attempts,
                recorded_at=recording.recorded_at,
                turn=call_id.turn,
                batch=recording.batch,
                cost_usd=recording.cost_usd,
            )
        template = context.templates[asked.question.template]
        origin = Origin.of(call, template=template.sha256, row=asked.sample.row_sha256)
        answered = self._unrecorded(UnrecordedCall(asked, model, call, origin), outcome)
        self._answered_anew[call_id.role] += 1
        return answered

    def again(self, call_id: CallId, tries: int) -> bool:
        """See `Answerer`."""
        context = self._context
        if self._replays and context.cassette.others(call_id):
            return True
        # A run that was cut short has recorded fewer tries than it wanted: what is missing is said by the call itself.
        live = context.mode.records or not context.keep_recordings
        return (self._answered_anew[call_id.role] if live else call_id.turn) < tries

    @property
    def _replays(self) -> bool:
        return self._context.keep_recordings and self._context.mode.replays

    def _call(self, asked: OpenQuestion) -> tuple[Model, Call]:
        """Whom a question is put to, and the call that does it."""
        context, call_id = self._context, asked.call_id
        turns = (*asked.earlier, asked.question)
        name = role_name(call_id.role)
        model = context.role_models.get(name)
        if model is None:
            model = context.model
            task, own = context.task, context.overrides
            call = call_of(
                model,
                context.templates,
                turns,
                task.parameters,
                own,
                system=context.system,
                usual_system=task.system,
            )
            return model, call
        call = call_of(model, context.templates, turns, context.task.roles[name].parameters, {})
        asked_first = turns[0]
        before = len(context.templates[asked_first.template].before) if isinstance(asked_first, Question) else 0
        first = self._first_messages.setdefault(call_id.role, call.messages[before])
        return model, self._fresh(call_id, call) if call_id.turn and first == call.messages[before] else call

    def _fresh(self, call_id: CallId, call: Call) -> Call:
        """The call as one whose answer may differ from that of the same question before; as recorded, if it is."""
        if self._replays and self._context.cassette.find(call_id, call.key) is not None:
            return call  # recordings of retries that asked for the same once more
        kept = {name: value for name, value in call.parameters.items() if name not in SAMPLING}
        return replace(call, parameters=kept)

    def _recorded(self, call_id: CallId, call: Call) -> Recording | None:
        context = self._context
        if self._in_every_mode:
            return context.cassette.find(call_id, call.key)
        if not self._replays:
            return None
        found = context.cassette.find(call_id, call.key)
        if found is None and context.mode.records:
            context.cassette.refresh(call_id)  # another process may have recorded it since
            found = context.cassette.find(call_id, call.key)
        return found


def check_may_record(context: TaskContext, wanted: UnrecordedCall, outcome: Outcome) -> None:
    """Raise unless the record mode allows a live call where there is no recording of this one.

    Args:
        context: What the sample is asked with.
        wanted: The call.
        outcome: Takes up that a judge's call failed before.

    Raises:
        NotRecorded: If it does not; with what has changed since another call was recorded in its place.
        JudgeFailed: If it does not, and the call to a judge failed when the answer was recorded.
    """
    if not context.keep_recordings:
        return
    call_id, mode = wanted.call_id, context.mode
    if mode is RecordMode.NONE:
        _replay_failure(context, wanted, outcome)
    others = context.cassette.others(call_id)
    if mode is RecordMode.NONE or (mode is RecordMode.ONCE and others):
        if not others:
            command = context.record_command(RecordMode.ONCE)
            raise NotRecorded(f"never recorded in {context.cassette.file}\n  Record it: {command}")
        from proctor.recordings.prompt_diff import prompt_diff  # imported here since a replay rarely needs it

        nearest = min(others, key=lambda other: len(wanted.origin.changes(other.origin)))
        raise NotRecorded(
            f"recorded for another call in {context.cassette.file}: changed since then: "
            f"{'; '.join(wanted.origin.changes(nearest.origin))}\n"
            f"{prompt_diff(nearest.interaction['request'].get('body'), wanted.call.messages)}"
            f"  Record anew what has changed: {context.record_command(RecordMode.NEW_EPISODES)}"
        )


def _replay_failure(context: TaskContext, wanted: UnrecordedCall, outcome: Outcome) -> None:
    if role_name(wanted.call_id.role) not in context.role_models:
        return
    failures, name = context.computed(FAILURES), failed(wanted.call_id, wanted.call)
    if failures.find(name):
        known = failures.value(name, dict)
        outcome.failed_attempts += known["attempts"]
        outcome.judge_problem = known["failure"]
        raise JudgeFailed(known["failure"], kind=known.get("kind", ""))


def with_images_kept(context: TaskContext, reply: Reply) -> Reply:
    """A reply whose images are in files; those that were made just now are written there.

    Raises:
        NotKept: If they cannot be written.
    """
    if not reply.images:
        return reply
    folder, image_made = context.images, context.image_made
    for image in reply.images:
        if image_made is not None and image.content is not None:
            image_made(image.file.name, image.content)
    try:
        return replace(reply, images=tuple(keep(image, folder) for image in reply.images))
    except OSError as problem:
        raise NotKept(f"a picture could not be written to {folder}: {problem.strerror}") from None
