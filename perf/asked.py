"""What Proctor asks a model in each case of a data file, found without running a test."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from proctor._base.json_values import Json
from proctor.conversations.conversation import call_of
from proctor.models.registry import Model, Registry
from proctor.recordings.recording import CallId, Origin
from proctor.tasks.ask import Ask
from proctor.tasks.call import Call, Reply
from proctor.tasks.prompt import Question, Template, Value
from proctor.tasks.sample import Sample
from proctor.tasks.samples import read_samples
from proctor.tasks.task import Task

T = TypeVar("T")
MODEL = "gpt-4o-mini"
MODULES = {
    "sgqa": "benchmarks.tsg.test_sgqa",
    "sgds": "benchmarks.tsg.test_sgds",
    "sa-sgg": "benchmarks.tsg.test_sa_sgg",
    "ma-sgg": "benchmarks.tsg.test_ma_sgg",
}
"""The module of each task of TSG-Bench."""


@dataclass(frozen=True)
class Asked:
    """One question to the model."""

    call_id: CallId
    call: Call
    origin: Origin

    @property
    def case_id(self) -> str:
        """What stands in the brackets of the case's node id."""
        return f"{MODEL}-{self.call_id.sample}"

    @property
    def prompt(self) -> str:
        """The question."""
        return str(self.call.messages[0]["content"])


def asked_in(task_name: str, project: Path) -> Iterator[Asked]:
    """Every question of one task of TSG-Bench, in the order of its data file.

    Args:
        task_name: The task's short name.
        project: The folder that holds its data and prompts.
    """
    task: Task = importlib.import_module(MODULES[task_name]).TASK
    model = Registry.load().resolve(MODEL)
    prompts = project / "prompts" / task.benchmark
    templates = {name: Template.load(prompts / f"{name}.txt", holders) for name, holders in task.prompts.items()}
    for sample in read_samples(project / "data" / f"{task.name}.jsonl", task.samples_of):
        listener = _Listener(task, model, sample, templates)
        task.converse(sample, listener)
        yield from listener.asked


@dataclass
class _Listener:
    """A `proctor.tasks.ask.Ask` that notes what is asked and answers nothing."""

    task: Task
    model: Model
    sample: Sample
    templates: Mapping[str, Template]
    asked: list[Asked] = field(default_factory=list)

    def __call__(self, template: str, /, *earlier: Question | Reply, role: str = "answer", **values: Value) -> Reply:
        chosen = self.templates[template]
        turns = (*earlier, Question(template, values))
        call = call_of(self.model, self.templates, turns, self.task.parameters, {})
        call_id = CallId(self.sample.id, 1, role, sum(1 for asked in self.asked if asked.call_id.role == role))
        self.asked.append(
            Asked(call_id, call, Origin.of(call, template=chosen.sha256, row=self.sample.row_sha256)),
        )
        return Reply("")

    def again(self, role: str, tries: int, /) -> bool:  # noqa: ARG002  # as the protocol has it
        return False

    def together(self, parts: Sequence[Callable[[Ask], T]], /) -> list[T]:
        return [part(self) for part in parts]

    def computed(self, kind: str, inputs: Json, compute: Callable[[], Json], /) -> Any:  # noqa: ARG002  # as the protocol has it
        return compute()
