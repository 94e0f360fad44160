"""The test loop of a live run in one process: all cases are asked ahead, and run as their answers land."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice, zip_longest

import pytest

from proctor.pytest_plugin.internals import raise_if_ending
from proctor.pytest_plugin.items import case_to_ask, cases_to_ask
from proctor.results.row import NOT_NEEDED
from proctor.run.case import Case
from proctor.run.run import Run

AHEAD = 2
"""Rounds of requests that a run asks which may stop before it needs them."""
MOMENT = 0.004
"""Seconds in which a thread that can send a request does so."""
NEEDED = ("genai_prices", "genai_prices.data")
"""What recording an answer of a model imports whose price the library knows."""
NEEDED_IN_THE_END = ("proctor.report.html.page", "proctor.report.finalize")
"""What the report imports."""


class LiveLoop:
    """Replaces pytest's own loop, which takes the items in the order of collection.

    Args:
        run: The run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._has_ended = threading.Event()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the items; the conditions for ending early are those of pytest's own loop."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        may_end_early = bool(session.config.option.maxfail)  # then each result counts before the next request
        if may_end_early:
            self._run.live.keep_in_step()
        self._run.start_ahead(cases_to_ask(session.items))
        with self._preparing() if len(session.items) > 1 else nullcontext():
            for item, next_item in in_order_of_answers(session.items, self._run.live.next_answered):
                if not may_end_early:
                    self._let_requests_go_first()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
                raise_if_ending(session)
        return True

    @contextmanager
    def _preparing(self) -> Iterator[None]:
        thread = threading.Thread(target=self._prepare, name="proctor-preparing", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._has_ended.set()
            thread.join()  # what it is importing now, the report imports next

    def _prepare(self) -> None:
        """Import what the report needs in the end. Between the first requests and their answers that costs no time."""
        priced = NEEDED if any(model.prices for model in self._run.models) else ()
        for module in (*priced, *NEEDED_IN_THE_END):
            self._let_requests_go_first(from_the_start=True)
            if self._has_ended.is_set():
                return
            importlib.import_module(module)

    def _let_requests_go_first(self, *, from_the_start: bool = False) -> None:
        """Wait while further requests are being sent in the place of those that were answered.

        One thread runs at a time: a test that reports at once keeps a request from being sent, whose answer then comes
        later by as much. Where none is sent for a moment, whatever they wait for, the test goes on; so it does where
        answers come faster than tests report them.

        Args:
            from_the_start: Wait for the first request, too.
        """
        sent, live = -1, self._run.live
        while live.may_send_more and not live.is_behind and not self._has_ended.is_set():
            before, sent = sent, live.requests.counts.sent
            if sent == before and not (from_the_start and sent == 0):
                return
            time.sleep(MOMENT)


class DecidingLoop(LiveLoop):
    """The loop of a run that stops when it is decided: cases come in a seeded order, in batches up to the next look."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the items batch by batch, and after each look whether there is enough."""
        run = self._run
        if session.testsfailed or session.config.option.collectonly:
            return None
        from proctor.gates.deciding import LOOKS, Deciding

        assert run.gate is not None
        assert run.manifest is not None
        self._deciding = Deciding(run.gate, run.manifest, run.options.shuffle or 0)
        batches: dict[int, list[pytest.Item]] = {}
        for item in session.items:
            case = case_to_ask(item)
            number = 0 if case is None else self._deciding.number(_name(case))
            batches.setdefault(number, []).append(item)
        numbers = sorted(batches)
        for index, number in enumerate(numbers):
            self._ask_ahead([batches[following] for following in numbers[index:]])
            following = batches[numbers[index + 1]][0] if index + 1 < len(numbers) else None
            for item, next_item in self._in_order(batches[number]):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item or following)
                raise_if_ending(session)
            if run.decided is None and 0 < number <= LOOKS and (decided := self._deciding.look(number)) is not None:
                run.decide(decided)
        run.note_decision(self._deciding.fields)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take up a case's row."""
        row = getattr(report, "proctor_row", None)
        if row is not None and row["status"] != NOT_NEEDED:
            self._deciding.take(row)

    def _ask_ahead(self, batches: Sequence[Sequence[pytest.Item]]) -> None:
        """Ask the first batch, and so many cases behind it that nobody waits when its last answers are late."""
        if self._run.decided is not None or not self._run.asks_live:
            return
        ahead = 0
        for batch in batches:
            self._run.start_ahead(cases_to_ask(batch))
            ahead += len(batch)
            if ahead >= len(batches[0]) + AHEAD * self._run.live.share:
                return

    def _in_order(self, batch: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
        if self._run.asks_live and self._run.decided is None:
            return in_order_of_answers(batch, self._run.live.next_answered)
        return zip_longest(batch, batch[1:])


def _name(case: Case) -> tuple[str, str, str, int]:
    return (case.task.name, case.model.name, case.sample.id, case.epoch)


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
