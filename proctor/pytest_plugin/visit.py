"""Work with the project of the current folder, as pytest sees it."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TypeVar

import pytest

from proctor._base.errors import UsageError
from proctor.official.catalogue import BENCHMARKS
from proctor.postprocess.project import Project, brought_along
from proctor.pytest_plugin.measured import RUN
from proctor.pytest_plugin.project_tasks import ProjectTasks
from proctor.results.manifest import FILE_NAME
from proctor.results.row import ROWS_NAME

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
            self.result = self._work(self._project(session))
        except BaseException as problem:  # pytest would show it as an error of its own
            self.problem = problem
        self.ended = True
        return True

    def _project(self, session: pytest.Session) -> Project:
        run = session.config.stash[RUN]
        foreign = [run.options.reports_dir, *brought_along(self._runs, run.root)]
        return Project(run, ProjectTasks(session, foreign=foreign), self._runs)


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


def look_ahead(arguments: Sequence[str], plugin: object) -> int:
    """Let pytest collect the cases that *arguments* select, and run none of them.

    Args:
        arguments: Arguments of pytest.
        plugin: A pytest plugin that looks at what is collected.

    Returns:
        0, also where nothing is collected; or pytest's exit code, which has said what is wrong.
    """
    # --estimate keeps pytest from running the cases and from missing recordings.
    code = pytest.main([*arguments, "--estimate", "-n", "0"], plugins=[plugin])
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else int(code)


SETTINGS = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""The files by which pytest knows a project's folder; conftest.py and setup.py tell one, too."""


def _anchors(here: Path) -> list[Path]:
    """The files to start pytest with, so that it imports the project's own conftest.py files and no others.

    Without any it would also import those in folders whose names begin with ``test``, which a run's may.

    Args:
        here: The folder that the command is given in.

    Raises:
        UsageError: If it belongs to no project, or to a run.
    """
    for folder in (here, *here.parents):
        if (folder / FILE_NAME).exists() or (folder / ROWS_NAME).exists():
            raise UsageError(f"{folder} is the folder of a run, not of a project")
        found = [folder / name for name in (*SETTINGS, "conftest.py", "setup.py") if (folder / name).is_file()]
        if found:
            of_benchmarks = folder / BENCHMARKS / "conftest.py"
            return [found[0], *([of_benchmarks] if of_benchmarks.is_file() else [])]
    raise UsageError(
        f"{here} belongs to no project: there is neither pytest.ini nor pyproject.toml nor conftest.py",
        remedy="Give the command in the project's folder; an empty pytest.ini is enough to make it one.",
    )
