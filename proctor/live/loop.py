"""The test loop of a live run in one process: all cases are asked ahead, and run as their answers land."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import islice

import pytest

from proctor.case import Case, case_to_ask, cases_to_ask
from proctor.run import Run

MOMENT = 0.004
"""Seconds in which a thread that can send a request does so."""
NEEDED_IN_THE_END = ("numpy", "scipy.special", "proctor.report.html.page", "proctor.ending")
"""What the report imports, scipy for the quantiles of intervals: in steps, since answers may land meanwhile."""


class LiveLoop:
    """Replaces pytest's own loop, which takes the items in the order of collection.

    Args:
        run: The run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the items; the conditions for ending early are those of pytest's own loop."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        self._run.start_ahead(cases_to_ask(session.items))
        if len(session.items) > 1:
            threading.Thread(target=self._prepare, name="proctor-preparing", daemon=True).start()
        may_end_early = bool(session.config.option.maxfail)  # then each result counts before the next request
        for item, next_item in in_order_of_answers(session.items, self._run.next_answered):
            if not may_end_early:
                self._let_requests_go_first()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
        return True

    def _prepare(self) -> None:
        """Import what the report needs in the end. Between the first requests and their answers that costs no time."""
        for module in NEEDED_IN_THE_END:
            self._let_requests_go_first(from_the_start=True)
            importlib.import_module(module)

    def _let_requests_go_first(self, *, from_the_start: bool = False) -> None:
        """Wait while further requests are being sent in the place of those that were answered.

        One thread runs at a time: a test that reports at once keeps a request from being sent, whose answer then comes
        later by as much. Where none is sent for a moment, whatever they wait for, the test goes on; so it does where
        answers come faster than tests report them.

        Args:
            from_the_start: Wait for the first request, too.
        """
        sent, run = -1, self._run
        while run.may_send_more and not run.is_behind:
            before, sent = sent, run.traffic.counts.sent
            if sent == before and not (from_the_start and sent == 0):
                return
            time.sleep(MOMENT)


def in_order_of_answers(
    items: Sequence[pytest.Item], next_answered: Callable[[Container[Case]], Case]
) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """The items as pairs (item, next item): those of one parent, such as a module, as their answers land.

    Args:
        items: The selected items, in the order of collection.
        next_answered: Waits until one of these cases is answered, and returns it.

    Yields:
        What pytest's run protocol takes. The next item only tells pytest which fixtures to keep, so any item that
        is still to come from the same parent serves.
    """
    groups = _by_parent(items)
    for number, group in enumerate(groups):
        following = groups[number + 1][0] if number + 1 < len(groups) else None
        waiting = {case: item for item in group if (case := case_to_ask(item)) is not None}
        others = [item for item in group if case_to_ask(item) is None]
        while others or waiting:
            item = others.pop(0) if others else waiting.pop(next_answered(waiting.keys()))
            yield item, next(iter((*others[:1], *islice(waiting.values(), 1))), following)


def _by_parent(items: Sequence[pytest.Item]) -> list[list[pytest.Item]]:
    groups: list[list[pytest.Item]] = []
    for item in items:
        if groups and groups[-1][0].parent is item.parent:
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups
