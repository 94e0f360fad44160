"""What a benchmark tells Proctor about a task: how to read, ask and score it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import pytest

from proctor.calls import Json, Reply
from proctor.prompts import Placeholders
from proctor.samples import Row, Sample

NAME = re.compile(r"[a-z0-9_]+/[a-z0-9_-]+")
MARKER = "proctor_task"
Test = TypeVar("Test", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Score:
    """What a response is worth, in both score families.

    Args:
        prediction: The answer as the strict family reads it; ``None`` if the response has none.
        official: Metrics by the published grader's formula, quirks included. ``pairs``, a list of such metrics, where
            the published aggregate is a mean over parts of samples.
        strict: The same metrics where every failure counts as the worst value.
        parsed: False if the response does not follow the required format (status ``unparsed``).
        diagnostics: Further numbers beside the scores, never in their place; ``None`` where one does not apply.
    """

    prediction: Json
    official: Mapping[str, Any]
    strict: Mapping[str, Any]
    parsed: bool = True
    diagnostics: Mapping[str, float | None] = field(default_factory=dict)


class Ask(Protocol):
    """Puts one question to a model: live, or from a recording. A conversation cannot tell which."""

    def __call__(self, template: str, /, *, role: str = "answer", **values: str) -> Reply:
        """Fill the prompt template *template* with *values*, send it, and return the reply.

        Args:
            template: Name of one of the task's prompts.
            role: What the call is for: ``answer``, or what a judge or parser is called in rows and recordings.
            values: Values of the template's placeholders.
        """


@dataclass(frozen=True)
class Artifact:
    """A file in the format of a benchmark's own tools, written into the report folder.

    Args:
        file_name: ``(model name, start time as YYYYmmdd_HHMMSS) -> file name``.
        content: ``(model name, start time as ISO 8601, result rows of that model) -> JSON content``. A row says what
            was asked and what came of it, and has the sample's ``fields`` too; how it was run is left out.
    """

    file_name: Callable[[str, str], str]
    content: Callable[[str, str, Sequence[Mapping[str, Any]]], Json]


@dataclass(frozen=True, eq=False)
class Task:
    """One task of a benchmark.

    Args:
        name: ``benchmark/task``: the folder and file name of its data, prompts and recordings.
        samples_of: Reads one data row into its samples.
        prompts: The templates the conversation uses, and their placeholders.
        converse: The conversation about one sample. It may ask several times; the reply it returns is scored. It must
            depend on nothing but its arguments, since replaying it must ask the same questions.
        score: Scores a response text. A pure function.
        metrics: Each metric's name and its worst value, which the strict family gives to failures. The first one
            decides whether a case shows as correct, partial or incorrect.
        parameters: Sampling parameters the benchmark prescribes; models.yaml and the command line override them.
        builtin: Answers of the built-in models ``oracle``, ``chance`` and ``constant``:
            ``(sample, random generator) -> response text``.
        artifact: A result file in the benchmark's own format.
    """

    name: str
    samples_of: Callable[[Row], Iterable[Sample]]
    prompts: Mapping[str, Placeholders]
    converse: Callable[[Sample, Ask], Reply]
    score: Callable[[Sample, str], Score]
    metrics: Mapping[str, float]
    parameters: Mapping[str, Json] = field(default_factory=lambda: {"temperature": 0.1})
    builtin: Mapping[str, Callable[[Sample, random.Random], str]] = field(default_factory=dict)
    artifact: Artifact | None = None

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"a task is named benchmark/task in lower case, not {self.name!r}")
        if not self.metrics:
            raise ValueError(f"task {self.name!r} needs at least one metric")

    @property
    def benchmark(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]

    @property
    def short_name(self) -> str:
        """The part of the name after the slash."""
        return self.name.partition("/")[2]

    @property
    def headline(self) -> str:
        """The metric that decides a case's verdict."""
        return next(iter(self.metrics))

    def cases(self, test: Test) -> Test:
        """Decorate a test function: pytest then runs it once per sample and model, with the fixture ``case``."""
        marked: Test = getattr(pytest.mark, MARKER)(self)(test)
        return marked
