"""How many requests are in flight and how many were sent again, counted where they are sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from proctor._base.files import write_whole
from proctor.live.concurrency import AdaptiveLimit

FILE_PREFIX = ".traffic-"
PUBLISHED_EVERY = 0.5
"""Seconds between two writings of a worker's counts."""


class RequestCounts(NamedTuple):
    """Requests in flight now, requests sent again so far, and all that were sent, those included.

    With ``--concurrency auto``, *limits* has how many may be in flight now, by model.
    """

    in_flight: int
    retries: int
    sent: int = 0
    limits: Mapping[str, int] = MappingProxyType({})


class RequestCounter:
    """The counts of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._in_flight = 0
        self._retries = 0
        self._sent = 0
        self.limits: dict[str, AdaptiveLimit] = {}

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
    def counts(self) -> RequestCounts:
        """The counts at this moment."""
        with self._lock:
            limits = {model: limit.limit for model, limit in list(self.limits.items())}
            return RequestCounts(self._in_flight, self._retries, self._sent, limits)

    @contextmanager
    def published(self, folder: Path, worker: str) -> Iterator[None]:
        """Keep a small file in the run's folder up to date, for a controller in another process.

        A file that cannot be written, on a full disk say, is not worth a case: the controller then knows less.
        """
        file = folder / f"{FILE_PREFIX}{worker}"
        last = None

        def publish() -> None:
            nonlocal last
            now = self.counts
            counts = [now.in_flight, now.retries, now.limits]
            if counts != last:
                with suppress(OSError):
                    write_whole(file, json.dumps(counts).encode())
                    last = counts

        try:
            with every(PUBLISHED_EVERY, publish):
                yield
        finally:
            publish()  # what has happened since the last time


def published_counts(folder: Path, *, ended: Container[str]) -> RequestCounts | None:
    """The sum of what the workers of a run published; ``None`` if none did.

    Args:
        folder: The run's folder.
        ended: Workers that have ended, and have nothing in flight whatever their file says.
    """
    found = None
    for file in folder.glob(f"{FILE_PREFIX}*"):
        with suppress(OSError, ValueError):
            in_flight, retries, limits = json.loads(file.read_bytes())
            before = found or RequestCounts(0, 0)
            if file.name.removeprefix(FILE_PREFIX) in ended:
                in_flight, limits = 0, {}
            found = RequestCounts(
                before.in_flight + in_flight,
                before.retries + retries,
                limits={
                    model: before.limits.get(model, 0) + limits.get(model, 0) for model in {**before.limits, **limits}
                },
            )
    return found


def forget_published(folder: Path) -> None:
    """Remove the files of `RequestCounter.published`."""
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
