"""A clock that stands still but for those who wait by it."""

from __future__ import annotations

import threading


class FrozenTime(threading.Event):
    """An event that nobody waits for in vain: each wait moves the clock by as much, and is over at once.

    In the place of a run's ``stop`` it shows to the second how long something waited; `now` is its clock.
    """

    def __init__(self, now: float = 1000.0) -> None:
        super().__init__()
        self._now = now

    def now(self) -> float:
        """Seconds since any moment."""
        return self._now

    def wait(self, timeout: float | None = None) -> bool:
        """Let the time pass that somebody wants to wait."""
        assert timeout is not None, "nobody would end this"
        if not self.is_set():
            self._now += max(0.0, timeout)
        return self.is_set()
