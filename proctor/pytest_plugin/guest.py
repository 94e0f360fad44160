"""What pytest loads at every start, in any project: options, and a look-out for the first benchmark.

Most projects of an environment in which Proctor is installed have no benchmark. There nothing else of Proctor is
imported: `proctor.pytest_plugin.plugin` starts when there is something for it to do.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from proctor.pytest_plugin.option_names import PREFIX, claim_short_names, read_again, release_short_names
from proctor.pytest_plugin.options import add_options
from proctor.pytest_plugin.workers import CAPPED, cap_workers, may_ask
from proctor.tasks.marker import MARKER

if TYPE_CHECKING:
    from proctor.run.case import Case

TASKS = "proctor.tasks.task"
"""The module that is imported once there is a task, or a conftest.py that uses Proctor."""
DEFAULTS = pytest.StashKey[Mapping[str, object]]()
"""Under this key a configuration's stash has the values that Proctor's options have by default."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the options: short names only if it is clear by now who else has options of these names."""
    add_options(parser)
    if any(name.endswith("conftest.py") for name, _ in pluginmanager.list_name_plugin()):
        claim_short_names(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, object, object]:
    """Let conftest.py files declare options before Proctor's have their short names."""
    early_config.stash[DEFAULTS] = _values(parser.parse_known_args([], copy.copy(early_config.option)))
    claim_short_names(parser)
    read_again(early_config, parser, args)
    release_short_names(parser)
    try:
        return (yield)
    finally:
        claim_short_names(parser)


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    """Before xdist starts workers, cap their number where the project says so."""
    cap_workers(config)
    return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Start at once if it is clear that there is something to do, or else at the first benchmark."""
    config.addinivalue_line("markers", f"{MARKER}(task): the cases of an LLM benchmark; set by Task.cases")
    if _is_needed(config):
        _start(config)
    else:
        config.pluginmanager.register(LookOut(config), "proctor-look-out")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say that there are fewer workers than asked for, and why."""
    return config.stash.get(CAPPED, None)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Let benchmarks have test files of equal names."""
    if isinstance(collector, pytest.Module) and TASKS in sys.modules:
        from proctor.pytest_plugin.project_tasks import make_room_for

        make_room_for(collector.path)
    return (yield)


@pytest.fixture
def case() -> Case:
    """One sample asked of one model; `proctor.Task.cases` supplies it."""
    raise pytest.UsageError("the fixture 'case' is for test functions decorated with @TASK.cases")


class LookOut:
    """Starts Proctor when the first case of a benchmark is about to be made.

    Args:
        config: pytest's configuration.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._problem: pytest.UsageError | None = None
        self._has_started = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Start, and let the plugin that has come too late for this call make the cases of this test."""
        if self._has_started or metafunc.definition.get_closest_marker(MARKER) is None:
            return
        try:
            if self._problem is None:
                _start(self._config)
        except pytest.UsageError as problem:
            self._problem = problem  # pytest would take it for an error of this module
        if self._problem is not None:
            metafunc.parametrize("case", [])
            return
        self._has_started = True
        late: Any = self._config.pluginmanager.get_plugin("proctor-session")
        late.pytest_generate_tests(metafunc)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """End pytest if the options cannot be used."""
        collected = yield
        if self._problem is not None:
            raise self._problem
        return collected


def _start(config: pytest.Config) -> None:
    from proctor.pytest_plugin.plugin import start

    start(config)


def _is_needed(config: pytest.Config) -> bool:
    """Whether a project uses Proctor, as far as can be said without collecting its tests.

    A controller of xdist collects nothing, and its workers need to be told about the run; what asks live shows progress
    from the start; options are checked before anything is collected.
    """
    return (
        TASKS in sys.modules
        or bool(config.getini("proctor_benchmarks"))
        or config.stash.get(DEFAULTS, None) != _values(config.option)
        or bool(getattr(config.option, "tx", None))
        or may_ask(config)
    )


def _values(options: argparse.Namespace) -> dict[str, object]:
    return {name: value for name, value in vars(options).items() if name.startswith(f"{PREFIX}_")}
