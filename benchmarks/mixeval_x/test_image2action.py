"""Image2Action: plan the steps that remain of a task, with the objects in a picture, which the judge sees too."""

from __future__ import annotations

from benchmarks.mixeval_x.plans import action_task
from proctor import Case

TASK = action_task("image2action", with_picture=True)


@TASK.cases
def test_image2action(case: Case) -> None:
    """The model's plan is as good as the reference, in the eyes of a judge."""
    case.measure()
