"""Text2Image: make a picture from words, then change it; a judge grades both from 1 to 10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.mixeval_x.entries import picture_sample
from benchmarks.mixeval_x.media_files import made_picture
from benchmarks.mixeval_x.official_results import graded_results
from benchmarks.mixeval_x.plans import BEST, JUDGE, WORST, only_judged
from benchmarks.mixeval_x.report_tables import graded_tables
from benchmarks.mixeval_x.response_files import (
    PICTURES,
    TASK_SUFFIXES,
    picture_response,
    pictures_in,
    pictures_text,
    written_responses,
)
from benchmarks.mixeval_x.verdicts import CONTINUE, CONTINUE_PLACEHOLDERS, Verdict, asked_on, problem_of, retries, told
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

FIRST, SECOND = "judge_score_1st_turn", "judge_score_2nd_turn"
NEUTRAL = 5.0
"""What the published grader gives where there is no picture, or no grade."""


def converse(sample: Sample, ask: Ask) -> Reply:
    """Have the first picture made, then have it changed. Without the first one there is nothing to change."""
    made = ask("text2image", prompt=sample.fields["first"])
    if not made.images:
        return Reply(pictures_text(["", ""]), finish_reason=made.finish_reason, usage=made.usage)
    first = made.images[0]
    before, named, after = sample.fields["second"].partition(FIRST_PICTURE)
    if not named:
        before, after = "", before
    changed = ask("text2image_second_turn", before=before, first_picture=first, after=after)
    second = told_path(changed.images[0]) if changed.images else ""
    return Reply(pictures_text([told_path(first), second]), finish_reason=changed.finish_reason)


def told_path(picture: Media) -> str:
    """Where a picture is, from the working directory where it lies below."""
    here = Path.cwd()
    return str(picture.file.relative_to(here) if picture.file.is_relative_to(here) else picture.file)


def examine(sample: Sample, response: str, ask: Ask) -> dict[str, Verdict]:
    """Have both turns graded, at the same time. A turn whose pictures are not there is not.

    Returns:
        For each metric a `Verdict` whose value is the grade; where a picture is missing, ``failure`` says which.

    Raises:
        JudgeFailed: If rules are to read answers, of which there are none for pictures.
    """
    only_judged("text2image")
    paths = pictures_in(response)
    first, second = (made_picture(path, sample.fields["folder"]) for path in paths)
    missing = [
        f"text2image, entry {sample.id}: no picture {path!r} ({name}) beside the response file, in the media folder or "
        "in the recordings; --media-dir names another folder"
        for name, path, found in zip(PICTURES, paths, (first, second), strict=True)
        if found is None
    ]

    def grade_first(ask: Ask) -> Verdict:
        if first is None:
            return told(None, None, 0, missing[0])
        values = {"prompt": sample.fields["first"], "first_picture": first}
        return asked_on(ask, "text2image_judge_1st_turn", role="judge/1st_turn", **values)

    def grade_second(ask: Ask) -> Verdict:
        if first is None or second is None:
            return told(None, None, 0, missing[-1])
        values = {"prompt": sample.fields["second"], "first_picture": first, "second_picture": second}
        return asked_on(ask, "text2image_judge_2nd_turn", role="judge/2nd_turn", **values)

    return dict(zip((FIRST, SECOND), ask.together([grade_first, grade_second]), strict=True))


def score(sample: Sample, response: str, evidence: Any) -> Score:  # noqa: ARG001  # the judge has seen the pictures
    """The judge's grade of each turn, and their mean.

    A turn without a grade has the neutral one in the official family, as published, and the worst in the strict one.
    """
    values = {name: evidence[name]["value"] for name in (FIRST, SECOND)}
    in_range = {name: value is not None and WORST <= value <= BEST for name, value in values.items()}
    problems = [found for name in values if (found := problem_of(evidence[name], WORST, BEST))]
    return Score(
        prediction=pictures_in(response),
        official=with_mean({name: NEUTRAL if value is None else value for name, value in values.items()}),
        strict=with_mean({name: value if in_range[name] else WORST for name, value in values.items()}),
        judged=all(in_range.values()),
        problem="; ".join(dict.fromkeys(problems)),
        diagnostics={
            "fallback": float(None in values.values()),
            "judge_retries": sum(retries(evidence[name]) for name in values),
        },
    )


def with_mean(grades: Mapping[str, float]) -> dict[str, float]:
    """The grades, with their mean before them."""
    return {"overall": fmean(grades.values()), **grades}


def shown_pictures(sample: Sample, response: str) -> Sequence[Media]:
    """The pictures of a response that are there, for the report."""
    found = (made_picture(path, sample.fields["folder"]) for path in pictures_in(response))
    return [picture for picture in found if picture is not None]


def no_stand_in(_: Mapping[str, str]) -> str:
    """No built-in model makes pictures, so that none is judged."""
    raise NotImplementedError("built-in models make no pictures")


TASK = Task(
    name="mixeval_x/text2image",
    samples_of=picture_sample,
    prompts={
        "text2image": Placeholders("prompt"),
        "text2image_second_turn": Placeholders("first_picture", "after", optional=["before"]),
        "text2image_judge_1st_turn": Placeholders("prompt", "first_picture"),
        "text2image_judge_2nd_turn": Placeholders("prompt", "first_picture", "second_picture"),
        CONTINUE: CONTINUE_PLACEHOLDERS,
    },
    converse=converse,
    score=Judged(
        roles={
            "judge": Role(
                model=JUDGE, parameters={"temperature": 0.0}, builtin=no_stand_in, inputs=frozenset({"image"})
            )
        },
        examine=examine,
        score=score,
    ),
    metrics=with_mean({FIRST: WORST, SECOND: WORST}),
    best=with_mean({FIRST: BEST, SECOND: BEST}),
    parameters={},
    artifacts=(
        Artifact(written_responses),
        Artifact(lambda _, rows: graded_results([FIRST, SECOND], rows), on_request=True),
    ),
    inputs=frozenset({"image"}),
    outputs=frozenset({"image"}),
    response_files=ResponseFiles(
        suffixes=[TASK_SUFFIXES["text2image"]],
        fields=PICTURES,
        response=picture_response,
        recognises=lambda row: "first_turn_user_prompt" in row.data,
    ),
    tables=partial(graded_tables, "text2image", {" in the 1st turn": FIRST, " in the 2nd turn": SECOND}),
    response_media=shown_pictures,
)


@TASK.cases
def test_text2image(case: Case) -> None:
    """The model's picture shows what it was asked for, and so does the picture after the change."""
    case.measure()
