"""What Image2Text, Video2Text and Audio2Text have in common: questions about a medium, answered in words."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from typing import Any

from benchmarks.mixeval_x import free_form, multiple_choice
from benchmarks.mixeval_x.entries import (
    FREE_FORM,
    MULTIPLE_CHOICE,
    SUFFIXES,
    ProblemType,
    letters,
    question_sample,
)
from benchmarks.mixeval_x.media_files import Kind, media_of
from benchmarks.mixeval_x.official_results import question_results
from benchmarks.mixeval_x.report_tables import question_tables
from benchmarks.mixeval_x.response_files import TASK_NAMES, text_response, written_responses
from benchmarks.mixeval_x.run_settings import DEFAULT, Settings, settings_of
from proctor import Artifact, Ask, Judged, Placeholders, Reply, ResponseFiles, Role, Row, Sample, Score, Task

JUDGE = "gpt-3.5-turbo-0125"
"""The leaderboard's judge."""

MEDIA_FIELDS: Mapping[Kind, str] = {"image": "image_id", "video": "video_id", "audio": "audio_id"}
HARD = "_hard"


def question_task(name: str, kind: Kind, *kinds: ProblemType, settings: Settings = DEFAULT) -> Task:
    """A benchmark of questions about pictures, clips or sounds.

    Args:
        name: Its name.
        kind: What the questions are about.
        *kinds: The kinds of questions it has. With both, ``overall`` is the score of either, so that its mean over
            the samples is the published overall score; with one, there is ``judge_score`` alone.
        settings: What the options of a run say.
    """
    both = len(kinds) > 1
    return Task(
        name=f"mixeval_x/{name}",
        samples_of=lambda row: question_sample(row, MEDIA_FIELDS[kind], kinds),
        prompts={
            "free_form": Placeholders("medium", "question"),
            free_form.JUDGE_PROMPT: free_form.JUDGE_PLACEHOLDERS,
            **(
                {
                    "multiple_choice": Placeholders("medium", "question", "options"),
                    multiple_choice.JUDGE_PROMPT: multiple_choice.JUDGE_PLACEHOLDERS,
                }
                if both
                else {}
            ),
        },
        converse=partial(converse, settings, name, kind),
        score=Judged(
            roles={"judge": Role(model=JUDGE, parameters={"temperature": 0.0}, builtin=stand_in)},
            examine=partial(examine, settings),
            score=partial(score, name),
        ),
        metrics=dict.fromkeys(("overall", "judge_score", "accuracy") if both else ("judge_score",), 0.0),
        parameters={"temperature": 0.0},
        builtin={"oracle": oracle, "chance": chance, "constant": constant},
        artifacts=(
            Artifact(partial(written_responses, settings)),
            Artifact(partial(question_results, settings, JUDGE), on_request=True),
        ),
        inputs=frozenset({kind}),
        response_files=ResponseFiles(
            suffixes=[SUFFIXES[each] for each in kinds],
            fields=["response"],
            response=text_response,
            recognises=partial(recognises, name, MEDIA_FIELDS[kind]),
            tasks=TASK_NAMES,
        ),
        tables=question_tables,
        configured=lambda config: question_task(name, kind, *kinds, settings=settings_of(config)),
    )


def converse(settings: Settings, task: str, kind: Kind, sample: Sample, ask: Ask) -> Reply:
    """Show the medium and ask the question."""
    fields = sample.fields
    shown: dict[str, Any] = {"medium": media_of(settings, task, sample, kind), "question": fields["prompt"]}
    if fields["problem_type"] == MULTIPLE_CHOICE:
        return ask("multiple_choice", **shown, options=multiple_choice.lettered(fields["options"]))
    return ask("free_form", **shown)


def examine(settings: Settings, sample: Sample, response: str, ask: Ask) -> dict[str, Any]:
    """Have the response judged, unless rules are to read it."""
    if sample.fields["problem_type"] == FREE_FORM:
        return free_form.examine(settings, sample, response, ask)
    return multiple_choice.examine(settings, sample, response, ask)


def score(task: str, sample: Sample, response: str, evidence: Any) -> Score:
    """The score of the response to either kind of question."""
    if sample.fields["problem_type"] == FREE_FORM:
        return free_form.score(task, sample, response, evidence)
    return multiple_choice.score(task, sample, response, evidence)


def stand_in(values: Mapping[str, str]) -> str:
    """What stands in for the judge when a built-in model is under test."""
    return multiple_choice.stand_in(values) if "options" in values else free_form.stand_in(values)


def recognises(task: str, media_field: str, row: Row) -> bool:
    """Whether an entry outside a folder of the task's name is of this task; no entry tells that it is a hard one."""
    return not task.endswith(HARD) and media_field in row.data and "prompt" in row.data


def oracle(sample: Sample, _: random.Random) -> str:
    """A gold answer, or the right letter."""
    return sample.target if isinstance(sample.target, str) else next(iter(sample.target), "")


def chance(sample: Sample, generator: random.Random) -> str:
    """Any word of the question, or the letter of any option."""
    fields = sample.fields
    if fields["problem_type"] == MULTIPLE_CHOICE:
        return generator.choice(letters(fields["options"]))
    return str(generator.choice(fields["prompt"].split() or [""]))


def constant(sample: Sample, _: random.Random) -> str:
    """Always the same: yes, or the first option."""
    return "yes" if sample.fields["problem_type"] == FREE_FORM else "A"
