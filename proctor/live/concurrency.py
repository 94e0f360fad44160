"""``--concurrency``: how many requests may be in flight; with ``auto``, what each provider takes is found out."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proctor.tasks.call import CallFailed

if TYPE_CHECKING:
    from proctor.live.rate_limiter import Stop

AUTO = "auto"
FIRST = 4
"""Requests to one model that are in flight at first, in the whole run."""

MOST = 256
"""Requests that are in flight at most, those to all models together."""

ROUNDS = 3.0
"""How often as many answers as requests are in flight have to come before one more is tried than was once too many."""

MOST_ROUNDS = 12.0
STALE = 1.25
"""Times what was once too many; where so many are answered, that number says nothing any more."""

LOOK_AGAIN = 1.0
"""Seconds after which a waiting request looks whether the run has stopped."""


@dataclass(frozen=True)
class Concurrency:
    """How many requests may be in flight.

    Args:
        most: Requests in flight at most, of the whole run.
        adapts: Whether each model begins with few, and has as many as it takes.
    """

    most: int
    adapts: bool = False

    @classmethod
    def parse(cls, text: str) -> Concurrency:
        """Read the value of the option: a number from 1, or ``auto``.

        Raises:
            argparse.ArgumentTypeError: For anything else.
        """
        if text == AUTO:
            return cls(MOST, adapts=True)
        if not text.isdecimal() or int(text) < 1:
            raise argparse.ArgumentTypeError(f"must be a whole number from 1, or {AUTO}, not {text!r}")
        return cls(int(text))

    def __str__(self) -> str:
        """As the option has it."""
        return AUTO if self.adapts else str(self.most)


class AdaptiveLimit:
    """How many requests to one model may be in flight: more while all are answered, half when one is turned away.

    It grows by one with each answer, which doubles it in the time of one; up to the number that were in flight, and
    not turned away, when one was, and by one in a few of these times from there on. This is TCP's congestion control
    (RFC 5681: slow start, multiplicative decrease), where what is lost tells what was too many. Requests that are
    turned away together halve it once. It counts answers and needs no clock: they tell how long one has to wait.

    Args:
        first: What it begins with.
        most: What it never exceeds.
        stop: Ends all waiting.
    """

    def __init__(self, *, first: int, most: int, stop: Stop) -> None:
        self._most = most
        self._stop = stop
        self._changed = threading.Condition()
        self._limit = float(min(first, most))
        self._taken = 0
        self._waiting = 0
        self._halvings = 0
        self._halvings_in_a_row = 0
        self._taken_well: float | None = None
        self._rounds = ROUNDS

    @property
    def limit(self) -> int:
        """How many may be in flight now."""
        return int(self._limit)

    @property
    def wanted(self) -> int:
        """How many will be in flight in a moment: those that are, and those that wait, as far as they may."""
        with self._changed:
            return min(int(self._limit), self._taken + self._waiting)

    @property
    def shut(self) -> int:
        """How often in a row, without an answer in between, even half as many as before were turned away.

        0 where there were only too many at once: who was not turned away will be answered.
        """
        return max(0, self._halvings_in_a_row - 1)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Around a request: wait until it may be sent, or the run stops; afterwards learn from what came of it."""
        with self._changed:
            self._waiting += 1
            while self._taken >= int(self._limit) and not self._stop.is_set():
                self._changed.wait(LOOK_AGAIN)
            self._waiting -= 1
            self._taken += 1
            halvings = self._halvings
        try:
            yield
        except CallFailed as failure:
            if failure.kind == CallFailed.TURNED_AWAY:
                with self._changed:
                    self._turned_away(known=halvings != self._halvings)
            raise
        else:
            with self._changed:
                self._answered()
        finally:
            with self._changed:
                self._taken -= 1
                self._changed.notify(self._waiting if self._stop.is_set() else max(0, self.limit - self._taken))

    def _answered(self) -> None:
        self._halvings_in_a_row = 0
        if not self._waiting and self._taken < self.limit:
            return  # fewer than might be: nothing is known of more
        before, good = self.limit, self._taken_well
        if good is None or self._limit < good:
            self._limit = min(self._limit + 1, good or self._most)
        else:
            self._limit = min(self._limit + 1 / (self._rounds * self._limit), self._most)
            if self._limit > good * STALE:
                self._taken_well, self._rounds = None, ROUNDS
            elif self.limit > before and self.limit > good + 1:  # the step before was good
                self._rounds = max(1.0, self._rounds / 2)

    def _turned_away(self, *, known: bool) -> None:
        """Halve the limit.

        Args:
            known: Whether the request was sent before the limit was halved the last time.
        """
        others = self._taken - 1
        if not known:
            if self._taken_well is not None:
                self._rounds = min(2 * self._rounds, MOST_ROUNDS)
            self._halvings += 1
            self._halvings_in_a_row += 1
            self._limit = max(1.0, min(self._limit, self._taken) / 2)
            self._taken_well = float(others)
        # Of those that are turned away together, the last one leaves only such in flight as were not.
        assert self._taken_well is not None or known
        well = others if self._taken_well is None else min(self._taken_well, others)
        self._taken_well = max(self._limit, well)
