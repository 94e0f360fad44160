"""Finds what the collected cases wait for, in the place of running them."""

from __future__ import annotations

import pytest

from proctor.batch.pending import PendingCalls, pending_calls
from proctor.pytest_plugin.items import cases_to_ask
from proctor.pytest_plugin.measured import RUN
from proctor.pytest_plugin.usage_errors import ending_pytest


class PendingCallCollector:
    """A pytest plugin that finds what the collected cases wait for, and runs nothing."""

    def __init__(self) -> None:
        self.waiting: PendingCalls | None = None
        self.config: pytest.Config | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Look ahead."""
        self.config = session.config
        if session.config.getoption("collectonly"):
            raise pytest.UsageError("--collect-only runs nothing, but batch submit would\n  Give it to pytest instead.")
        with ending_pytest():
            self.waiting = pending_calls(session.config.stash[RUN], list(cases_to_ask(session.items)))
