"""How many requests are in flight and how many were sent again, counted where they are sent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

FILE_PREFIX = ".traffic-"
PUBLISHED_EVERY = 0.5
"""Seconds between two writings of a worker's counts."""


class Counts(NamedTuple):
    """Requests in flight now, requests sent again so far, and all that were sent, those included."""

    in_flight: int
    retries: int
    sent: int = 0


class Traffic:
    """The counts of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._in_flight = 0
        self._retries = 0
        self._sent = 0

    @contextmanager
    def request(self) -> Iterator[None]:
        """While a request is inside, it counts as in flight."""
        with self._lock:
            self._in_flight += 1
            self._sent += 1
        try:
            yield
        finally:
            with self._lock:
                self._in_flight -= 1

    def retried(self) -> None:
        """Count a request that will be sent again."""
        with self._lock:
            self._retries += 1

    @property
    def counts(self) -> Counts:
        """The counts at this moment."""
        with self._lock:
            return Counts(self._in_flight, self._retries, self._sent)

    @contextmanager
    def published(self, folder: Path, worker: str) -> Iterator[None]:
        """Keep a small file in the run's folder up to date, for a controller in another process.

        A file that cannot be written, on a full disk say, is not worth a case: the controller then knows less.
        """
        file = folder / f"{FILE_PREFIX}{worker}"
        last = None

        def publish() -> None:
            nonlocal last
            counts = self.counts[:2]
            if counts != last:
                with suppress(OSError):
                    # Of one length and written over, never cut: a reader at any moment finds two numbers.
                    with file.open("r+b" if file.exists() else "wb", buffering=0) as handle:
                        handle.write(b"%10d %10d\n" % counts)
                    last = counts

        try:
            with every(PUBLISHED_EVERY, publish):
                yield
        finally:
            publish()  # what has happened since the last time


def published_counts(folder: Path, *, ended: Container[str]) -> Counts | None:
    """The sum of what the workers of a run published; ``None`` if none did.

    Args:
        folder: The run's folder.
        ended: Workers that have ended, and have nothing in flight whatever their file says.
    """
    found = None
    for file in folder.glob(f"{FILE_PREFIX}*"):
        with suppress(OSError, ValueError):
            in_flight, retries = map(int, file.read_bytes().split())
            before = found or Counts(0, 0)
            if file.name.removeprefix(FILE_PREFIX) in ended:
                in_flight = 0
            found = Counts(before.in_flight + in_flight, before.retries + retries)
    return found


def forget_published(folder: Path) -> None:
    """Remove the files of `Traffic.published`."""
    for file in folder.glob(f"{FILE_PREFIX}*"):
        with suppress(OSError):
            file.unlink()


@contextmanager
def every(seconds: float, do: Callable[[], None]) -> Iterator[None]:
    """Call *do* now and then, in a thread of its own."""
    ended = threading.Event()

    def loop() -> None:
        while not ended.wait(seconds):
            do()

    thread = threading.Thread(target=loop, name="proctor-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
