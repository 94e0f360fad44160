"""One test case: a sample, asked of one model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from proctor.models.registry import Model
from proctor.tasks.sample import Sample, case_name
from proctor.tasks.task import Task


class Measures(Protocol):
    """What measures cases: a run."""

    def measure(self, case: Case, /) -> object:
        """Get the case's answer, score it, and keep the row."""


@dataclass(frozen=True, eq=False, repr=False)
class Case:
    """One sample, asked of one model: the argument ``case`` of a test function.

    Args:
        run: What measures it.
        task: The task.
        model: The model.
        sample: The sample.
        epoch: The repetition, from 1.
    """

    run: Measures
    task: Task
    model: Model
    sample: Sample
    epoch: int

    @property
    def id(self) -> str:
        """What stands in the brackets of the node id."""
        return case_name(f"{self.model.name}-{self.sample.id}", self.epoch)

    def __repr__(self) -> str:
        """In short, as plugins show the parameters of a test."""
        return f"<case {self.task.name} {self.id}>"

    @property
    def keywords(self) -> set[str]:
        """What ``-k`` selects by, beside the node id: each tag's value, with its name, and alone if it is a word.

        Blanks become hyphens, since ``-k`` takes a blank for the end of a word.
        """
        tags = {name: "-".join(value.split()) for name, value in self.sample.tags.items()}
        words = {f"{name}-{value}" for name, value in tags.items()}
        return words | {value for value in tags.values() if len(value) > 1 and value[0].isalpha()}

    def measure(self) -> None:
        """Ask the model, score the answer, and record the result row.

        A wrong answer is a measurement: nothing is raised for it, unless ``--fail-on`` says so.
        """
        self.run.measure(self)


def grouped(cases: Iterable[Case]) -> list[tuple[Task, Model, list[Case]]]:
    """The cases by task and model, in the order of their first case."""
    groups: dict[tuple[str, str], tuple[Task, Model, list[Case]]] = {}
    for case in cases:
        groups.setdefault((case.task.name, case.model.name), (case.task, case.model, []))[2].append(case)
    return list(groups.values())
