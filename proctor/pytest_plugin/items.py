"""Which case a test item runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from proctor.pytest_plugin.internals import is_marked_to_skip, parameter
from proctor.run.case import Case


def case_of(item: pytest.Item) -> Case | None:
    """The case that a test item runs, or ``None`` if it is another kind of test."""
    value = parameter(item, "case")
    return value if isinstance(value, Case) else None


def case_to_ask(item: pytest.Item) -> Case | None:
    """The case that a test item is going to measure; ``None`` for other tests, and for cases marked to be skipped."""
    case = case_of(item)
    return None if case is None or is_marked_to_skip(item) else case


def cases_to_ask(items: Iterable[pytest.Item]) -> Iterator[Case]:
    """The cases that these test items are going to measure."""
    return (case for item in items if (case := case_to_ask(item)) is not None)
