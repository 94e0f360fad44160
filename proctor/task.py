"""What a benchmark tells Proctor about a task: how to read, ask and score it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

import pytest

from proctor.calls import Json, Reply
from proctor.judging import Judged, Role
from proctor.media.medium import Kind, Media
from proctor.prompts import Placeholders, Question, Value
from proctor.samples import Row, Sample

NAME = re.compile(r"[a-z0-9_]+/[a-z0-9_-]+")
MARKER = "proctor_task"
Test = TypeVar("Test", bound=Callable[..., Any])
T = TypeVar("T")
ADDED = ("response", "finish_reason", "usage")
"""What a line of a file of responses adds to the row of data that it answers."""
ArtifactRow = Mapping[str, Any]
"""A result row with the sample's ``fields``; see `proctor.report.artifacts`."""


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
        problem: Why it was not judged, or not in part; empty if there is nothing to say.
        spans: Start and end, as indices into the response, of the parts that *prediction* was read from, in order; a
            report marks them. Empty if that cannot be told.
    """

    prediction: Json
    official: Mapping[str, Any]
    strict: Mapping[str, Any]
    parsed: bool = True
    judged: bool = True
    diagnostics: Mapping[str, float | None] = field(default_factory=dict)
    problem: str = ""
    spans: Sequence[tuple[int, int]] = ()


class Ask(Protocol):
    """Puts questions to models: live, or from recordings. A conversation cannot tell which."""

    def __call__(self, template: str, /, *earlier: Question | Reply, role: str = "answer", **values: Value) -> Reply:
        """Fill the prompt template *template* with *values*, send it, and return the reply.

        Args:
            template: Name of one of the task's prompts.
            *earlier: What was said before in the same conversation, in order: questions, and replies to them.
            role: What the call is for. One of the task's `Judged` roles is asked of the model in that role; any other,
                such as ``answer``, of the model under test. What follows a slash tells calls to one role apart, as in
                ``judge/swapped``; calls with the same string are told apart by their order.
            **values: Values of the template's placeholders, texts or media.

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
    """Files in the format of a benchmark's own tools, written into the report folder.

    Args:
        files: ``(start of the run, result rows by the model's name) -> contents by path``. A row says what was asked
            and what came of it, and has the sample's ``fields`` too; how it was run is left out. A path is relative,
            with slashes; a content is JSON, or for a path that ends in ``.jsonl`` a list of it.
        on_request: Whether the files are written by ``proctor export`` alone, and not by every run.
    """

    files: Callable[[datetime, Mapping[str, Sequence[ArtifactRow]]], Mapping[str, Json]]
    on_request: bool = False


@dataclass(frozen=True)
class ResponseFiles:
    """A benchmark's own files of responses, whose entries are whole rows of data with the response in them.

    A model's files are ``<folder>/<task>/<model>/<model>_<suffix>.jsonl``, or without the folder of the task, where the
    folder itself has the task's name or the first entry is recognised.

    Args:
        suffixes: What tells a model's files apart; one that does not exist holds nothing.
        fields: The fields of an entry that hold the response.
        response: Reads the response text out of an entry. It raises what `proctor.samples.Row.error` gives.
        recognises: Whether an entry is of this task, where no folder of the task's name says so. The row tells the
            file that it stands in.
    """

    suffixes: Sequence[str]
    fields: Sequence[str]
    response: Callable[[Row], str]
    recognises: Callable[[Row], bool]


@dataclass(frozen=True)
class Table:
    """A table in the report's section of a task.

    Args:
        title: What it shows.
        columns: The heads of its columns.
        rows: Its cells; a number is shown to three places, ``None`` as a dash.
        note: What a reader should know about it; empty if nothing.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float | None]]
    note: str = ""


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
        artifacts: Files in the benchmark's own formats.
        inputs: The kinds of media that the prompts show the model under test.
        outputs: The kinds of media that the model under test makes, if its answers are not texts.
        response_files: How the benchmark's own files of responses are read.
        tables: What a report says about the task in particular.
        response_media: The media that a response text stands for, which a report shows with it: ``(sample, response) ->
            media``. Responses are not to be trusted: a file must not lie where a response alone says so.
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
    artifacts: Sequence[Artifact] = ()
    inputs: frozenset[Kind] = frozenset()
    outputs: frozenset[Kind] = frozenset()
    response_files: ResponseFiles | None = None
    tables: Callable[[Mapping[str, Sequence[ArtifactRow]]], Sequence[Table]] | None = None
    response_media: Callable[[Sample, str], Sequence[Media]] | None = None

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
    def scale(self) -> tuple[float, float]:
        """The worst value of the headline metric, and the one that makes a case correct."""
        return self.metrics[self.headline], self.best.get(self.headline, 1.0)

    def metrics_of(self, sample: Sample) -> dict[str, float]:
        """The worst values of the metrics that a sample is measured by."""
        return {name: worst for name, worst in self.metrics.items() if not sample.metrics or name in sample.metrics}

    @property
    def judged(self) -> Judged | None:
        """How answers are judged, if they are."""
        return self.score if isinstance(self.score, Judged) else None

    @property
    def roles(self) -> Mapping[str, Role]:
        """The models that help to score, by role."""
        return self.score.roles if isinstance(self.score, Judged) else {}

    @property
    def response_fields(self) -> tuple[str, ...]:
        """The fields of an entry that are not of the row of data, in the benchmark's own files of responses."""
        return () if self.response_files is None else (*self.response_files.fields, *ADDED)

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
