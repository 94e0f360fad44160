"""How many requests are in flight, wait and were sent again, counted where they are sent, and who is asked no more."""

from __future__ import annotations

import json
import math
import threading
import time
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
    """What is known of requests at a moment.

    Args:
        in_flight: Requests in flight.
        retries: Requests sent again so far.
        sent: All that were sent, those included.
        limits: With ``--concurrency auto``, how many may be in flight now, by model.
        waiting: Requests that wait before they are sent, again or at all: for a limit, or after a failure.
        longest_wait: Seconds until the last one of these is sent.
        last_retry: Why the last one was sent again.
        given_up: The models that are asked no more, and why.
    """

    in_flight: int
    retries: int
    sent: int = 0
    limits: Mapping[str, int] = MappingProxyType({})
    waiting: int = 0
    longest_wait: int = 0
    last_retry: str = ""
    given_up: Mapping[str, str] = MappingProxyType({})


class RequestCounter:
    """The counts of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._in_flight = 0
        self._retries = 0
        self._sent = 0
        self._waiting: dict[object, float] = {}
        self._last_retry = ""
        self.limits: dict[str, AdaptiveLimit] = {}
        self.given_up: dict[str, str] = {}

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

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[None]:
        """While a request is inside, it counts as one that waits for so long."""
        until, name = time.monotonic() + seconds, object()
        with self._lock:
            self._waiting[name] = until
        try:
            yield
        finally:
            with self._lock:
                del self._waiting[name]

    def retried(self, reason: str) -> None:
        """Count a request that will be sent again."""
        with self._lock:
            self._retries += 1
            self._last_retry = reason

    def give_up(self, model: str, reason: str) -> None:
        """Note that a model is asked no more."""
        self.given_up.setdefault(model, reason)

    @property
    def counts(self) -> RequestCounts:
        """The counts at this moment."""
        with self._lock:
            limits = {model: limit.limit for model, limit in list(self.limits.items())}
            return RequestCounts(
                self._in_flight,
                self._retries,
                self._sent,
                limits,
                waiting=len(self._waiting),
                longest_wait=_seconds_until(max(self._waiting.values(), default=0.0)),
                last_retry=self._last_retry,
                given_up=dict(self.given_up),
            )

    @contextmanager
    def published(self, folder: Path, worker: str) -> Iterator[None]:
        """Keep a small file in the run's folder up to date, for a controller in another process.

        A file that cannot be written, on a full disk say, is not worth a case: the controller then knows less.
        """
        file = folder / f"{FILE_PREFIX}{worker}"
        last = None

        def publish() -> None:
            nonlocal last
            counts = self.counts._replace(sent=0)._asdict()  # which changes all the time, and nobody there needs
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
            here = RequestCounts(**json.loads(file.read_bytes()))
            if file.name.removeprefix(FILE_PREFIX) in ended:
                here = here._replace(in_flight=0, limits={}, waiting=0, longest_wait=0)
            found = here if found is None else _together(found, here)
    return found


def _together(one: RequestCounts, other: RequestCounts) -> RequestCounts:
    return RequestCounts(
        one.in_flight + other.in_flight,
        one.retries + other.retries,
        limits={
            model: one.limits.get(model, 0) + other.limits.get(model, 0) for model in {**one.limits, **other.limits}
        },
        waiting=one.waiting + other.waiting,
        longest_wait=max(one.longest_wait, other.longest_wait),
        last_retry=other.last_retry or one.last_retry,
        given_up={**other.given_up, **one.given_up},
    )


def _seconds_until(moment: float) -> int:
    return max(0, math.ceil(moment - time.monotonic()))


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
