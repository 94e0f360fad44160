"""What a benchmark tells Proctor about a task: how to read, ask and score it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

from proctor._base.json_values import Json
from proctor.media.medium import Kind, Media
from proctor.tasks.ask import Ask
from proctor.tasks.call import Reply
from proctor.tasks.extensions import ADDED, Artifact, ArtifactRow, ResponseFiles, Table
from proctor.tasks.judge import Judged, Role
from proctor.tasks.marker import MARKER
from proctor.tasks.metrics import Headline
from proctor.tasks.names import FULL_NAME
from proctor.tasks.prompt import Placeholders
from proctor.tasks.row import Row
from proctor.tasks.sample import Sample
from proctor.tasks.score import Score

Test = TypeVar("Test", bound=Callable[..., Any])
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Task(Headline):
    """One task of a benchmark.

    Args:
        name: ``benchmark/task``: the folder and file name of its data, prompts and recordings.
        samples_of: Reads one data row into its samples. What it raises makes the row unusable; see
            `proctor.tasks.row.Row`.
        prompts: The templates the conversation uses, and their placeholders.
        converse: The conversation about one sample. It may ask several times; the reply it returns is scored. It must
            depend on nothing but its arguments, since replaying it must ask the same questions.
        score: Scores a response text: a pure function, or a `Judged` for what no formula over the text can score.
        metrics: Each metric's name and its worst value, which the strict family gives to failures. The first one
            decides whether a case shows as correct, partial or incorrect.
        best: The best value of each metric that is not on a scale from 0 to 1, nor without a bound.
        composite: Name of a score over several tasks that this one is part of: the mean of their first metrics, in
            percent of full marks.
        composite_tasks: The names of all tasks that it is the mean of, so that a report says which are missing.
        parameters: Sampling parameters the benchmark prescribes; models.yaml and the command line override them.
        system: The system prompt of what the model under test is asked, where its template has none of its own.
        builtin: Answers of the built-in models ``oracle``, ``chance`` and ``constant``:
            ``(sample, random generator) -> response text``.
        artifacts: Files in the benchmark's own formats.
        inputs: The kinds of media that the prompts show the model under test.
        outputs: The kinds of media that the model under test makes, if its answers are not texts.
        response_files: How the benchmark's own files of responses are read.
        tables: What a report says about the task in particular. It gets the rows of unusable entries too, whose
            ``fields`` are empty.
        response_media: The media that a response text stands for, which a report shows with it: ``(sample, response) ->
            media``. Responses are not to be trusted: a file must not lie where a response alone says so.
        configured: Makes the task that a run has whose options say something about it, for a benchmark with options of
            its own: ``pytest's configuration -> task``, of the same name.
    """

    name: str
    samples_of: Callable[[Row], Iterable[Sample]]
    prompts: Mapping[str, Placeholders]
    converse: Callable[[Sample, Ask], Reply]
    score: Callable[[Sample, str], Score] | Judged
    metrics: Mapping[str, float]
    best: Mapping[str, float] = field(default_factory=dict)
    composite: str = ""
    composite_tasks: Sequence[str] = ()
    parameters: Mapping[str, Json] = field(default_factory=lambda: {"temperature": 0.1})
    system: str = ""
    builtin: Mapping[str, Callable[[Sample, random.Random], str]] = field(default_factory=dict)
    artifacts: Sequence[Artifact] = ()
    inputs: frozenset[Kind] = frozenset()
    outputs: frozenset[Kind] = frozenset()
    response_files: ResponseFiles | None = None
    tables: Callable[[Mapping[str, Sequence[ArtifactRow]]], Sequence[Table]] | None = None
    response_media: Callable[[Sample, str], Sequence[Media]] | None = None
    configured: Callable[[pytest.Config], Task] | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(FULL_NAME, self.name):
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

    def for_run(self, config: pytest.Config) -> Task:
        """The task as the options of a run say."""
        return self if self.configured is None else self.configured(config)

    def cases(self, test: Test) -> Test:
        """Decorate a test function: pytest then runs it once per sample and model, with the fixture ``case``."""
        marked: Test = getattr(pytest.mark, MARKER)(self)(test)
        return marked
