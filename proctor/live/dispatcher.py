"""Runs conversations ahead of the tests that wait for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class Dispatcher(Generic[T]):
    """Runs conversations ahead of the tests that wait for them.

    Args:
        workers: How many run at once.
        stop: Set when the run ends.
    """

    def __init__(self, workers: int, stop: threading.Event) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="proctor")
        self._stop = stop
        self._futures: dict[Hashable, Future[T]] = {}
        self._not_started = 0
        self._counting = threading.Condition()
        self._ahead: int | None = None
        self._begun = 0
        self._is_waited_for = False
        self._finished: SimpleQueue[Hashable] = SimpleQueue()
        self._waiting_to_be_taken: list[Hashable] = []

    def submit(self, name: Hashable, work: Callable[[], T]) -> None:
        """Start *work* as soon as a worker is free, unless work of that name was submitted before."""
        if name not in self._futures:
            with self._counting:
                self._not_started += 1
            future = self._futures[name] = self._pool.submit(self._start, work)
            future.add_done_callback(lambda _: self._finished.put(name))

    def keep_in_step(self, ahead: int) -> None:
        """From now on begin no work while so much is begun that `next_finished` has not come upon."""
        self._ahead = ahead

    def _start(self, work: Callable[[], T]) -> T:
        with self._counting:
            self._counting.wait_for(self._may_begin)
            self._not_started -= 1
            self._begun += 1
        return work()

    def _may_begin(self) -> bool:
        return self._ahead is None or self._begun < self._ahead or self._is_waited_for or self._stop.is_set()

    @property
    def waits(self) -> bool:
        """Whether any work has not been started, all workers being busy."""
        with self._counting:
            return self._not_started > 0

    @property
    def untaken(self) -> int:
        """How much work is finished and has not been asked for with `next_finished`."""
        return self._finished.qsize() + len(self._waiting_to_be_taken)

    def result(self, name: Hashable) -> T:
        """Wait for the work of that name and take its result; each result can be taken once.

        Raises:
            KeyError: If nothing of that name was submitted.
        """
        future = self._futures.pop(name)
        if not future.done():
            self._wait_for_one(True)
        try:
            return future.result()
        finally:
            self._wait_for_one(False)

    def _wait_for_one(self, waits: bool) -> None:
        with self._counting:
            self._is_waited_for = waits
            self._counting.notify_all()

    def next_finished(self, names: Container[Hashable]) -> Hashable:
        """Wait until work of one of these names is finished, and return its name; each is returned once."""
        for position, name in enumerate(self._waiting_to_be_taken):
            if name in names:
                return self._waiting_to_be_taken.pop(position)
        while (name := self._next()) not in names:
            self._waiting_to_be_taken.append(name)
        return name

    def _next(self) -> Hashable:
        name = self._finished.get()
        with self._counting:
            self._begun -= 1
            self._counting.notify_all()
        return name

    def close(self) -> None:
        """Start nothing new, and wait for what is in flight: it is paid for, and will be recorded."""
        self._stop.set()
        self._wait_for_one(False)
        self._pool.shutdown(wait=True, cancel_futures=True)
