"""Live calls: sending, retrying, and keeping many conversations in flight at once."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from proctor.calls import Call, CallFailed, Reply
from proctor.providers import Client, connect, read_reply

if TYPE_CHECKING:
    from proctor.models import Model

MAX_ATTEMPTS = 6
FIRST_DELAY = 0.5
LONGEST_DELAY = 60.0
T = TypeVar("T")


class Stopped(Exception):
    """The run is ending; no new request is sent."""


@dataclass(frozen=True, slots=True)
class Landed:
    """A live answer.

    Args:
        reply: What the model said.
        interaction: The HTTP exchange as vcrpy writes it, cleaned; ``None`` if nothing listened.
        latency_s: Seconds from sending the successful request to its whole answer.
        attempts: Requests it took.
    """

    reply: Reply
    interaction: dict[str, Any] | None
    latency_s: float
    attempts: int


class Line:
    """The way to one model: its client, and its patience.

    Args:
        model: The model.
        stop: Set when the run ends; waiting for a retry then ends too.
        timeout: Seconds to wait for an answer.
        secrets: Strings that must not reach a recording, should the server echo them.
    """

    def __init__(self, model: Model, *, stop: threading.Event, timeout: float, secrets: Iterable[str] = ()) -> None:
        self._model = model
        self._stop = stop
        self._secrets = tuple(secrets)
        self._client: Client = connect(model, timeout=timeout)
        self._fatal: CallFailed | None = None

    def send(self, call: Call) -> Landed:
        """Send a call until it is answered, up to `MAX_ATTEMPTS` times.

        Raises:
            CallFailed: The last failure, with the number of requests it took; at once for a failure that would
                repeat itself, and for every call after one that would repeat itself for all.
            Stopped: If the run ends.
        """
        from proctor.recorder import capture, without_secrets

        for attempt in range(1, MAX_ATTEMPTS + 1):
            if self._fatal is not None:
                raise self._fatal
            if self._stop.is_set():
                raise Stopped("the run was stopped before this call was made")
            started = time.perf_counter()
            try:
                with capture() as exchange:
                    reply = read_reply(self._model.api, self._client.send(call))
            except CallFailed as failure:
                failure.attempts = attempt
                if failure.fatal:
                    self._fatal = failure
                if not failure.retryable or attempt == MAX_ATTEMPTS:
                    raise
                self._stop.wait(delay_before_retry(attempt, failure.retry_after))
                continue
            latency = round(time.perf_counter() - started, 3)
            interaction = exchange.interaction
            if interaction is not None:
                interaction = without_secrets(interaction, self._secrets)
            return Landed(reply, interaction, latency, attempt)
        raise AssertionError("the loop returns or raises")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def delay_before_retry(attempt: int, retry_after: float | None) -> float:
    """Seconds to wait after failed attempt number *attempt*: what the provider asked, else exponential with jitter."""
    if retry_after is not None:
        return min(retry_after, LONGEST_DELAY)
    return min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** (attempt - 1)) * random.uniform(0.75, 1.25)


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

    def submit(self, name: Hashable, work: Callable[[], T]) -> None:
        """Start *work* as soon as a worker is free, unless work of that name was submitted before."""
        if name not in self._futures:
            self._futures[name] = self._pool.submit(work)

    def result(self, name: Hashable) -> T:
        """Wait for the work of that name and take its result; each result can be taken once.

        Raises:
            KeyError: If nothing of that name was submitted.
        """
        return self._futures.pop(name).result()

    def __contains__(self, name: Hashable) -> bool:
        return name in self._futures

    def close(self) -> None:
        """Start nothing new, and wait for what is in flight: it is paid for, and will be recorded."""
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
