"""The models that a live run is going to ask: whether they still answer, and what they are not sent."""

from __future__ import annotations

import shlex
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from proctor._base.errors import UsageError
from proctor.models.lifecycle import WARNING_DAYS, today
from proctor.models.parameters import refused_defaults

if TYPE_CHECKING:
    from proctor.conversations.context import TaskContext
    from proctor.models.registry import Model
    from proctor.run.options import Options

OWN_ENTRY = "An endpoint of your own that still has it: give it an entry in models.yaml, which has no lifecycle."


class AskedModels:
    """The models that are going to be asked, each with what for.

    Args:
        options: What the user asked for.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._for: dict[Model, list[tuple[str, str]]] = {}  # task and role; the role is empty for the one under test
        self._refused: dict[tuple[str, tuple[str, ...]], list[str]] = {}

    def add(self, context: TaskContext, needed: Container[Model]) -> None:
        """Take up the models that are asked about a task's cases.

        Args:
            context: What the cases are asked with.
            needed: The models that any of them has yet to ask.
        """
        task = context.task
        if context.provided is None and context.model in needed:
            self._add(context.model, task.name, "")
            self._note(context.model, task.name, refused_defaults(context.model, task.parameters, context.overrides))
        for role, model in ((role, model) for role, model in context.role_models.items() if model in needed):
            self._add(model, task.name, role)
            name = f"{task.name}, {role}"
            self._note(model, name, refused_defaults(model, task.roles[role].parameters, {}))

    def _add(self, model: Model, task: str, role: str) -> None:
        self._for.setdefault(model, []).append((task, role))

    def _note(self, model: Model, use: str, names: Sequence[str]) -> None:
        if names:
            self._refused.setdefault((model.name, tuple(names)), []).append(use)

    def check_alive(self) -> None:
        """Raise one `UsageError` for all models that are shut down, with the command that asks others instead."""
        problems, remedy = self.ended()
        if problems:
            raise UsageError("\nERROR: ".join(problems), remedy=remedy)

    def ended(self) -> tuple[list[str], str]:
        """What to say of each model that is shut down, and the command that asks others instead."""
        day = today()
        ended = {model: asked for model, asked in self._for.items() if model.lifecycle.has_ended(day)}
        problems = [
            f"{model.name} was shut down on {model.lifecycle.shutdown} and cannot be asked for "
            f"{_uses(asked)}{model.lifecycle.instead}"
            for model, asked in ended.items()
        ]
        replaced = {model: asked for model, asked in ended.items() if model.lifecycle.replacement}
        command = [f"Ask others: {self._command(replaced)}"] if replaced else ["Name another model."]
        kept = "What is recorded replays all the same: leave out --record-mode."
        return problems, "\n  ".join([*command, kept, OWN_ENTRY])

    def _command(self, ended: dict[Model, list[tuple[str, str]]]) -> str:
        """This command, with replacements in the place of models that are shut down."""
        words = list(self._options.command)
        for model, asked in ended.items():
            new = model.lifecycle.replacement or ""
            if any(not role for _, role in asked):
                words = _with_model(words, self._options.models, model, new)
            for task, role in asked:
                if role:
                    words += ["--role", f"{task}:{role}={new}"]
        return shlex.join(["pytest", *words])

    def warnings(self) -> list[str]:
        """Which models are shut down soon, and which of the tasks' parameters are left out."""
        day = today()
        found = []
        for model, asked in self._for.items():
            left = model.lifecycle.days_left(day)
            if left is not None and 0 < left <= WARNING_DAYS:
                found.append(
                    f"{model.name}, asked for {_uses(asked)}, is shut down on {model.lifecycle.shutdown}, in {left} "
                    f"{'day' if left == 1 else 'days'}{model.lifecycle.instead}"
                )
        for (name, parameters), uses in self._refused.items():
            found.append(f"{name} refuses {', '.join(parameters)}: left out of what is sent ({'; '.join(uses)})")
        return found


def _uses(asked: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{task} ({role})" if role else task for task, role in asked)


def _with_model(words: Sequence[str], named: Sequence[str], model: Model, new: str) -> list[str]:
    """A command line that asks another model; *named* are the models that it, or a configuration file, names."""
    old = {model.name, model.api_id, *model.aliases, f"{model.provider}/{model.api_id}"}
    folded = {name.casefold() for name in old}
    found, words = False, list(words)
    for index, word in enumerate(words):
        value = word.removeprefix("--model=")
        before = words[index - 1] if index else ""
        if value.casefold() in folded and (before == "--model" or value != word):
            words[index] = f"--model={new}" if value != word else new
            found = True
    if found:
        return words
    others = [name for name in named if name.casefold() not in folded]
    return [*words, *(part for name in (*others, new) for part in ("--model", name))]
