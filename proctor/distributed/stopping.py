"""How a live run with workers ends early: xdist lets each worker run all that it was handed, which costs money here."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import suppress
from typing import Any

import pytest

COMMAND = "proctor_stop"
"""The name of the message; xdist takes no notice of one that it does not know."""


class StopsWorkers:
    """In the controller: tells all workers when the session is to stop, by ``-x`` or Ctrl-C or one worker's end.

    Args:
        config: pytest's configuration.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._nodes: list[Any] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: Any) -> None:
        """Remember a worker."""
        self._nodes.append(node)

    def pytest_runtest_logfinish(self) -> None:
        """Look whether xdist's session stops. It has counted the failures of the test that is finished by now."""
        distributed: Any = self._config.pluginmanager.get_plugin("dsession") if self._nodes else None
        if distributed is not None and distributed.shouldstop:
            self._tell()

    def pytest_keyboard_interrupt(self) -> None:
        """Ctrl-C reaches the workers themselves on a terminal, but not where it is sent to this process alone."""
        self._tell()

    def _tell(self) -> None:
        nodes, self._nodes = self._nodes, []
        for node in nodes:
            with suppress(OSError):  # it has ended
                node.sendcommand(COMMAND)


class StopsWhenTold:
    """In a worker: sends no further request and runs no further test once the controller says so.

    Args:
        stop: What ends asking; it is set then.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._told = threading.Event()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Before xdist listens to the controller, listen too."""
        plugins = session.config.pluginmanager.get_plugins()
        interactor: Any = next(plugin for plugin in plugins if hasattr(plugin, "torun"))
        handle = interactor.handle_command

        def heed(command: Any) -> None:
            if isinstance(command, tuple) and command[0] == COMMAND:
                self._told.set()
                self._stop.set()
            else:
                handle(command)

        interactor.handle_command = heed
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Run no further test; those that are left out have no report, as after ``-x`` in one process."""
        if not self._told.is_set():
            return None
        item.session.shouldstop = "the controller stops"
        return True
