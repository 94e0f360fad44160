"""When the next request to a model may be sent."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Protocol

from proctor._base.files import replacing
from proctor._base.http import LONGEST_BACKOFF
from proctor.models.registry import RateLimits

BACKOFF_PREFIX = ".hold-"
LOOK_AGAIN = 1.0
"""Seconds after which a waiting request looks whether the hold has changed."""

BACKOFF_JITTER = 0.1
"""Share of a hold by which waiting requests spread out at its end, so that they do not all come back at once."""


class Stop(Protocol):
    """What ends waiting: a `threading.Event`, or a `proctor.live.breaker.Breaker`."""

    def is_set(self) -> bool:
        """Whether it is at its end."""

    def wait(self, seconds: float, /) -> object:
        """Wait for so long, or until then."""


class RateLimiter:
    """Spaces the requests to one model, for all threads of this process and, after a 429, for the whole run.

    Args:
        limits: The provider's limits per minute.
        processes: How many processes share these limits.
        backoff_file: A file that all processes of the run know. Its time of modification says until when the provider
            asked everybody to wait, by the machine's steady clock, which nobody sets; without one, only this process
            waits.
        stop: Ends all waiting.
        waiting: Around each wait of a request, given its seconds.
        clock: The seconds of the machine's steady clock.
    """

    def __init__(
        self,
        limits: RateLimits,
        *,
        processes: int,
        backoff_file: Path | None,
        stop: Stop,
        waiting: Callable[[float], AbstractContextManager[object]] = nullcontext,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        per_minute = limits.requests_per_minute
        self._interval = 60.0 * processes / per_minute if per_minute else 0.0
        self._per_token = 60.0 * processes / limits.tokens_per_minute if limits.tokens_per_minute else 0.0
        self._hold_file = backoff_file
        self._stop = stop
        self._waiting = waiting
        self._clock = clock
        self._lock = threading.Lock()
        self._next = 0.0
        self._held_until = 0.0

    def wait(self) -> None:
        """Return when a request may be sent, or when the run stops."""
        with self._lock:
            mine = max(self._next, self._clock())
            self._next = mine + self._interval
        if (seconds := mine - self._clock()) > 0:
            with self._waiting(seconds):
                self._stop.wait(seconds)
        self.wait_while_held()

    def wait_while_held(self) -> None:
        """Return when the provider wants requests again, or when the run stops."""
        while (held := self._held()) > 0 and not self._stop.is_set():
            with self._waiting(held):
                self._stop.wait(min(held * (1 + random.uniform(0, BACKOFF_JITTER)), LOOK_AGAIN))

    def charge(self, tokens: int) -> None:
        """Count the *tokens* of an answer against the limit; the next request waits for as long as they take."""
        if self._per_token:
            with self._lock:
                self._next = max(self._next, self._clock()) + tokens * self._per_token

    def hold(self, seconds: float) -> None:
        """Send nothing for so many seconds: the provider said that there are too many requests.

        A file that cannot be written, on a full disk say, is not worth a case: only this process then waits.
        """
        seconds = min(seconds, LONGEST_BACKOFF)
        self._held_until = max(self._held_until, self._clock() + seconds)
        if self._hold_file is not None:
            with suppress(OSError):
                until = max(self._clock() + seconds, self._file_time())
                # Put in place whole: a file just made has the time of day, which would hold everybody for long.
                with replacing(self._hold_file) as marker:
                    os.utime(marker.fileno(), (until, until))

    def _held(self) -> float:
        """Seconds that are left of the hold."""
        here = self._held_until - self._clock()
        if self._hold_file is None:
            return here
        return max(here, min(self._file_time() - self._clock(), LONGEST_BACKOFF))

    def _file_time(self) -> float:
        try:
            return self._hold_file.stat().st_mtime if self._hold_file else 0.0
        except FileNotFoundError:
            return 0.0


def remove_backoff_markers(folder: Path) -> None:
    """Remove the hold files of a run that has ended."""
    for file in folder.glob(f"{BACKOFF_PREFIX}*"):
        with suppress(OSError):
            file.unlink()
