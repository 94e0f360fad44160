"""The built-in models: an oracle, chance, and always the same answer. They show what a score means."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from proctor._base.errors import UsageError
from proctor.conversations.answerer import Answerer, OpenQuestion
from proctor.conversations.outcome import Answered, Outcome
from proctor.models.registry import Model
from proctor.tasks.call import Call, Reply, Usage
from proctor.tasks.judge import ANSWER, role_name
from proctor.tasks.task import Task

if TYPE_CHECKING:
    from proctor.conversations.context import TaskContext
    from proctor.recordings.recording import CallId
    from proctor.tasks.sample import Sample

NOTHING_USED = Usage(input_tokens=0, output_tokens=0)


def not_built_in(task: Task, model: Model) -> str | None:
    """Why the task has no answers of the built-in model, in words; ``None`` if it says how that answers it."""
    if model.name in task.builtin:
        return None
    known = ", ".join(task.builtin) or "none"
    return f"task {task.name} does not define the built-in model {model.name!r} (it defines: {known})"


def check_builtin(task: Task, model: Model) -> None:
    """Raise a `UsageError` if the task does not say how the built-in model answers it."""
    if problem := not_built_in(task, model):
        raise UsageError(problem, remedy=f"Pass builtin={{{model.name!r}: …}} to its Task.")


class Builtin(Answerer):
    """A built-in model, whose answer is judged by the stand-ins of the task's roles.

    Each answer has a random generator of its own, seeded by what is asked, so that it depends on neither the order
    of the cases nor their number.

    Args:
        context: What the sample is asked with.
    """

    def __init__(self, context: TaskContext) -> None:
        self._context = context

    def opening(self, sample: Sample, epoch: int) -> Answered:
        """See `Answerer`."""
        context = self._context
        seed = context.overrides.get("seed", 0)
        generator = random.Random(f"{seed}:{context.task.name}:{sample.id}:{epoch}")
        text = context.task.builtin[context.model.name](sample, generator)
        call = Call(model=context.model.api_id, messages=(), parameters={"seed": str(seed), "epoch": epoch})
        return Answered(ANSWER, context.model, call, Reply(text, usage=NOTHING_USED), "live", 0.0, 0, None)

    def answer(self, asked: OpenQuestion, outcome: Outcome) -> Answered:  # noqa: ARG002  # no stand-in fails
        """See `Answerer`."""
        context, call_id = self._context, asked.call_id
        name = role_name(call_id.role)
        reply = Reply(context.task.roles[name].builtin(asked.question.texts), usage=NOTHING_USED)
        model = context.role_models[name]
        call = Call(model=model.api_id, messages=(), parameters={})
        return Answered(call_id.role, model, call, reply, "live", 0.0, 0, None, call_id.turn)

    def again(self, call_id: CallId, tries: int) -> bool:
        """See `Answerer`."""
        return call_id.turn < tries
