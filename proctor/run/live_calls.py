"""What asks live in a run: the ways to its models, the budget, the conversations in flight, and the end of it all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property, partial

from proctor._base.errors import NotAsked
from proctor.conversations.outcome import Outcome
from proctor.live.breaker import Breaker
from proctor.live.budget import LEDGER, Budget, PaidEndpointClient
from proctor.live.concurrency import FIRST, AdaptiveLimit
from proctor.live.dispatcher import Dispatcher
from proctor.live.endpoint_client import EndpointClient
from proctor.live.rate_limiter import BACKOFF_PREFIX, RateLimiter
from proctor.live.request_counts import RequestCounter, every
from proctor.models.endpoint import keys_in_environment
from proctor.models.registry import Model
from proctor.providers import Client, connect
from proctor.run.case import Case
from proctor.run.request import RunRequest

ROUNDS_BEHIND = 8
"""Rounds of requests by whose answers tests may be behind, while each report would keep a request from being sent."""
SYNCED_EVERY = 1.0
"""Seconds between two times at which recordings are made to outlast a loss of power."""


class LiveCalls:
    """Asks live for one process of a run.

    Args:
        request: What was asked for.
        share: How many of the run's requests may be in flight from this process.
        processes: How many processes ask models in this run.
    """

    def __init__(self, request: RunRequest, *, share: int, processes: int = 1) -> None:
        self._request = request
        self._share = share
        self.requests = RequestCounter()
        self._processes = processes
        self._stop = threading.Event()
        self._given_up = threading.Event()
        self._slots = threading.BoundedSemaphore(share)
        self._lock = threading.Lock()
        self._endpoint_clients: dict[Model, EndpointClient] = {}
        self._clients: dict[Model, Client] = {}
        self._closing = ExitStack()
        self._dispatcher: Dispatcher[Outcome] | None = None
        self._keeps_in_step = False

    @cached_property
    def budget(self) -> Budget | None:
        """What ``--max-cost`` lets this run spend; ``None`` without that option."""
        limit = self._request.options.max_cost
        if limit is None:
            return None
        ledger = self._request.folder / LEDGER
        return Budget(limit, ledger=ledger, processes=self._processes, stop=self._stop)

    def client(self, model: Model) -> EndpointClient:
        """The way to a model; made once."""
        request, options = self._request, self._request.options
        with self._lock:
            if model not in self._endpoint_clients:
                marker = request.folder / f"{BACKOFF_PREFIX}{model.file_name}" if request.folder.exists() else None
                named = model in request.models
                breaker = Breaker(
                    model, stop=self._stop, note=self.requests.give_up, overrides=options.parameters if named else ()
                )
                limiter = RateLimiter(
                    model.limits,
                    processes=self._processes,
                    backoff_file=marker,
                    stop=breaker,
                    waiting=self.requests.waiting,
                )
                make = EndpointClient if self.budget is None else partial(PaidEndpointClient, self.budget)
                client = make(
                    model,
                    limiter=limiter,
                    stop=self._stop,
                    breaker=breaker,
                    timeout=options.timeout,
                    silence=options.silence,
                    given_up=self._given_up,
                    requests=self.requests,
                    slots=self._slots,
                    adaptive=self._adaptive_limit(model, breaker),
                    client=self._clients.pop(model, None),
                    secrets={**request.keys, **keys_in_environment([model])},  # a judge has no entry, maybe
                )
                self._closing.callback(client.close)
                self._endpoint_clients[model] = client
            return self._endpoint_clients[model]

    def _adaptive_limit(self, model: Model, breaker: Breaker) -> AdaptiveLimit | None:
        """What finds out how many requests the model takes, if ``--concurrency`` says so; this process's part."""
        if not self._request.options.concurrency.adapts:
            return None
        first = max(1, FIRST // self._processes)
        limit = AdaptiveLimit(first=first, most=self._share, stop=breaker)
        return self.requests.limits.setdefault(model.name, limit)

    def reach(self, model: Model) -> Sequence[str]:
        """Find out whether a model's endpoint is there; see `proctor.providers.Client.reach`.

        Raises:
            CallFailed: If it is not.
        """
        options = self._request.options
        client = connect(model, timeout=options.timeout, silence=options.silence, given_up=self._given_up)
        with self._lock:
            self._clients[model] = client
            self._closing.callback(client.close)
        return client.reach()

    @property
    def notes(self) -> Sequence[str]:
        """What the user should know at the end of the models' addresses."""
        return [note for client in self._endpoint_clients.values() for note in client.notes]

    @property
    def has_begun(self) -> bool:
        """Whether conversations can be started; see `begin`."""
        return self._dispatcher is not None

    def begin(self, models: Iterable[Model], sync: Callable[[], None]) -> None:
        """Get ready to hold conversations.

        Args:
            models: Those that are going to be asked. Whichever conversation is first would make their clients too, but
                among the threads of all: importing an SDK then takes longer.
            sync: Waits until all recordings are on the disk.
        """
        options = self._request.options
        from proctor.recordings.recorder import listening

        if options.keep_recordings:
            self._closing.enter_context(listening(whole_prompts=options.whole_prompts))
        for model in models:
            with suppress(Exception, NotAsked):  # each case that needs it says why it cannot be asked
                self.client(model)
        if options.keep_recordings:
            self._closing.enter_context(every(SYNCED_EVERY, sync))
        self._dispatcher = Dispatcher(self._share, self._stop)
        if self._keeps_in_step:
            self._dispatcher.keep_in_step(2 * self.share - 1)

    def keep_in_step(self) -> None:
        """Before the first is held: hold no more conversations ahead of their tests than two rounds.

        Their results may end the run.
        """
        self._keeps_in_step = True

    def start(self, case: Case, hold: Callable[[], Outcome]) -> None:
        """Hold a case's conversation as soon as there is room; once, however often it is asked for."""
        assert self._dispatcher is not None
        self._dispatcher.submit(case, hold)

    def outcome(self, case: Case) -> Outcome:
        """Wait for what a conversation that was started led to; it can be taken once."""
        assert self._dispatcher is not None
        return self._dispatcher.result(case)

    def next_answered(self, cases: Container[Case]) -> Case:
        """Wait until one of these cases, all of them started, is answered."""
        assert self._dispatcher is not None
        found = self._dispatcher.next_finished(cases)
        assert isinstance(found, Case)
        return found

    @property
    def share(self) -> int:
        """How many requests may be in flight from this process now."""
        if not self._request.options.concurrency.adapts:
            return self._share
        return min(self._share, sum(self.requests.counts.limits.values()) or FIRST)

    @property
    def may_send_more(self) -> bool:
        """Whether fewer requests are in flight than may be, although there is more to ask."""
        if self._dispatcher is None or self._stop.is_set():
            return False
        in_flight = self.requests.counts.in_flight
        if self._request.options.concurrency.adapts:
            return in_flight < min(self._share, sum(limit.wanted for limit in list(self.requests.limits.values())))
        return self._dispatcher.waits and in_flight < self._share

    @property
    def is_behind(self) -> bool:
        """Whether more cases are answered, and not yet reported, than some rounds of requests bring."""
        return self._dispatcher is not None and self._dispatcher.untaken > ROUNDS_BEHIND * self.share

    @property
    def is_stopped(self) -> bool:
        """Whether no new request is sent."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Send no new request."""
        self._stop.set()

    def give_up_after(self, seconds: float) -> None:
        """Stop asking, and give up what is still in flight after so many seconds."""
        self._stop.set()
        timer = threading.Timer(seconds, self._given_up.set)
        timer.daemon = True
        timer.start()
        self._closing.callback(timer.join)
        self._closing.callback(timer.cancel)

    def finish(self) -> None:
        """Stop asking, and wait for what is in flight: it is paid for, and will be recorded."""
        self._stop.set()
        if self._dispatcher is None:
            return
        try:
            self._dispatcher.close()
        except KeyboardInterrupt:  # while one waited here
            self._given_up.set()
            self._dispatcher.close()
            raise

    def close(self) -> None:
        """Close the connections, and let go of what listened."""
        self._closing.close()
