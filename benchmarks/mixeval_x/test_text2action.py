"""Text2Action: plan the steps that remain of a task, with the objects listed."""

from __future__ import annotations

from benchmarks.mixeval_x.plans import action_task
from proctor import Case

TASK = action_task("text2action", with_picture=False)


@TASK.cases
def test_text2action(case: Case) -> None:
    """The model's plan is as good as the reference, in the eyes of a judge."""
    case.measure()
