"""Proctor: LLM benchmarks as pytest tests."""

from proctor.calls import Reply
from proctor.case import Case
from proctor.judging import Judged, JudgeFailed, Role
from proctor.media.medium import Media
from proctor.prompts import Placeholders, Question
from proctor.samples import Row, Sample
from proctor.task import Artifact, Ask, ResponseFiles, Score, Table, Task

__all__ = [
    "Artifact",
    "Ask",
    "Case",
    "JudgeFailed",
    "Judged",
    "Media",
    "Placeholders",
    "Question",
    "Reply",
    "ResponseFiles",
    "Role",
    "Row",
    "Sample",
    "Score",
    "Table",
    "Task",
]
