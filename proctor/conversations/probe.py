"""Finding out, without any call, which calls a case would make."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor._base.json_values import Json
from proctor.conversations.answerer import Delegating, OpenQuestion
from proctor.conversations.context import TaskContext
from proctor.conversations.conversation import Conversation
from proctor.conversations.outcome import Answered, Outcome
from proctor.conversations.provided import Provided
from proctor.conversations.replay import Replay, UnrecordedCall
from proctor.media.medium import Media
from proctor.tasks.call import Reply
from proctor.tasks.judge import role_name
from proctor.tasks.sample import Sample

if TYPE_CHECKING:
    from proctor.recordings.computed import Computed

MOST_UNANSWERED = 100
"""Calls without a recording; no conversation is probed further. One that asks until it is content would never end."""


PICTURE = Media("image", Path("picture.png"), known_sha256="0" * 64)
"""What stands in for a picture that a model would make."""


@dataclass(frozen=True, slots=True)
class Probed:
    """The calls of one conversation, as far as they can be known.

    Args:
        calls: In order; those with the source ``replayed`` have a recording of exactly this call, those with
            ``responses`` were answered elsewhere, the others were given an answer that stands in for the real one.
        others: How many of the calls without a recording have one of another call in their place.
        guessed: How many calls came after the first such answer: the real one may lead to other ones.
        broken: Whether the conversation ended in an exception, or was cut, after an empty answer: with a real
            answer it may go on.
        unseen: Whether judges are to see pictures that are not made yet, and were asked nothing about them.
    """

    calls: tuple[Answered, ...]
    others: int
    guessed: int
    broken: bool
    unseen: bool


class _Endless(BaseException):
    """A conversation that does not end; no ``except Exception`` of the task may keep it going."""


class _Unknown(BaseException):
    """A conversation depends on a computation that was never made."""


class _Probe(Delegating):
    """Answers from recordings, and without them by replies that keep a conversation going.

    Judges' replies are those of their stand-ins, and what they judge is the built-in model ``constant``'s answer. Other
    replies are empty.
    """

    def __init__(self, context: TaskContext) -> None:
        super().__init__(Replay(context, self._stand_in, in_every_mode=True))
        self._context = context
        self._unanswered = 0
        self.others = 0

    def answer(self, asked: OpenQuestion, outcome: Outcome) -> Answered:
        """See `Answerer`."""
        if self._unanswered == MOST_UNANSWERED:
            raise _Endless
        self._unanswered += 1  # whatever comes of it: also a call that fails may be repeated for ever
        answered = super().answer(asked, outcome)
        self._unanswered -= answered.source == "replayed"
        return answered

    def computed(self, known: Computed, inputs: Json, compute: Callable[[], Json]) -> Any:
        """See `Answerer`; what is not known is not computed, and the conversation ends there."""
        if not known.find(inputs):
            raise _Unknown
        return known.value(inputs, compute)

    def _stand_in(self, wanted: UnrecordedCall, outcome: Outcome) -> Answered:  # noqa: ARG002  # nothing fails
        call_id, model = wanted.call_id, wanted.model
        self.others += bool(self._context.cassette.others(call_id))
        reply = Reply(self._assumed(wanted.asked), images=(PICTURE,) if model.outputs else ())
        return Answered(call_id.role, model, wanted.call, reply, "live", 0.0, 0, None, call_id.turn)

    def _assumed(self, asked: OpenQuestion) -> str:
        """What stands in for an answer that is not known: what is said in the place of judges, and what is judged."""
        task = self._context.task
        if (judge := task.roles.get(role_name(asked.call_id.role))) is not None:
            return judge.builtin(asked.question.texts)
        constant = task.builtin.get("constant") if task.judged else None
        return "" if constant is None else constant(asked.sample, random.Random(0))


def probe(context: TaskContext, sample: Sample, epoch: int) -> Probed:
    """Hold a conversation as far as it goes without any call; where answers are provided, none without its own.

    Args:
        context: What the sample is asked with.
        sample: The sample.
        epoch: Which repetition this is, from 1.
    """
    answerer, provided, cut = _Probe(context), context.provided, False
    if provided is not None and sample.error is None and (sample.id, epoch) not in provided.replies:
        return Probed((), others=0, guessed=0, broken=False, unseen=False)
    answering = answerer if provided is None else Provided(provided, context.model, answerer)
    conversation = Conversation(context, sample, epoch, answering)
    try:
        conversation.run()
    except (_Endless, _Unknown):
        cut = True
    calls = conversation.outcome.calls
    first = next((n for n, answered in enumerate(calls) if answered.source == "live"), None)
    return Probed(
        calls=tuple(calls),
        others=answerer.others,
        guessed=0 if first is None else len(calls) - first - 1,
        broken=cut or (first is not None and conversation.outcome.failure is not None),
        unseen=_is_unseen(context, calls),
    )


def _is_unseen(context: TaskContext, calls: Sequence[Answered]) -> bool:
    shown_to = {name for name, role in context.task.roles.items() if "image" in role.inputs}
    stands_in = any(PICTURE in answered.reply.images for answered in calls)
    return bool(stands_in and shown_to - {role_name(answered.role) for answered in calls})


def output_tokens(recordings: Iterable[tuple[str, Reply]]) -> dict[str, list[int]]:
    """What recorded answers had, by the role of the call, where the provider said: ``{role: [tokens, …]}``."""
    found: dict[str, list[int]] = {}
    for role, reply in recordings:
        if reply.usage.output_tokens is not None:
            found.setdefault(role, []).append(reply.usage.output_tokens)
    return found
