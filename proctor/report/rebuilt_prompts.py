"""The prompts of a run, made once more from its data and templates: rows and recordings hold only their hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import pytest

from proctor.calls import Json, Reply
from proctor.errors import DataError
from proctor.judging import ANSWER
from proctor.prompts import Template
from proctor.report.artifacts import load_task
from proctor.run import Run
from proctor.samples import Sample
from proctor.selection import SelectedTask
from proctor.task import Ask, Task

T = TypeVar("T")


class _Asked(BaseException):
    """Ends a conversation at its first question; not to be caught by a benchmark's ``except Exception``."""

    def __init__(self, prompt: str) -> None:
        self.prompt = prompt


@dataclass(frozen=True)
class _FirstQuestion:
    """An `Ask` that never gives a reply: see there."""

    templates: Mapping[str, Template]

    def __call__(self, template: str, /, *, role: str = ANSWER, **values: str) -> Reply:  # noqa: ARG002  # as Ask has it
        raise _Asked(self.templates[template].fill(values))

    def together(self, parts: Sequence[Callable[[Ask], T]], /) -> list[T]:
        return [part(self) for part in parts]

    def computed(self, kind: str, inputs: Json, compute: Callable[[], Json], /) -> NoReturn:  # noqa: ARG002
        raise LookupError(f"{kind} is not computed to rebuild a prompt")


@dataclass(frozen=True)
class _Material:
    """What the prompts of one task are made from."""

    task: Task
    samples: Mapping[str, Sample]
    ask: _FirstQuestion


class RebuiltPrompts:
    """The prompts that the samples' conversations begin with.

    Args:
        session: pytest's session, which knows how test modules are imported.
        run: The run.
    """

    def __init__(self, session: pytest.Session, run: Run) -> None:
        self._session = session
        self._run = run
        self._material: dict[str, _Material | None] = {}

    def __call__(self, selected: SelectedTask, sample_id: str) -> str | None:
        """The first prompt about a sample; ``None`` if changed data, templates or code keep it from being told."""
        name = f"{selected.benchmark}/{selected.task}"
        if name not in self._material:
            self._material[name] = self._load(selected, name)
        material = self._material[name]
        if material is None or sample_id not in material.samples:
            return None
        try:
            material.task.converse(material.samples[sample_id], material.ask)
        except _Asked as asked:
            return asked.prompt
        except Exception:  # a conversation that cannot be held once more has no prompt to show, and the run was fine
            return None
        return None

    def _load(self, selected: SelectedTask, name: str) -> _Material | None:
        run: Any = self._run
        data_file = run.root / selected.data_file
        try:
            if hashlib.sha256(data_file.read_bytes()).hexdigest() != selected.data_sha256:
                return None
            task = load_task(self._session, run.root / selected.module, name)
            templates = {n: Template.load(run.template_file(task, n), holders) for n, holders in task.prompts.items()}
            samples = {sample.id: sample for sample in run.samples(task)}
        except (OSError, DataError, LookupError):
            return None
        return _Material(task, samples, _FirstQuestion(templates))
