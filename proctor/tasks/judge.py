"""Scoring with help: what models in other roles, and programs, found out about an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from proctor._base.json_values import Json
from proctor.media.medium import Kind

if TYPE_CHECKING:
    from proctor.tasks.ask import Ask
    from proctor.tasks.program import Program
    from proctor.tasks.sample import Sample
    from proctor.tasks.score import Score

ANSWER = "answer"
"""The usual role of a call to the model under test."""

FAILURES = "failures"
"""The kind of computation under which it is remembered why a judge gave no answer, for replays."""


class JudgeFailed(Exception):
    """A model that helps to score gave no answer, after all retries.

    Args:
        message: Why.
        kind: The kind of failure of a request; see `proctor.tasks.call.CallFailed`. Empty if it is none.
    """

    def __init__(self, message: str, *, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class MissingRequirement(Exception):
    """This machine lacks what a case needs; the message says what, with the remedy."""


def role_name(role: str) -> str:
    """Whose turn it is: a call's role up to the slash, behind which stands which of several calls it is."""
    return role.partition("/")[0]


@dataclass(frozen=True)
class Role:
    """A model that helps to score answers: a judge, or a parser.

    Args:
        model: The model that the benchmark prescribes, as a registry knows it. The run's configuration may name
            another: an option, a variable, or models.yaml.
        builtin: Stands in for the model when a built-in model is under test, which no other model is to judge:
            texts that the prompt's placeholders stand for -> reply text.
        inputs: The kinds of media that its prompts show it.
        parameters: Sampling parameters; those that the model does not take are left out.
        model_variable: Environment variable that names another model.
        base_url_variables: Variables that give the endpoint of the model, the first one set counting.
        key_variables: Variables that hold the key for that endpoint, likewise.
    """

    model: str
    builtin: Callable[[Mapping[str, str]], str]
    inputs: frozenset[Kind] = frozenset()
    parameters: Mapping[str, Json] = field(default_factory=dict)
    model_variable: str | None = None
    base_url_variables: tuple[str, ...] = ()
    key_variables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judged:
    """How to score answers that no formula over the text alone can score.

    Args:
        roles: The models that help, by role. A role is a word.
        examine: Finds out what the score depends on: ``(sample, response text, ask) -> evidence``. It asks the models
            in the roles, and computes what takes a program. It is called for every answer, also an empty or a cut
            one, and must depend on nothing but its arguments, since replaying it must ask the same questions.
        score: Scores a response text by the evidence. A pure function, so that a run can be scored again.
        unmet: What this machine lacks to examine a sample, with the remedy; ``None`` if nothing. Asked only for
            samples that cannot be replayed; a case with an unmet need is not asked at all.
        machine: Of the samples that cannot be replayed, a `Program` that tells whether a machine can run theirs. It is
            run before anything is asked, here or, with ``--programs-on``, on every worker. Its result: ``unmet``, for
            each sample what the machine lacks, with the remedy, or ``None``; ``warning``: what a user should know
            before programs run there, or ``None``; ``kind``: by name, texts that are the same on machines whose run
            times compare.
    """

    roles: Mapping[str, Role]
    examine: Callable[[Sample, str, Ask], Json]
    score: Callable[[Sample, str, Json], Score]
    unmet: Callable[[Sample], str | None] | None = None
    machine: Callable[[Sequence[Sample]], Program] | None = None

    def __post_init__(self) -> None:
        for name in self.roles:
            if name == ANSWER or not name.isidentifier():
                raise ValueError(f"a role is a word, and not {ANSWER!r}, which is the model under test: {name!r}")
