"""Live calls: sending, retrying, and keeping many conversations in flight at once."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable, Container, Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from proctor.calls import Call, CallFailed, Reply
from proctor.live.pace import LONGEST_HOLD, Pace
from proctor.live.traffic import Traffic
from proctor.providers import Client, connect, read_reply
from proctor.recordings.leaks import SHAPES

if TYPE_CHECKING:
    from proctor.models.registry import Model

MAX_ATTEMPTS = 6
MAX_TURNED_AWAY = 30
FIRST_DELAY = 0.5
LONGEST_DELAY = 60.0
SHORTEST_SECRET = 8
REMOVED = b"[removed]"
T = TypeVar("T")


def secret_pattern(secrets: Iterable[str]) -> re.Pattern[bytes]:
    """A pattern for every secret that a server might echo; short strings, which any text may hold, are left out.

    With it goes what merely looks like a secret: a recording that holds it would be refused when it is read.
    """
    known = [re.escape(secret.encode()) for secret in secrets if len(secret) >= SHORTEST_SECRET]
    return re.compile(b"|".join([*known, *(re.escape(start) + rest for _, start, rest in SHAPES)]))


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
        pace: When the next request may be sent.
        stop: Set when the run ends; waiting then ends too.
        timeout: Seconds to wait for an answer.
        traffic: Counts the requests.
        slots: One for each request that may be in flight, of all models together.
        secrets: Strings that must not reach a recording, should the server echo them.
    """

    def __init__(
        self,
        model: Model,
        *,
        pace: Pace,
        stop: threading.Event,
        timeout: float,
        traffic: Traffic,
        slots: threading.Semaphore,
        secrets: Iterable[str] = (),
    ) -> None:
        self._model = model
        self._pace = pace
        self._stop = stop
        self._secret = secret_pattern(secrets)
        self._traffic = traffic
        self._slots = slots
        self._client: Client = connect(model, timeout=timeout)
        self._fatal: CallFailed | None = None

    def send(self, call: Call) -> Landed:
        """Send a call until it is answered.

        Up to `MAX_ATTEMPTS` times; requests that the provider turned away because there were too many of all do not
        count among these, but are at most `MAX_TURNED_AWAY`.

        Raises:
            CallFailed: The last failure, with the number of requests it took; at once for a failure that would
                repeat itself, and for every call after one that would repeat itself for all.
            Stopped: If the run ends.
        """
        from proctor.recordings.recorder import capture, without_secrets

        turned_away = 0
        request = None
        for attempt in range(1, MAX_ATTEMPTS + MAX_TURNED_AWAY):
            self._pace.wait()
            if self._fatal is not None:
                raise self._fatal
            try:
                if request is None:
                    self.check_may_send()
                    request = self._client.ready(call)  # once: to convert a clip takes longer than to send it
                with self._slots:
                    self.check_may_send()
                    started = time.perf_counter()
                    with capture() as exchange, self._traffic.request():
                        body = request()
                reply = read_reply(self._model.api, self._secret.sub(REMOVED, body))
            except CallFailed as failure:
                failure.attempts = attempt
                if failure.fatal:
                    self._fatal = failure
                limited = failure.kind == "rate_limit"
                turned_away += limited
                if not failure.retryable or attempt - turned_away >= MAX_ATTEMPTS or turned_away >= MAX_TURNED_AWAY:
                    raise
                self._traffic.retried()
                if limited:
                    self._pace.hold(delay_before_retry(turned_away, failure.retry_after))
                else:
                    self._stop.wait(delay_before_retry(attempt - turned_away, failure.retry_after))
                continue
            self._pace.charge((reply.usage.input_tokens or 0) + (reply.usage.output_tokens or 0))
            latency = round(time.perf_counter() - started, 3)
            interaction = exchange.interaction
            if interaction is not None:
                interaction = without_secrets(interaction, self._secret, REMOVED)
            return Landed(reply, interaction, latency, attempt)
        raise AssertionError("the loop returns or raises")

    def check_may_send(self) -> None:
        """Called before every request.

        Raises:
            Stopped: If the run ends.
        """
        if self._stop.is_set():
            raise Stopped("the run was stopped before this call was made")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def delay_before_retry(attempt: int, retry_after: float | None) -> float:
    """Seconds to wait after failed attempt number *attempt*: what the provider asked, else exponential with jitter."""
    if retry_after is not None:
        return min(retry_after, LONGEST_HOLD)
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
        self._not_started = 0
        self._counting = threading.Lock()
        self._finished: SimpleQueue[Hashable] = SimpleQueue()
        self._waiting_to_be_taken: list[Hashable] = []

    def submit(self, name: Hashable, work: Callable[[], T]) -> None:
        """Start *work* as soon as a worker is free, unless work of that name was submitted before."""
        if name not in self._futures:
            with self._counting:
                self._not_started += 1
            future = self._futures[name] = self._pool.submit(self._start, work)
            future.add_done_callback(lambda _: self._finished.put(name))

    def _start(self, work: Callable[[], T]) -> T:
        with self._counting:
            self._not_started -= 1
        return work()

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
        return self._futures.pop(name).result()

    def next_finished(self, names: Container[Hashable]) -> Hashable:
        """Wait until work of one of these names is finished, and return its name; each is returned once."""
        for position, name in enumerate(self._waiting_to_be_taken):
            if name in names:
                return self._waiting_to_be_taken.pop(position)
        while (name := self._finished.get()) not in names:
            self._waiting_to_be_taken.append(name)
        return name

    def close(self) -> None:
        """Start nothing new, and wait for what is in flight: it is paid for, and will be recorded."""
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
