"""How a live run with workers ends early: xdist lets each worker run all that it was handed, which costs money here."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping
from contextlib import suppress
from typing import Any

import pytest

from proctor.pytest_plugin.internals import end_after_this, heed_command, send_command, workers_are_stopping
from proctor.pytest_plugin.interruption import Sigterm
from proctor.run.run import Run

COMMAND = "proctor_stop"
"""The name of the message; xdist takes no notice of one that it does not know."""


class StopsWorkers:
    """In the controller: tells all workers when the session is to stop, by ``-x`` or Ctrl-C or one worker's end.

    Args:
        config: pytest's configuration.
        sigterm: Knows what has interrupted the session.
    """

    def __init__(self, config: pytest.Config, sigterm: Sigterm) -> None:
        self._config = config
        self._sigterm = sigterm
        self._nodes: list[Any] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: Any) -> None:
        """Remember a worker."""
        self._nodes.append(node)

    def pytest_runtest_logfinish(self) -> None:
        """Look whether xdist's session stops. It has counted the failures of the test that is finished by now."""
        if self._nodes and workers_are_stopping(self._config):
            self._tell()

    def pytest_keyboard_interrupt(self) -> None:
        """Ctrl-C reaches the workers themselves on a terminal, but not where it is sent to this process alone."""
        self._tell(self._sigterm.grace)

    def _tell(self, grace: float | None = None) -> None:
        nodes, self._nodes = self._nodes, []
        for node in nodes:
            with suppress(OSError):  # it has ended
                send_command(node, COMMAND, grace=grace)


class StopsWhenTold:
    """In a worker: sends no further request and runs no further test once the controller says so.

    Args:
        run: The run, which stops asking then.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._told = threading.Event()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Before xdist listens to the controller, listen too."""
        heed_command(session.config, COMMAND, self._stop)
        return (yield)

    def _stop(self, message: Mapping[str, Any]) -> None:
        self._told.set()
        self._run.live.stop()
        if (grace := message["grace"]) is not None:
            self._run.live.give_up_after(grace)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Run no further test; those that are left out have no report, as after ``-x`` in one process."""
        if not self._told.is_set():
            return None
        end_after_this(item.session, "the controller stops")
        return True
