"""Which models can be shown what a task shows, and answer as it wants to be answered."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from proctor._base.errors import UsageError
from proctor.media.files import EXTRAS, library
from proctor.media.medium import Kind
from proctor.models.registry import Model, Registry
from proctor.tasks.task import Task

WORDS: Mapping[str, str] = {"image": "pictures", "video": "clips", "audio": "sounds"}


def cannot_answer(model: Model, task: Task) -> str | None:
    """What keeps *model* from being asked the task's questions, as far as is known of it, in words; or nothing."""
    if model.outputs != task.outputs:
        return f"{task.name} wants {_words(task.outputs)} for answers, and {model.name} makes {_words(model.outputs)}"
    return _not_taken(model, task.inputs, f"{task.name} shows")


def check_answers(model: Model, task: Task, registry: Registry) -> None:
    """Raise a `UsageError` if *model* cannot be asked the task's questions, as far as is known of it."""
    if problem := cannot_answer(model, task):
        raise UsageError(problem, remedy=_able(registry, task.inputs, task.outputs))


def check_helps(role: str, model: Model, task: Task, registry: Registry) -> None:
    """Raise a `UsageError` if *model* cannot play a role in scoring the task's answers."""
    inputs = task.roles[role].inputs
    if model.outputs:
        raise UsageError(
            f"the {role} of {task.name} is to write texts, and {model.name} makes {_words(model.outputs)}",
            remedy=_able(registry, inputs, frozenset()),
        )
    if problem := _not_taken(model, inputs, f"{task.name} shows its {role}"):
        raise UsageError(problem, remedy=_able(registry, inputs, model.outputs))


def check_libraries(kinds: Collection[Kind]) -> None:
    """Raise a `UsageError` if a library is not installed that showing media of these kinds takes."""
    for kind in EXTRAS:
        if kind in kinds or (kind == "image" and "video" in kinds):
            library(kind)


def _not_taken(model: Model, wanted: Collection[Kind], who: str) -> str | None:
    lacking = model.lacks(wanted)
    return f"{who} {_words(lacking)}, which {model.name} does not take" if lacking else None


def _words(kinds: Collection[Kind]) -> str:
    return " and ".join(WORDS[kind] for kind in sorted(kinds)) or "texts"


def _able(registry: Registry, inputs: Collection[Kind], outputs: Collection[Kind]) -> str:
    """The models that are known to take and to make all this."""
    able = [
        model.name
        for model in registry.models
        if model.outputs == outputs and (not inputs or model.inputs) and not model.lacks(inputs)
    ]
    return (
        f"Models that can: {', '.join(able) or 'none is known'}. What a model takes stands in models.yaml, as inputs."
    )
