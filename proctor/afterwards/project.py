"""The project's own code and data, for commands that look at a run after it has ended."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TypeVar

import pytest

from proctor.errors import DataError, UsageError
from proctor.report.artifacts import load_task
from proctor.report.rebuilt_prompts import RebuiltPrompts
from proctor.run import RUN
from proctor.samples import Sample, read_samples
from proctor.selection import SelectedTask
from proctor.task import Task

T = TypeVar("T")


class Unavailable(Exception):
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
        self._samples: dict[Path, Sequence[Sample]] = {}

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

    def data_file(self, selected: SelectedTask) -> Path:
        """The data file that a task was run on.

        Raises:
            Unavailable: If it is not there, or has changed since.
        """
        file = self.root / selected.data_file
        if not file.is_file():
            raise Unavailable(f"there is no {selected.data_file} in {self.root}")
        if hashlib.sha256(file.read_bytes()).hexdigest() != selected.data_sha256:
            raise Unavailable(f"{selected.data_file} has changed since the run")
        return file

    def samples(self, selected: SelectedTask, task: Task) -> Sequence[Sample]:
        """The samples of the data file that a task was run on, all of them, in its order.

        Raises:
            Unavailable: If it is not there, has changed since, or is not what the task reads today.
        """
        file = self.data_file(selected)
        if file not in self._samples:
            try:
                self._samples[file] = read_samples(file, task.samples_of)
            except DataError as problem:
                raise Unavailable(str(problem)) from None
        return self._samples[file]

    def prompts(self) -> Callable[[SelectedTask, str], str | None]:
        """Gives the prompts of saved runs, as far as the project can tell: ``(task, sample id) -> prompt``."""
        rebuilt = RebuiltPrompts(self.session, self.run)
        known: dict[str, bool] = {}

        def prompt(selected: SelectedTask, sample_id: str) -> str | None:
            name = f"{selected.benchmark}/{selected.task}"
            if name not in known:
                try:
                    self.task(selected)
                    known[name] = True
                except Unavailable:
                    known[name] = False
            return rebuilt(selected, sample_id) if known[name] else None

        return prompt


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
