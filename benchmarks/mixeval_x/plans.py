"""What Text2Action and Image2Action have in common: plans of actions, which a judge grades from 1 to 10."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks.mixeval_x.entries import ACTION_FIELDS, action_sample
from benchmarks.mixeval_x.media_files import Kind, NoMedium, media_of
from benchmarks.mixeval_x.official_results import OVERALL, graded_results
from benchmarks.mixeval_x.report_tables import graded_tables
from benchmarks.mixeval_x.response_files import TASK_NAMES, TASK_SUFFIXES, text_response, written_responses
from benchmarks.mixeval_x.run_settings import DEFAULT, Settings, settings_of
from benchmarks.mixeval_x.verdicts import CONTINUE, CONTINUE_PLACEHOLDERS, asked_on, problem_of, retries
from proctor import (
    Artifact,
    Ask,
    Judged,
    JudgeFailed,
    Placeholders,
    Reply,
    ResponseFiles,
    Role,
    Row,
    Sample,
    Score,
    Task,
)

JUDGE = "gpt-4o-2024-08-06"
"""The leaderboard's judge of plans and pictures."""

WORST, BEST = 1.0, 10.0
METRIC = "judge_score"
ACTION = re.compile(r"\[[^\[\]]+\]")


def action_task(name: str, *, with_picture: bool, settings: Settings = DEFAULT) -> Task:
    """A benchmark of plans.

    Args:
        name: Its name.
        with_picture: Whether a picture shows the objects; else the prompt lists them.
        settings: What the options of a run say.
    """
    shown = [place for place in ACTION_FIELDS if place != "objects" or not with_picture]
    if with_picture:
        shown.append("medium")
    inputs: frozenset[Kind] = frozenset({"image"}) if with_picture else frozenset()
    return Task(
        name=f"mixeval_x/{name}",
        samples_of=lambda row: action_sample(row, with_picture=with_picture),
        prompts={
            name: Placeholders(*shown),
            f"{name}_judge": Placeholders(*shown, "target", "response"),
            CONTINUE: CONTINUE_PLACEHOLDERS,
        },
        converse=partial(converse, settings, name),
        score=Judged(
            roles={"judge": Role(model=JUDGE, parameters={"temperature": 0.0}, builtin=stand_in, inputs=inputs)},
            examine=partial(examine, settings, name),
            score=score,
        ),
        metrics={METRIC: WORST},
        best={METRIC: BEST},
        parameters={"temperature": 0.0},
        builtin={"oracle": oracle, "chance": chance, "constant": constant},
        artifacts=(
            Artifact(partial(written_responses, settings)),
            Artifact(partial(graded_results, settings, {METRIC: OVERALL}, JUDGE), on_request=True),
        ),
        inputs=inputs,
        response_files=ResponseFiles(
            suffixes=[TASK_SUFFIXES[name]],
            fields=["response"],
            response=text_response,
            recognises=partial(recognises, with_picture),
            tasks=TASK_NAMES,
        ),
        tables=lambda rows: graded_tables({"": METRIC}, rows),
        configured=lambda config: action_task(name, with_picture=with_picture, settings=settings_of(config)),
    )


def shown_to_models(settings: Settings, task: str, sample: Sample) -> dict[str, Any]:
    """What the prompts show of an entry.

    Raises:
        NoMedium: If it has a picture, and that is not there.
    """
    shown: dict[str, Any] = dict(sample.fields["shown"])
    return shown | ({"medium": media_of(settings, task, sample, "image")} if "media" in sample.fields else {})


def converse(settings: Settings, task: str, sample: Sample, ask: Ask) -> Reply:
    """Ask for the steps that remain."""
    return ask(task, **shown_to_models(settings, task, sample))


def examine(settings: Settings, task: str, sample: Sample, response: str, ask: Ask) -> dict[str, Any]:
    """Have the plan graded.

    Returns:
        A `Verdict` whose value is the grade.

    Raises:
        JudgeFailed: If rules are to read answers, of which there are none for plans, or if the picture is missing:
            there is no official score then.
    """
    only_judged(settings, task)
    try:
        shown = shown_to_models(settings, task, sample)
    except NoMedium as problem:
        raise JudgeFailed(str(problem)) from None
    return asked_on(ask, f"{task}_judge", **shown, target=sample.target, response=response)


def only_judged(settings: Settings, task: str) -> None:
    """Raise `JudgeFailed` if rules are to read answers: there are none for this task."""
    if settings.parser == "rule":
        raise JudgeFailed(f"{task} is graded by a judge alone; there are no rules for it: leave out --parser rule")


def score(sample: Sample, response: str, evidence: Any) -> Score:  # noqa: ARG001  # the judge has read the response
    """The judge's grade: in the official family any number, in the strict one 1 to 10; without one, neither has any."""
    value = evidence["value"]
    judged = value is not None and WORST <= value <= BEST
    return Score(
        prediction=None,
        official={} if value is None else {METRIC: value},
        strict={METRIC: value if judged else WORST},
        judged=judged,
        diagnostics={"judge_retries": retries(evidence)},
        problem=problem_of(evidence, WORST, BEST),
    )


def recognises(with_picture: bool, row: Row) -> bool:
    """Whether an entry outside a folder of the task's name is of this task."""
    return "allowed actions" in row.data and with_picture == ("visible objects" not in row.data)


def stand_in(values: Mapping[str, str]) -> str:
    """What stands in for the judge when a built-in model is under test: nothing but the reference is good."""
    same = values["response"].strip() == values["target"].strip()
    return f"[[{BEST if same else WORST:g}]]"


def oracle(sample: Sample, _: random.Random) -> str:
    """The reference plan."""
    return str(sample.target)


def chance(sample: Sample, generator: random.Random) -> str:
    """The allowed actions, without objects, in any order."""
    actions: Sequence[str] = ACTION.findall(sample.fields["shown"]["actions"])
    return ", ".join(generator.sample(actions, len(actions)))


def constant(_: Sample, __: random.Random) -> str:
    """Always the same plan."""
    return "[Wait]"
