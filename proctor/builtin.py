"""The built-in models: an oracle, chance, and always the same answer. They show what a score means."""

from __future__ import annotations

import random
from collections.abc import Sequence

from proctor.calls import Call, Reply, Usage
from proctor.conversation import Answered, Conversation
from proctor.errors import UsageError
from proctor.judging import role_name
from proctor.models.registry import RESERVED_NAMES, Model, Price
from proctor.prompts import Question
from proctor.recordings.recording import Slot
from proctor.task import Task

API = "builtin"
STAND_IN = "stand-in"
NOTHING_USED = Usage(input_tokens=0, output_tokens=0)


def builtin_model(name: str) -> Model | None:
    """The built-in model of that name, or ``None``."""
    if name not in RESERVED_NAMES:
        return None
    return _model(name)


def stand_in() -> Model:
    """What judges a built-in model, in the place of every other model."""
    return _model(STAND_IN)


def _model(name: str) -> Model:
    return Model(name=name, provider=API, api=API, api_id=name, base_url="", price=Price(input=0.0, output=0.0))


def check_builtin(task: Task, model: Model) -> None:
    """Raise a `UsageError` if the task does not say how the built-in model answers it."""
    if model.name not in task.builtin:
        known = ", ".join(task.builtin) or "none"
        raise UsageError(
            f"task {task.name} does not define the built-in model {model.name!r} (it defines: {known})",
            remedy=f"Pass builtin={{{model.name!r}: …}} to its Task.",
        )


class BuiltinConversation(Conversation):
    """A conversation with a built-in model, whose answer is judged by the stand-ins of the task's roles.

    Each answer has a random generator of its own, seeded by what is asked, so that it depends on neither the order
    of the cases nor their number.
    """

    def _answer(self) -> Reply:
        place, sample = self._place, self._sample
        seed = place.overrides.get("seed", 0)
        generator = random.Random(f"{seed}:{place.task.name}:{sample.id}:{self._epoch}")
        text = place.task.builtin[place.model.name](sample, generator)
        call = Call(model=place.model.api_id, messages=(), parameters={"seed": str(seed), "epoch": self._epoch})
        reply = Reply(text, usage=NOTHING_USED)
        self.outcome.calls.append(Answered("answer", place.model, call, reply, "live", 0.0, 0, None))
        return reply

    def _ask(self, slot: Slot, question: Question, earlier: Sequence[Question | Reply]) -> Answered:  # noqa: ARG002
        place, name = self._place, role_name(slot.role)
        reply = Reply(place.task.roles[name].builtin(question.texts), usage=NOTHING_USED)
        model = place.role_models[name]
        call = Call(model=model.api_id, messages=(), parameters={})
        return Answered(slot.role, model, call, reply, "live", 0.0, 0, None, slot.turn)
