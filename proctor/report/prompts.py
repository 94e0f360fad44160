"""The prompts of a run, made once more from its data and templates: rows and recordings hold only their hashes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from proctor._base.errors import DataError, UsageError
from proctor._base.json_values import Json
from proctor.conversations.conversation import call_of
from proctor.media.medium import Media
from proctor.models.builtin import builtin_model
from proctor.models.registry import Model
from proctor.report.artifacts import SamplesOf
from proctor.report.first_prompt import FirstPrompt
from proctor.results.manifest import ManifestTask
from proctor.run.project_tasks import ProjectTasks
from proctor.run.run import Run
from proctor.tasks.ask import Ask
from proctor.tasks.call import Reply
from proctor.tasks.judge import ANSWER
from proctor.tasks.prompt import Question, Template, Value
from proctor.tasks.sample import Sample
from proctor.tasks.task import Task

T = TypeVar("T")


class _FirstQuestionAsked(BaseException):
    """Ends a conversation at its first question; not to be caught by a benchmark's ``except Exception``."""

    def __init__(self, question: Question) -> None:
        self.question = question


class _FirstQuestion:
    """An `Ask` that never gives a reply: see there."""

    def __call__(self, template: str, /, *earlier: Question | Reply, role: str = ANSWER, **values: Value) -> Reply:  # noqa: ARG002  # as Ask has it
        if earlier:
            raise LookupError("a prompt of several messages is not rebuilt")
        raise _FirstQuestionAsked(Question(template, values))

    def again(self, role: str, tries: int, /) -> bool:  # noqa: ARG002  # as Ask has it
        return False

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
        tasks: The project's tasks.
        run: The run.
        samples_of: Gives the samples of what a task was run on.
    """

    def __init__(self, tasks: ProjectTasks, run: Run, samples_of: SamplesOf) -> None:
        self._tasks = tasks
        self._run = run
        self._samples_of = samples_of
        self._material: dict[tuple[str, ...], _Material | None] = {}
        self._models: dict[str, Model] = {}

    def first(self, selected: ManifestTask, sample_id: str, sent: str | None = None, /) -> FirstPrompt | None:  # noqa: ARG002
        """The first prompt about a sample, as the model of *selected* is asked it.

        Returns:
            ``None`` if changed data, templates or code keep it from being told, or it has several messages.
        """
        material = self._material_of(selected)
        if material is None or sample_id not in material.samples:
            return None
        if material.samples[sample_id].error is not None:
            return None
        try:
            material.task.converse(material.samples[sample_id], _FirstQuestion())
        except _FirstQuestionAsked as asked:
            return self._rebuilt(self._model(selected.model), material.templates, asked.question)
        except Exception:  # a conversation that cannot be held once more has no prompt to show, and the run was fine
            return None
        return None

    def response_media(self, selected: ManifestTask, sample_id: str, response: str, /) -> Sequence[Media]:
        """The media that a response stands for; see `proctor.tasks.task.Task`."""
        material = self._material_of(selected)
        if material is None or material.task.response_media is None or sample_id not in material.samples:
            return ()
        try:
            return tuple(material.task.response_media(material.samples[sample_id], response))
        except Exception:  # it meets whatever a model writes
            return ()

    def _rebuilt(self, model: Model, templates: Mapping[str, Template], question: Question) -> FirstPrompt | None:
        try:
            call = call_of(model, templates, (question,), {}, {})
        except KeyError:
            return None
        except (OSError, UsageError):  # a medium that is not there
            return FirstPrompt(templates[question.template].fill(question.values), None)
        content = call.messages[0]["content"]
        pieces = (content,) if isinstance(content, str) else templates[question.template].fill(question.values)
        return FirstPrompt(pieces, call.messages_sha256)

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

    def _material_of(self, selected: ManifestTask) -> _Material | None:
        name = (selected.benchmark, selected.task, selected.data_file, *selected.entry_files)
        if name not in self._material:
            self._material[name] = self._load(selected)
        return self._material[name]

    def _load(self, selected: ManifestTask) -> _Material | None:
        run: Any = self._run
        try:
            task = self._tasks.find(selected.name)
            templates = {
                name: Template.load(run.data.template_file(task, name), holders)
                for name, holders in task.prompts.items()
            }
            samples = {sample.id: sample for sample in self._samples_of(selected, task)}
        except (OSError, DataError, LookupError):
            return None
        return _Material(task, samples, templates)
