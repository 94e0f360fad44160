"""The built-in models: an oracle, chance, and always the same answer. They show what a score means."""

from __future__ import annotations

import random

from proctor.calls import Call, Reply, Usage
from proctor.conversation import Answered, Outcome
from proctor.errors import UsageError
from proctor.models import RESERVED_NAMES, Model, Price
from proctor.samples import Sample
from proctor.task import Task

API = "builtin"
NOTHING_USED = Usage(input_tokens=0, output_tokens=0)


def builtin_model(name: str) -> Model | None:
    """The built-in model of that name, or ``None``."""
    if name not in RESERVED_NAMES:
        return None
    return Model(name=name, provider=API, api=API, api_id=name, base_url="", price=Price(input=0.0, output=0.0))


def check_builtin(task: Task, model: Model) -> None:
    """Raise a `UsageError` if the task does not say how the built-in model answers it."""
    if model.name not in task.builtin:
        known = ", ".join(task.builtin) or "none"
        raise UsageError(
            f"task {task.name} does not define the built-in model {model.name!r} (it defines: {known})",
            remedy=f"Pass builtin={{{model.name!r}: …}} to its Task.",
        )


def builtin_outcome(task: Task, model: Model, sample: Sample, epoch: int, seed: object) -> Outcome:
    """Let a built-in model answer.

    Each answer has a random generator of its own, seeded by what is asked, so that it depends on neither the order
    of the cases nor their number.
    """
    generator = random.Random(f"{seed}:{task.name}:{sample.id}:{epoch}")
    reply = Reply(task.builtin[model.name](sample, generator), usage=NOTHING_USED)
    call = Call(model=model.api_id, messages=(), parameters={"seed": str(seed), "epoch": epoch})
    return Outcome(reply=reply, calls=[Answered("answer", call, reply, "live", 0.0, 0, None)])
