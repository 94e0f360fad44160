"""``--estimate``: prints what a run would cost instead of running it."""

from __future__ import annotations

import pytest

from proctor.estimates.estimate import CostEstimate, estimate_cases
from proctor.pytest_plugin.items import case_of
from proctor.pytest_plugin.usage_errors import ending_pytest
from proctor.run.case import grouped
from proctor.run.option_checks import check_datasets
from proctor.run.run import Run


class Estimator:
    """In place of a run: prints what it would take.

    Args:
        run: The run that is not going to be.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._estimates: list[CostEstimate] = []
        self._plan: list[str] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Make the estimate; mistakes are said as a run would say them."""
        cases = [case for item in session.items if (case := case_of(item)) is not None]
        with ending_pytest():
            collected = self._run.collected
            check_datasets(self._run.options, collected.tasks, collected.not_pulled)
            groups = [(*group, estimate_cases(self._run, *group)) for group in grouped(cases)]
            self._estimates = [estimate for *_, estimates in groups for estimate in estimates]
            if self._run.gate is not None and self._run.gate.baseline is not None:
                from proctor.estimates.planning import planned, planning_lines

                parts = planned(self._run, self._run.gate, groups)
                self._plan = list(planning_lines(parts, self._run.gate.baseline.id))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run nothing; errors of collection are left to pytest."""
        return None if session.testsfailed else True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the table, and where its numbers come from."""
        if self._estimates:
            from proctor.estimates.table import estimate_lines

            terminalreporter.write_sep("=", "estimate")
            for line in estimate_lines(self._estimates, self._run.options.record_mode):
                terminalreporter.write_line(line)
            for line in self._plan:
                terminalreporter.write_line(line)
