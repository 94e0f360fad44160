"""Text2Image: make a picture from words, then change it; a judge grades both from 1 to 10."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from benchmarks.mixeval_x.entries import picture_sample
from benchmarks.mixeval_x.media_files import made_picture, told_path, why_not_made
from benchmarks.mixeval_x.official_results import graded_results
from benchmarks.mixeval_x.plans import BEST, JUDGE, WORST, only_judged
from benchmarks.mixeval_x.report_tables import graded_tables
from benchmarks.mixeval_x.response_files import (
    ENDS,
    PICTURES,
    TASK_NAMES,
    TASK_SUFFIXES,
    picture_end,
    picture_response,
    pictures_in,
    pictures_text,
    written_responses,
)
from benchmarks.mixeval_x.run_settings import DEFAULT, Settings, settings_of
from benchmarks.mixeval_x.verdicts import (
    CONTINUE,
    CONTINUE_PLACEHOLDERS,
    JudgeRecord,
    asked_on,
    not_asked,
    problem_of,
    request_failed,
    retries,
)
from proctor import (
    Artifact,
    Ask,
    Case,
    Judged,
    Media,
    Placeholders,
    Reply,
    ResponseFiles,
    Role,
    Sample,
    Score,
    Task,
)

FIRST_PICTURE = "<generated_image_1>"
"""What the second prompt calls the first picture."""

SHOWN_BEFORE = re.compile(rf"\s*{FIRST_PICTURE}\s+(?=[A-Z])")
"""How a second prompt begins that names the picture first, and says then, in a sentence of its own, what to change."""

FIRST, SECOND = "judge_score_1st_turn", "judge_score_2nd_turn"
TURNS = {FIRST: "1st_turn", SECOND: "2nd_turn"}
NEUTRAL = 5.0
"""What the published grader gives where there is no picture, or no grade."""


def converse(settings: Settings, sample: Sample, ask: Ask) -> Reply:
    """Have the first picture made, then have it changed. Without the first one there is nothing to change."""
    made = ask("text2image", prompt=sample.fields["first"])
    if not made.images:
        ends = [made.finish_reason]
        return Reply(pictures_text(["", ""], ends), finish_reason=made.finish_reason, usage=made.usage)
    first = made.images[0]
    changed = ask("text2image_second_turn", first_picture=first, prompt=change_of(sample.fields["second"]))
    second = told_path(settings, changed.images[0]) if changed.images else ""
    ends = [made.finish_reason, changed.finish_reason]
    return Reply(pictures_text([told_path(settings, first), second], ends), finish_reason=changed.finish_reason)


def change_of(prompt: str) -> str:
    """The second prompt for a model that is shown the first picture before it: the sentence stays whole.

    The name that the prompt has for the picture is left out where it stands before all else, as in all published
    entries; anywhere else "this picture" stands in its place.
    """
    rest = SHOWN_BEFORE.sub("", prompt, count=1) if SHOWN_BEFORE.match(prompt) else prompt
    begins = rest.lstrip().startswith(FIRST_PICTURE)
    said = rest.replace(FIRST_PICTURE, "this picture")
    return said.replace("this picture", "This picture", 1) if begins else said


def examine(settings: Settings, sample: Sample, response: str, ask: Ask) -> dict[str, JudgeRecord]:
    """Have both turns graded, at the same time. A turn whose pictures are not there is not.

    Returns:
        For each metric a `JudgeRecord` whose value is the grade; where a picture is missing, ``failure`` says which.

    Raises:
        JudgeFailed: If rules are to read answers, of which there are none for pictures.
    """
    only_judged(settings, "text2image")
    paths = pictures_in(response)
    first, second = (made_picture(settings, path, sample.fields["folder"]) for path in paths)
    missing = [
        f"text2image, entry {sample.id}: {name}: {why_not_made(settings, path, sample.fields['folder'])}"
        for name, path, found in zip(PICTURES, paths, (first, second), strict=True)
        if found is None
    ]

    def grade_first(ask: Ask) -> JudgeRecord:
        if first is None:
            return not_asked(missing[0])
        values = {"prompt": sample.fields["first"], "first_picture": first}
        return asked_on(ask, "text2image_judge_1st_turn", role="judge/1st_turn", **values)

    def grade_second(ask: Ask) -> JudgeRecord:
        if first is None or second is None:
            return not_asked(missing[-1])
        values = {"prompt": sample.fields["second"], "first_picture": first, "second_picture": second}
        return asked_on(ask, "text2image_judge_2nd_turn", role="judge/2nd_turn", **values)

    return dict(zip((FIRST, SECOND), ask.together([grade_first, grade_second]), strict=True))


def score(sample: Sample, response: str, evidence: Any) -> Score:  # noqa: ARG001  # the judge has seen the pictures
    """The judge's grade of each turn, and their mean.

    In the official family a turn has the neutral grade whose picture is missing, or whose judge could not be read, and
    none, as all of the published grader's run, if a request failed. In the strict family both have the worst; a turn
    that was refused, too, and its refusal does the other one no harm.
    """
    values = {name: evidence[name]["value"] for name in (FIRST, SECOND)}
    in_range = {name: value is not None and WORST <= value <= BEST for name, value in values.items()}
    problems = [found for name in values if (found := problem_of(evidence[name], WORST, BEST))]
    official = {
        name: NEUTRAL if value is None else value
        for name, value in values.items()
        if not request_failed(evidence[name])
    }
    return Score(
        prediction=pictures_in(response),
        official=with_mean(official) if len(official) == len(values) else official,
        strict=with_mean({name: value if in_range[name] else WORST for name, value in values.items()}),
        judged=all(in_range.values()),
        strict_stands=True,
        problem="; ".join(dict.fromkeys(problems)),
        diagnostics={
            "fallback": float(any(value is None and name in official for name, value in values.items())),
            "judge_retries": sum(retries(evidence[name]) for name in values),
        },
    )


def with_mean(grades: Mapping[str, float]) -> dict[str, float]:
    """The grades, with their mean before them."""
    return {"overall": fmean(grades.values()), **grades}


def shown_pictures(settings: Settings, sample: Sample, response: str) -> Sequence[Media]:
    """The pictures of a response that are there, for the report."""
    found = (made_picture(settings, path, sample.fields["folder"]) for path in pictures_in(response))
    return [picture for picture in found if picture is not None]


def no_stand_in(_: Mapping[str, str]) -> str:
    """No built-in model makes pictures, so that none is judged."""
    raise NotImplementedError("built-in models make no pictures")


def text2image_task(settings: Settings) -> Task:
    """The task, as the options of a run say."""
    return Task(
        name="mixeval_x/text2image",
        samples_of=picture_sample,
        prompts={
            "text2image": Placeholders("prompt"),
            "text2image_second_turn": Placeholders("first_picture", "prompt"),
            "text2image_judge_1st_turn": Placeholders("prompt", "first_picture"),
            "text2image_judge_2nd_turn": Placeholders("prompt", "first_picture", "second_picture"),
            CONTINUE: CONTINUE_PLACEHOLDERS,
        },
        converse=partial(converse, settings),
        score=Judged(
            roles={
                "judge": Role(
                    model=JUDGE, parameters={"temperature": 0.0}, builtin=no_stand_in, inputs=frozenset({"image"})
                )
            },
            examine=partial(examine, settings),
            score=score,
        ),
        metrics=with_mean({FIRST: WORST, SECOND: WORST}),
        best=with_mean({FIRST: BEST, SECOND: BEST}),
        parameters={},
        artifacts=(
            Artifact(partial(written_responses, settings)),
            Artifact(
                partial(graded_results, settings, {FIRST: "1st_turn", SECOND: "2nd_turn"}, JUDGE), on_request=True
            ),
        ),
        inputs=frozenset({"image"}),
        outputs=frozenset({"image"}),
        response_files=ResponseFiles(
            suffixes=[TASK_SUFFIXES["text2image"]],
            fields=[*PICTURES, *ENDS],
            response=picture_response,
            end=picture_end,
            recognises=lambda row: "first_turn_user_prompt" in row.data,
            tasks=TASK_NAMES,
        ),
        tables=partial(graded_tables, {" in the 1st turn": FIRST, " in the 2nd turn": SECOND}),
        response_media=partial(shown_pictures, settings),
        configured=lambda config: text2image_task(settings_of(config)),
    )


TASK = text2image_task(DEFAULT)


@TASK.cases
def test_text2image(case: Case) -> None:
    """The model's picture shows what it was asked for, and so does the picture after the change."""
    case.measure()
