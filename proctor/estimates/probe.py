"""Finding out, without any call, which calls a case would make."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.calls import Call, Json, Reply
from proctor.conversation import Answered, Conversation, NeedsLive, Place
from proctor.judging import role_name
from proctor.media.medium import Media
from proctor.models.registry import Model
from proctor.prompts import Question
from proctor.recordings.recording import Origin, Recording, Slot
from proctor.samples import Sample

MOST_UNANSWERED = 100
"""Calls without a recording; no conversation is probed further. One that asks until it is content would never end."""


PICTURE = Media("image", Path("picture.png"), known_sha256="0" * 64)
"""What stands in for a picture that a model would make."""


@dataclass(frozen=True, slots=True)
class Probed:
    """The calls of one conversation, as far as they can be known.

    Args:
        calls: In order; those with the source ``replayed`` have a recording of exactly this call, the others were
            given an answer that stands in for the real one.
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


class Probe(Conversation):
    """A conversation that is answered from recordings, and without them by replies that keep it going.

    Judges' replies are those of their stand-ins, and what they judge is the built-in model ``constant``'s answer. Other
    replies are empty.
    """

    def __init__(self, place: Place, sample: Sample, epoch: int) -> None:
        super().__init__(place, sample, epoch, live=False)
        self._counts: Counter[str] = Counter()  # one for all parts of the conversation
        self._values: Mapping[str, str] = {}

    def probe(self) -> Probed:
        """Hold the conversation as far as it goes."""
        cut = False
        try:
            self.run()
        except (_Endless, _Unknown):
            cut = True
        calls = self.outcome.calls
        first = next((n for n, answered in enumerate(calls) if answered.source != "replayed"), None)
        return Probed(
            calls=tuple(calls),
            others=self._counts["others"],
            guessed=0 if first is None else len(calls) - first - 1,
            broken=cut or (first is not None and self.outcome.failure is not None),
            unseen=self._is_unseen(calls),
        )

    def _is_unseen(self, calls: Sequence[Answered]) -> bool:
        shown_to = {name for name, role in self._place.task.roles.items() if "image" in role.inputs}
        stands_in = any(PICTURE in answered.reply.images for answered in calls)
        return bool(stands_in and shown_to - {role_name(answered.role) for answered in calls})

    def __call__(self, *template: Any, **values: Any) -> Reply:
        """See `proctor.task.Ask`."""
        if self._counts["unanswered"] == MOST_UNANSWERED:
            raise _Endless
        self._counts["unanswered"] += 1  # whatever comes of it: also a call that fails may be repeated for ever
        return super().__call__(*template, **values)

    def computed(self, kind: str, inputs: Json, compute: Callable[[], Json], /) -> Any:
        """See `proctor.task.Ask`; what is not known is not computed, and the conversation ends there."""
        try:
            return super().computed(kind, inputs, compute)
        except NeedsLive:
            raise _Unknown from None

    def _ask(self, slot: Slot, question: Question, earlier: Sequence[Question | Reply]) -> Answered:
        self._values = question.texts
        return super()._ask(slot, question, earlier)

    def _recorded(self, slot: Slot, call: Call) -> Recording | None:
        found = self._place.cassette.find(slot, call.key)
        self._counts["unanswered"] -= found is not None
        return found

    def _check_may_record(self, slot: Slot, origin: Origin) -> None:
        """Nothing is going to be recorded."""

    def _ask_live(self, slot: Slot, model: Model, call: Call, origin: Origin) -> Answered:  # noqa: ARG002
        self._counts["others"] += bool(self._place.cassette.others(slot))
        reply = Reply(self._assumed(slot.role), images=(PICTURE,) if model.outputs else ())
        return Answered(slot.role, model, call, reply, "live", 0.0, 0, None, slot.turn)

    def _assumed(self, role: str) -> str:
        """What stands in for an answer that is not known: what is said in the place of judges, and what is judged."""
        task = self._place.task
        if (judge := task.roles.get(role_name(role))) is not None:
            return judge.builtin(self._values)
        constant = task.builtin.get("constant") if task.judged else None
        return "" if constant is None else constant(self._sample, random.Random(0))


def output_tokens(recordings: Iterable[tuple[str, Reply]]) -> dict[str, list[int]]:
    """What recorded answers had, by the role of the call, where the provider said: ``{role: [tokens, …]}``."""
    found: dict[str, list[int]] = {}
    for role, reply in recordings:
        if reply.usage.output_tokens is not None:
            found.setdefault(role, []).append(reply.usage.output_tokens)
    return found
