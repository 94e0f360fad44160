"""The prompts of a run, made once more from its data and templates: rows and recordings hold only their hashes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import pytest

from proctor.builtin import builtin_model
from proctor.calls import Json, Reply
from proctor.conversation import call_of
from proctor.errors import DataError, UsageError
from proctor.judging import ANSWER
from proctor.media.medium import Media
from proctor.models.registry import Model
from proctor.prompts import Question, Template, Value
from proctor.report.artifacts import load_task
from proctor.run import Run
from proctor.samples import Sample
from proctor.selection import SelectedTask
from proctor.task import Ask, Task

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RebuiltPrompt:
    """A prompt that a conversation begins with, as today's data, templates and code make it.

    Args:
        pieces: Its texts and media in order.
        sha256: What a row would call its hash, had the row's model been asked it; ``None`` if a medium cannot be read.
    """

    pieces: tuple[Value, ...]
    sha256: str | None

    @property
    def has_media(self) -> bool:
        """Whether it is more than a text."""
        return any(isinstance(piece, Media) for piece in self.pieces)


class _Asked(BaseException):
    """Ends a conversation at its first question; not to be caught by a benchmark's ``except Exception``."""

    def __init__(self, question: Question) -> None:
        self.question = question


class _FirstQuestion:
    """An `Ask` that never gives a reply: see there."""

    def __call__(self, template: str, /, *earlier: Question | Reply, role: str = ANSWER, **values: Value) -> Reply:  # noqa: ARG002  # as Ask has it
        if earlier:
            raise LookupError("a prompt of several messages is not rebuilt")
        raise _Asked(Question(template, values))

    def together(self, parts: Sequence[Callable[[Ask], T]], /) -> list[T]:
        return [part(self) for part in parts]

    def computed(self, kind: str, inputs: Json, compute: Callable[[], Json], /) -> NoReturn:  # noqa: ARG002
        raise LookupError(f"{kind} is not computed to rebuild a prompt")


@dataclass(frozen=True)
class _Material:
    """What the prompts of one task are made from."""

    task: Task
    samples: Mapping[str, Sample]
    templates: Mapping[str, Template]


class RebuiltPrompts:
    """What a run's page shows of cases and rows do not hold: prompts, and the media that responses stand for.

    Args:
        session: pytest's session, which knows how test modules are imported.
        run: The run.
        allowed: Whether the code of a task may be executed.
    """

    def __init__(
        self, session: pytest.Session, run: Run, allowed: Callable[[SelectedTask], bool] = lambda _: True
    ) -> None:
        self._session = session
        self._run = run
        self._allowed = allowed
        self._material: dict[tuple[str, ...], _Material | None] = {}
        self._models: dict[str, Model] = {}

    def first(self, selected: SelectedTask, sample_id: str) -> RebuiltPrompt | None:
        """The first prompt about a sample, as the model of *selected* is asked it.

        Returns:
            ``None`` if changed data, templates or code keep it from being told, or it has several messages.
        """
        material = self._material_of(selected)
        if material is None or sample_id not in material.samples:
            return None
        try:
            material.task.converse(material.samples[sample_id], _FirstQuestion())
        except _Asked as asked:
            return self._rebuilt(self._model(selected.model), material.templates, asked.question)
        except Exception:  # a conversation that cannot be held once more has no prompt to show, and the run was fine
            return None
        return None

    def response_media(self, selected: SelectedTask, sample_id: str, response: str) -> Sequence[Media]:
        """The media that a response stands for; see `proctor.task.Task`."""
        material = self._material_of(selected)
        if material is None or material.task.response_media is None or sample_id not in material.samples:
            return ()
        try:
            return tuple(material.task.response_media(material.samples[sample_id], response))
        except Exception:  # it meets whatever a model writes
            return ()

    def _rebuilt(self, model: Model, templates: Mapping[str, Template], question: Question) -> RebuiltPrompt | None:
        try:
            call = call_of(model, templates, (question,), {}, {})
        except KeyError:
            return None
        except (OSError, UsageError):  # a medium that is not there
            return RebuiltPrompt(templates[question.template].fill(question.values), None)
        content = call.messages[0]["content"]
        pieces = (content,) if isinstance(content, str) else templates[question.template].fill(question.values)
        return RebuiltPrompt(pieces, call.messages_sha256)

    def _model(self, name: str) -> Model:
        """The model by whose limits media are shown; a plain one where today's registry does not have it.

        That does no harm: the hash of what was sent tells whether a prompt was shown like this.
        """
        if name not in self._models:
            try:
                self._models[name] = builtin_model(name) or self._run.registry.resolve(name)
            except UsageError:
                self._models[name] = Model(name=name, provider="", api="", api_id=name, base_url="")
        return self._models[name]

    def _material_of(self, selected: SelectedTask) -> _Material | None:
        name = (selected.benchmark, selected.task, selected.data_file, *selected.entry_files)
        if name not in self._material:
            self._material[name] = self._load(selected) if self._allowed(selected) else None
        return self._material[name]

    def _load(self, selected: SelectedTask) -> _Material | None:
        run: Any = self._run
        try:
            task = load_task(self._session, run.root / selected.module, f"{selected.benchmark}/{selected.task}")
            templates = {
                name: Template.load(run.data.template_file(task, name), holders)
                for name, holders in task.prompts.items()
            }
            samples = {sample.id: sample for sample in run.data.samples_of_run(selected, task)}
        except (OSError, DataError, LookupError):
            return None
        return _Material(task, samples, templates)
