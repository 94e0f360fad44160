"""What a result is about: a task and model, and a case of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class TaskModel(NamedTuple):
    """A task asked of a model: what result rows, entries of a manifest and entries of a report are told apart by.

    Args:
        benchmark: The benchmark.
        task: The task's short name.
        model: The model's name.
    """

    benchmark: str
    task: str
    model: str

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> TaskModel:
        """That of a result row, or of a task in report.json."""
        return cls(fields["benchmark"], fields["task"], fields["model"])

    @property
    def name(self) -> str:
        """The task's full name, ``benchmark/task``."""
        return f"{self.benchmark}/{self.task}"


class CaseKey(NamedTuple):
    """A case of a task and model.

    Args:
        sample_id: The sample.
        epoch: The repetition, from 1.
    """

    sample_id: str
    epoch: int

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> CaseKey:
        """That of a result row."""
        return cls(fields["sample_id"], fields["epoch"])
