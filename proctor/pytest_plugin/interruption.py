"""How a run is ended from outside: by Ctrl-C, or by SIGTERM, as CI services, containers and schedulers cancel a job."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

AFTER_CTRL_C = 1.0
"""Seconds that answers in flight have to land after Ctrl-C: whoever waits at a terminal wants to have it back."""

AFTER_SIGTERM = 5.0
"""The same after SIGTERM. Docker kills a container 10 s after it, and the report has to be written in that time."""


class Sigterm:
    """Lets SIGTERM end a run as Ctrl-C does, and a second one end the process at once."""

    def __init__(self) -> None:
        self._received = False
        self._interrupts = False
        self._before: Any = None

    @property
    def grace(self) -> float:
        """Seconds that answers in flight have to land, by what has interrupted the run."""
        return AFTER_SIGTERM if self._received else AFTER_CTRL_C

    @contextmanager
    def as_interrupt(self) -> Iterator[None]:
        """Inside, SIGTERM raises a KeyboardInterrupt; afterwards, until `restore`, the first one is not heeded.

        What follows is the report, which a process that is told to end has to write.
        """
        if threading.current_thread() is threading.main_thread() and self._before is None:
            self._before = signal.signal(signal.SIGTERM, self._heed)
        self._interrupts = True
        try:
            yield
        finally:
            self._interrupts = False

    def restore(self) -> None:
        """Let SIGTERM do what it did before."""
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)
            self._before = None

    def _heed(self, _signal: int, _frame: FrameType | None) -> None:
        if self._received:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
        self._received = True
        if self._interrupts:
            raise KeyboardInterrupt("SIGTERM")
