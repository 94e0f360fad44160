"""What a benchmark tells Proctor about a task: how to read, ask and score it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import pytest

from proctor.calls import Json, Reply
from proctor.judging import Judged, Role
from proctor.prompts import Placeholders
from proctor.samples import Row, Sample

NAME = re.compile(r"[a-z0-9_]+/[a-z0-9_-]+")
MARKER = "proctor_task"
Test = TypeVar("Test", bound=Callable[..., Any])
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Score:
    """What a response is worth, in both score families.

    Args:
        prediction: The answer as the strict family reads it; ``None`` if the response has none.
        official: Metrics by the published grader's formula, quirks included. ``pairs``, a list of such metrics, where
            the published aggregate is a mean over parts of samples.
        strict: The same metrics where every failure counts as the worst value.
        parsed: False if the response does not follow the required format (status ``unparsed``).
        judged: False if what the score depends on could not be found out (status ``judge_failed``); *strict* then
            counts as it is given.
        diagnostics: Further numbers beside the scores, never in their place; ``None`` where one does not apply.
        spans: Start and end, as indices into the response, of the parts that *prediction* was read from, in order; a
            report marks them. Empty if that cannot be told.
    """

    prediction: Json
    official: Mapping[str, Any]
    strict: Mapping[str, Any]
    parsed: bool = True
    judged: bool = True
    diagnostics: Mapping[str, float | None] = field(default_factory=dict)
    spans: Sequence[tuple[int, int]] = ()


class Ask(Protocol):
    """Puts questions to models: live, or from recordings. A conversation cannot tell which."""

    def __call__(self, template: str, /, *, role: str = "answer", **values: str) -> Reply:
        """Fill the prompt template *template* with *values*, send it, and return the reply.

        Args:
            template: Name of one of the task's prompts.
            role: What the call is for. One of the task's `Judged` roles is asked of the model in that role; any other,
                such as ``answer``, of the model under test. What follows a slash tells calls to one role apart, as in
                ``judge/swapped``; calls with the same string are told apart by their order.
            values: Values of the template's placeholders.

        Raises:
            JudgeFailed: If a model in a role of `Judged` gives no answer.
        """

    def together(self, parts: Sequence[Callable[[Ask], T]], /) -> list[T]:
        """Hold parts of the conversation at the same time; each is called with an `Ask` of its own.

        Args:
            parts: The parts. No two may use the same role string, by whose order recordings are found.

        Returns:
            Their results in order.

        Raises:
            Exception: What the first of them in order that failed raised, after all have ended.
        """

    def computed(self, kind: str, inputs: Json, compute: Callable[[], Json], /) -> Any:
        """The result of a computation, remembered under its inputs: a replay needs not repeat it.

        Args:
            kind: The kind of computation, which names the file it is remembered in.
            inputs: Everything that the result depends on.
            compute: Computes the result, which must be JSON.
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
        score: Scores a response text: a pure function, or a `Judged` for what no formula over the text can score.
        metrics: Each metric's name and its worst value, which the strict family gives to failures. The first one
            decides whether a case shows as correct, partial or incorrect.
        best: The best value of each metric that is not on a scale from 0 to 1, nor without a bound.
        composite: Name of a score over several tasks that this one is part of: the mean of their first metrics, in
            percent of full marks.
        parameters: Sampling parameters the benchmark prescribes; models.yaml and the command line override them.
        builtin: Answers of the built-in models ``oracle``, ``chance`` and ``constant``:
            ``(sample, random generator) -> response text``.
        artifact: A result file in the benchmark's own format.
    """

    name: str
    samples_of: Callable[[Row], Iterable[Sample]]
    prompts: Mapping[str, Placeholders]
    converse: Callable[[Sample, Ask], Reply]
    score: Callable[[Sample, str], Score] | Judged
    metrics: Mapping[str, float]
    best: Mapping[str, float] = field(default_factory=dict)
    composite: str = ""
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

    @property
    def full_marks(self) -> float:
        """The value of the headline metric that makes a case correct."""
        return self.best.get(self.headline, 1.0)

    @property
    def judged(self) -> Judged | None:
        """How answers are judged, if they are."""
        return self.score if isinstance(self.score, Judged) else None

    @property
    def roles(self) -> Mapping[str, Role]:
        """The models that help to score, by role."""
        return self.score.roles if isinstance(self.score, Judged) else {}

    def scored(self, sample: Sample, response: str, evidence: Json = None) -> Score:
        """The score of a response text.

        Args:
            sample: The sample.
            response: The response text.
            evidence: What the task's judging found out about it; ``None`` where there is none to find.
        """
        if isinstance(self.score, Judged):
            return self.score.score(sample, response, evidence)
        return self.score(sample, response)

    def cases(self, test: Test) -> Test:
        """Decorate a test function: pytest then runs it once per sample and model, with the fixture ``case``."""
        marked: Test = getattr(pytest.mark, MARKER)(self)(test)
        return marked
