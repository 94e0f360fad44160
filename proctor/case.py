"""One test case: a sample, asked of one model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from _pytest.skipping import evaluate_skip_marks

from proctor.models.registry import Model
from proctor.samples import Sample
from proctor.selection import case_name
from proctor.task import Task

if TYPE_CHECKING:
    from proctor.run import Run


@dataclass(frozen=True, eq=False)
class Case:
    """One sample, asked of one model: the argument ``case`` of a test function.

    Args:
        run: The run it belongs to.
        task: The task.
        model: The model.
        sample: The sample.
        epoch: The repetition, from 1.
    """

    run: Run
    task: Task
    model: Model
    sample: Sample
    epoch: int

    @property
    def id(self) -> str:
        """What stands in the brackets of the node id."""
        return case_name(f"{self.model.name}-{self.sample.id}", self.epoch)

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


def case_of(item: pytest.Item) -> Case | None:
    """The case that a test item runs, or ``None`` if it is another kind of test."""
    callspec = getattr(item, "callspec", None)
    value = callspec.params.get("case") if callspec is not None else None
    return value if isinstance(value, Case) else None


def case_to_ask(item: pytest.Item) -> Case | None:
    """The case that a test item is going to measure; ``None`` for other tests, and for cases marked to be skipped."""
    case = case_of(item)
    if case is None or next(item.iter_markers("skip"), None) is not None:
        return None
    if next(item.iter_markers("skipif"), None) is not None and evaluate_skip_marks(item) is not None:
        return None
    return case


def cases_to_ask(items: Iterable[pytest.Item]) -> Iterator[Case]:
    """The cases that these test items are going to measure."""
    return (case for item in items if (case := case_to_ask(item)) is not None)


def grouped(cases: Iterable[Case]) -> list[tuple[Task, Model, list[Case]]]:
    """The cases by task and model, in the order of their first case."""
    groups: dict[tuple[str, str], tuple[Task, Model, list[Case]]] = {}
    for case in cases:
        groups.setdefault((case.task.name, case.model.name), (case.task, case.model, []))[2].append(case)
    return list(groups.values())
