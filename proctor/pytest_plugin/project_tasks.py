"""The project's tasks by name, from its own test modules: no path that a run tells is ever imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from proctor.official.catalogue import BENCHMARKS
from proctor.results.manifest import FILE_NAME
from proctor.results.row import ROWS_NAME
from proctor.tasks.task import Task


class ProjectTasks:
    """Finds tasks by name in the test modules of the project's benchmarks, and imports no more of these than it must.

    The modules are those that pytest would collect in the folders that the ini option ``proctor_benchmarks`` names; if
    it names none, in those of ``testpaths`` and in ``benchmarks``.

    Args:
        session: pytest's session, which knows how test modules are imported.
        known: Tasks that need not be looked for.
        more: Further folders and modules of the project to look in.
        foreign: Folders that are data, wherever they lie: nothing in them is imported.
    """

    def __init__(
        self,
        session: pytest.Session,
        *,
        known: Mapping[str, Task] | None = None,
        more: Sequence[Path] = (),
        foreign: Iterable[Path] = (),
    ) -> None:
        self._session = session
        self._root = session.config.rootpath
        self._known = dict(known or {})
        self._folders = [*_benchmark_folders(session.config), *more]
        self._foreign = [folder.resolve() for folder in foreign]
        self._problems: list[str] = []

    def find(self, name: str) -> Task:
        """The task that is called ``benchmark/task``.

        Raises:
            LookupError: If no test module of the project defines it, or the one that would cannot be imported.
        """
        while name not in self._known and self._unseen:
            self._take_in(min(self._unseen, key=lambda file: _distance(file, name)))
        if name not in self._known:
            folders = ", ".join(self._shown(folder) for folder in self._folders)
            problem = f"no test module in {folders} of {self._root} defines a task named {name!r}"
            raise LookupError("; ".join([problem, *self._problems]))
        return self._known[name]

    def of_benchmark(self, benchmark: str) -> list[Task]:
        """The tasks of a benchmark, in the order of the modules in its folder."""
        for module in [module for module in self._unseen if benchmark in module.parts]:
            self._take_in(module)
        return [task for task in self._known.values() if task.benchmark == benchmark]

    @cached_property
    def _unseen(self) -> list[Path]:
        """The modules that are not imported yet."""
        return list(dict.fromkeys(self._modules()))

    def _take_in(self, module: Path) -> None:
        self._unseen.remove(module)
        make_room_for(module)
        collector: Any = pytest.Module.from_parent(self._session, path=module)
        try:
            values = list(vars(collector.obj).values())
        except (pytest.Collector.CollectError, pytest.skip.Exception) as problem:
            self._problems.append(f"{self._shown(module)} cannot be imported: {problem}")
            return
        for value in values:
            if isinstance(value, Task):
                self._known.setdefault(value.name, value.for_run(self._session.config))

    def _modules(self) -> Iterator[Path]:
        patterns: list[str] = self._session.config.getini("python_files")
        for path in self._folders:
            if path.is_file() and not self._is_foreign(path):
                yield path
            for folder, folders, files in os.walk(path):
                here = Path(folder)
                if self._is_foreign(here) or FILE_NAME in files or ROWS_NAME in files:  # a run's folder
                    folders.clear()
                    continue
                folders.sort()
                modules = (here / file for file in sorted(files) if any(fnmatch(file, shape) for shape in patterns))
                yield from (module for module in modules if not self._is_foreign(module))

    def _is_foreign(self, path: Path) -> bool:
        real = path.resolve()
        return any(real.is_relative_to(folder) for folder in self._foreign)

    def _shown(self, path: Path) -> str:
        return os.path.relpath(path, self._root)


def make_room_for(module: Path) -> None:
    """Let a test module be imported although a benchmark has one of the same name in another folder.

    With pytest's default way of importing, two files ``test_qa.py`` outside of packages are one module to Python, and
    pytest refuses the second. The first benchmark keeps its module; Python's table of modules forgets it.
    """
    former = sys.modules.get(module.stem)
    file = getattr(former, "__file__", None)
    if file is None or Path(file).resolve() == module.resolve() or (module.parent / "__init__.py").exists():
        return
    if any(isinstance(value, Task) for value in vars(former).values()):
        del sys.modules[module.stem]


def _benchmark_folders(config: pytest.Config) -> list[Path]:
    named: list[Path] = config.getini("proctor_benchmarks")
    usual = [config.rootpath / name for name in (*config.getini("testpaths"), BENCHMARKS)]
    return named or list(dict.fromkeys(usual))


def _distance(module: Path, name: str) -> tuple[bool, bool, Path]:
    """Sorts the modules first that a task of that name is most likely found in: ``<benchmark>/test_<task>.py``."""
    benchmark, _, task = name.partition("/")
    return benchmark not in module.parts, module.stem != f"test_{task.replace('-', '_')}", module
