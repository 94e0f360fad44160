"""Video2Text: questions about a clip, free-form and multiple choice, and the same with hard questions."""

from __future__ import annotations

from benchmarks.mixeval_x.entries import FREE_FORM, MULTIPLE_CHOICE
from benchmarks.mixeval_x.questions import question_task
from proctor import Case

TASK = question_task("video2text", "video", FREE_FORM, MULTIPLE_CHOICE)
HARD = question_task("video2text_hard", "video", FREE_FORM, MULTIPLE_CHOICE)


@TASK.cases
def test_video2text(case: Case) -> None:
    """The model's answer about the clip means a gold answer, or picks the right option."""
    case.measure()


@HARD.cases
def test_video2text_hard(case: Case) -> None:
    """The same, for questions that few models answer."""
    case.measure()
