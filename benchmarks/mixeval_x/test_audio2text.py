"""Audio2Text: free-form questions about a sound, and the same with hard questions."""

from __future__ import annotations

from benchmarks.mixeval_x.entries import FREE_FORM
from benchmarks.mixeval_x.questions import question_task
from proctor import Case

TASK = question_task("audio2text", "audio", FREE_FORM)
HARD = question_task("audio2text_hard", "audio", FREE_FORM)


@TASK.cases
def test_audio2text(case: Case) -> None:
    """The model's answer about the sound means a gold answer."""
    case.measure()


@HARD.cases
def test_audio2text_hard(case: Case) -> None:
    """The same, for questions that few models answer."""
    case.measure()
