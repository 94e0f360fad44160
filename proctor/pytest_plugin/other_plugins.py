"""What plugins that report elsewhere are told of a case, beside the properties of its reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from html import escape
from typing import Any

import pytest

VERDICT = "verdict"
HTML, ALLURE, SUGAR = "html", "allure_pytest", "sugar"  # as these plugins register themselves


class VerdictColumn:
    """A column of pytest-html's table."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[str]) -> None:
        """Add its head, behind the outcome."""
        cells.insert(1, '<th class="sortable" data-column-type="verdict">Verdict</th>')

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_row(self, report: pytest.TestReport, cells: list[str]) -> None:
        """Add a test's cell; empty if it is no case that was measured."""
        told = dict(report.user_properties)
        cells.insert(1, f"<td>{escape(str(told.get(VERDICT, '')))}</td>")


class VerdictCounts:
    """A line that counts verdicts, where another plugin writes the last line, and knows passed and failed alone."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a case that was measured."""
        found = getattr(report, "proctor_verdict", None)
        if found is not None:
            self._counts[found.replace("_", " ")] += 1

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the counts; pytest's own terminal reporter does it itself."""
        if self._counts and type(terminalreporter) is not pytest.TerminalReporter:
            terminalreporter.write_line(", ".join(f"{count} {found}" for found, count in sorted(self._counts.items())))


def tell_allure(properties: Iterable[tuple[str, Any]]) -> None:
    """Show properties of the running test among its parameters, by which Allure does not tell tests apart."""
    import allure  # only where its plugin is active

    for name, value in properties:
        allure.dynamic.parameter(name, value, excluded=True)
