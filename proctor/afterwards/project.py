"""The project's own code and data, for commands that look at a run after it has ended."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from proctor.data_sets import DataChanged
from proctor.errors import DataError, UsageError
from proctor.report.artifacts import ARTIFACT_FIELDS, load_task
from proctor.report.rebuilt_prompts import RebuiltPrompts
from proctor.report.tables import add_tables
from proctor.run import RUN
from proctor.samples import Row, Sample, read_rows
from proctor.selection import SelectedTask
from proctor.task import Task

if TYPE_CHECKING:
    from proctor.afterwards.saved_run import SavedRun

T = TypeVar("T")


class Unavailable(LookupError):
    """What a run was made with is not there any more, or not as it was."""


class Project:
    """The project in whose folder a command is given, as pytest sees it.

    Args:
        session: A pytest session with the plugin, which knows how test modules are imported.
    """

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.run = session.config.stash[RUN]
        self.root = session.config.rootpath

    def task(self, selected: SelectedTask) -> Task:
        """The task as the project defines it today.

        Raises:
            Unavailable: If it does not.
        """
        module = (self.root / selected.module).resolve()
        # A run's folder may come from anywhere, and this is going to be executed.
        reports = self.run.options.reports_dir.resolve()
        if not module.is_relative_to(self.root.resolve()) or module.is_relative_to(reports):
            raise Unavailable(f"{selected.module} is not a module of this project, {self.root}")
        if not module.is_file():
            raise Unavailable(f"there is no {selected.module} in {self.root}")
        try:
            return load_task(self.session, module, f"{selected.benchmark}/{selected.task}")
        except LookupError as problem:
            raise Unavailable(str(problem)) from None
        except pytest.Collector.CollectError as problem:
            raise Unavailable(f"{selected.module} cannot be imported: {problem}") from None

    def samples(self, selected: SelectedTask, task: Task) -> Sequence[Sample]:
        """The samples of what a task was run on, all of them, in the order of its files.

        Raises:
            Unavailable: If that is not there, has changed since, or is not what the task reads today.
        """
        try:
            return self.run.data.samples_of_run(selected, task)
        except (DataChanged, DataError) as problem:
            raise Unavailable(str(problem)) from None

    def rows(self, selected: SelectedTask, task: Task) -> Iterator[Row]:
        """The rows of data that a task was run on, in the order of their files, without responses in them.

        Raises:
            Unavailable: As `samples`.
        """
        self.samples(selected, task)
        for file in selected.entry_files or (selected.data_file,):
            for row in read_rows(self.root / file):
                yield row.without(*task.response_fields)

    def prompts(self) -> RebuiltPrompts:
        """Gives the prompts of saved runs, as far as the project can tell."""
        return RebuiltPrompts(self.session, self.run, self._defines)

    def add_tables(self, report: dict[str, Any], run: SavedRun) -> list[str]:
        """Add to a saved run's report what its tasks say in tables of their own; see `proctor.report.tables`."""
        rows = partial(run.rows, only=ARTIFACT_FIELDS)
        return add_tables(report, run.selection, self.task, self.samples, rows)

    def _defines(self, selected: SelectedTask) -> bool:
        try:
            self.task(selected)
        except Unavailable:
            return False
        return True


class _Visit:
    """The pytest plugin that does the work in the place of collecting tests."""

    def __init__(self, work: Callable[[Project], T]) -> None:
        self._work: Callable[[Project], object] = work
        self.result: object = None
        self.problem: BaseException | None = None
        self.ended = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        try:
            self.result = self._work(Project(session))
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


def visit(work: Callable[[Project], T]) -> T:
    """Do *work* with the project of the current folder: its settings, plugins and import paths are pytest's.

    Args:
        work: What to do. What it prints is lost.

    Returns:
        What *work* returns; what it raises is raised.

    Raises:
        UsageError: If pytest cannot start here.
    """
    visitor = _Visit(work)
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        pytest.main([word for words in QUIET.values() for word in words], plugins=[visitor])
    if visitor.problem is not None:
        raise visitor.problem
    if not visitor.ended:
        raise UsageError(f"pytest does not start in {Path.cwd()}:\n{said.getvalue().strip()}")
    result: T = visitor.result  # type: ignore[assignment]  # it is what work has returned
    return result
