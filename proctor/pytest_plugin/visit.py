"""Work with the project of the current folder, as pytest sees it."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TypeVar

import pytest

from proctor._base.errors import UsageError
from proctor.postprocess.project import Project, _anchors

T = TypeVar("T")


class _Visit:
    """The pytest plugin that does the work in the place of collecting tests."""

    def __init__(self, work: Callable[[Project], T], runs: Sequence[Path]) -> None:
        self._work: Callable[[Project], object] = work
        self._runs = runs
        self.result: object = None
        self.problem: BaseException | None = None
        self.ended = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        try:
            self.result = self._work(Project(session, self._runs))
        except BaseException as problem:  # pytest would show it as an error of its own
            self.problem = problem
        self.ended = True
        return True


# What the project's own settings may hold and would start processes or write files.
QUIET: Mapping[str, Sequence[str]] = {
    "no tests are run": ("--collect-only",),
    "no workers are started": ("-n", "0"),
    "no report of an earlier run is overwritten": ("--junitxml=",),
}


def visit(work: Callable[[Project], T], runs: Sequence[Path] = (), options: Sequence[str] = ()) -> T:
    """Do *work* with the project of the current folder: its settings, plugins and import paths are pytest's.

    Args:
        work: What to do. What it prints is lost.
        runs: The folders of the runs that are looked at; nothing in them is executed.
        options: Options of pytest.

    Returns:
        What *work* returns; what it raises is raised.

    Raises:
        UsageError: If there is no project, or pytest cannot start in it.
    """
    anchors = _anchors(Path.cwd())
    visitor = _Visit(work, runs)
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        words = [word for words in QUIET.values() for word in words]
        pytest.main([*words, *options, *map(str, anchors)], plugins=[visitor])
    if visitor.problem is not None:
        raise visitor.problem
    if not visitor.ended:
        raise UsageError(f"pytest does not start in {Path.cwd()}:\n{said.getvalue().strip()}")
    result: T = visitor.result  # type: ignore[assignment]  # it is what work has returned
    return result
