"""Failures that are alike, shown once: one missing recording is seldom alone."""

from __future__ import annotations

import copy
import re
from collections.abc import Generator, Iterable, Sequence

import pytest

from proctor._base.errors import printable
from proctor.tasks.marker import MARKER

EXAMPLES = 3
RECORDINGS = re.compile(r" in \S+\.jsonl(?=:)")
"""Where a recording was looked for: another file for each task, while what has changed and the remedy are the same."""


class GroupedFailures:
    """Shows failures of cases with one and the same message as one, with examples; ``-vv`` shows each."""

    def __init__(self) -> None:
        self.examples: list[pytest.TestReport] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None, None, None]:
        """Put a group in the place of its reports while pytest shows them; it counts them all the same."""
        stats = terminalreporter.stats
        failed = stats.get("failed", [])
        groups = _groups(failed)
        if len(groups) == len(failed) or terminalreporter.config.option.verbose > 1:
            return (yield)
        stats["failed"] = [_together(group) for group in groups]
        self.examples = [one for group in groups for one in _examples(group)]
        try:
            return (yield)
        finally:
            self.examples = []
            stats["failed"] = failed


class _Examples:
    """Has pytest's short summary, which comes last, name some cases of each group."""

    def __init__(self, grouped: GroupedFailures) -> None:
        self._grouped = grouped

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Come between the failures and the short summary."""
        if self._grouped.examples:
            terminalreporter.stats["failed"] = self._grouped.examples


def register_grouping(config: pytest.Config) -> None:
    """Show failures that are alike once."""
    grouped = GroupedFailures()
    config.pluginmanager.register(grouped, "proctor-grouped-failures")
    config.pluginmanager.register(_Examples(grouped), "proctor-examples-of-failures")


def _groups(failed: Iterable[pytest.TestReport]) -> list[list[pytest.TestReport]]:
    """The reports by their message; that of another test, or with output, is alone."""
    found: dict[object, list[pytest.TestReport]] = {}
    for report in failed:
        alike = MARKER in report.keywords and not report.sections
        found.setdefault(RECORDINGS.sub("", report.longreprtext) if alike else id(report), []).append(report)
    return list(found.values())


def _together(group: Sequence[pytest.TestReport]) -> pytest.TestReport:
    if len(group) == 1:
        return group[0]
    shown = copy.copy(group[0])
    text = shown.longreprtext
    if any(report.longreprtext != text for report in group):
        text = RECORDINGS.sub("", text)
    first, *more = text.split("\n")
    names = [f"  {printable(report.location[2])}" for report in group[:EXAMPLES]]
    if len(group) > EXAMPLES:
        names.append(f"  … and {len(group) - EXAMPLES} more")
    shown.longrepr = "\n".join([f"{len(group)} × {first}", *more, *names])
    file, line, _ = shown.location
    shown.location = (file, line, f"{len(group)} cases alike")
    return shown


def _examples(group: Sequence[pytest.TestReport]) -> list[pytest.TestReport]:
    if len(group) <= EXAMPLES + 1:
        return list(group)
    rest = copy.copy(group[0])
    rest.nodeid = f"… and {len(group) - EXAMPLES} more like these"
    return [*group[:EXAMPLES], rest]
