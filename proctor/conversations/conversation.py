"""One case's conversation: what its task asks, in which order, and what came of it. Others answer it."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from proctor._base.json_values import Json
from proctor.conversations.answerer import OpenQuestion
from proctor.conversations.context import TaskContext
from proctor.conversations.outcome import NeedsLive, Outcome
from proctor.media.medium import Media
from proctor.recordings.recording import CallId
from proctor.tasks.call import Call, Message, Reply
from proctor.tasks.judge import ANSWER
from proctor.tasks.program import Program
from proctor.tasks.prompt import SYSTEM, Piece, Question, Template, Value

if TYPE_CHECKING:
    from proctor.conversations.answerer import Answerer
    from proctor.models.registry import Model
    from proctor.tasks.ask import Ask
    from proctor.tasks.sample import Sample

T = TypeVar("T")


class Conversation:
    """The `proctor.tasks.ask.Ask` of one sample and epoch.

    Args:
        context: What the sample is asked with.
        sample: The sample.
        epoch: Which repetition this is, from 1.
        answerer: Who answers, in this conversation alone.
    """

    def __init__(self, context: TaskContext, sample: Sample, epoch: int, answerer: Answerer) -> None:
        self._context = context
        self._sample = sample
        self._epoch = epoch
        self._answerer = answerer
        self._asked: Counter[str] = Counter()
        self.outcome = Outcome()

    def run(self) -> Outcome:
        """Hold the conversation; failures are part of the outcome, never raised.

        Raises:
            NeedsLive: If the answerer asks nobody live, and somebody would have to be asked.
        """
        task = self._context.task
        if self._sample.error is not None:
            self.outcome.failure = self._sample.error
            return self.outcome
        try:
            self.outcome.reply = self._answer()
            if task.judged is not None:
                self.outcome.evidence = task.judged.examine(self._sample, self.outcome.reply.text, self)
        except NeedsLive:
            raise
        except Exception as failure:
            self.outcome.failure = failure
        return self.outcome

    def _answer(self) -> Reply:
        opening = self._answerer.opening(self._sample, self._epoch)
        if opening is None:
            return self._context.task.converse(self._sample, self)
        self.outcome.calls.append(opening)
        return opening.reply

    def _next(self, role: str) -> CallId:
        return CallId(self._sample.id, self._epoch, role, self._asked[role])

    def __call__(self, template: str, /, *earlier: Question | Reply, role: str = ANSWER, **values: Value) -> Reply:
        """See `proctor.tasks.ask.Ask`."""
        asked = OpenQuestion(self._sample, self._next(role), Question(template, values), earlier)
        self._asked[role] += 1
        answered = self._answerer.answer(asked, self.outcome)
        self.outcome.calls.append(answered)
        self.outcome.failed_call = None
        return answered.reply

    def again(self, role: str, tries: int, /) -> bool:
        """See `proctor.tasks.ask.Ask`."""
        return self._answerer.again(self._next(role), tries)

    def together(self, parts: Sequence[Callable[[Ask], T]], /) -> list[T]:
        """See `proctor.tasks.ask.Ask`."""
        asks = [copy.copy(self) for _ in parts]
        for ask in asks:
            ask.outcome = Outcome()
        with ThreadPoolExecutor(max(1, len(parts)), thread_name_prefix="proctor-part") as pool:
            done = [pool.submit(part, ask) for part, ask in zip(parts, asks, strict=True)]
        seen: set[str] = set()
        for ask in asks:
            roles = {call_id.role for call_id, _ in ask.outcome.asked}
            if roles & seen:
                raise ValueError(f"two parts of a conversation use the role {min(roles & seen)!r} at the same time")
            seen |= roles
            self.outcome.take_in(ask.outcome)
        return [part.result() for part in done]

    def computed(self, kind: str, inputs: Json, compute: Callable[[], Json], /) -> Any:
        """See `proctor.tasks.ask.Ask`."""
        if isinstance(compute, Program):
            compute = partial(self._context.run_program, compute)
        return self._answerer.computed(self._context.computed(kind), inputs, compute)


def call_of(
    model: Model,
    templates: Mapping[str, Template],
    turns: Sequence[Question | Reply],
    parameters: Mapping[str, Json],
    overrides: Mapping[str, Json],
    *,
    system: str | None = None,
    usual_system: str = "",
) -> Call:
    """The call that goes on with a conversation; the last turn is the question.

    Args:
        model: Whom it asks.
        templates: The task's prompt templates by name.
        turns: What is said, in order.
        parameters: The task's sampling parameters.
        overrides: The command line's.
        system: The system prompt, whatever the task and the template of the first question say; empty for none.
        usual_system: The task's, where that template has none.
    """
    media: dict[str, Path] = {}
    messages: list[Message] = []
    opening = templates[turns[0].template].opening(turns[0].values) if isinstance(turns[0], Question) else []
    own = next((str(pieces[0]) for role, pieces in opening if role == SYSTEM), usual_system)
    if said := (own if system is None else system):
        messages.append({"role": SYSTEM, "content": said})
    for role, pieces in opening:
        if role != SYSTEM:
            media |= {piece.sha256: piece.file for piece in pieces if isinstance(piece, Media)}
            messages.append({"role": role, "content": _content(model, pieces)})
    for turn in turns:
        if isinstance(turn, Reply):
            messages.append({"role": "assistant", "content": turn.text})
            continue
        pieces = templates[turn.template].fill(turn.values)
        media |= {piece.sha256: piece.file for piece in pieces if isinstance(piece, Media)}
        messages.append({"role": "user", "content": _content(model, pieces)})
    return model.call(messages, parameters, overrides, media)


def _content(model: Model, pieces: Sequence[Piece]) -> Json:
    if len(pieces) == 1 and isinstance(pieces[0], str):
        return pieces[0]
    return [{"type": "text", "text": piece} if isinstance(piece, str) else model.shown(piece) for piece in pieces]
