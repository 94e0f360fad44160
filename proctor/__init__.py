"""Proctor: LLM benchmarks as pytest tests."""

from proctor.calls import Reply
from proctor.case import Case
from proctor.judging import Judged, JudgeFailed, Role
from proctor.prompts import Placeholders
from proctor.samples import Row, Sample
from proctor.task import Artifact, Ask, Score, Task

__all__ = [
    "Artifact",
    "Ask",
    "Case",
    "JudgeFailed",
    "Judged",
    "Placeholders",
    "Reply",
    "Role",
    "Row",
    "Sample",
    "Score",
    "Task",
]
