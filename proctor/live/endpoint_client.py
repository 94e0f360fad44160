"""Live calls: sending, retrying, and keeping many conversations in flight at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from proctor._base.errors import NotAsked
from proctor._base.figures import duration
from proctor._base.http import delay_before_retry
from proctor._base.turns import in_turn
from proctor.live.breaker import MAX_TURNED_AWAY, UNREACHABLE, Breaker, not_asked
from proctor.live.concurrency import AdaptiveLimit
from proctor.live.rate_limiter import RateLimiter
from proctor.live.request_counts import RequestCounter
from proctor.live.tokens import approximate_tokens, text_of
from proctor.models.prices import cost_of
from proctor.providers import Client, connect, read_reply
from proctor.providers.refusals import KIND as REFUSED
from proctor.providers.refusals import refused_parameter
from proctor.recordings.secrets import Secrets
from proctor.tasks.call import Call, CallFailed, Reply, Unread, Usage

if TYPE_CHECKING:
    from proctor.models.registry import Model

MAX_ATTEMPTS = 6
MAX_UNREAD = 2
"""Requests of one call that may have to be paid for, and brought nothing of use, after which it is given up."""

ASSUMED_OUTPUT_TOKENS = 100
"""Of an answer that came and tells neither its tokens nor its text; as `--estimate` assumes of one that is to come."""
BELIEVED = 10
"""Times in a row that a provider is believed how long to wait; then it takes 13 minutes more until it is given up."""
SHORTEST_SECRET = 8
UNSENT = ("connection", UNREACHABLE)
"""Kinds of failures that say nothing about the next answer to the same request."""

SHOWN_REASON = 80  # characters
T = TypeVar("T")


class Stopped(Exception):
    """The run is ending; no new request is sent."""


@dataclass(frozen=True, slots=True)
class LiveResponse:
    """A live answer.

    Args:
        reply: What the model said.
        interaction: The HTTP exchange as vcrpy writes it, cleaned; ``None`` if nothing listened.
        latency_s: Seconds from sending the successful request to its whole answer.
        attempts: Requests it took.
        unread: Answers that came before it, and could not be used.
        cost_usd: What it cost; ``None`` if that is not known.
        endpoint: Which of the model's addresses has answered, if it has several.
    """

    reply: Reply
    interaction: dict[str, Any] | None
    latency_s: float
    attempts: int
    unread: tuple[Unread, ...] = ()
    cost_usd: float | None = None
    endpoint: str | None = None


@dataclass(slots=True)
class _Tries:
    """What became of the requests of one call so far."""

    call: Call
    request: Callable[[], bytes] | None = None
    attempts: int = 0
    turned_away: int = 0
    moved: int = 0
    unusable: int = 0
    unread: list[Unread] = field(default_factory=list)
    failure: CallFailed | None = None  # the last one

    @property
    def are_enough(self) -> bool:
        """Whether the call is given up after one more failure."""
        failures = self.attempts - self.turned_away - self.moved
        return failures >= MAX_ATTEMPTS or self.turned_away >= MAX_TURNED_AWAY or self.unusable >= MAX_UNREAD


class EndpointClient:
    """The way to one model: its client, and its patience.

    Args:
        model: The model.
        limiter: When the next request may be sent.
        stop: Set when the run ends; waiting then ends too.
        breaker: Ends the asking of this model, should its calls all fail alike.
        timeout: Seconds that an answer may take in all.
        silence: Seconds that its sender may be silent.
        given_up: Set when the run does not even wait for the answers in flight.
        requests: Counts the requests.
        slots: One for each request that may be in flight, of all models together.
        adaptive: How many requests to this model may be in flight, if that is to be found out.
        client: The model's client, if one has been made.
        secrets: Strings that must not reach a recording, should the server echo them, by what they are called.
    """

    def __init__(
        self,
        model: Model,
        *,
        limiter: RateLimiter,
        stop: threading.Event,
        breaker: Breaker,
        timeout: float,
        silence: float,
        given_up: threading.Event,
        requests: RequestCounter,
        slots: threading.Semaphore,
        secrets: Mapping[str, str],
        adaptive: AdaptiveLimit | None = None,
        client: Client | None = None,
    ) -> None:
        self._model = model
        self._limiter = limiter
        self._stop = stop
        self._breaker = breaker
        self._secrets = Secrets(secrets, shortest=SHORTEST_SECRET)
        self._requests = requests
        self._slots = slots
        self._adaptive = adaptive
        self._client: Client = client or connect(model, timeout=timeout, silence=silence, given_up=given_up)
        self._trial = None if model.described else threading.Lock()
        self._answered: set[frozenset[str]] = set()  # the names of parameters that were accepted together

    def send(self, call: Call) -> LiveResponse:
        """Send a call until it is answered; the first one alone, where nothing is known of what the model refuses.

        Up to `MAX_ATTEMPTS` times, but once more only after an answer that came and cannot be used, or was waited for
        until the time was up; requests that the provider turned away because there were too many of all do not count
        among these, but are at most `MAX_TURNED_AWAY`.

        Raises:
            CallFailed: The last failure, with the number of requests it took; at once for a failure that would
                repeat itself.
            Stopped: If the run ends, and no answer has come that may have to be paid for.
            NotAsked: If the model is asked no more, likewise.
        """
        trial = self._trial
        if trial is None:
            return self._send(call)
        with trial:
            if self._trial is not None:
                try:
                    return self._send(call)
                finally:
                    self._trial = None
        return self._send(call)

    def _send(self, call: Call) -> LiveResponse:
        tries = _Tries(call)
        try:
            return self._send_until_answered(tries)
        except (Stopped, NotAsked):
            if tries.unread and tries.failure is not None:
                raise tries.failure from None  # an answer came that may have to be paid for: its row says so
            raise

    def _send_until_answered(self, tries: _Tries) -> LiveResponse:
        while True:
            self.check_may_send()  # before it waits for its turn in vain
            self._limiter.wait()
            tries.attempts += 1
            try:
                with nullcontext() if self._adaptive is None else self._adaptive.slot(), self.sending():
                    self._limiter.wait_while_held()  # while this request waited for its place, another was turned away
                    return self._sent(tries)
            except CallFailed as failure:
                failure.__traceback__ = None  # whose frames hold what may be 50 MB
                tries.failure = failure
                limited = failure.kind == CallFailed.TURNED_AWAY
                tries.turned_away += limited
                tries.moved += failure.elsewhere
                # A provider that was silent until the time was up may have answered, and want money for it.
                silent = failure.kind == "timeout" and failure.status is None
                # What has broken says nothing about the next answer.
                tries.unusable += (failure.billable or silent) and failure.kind not in UNSENT
                if not failure.retryable or tries.are_enough or self._shut >= MAX_TURNED_AWAY:
                    raise failure from None  # without its traceback
                self._requests.retried(f"{self._model.name}: {_in_short(failure)}")
                if not failure.elsewhere:
                    self._wait_after(failure, tries)

    def _wait_after(self, failure: CallFailed, tries: _Tries) -> None:
        """Wait before the same request is sent again; where the provider wants none, let all of them wait."""
        asked = self._asked_wait(failure)
        if failure.kind != CallFailed.TURNED_AWAY:
            self._pause(delay_before_retry(tries.attempts - tries.turned_away - tries.moved, asked))
        elif self._adaptive is None:
            self._limiter.hold(delay_before_retry(tries.turned_away, asked))
        elif asked is not None or self._shut:
            self._limiter.hold(delay_before_retry(max(1, self._shut), asked))
        else:  # there were too many at once, and fewer are sent from now on
            self._pause(delay_before_retry(1, None))

    def _asked_wait(self, failure: CallFailed) -> float | None:
        """What the provider asks to wait; longer and longer, where it asks so again and again and answers nobody."""
        asked, beyond = failure.retry_after, self._breaker.turned_away_in_a_row - BELIEVED
        return asked if asked is None or beyond < 1 else max(asked, delay_before_retry(beyond, None))

    def _pause(self, seconds: float) -> None:
        with self._requests.waiting(seconds):
            self._breaker.wait(seconds)

    @property
    def _shut(self) -> int:
        return 0 if self._adaptive is None else self._adaptive.shut

    def _sent(self, tries: _Tries) -> LiveResponse:
        """Send a request once."""
        from proctor.recordings.recorder import capture

        call = tries.call
        try:
            self.check_may_send()
            if tries.request is None:
                tries.request = self._client.ready(call)  # once: to convert a clip takes longer than to send it
            with self._slots, in_turn():
                self.check_may_send()
                started = time.perf_counter()
                with capture() as exchange, self._requests.request():
                    body = tries.request()
                body = self._secrets.removed_from(body)
                reply = read_reply(self._model.api, body)
        except CallFailed as failure:
            if failure.kind == "given_up":
                raise Stopped(str(failure)) from None
            raise self._told(failure, tries) from None
        self._answered.add(frozenset(call.parameters))
        self._breaker.note_answer()
        self._limiter.charge((reply.usage.input_tokens or 0) + (reply.usage.output_tokens or 0))
        response = LiveResponse(
            reply,
            exchange.interaction(body, self._secrets),
            latency_s=round(time.perf_counter() - started, 3),
            attempts=tries.attempts,
            unread=tuple(tries.unread),
            cost_usd=cost_of(self._model, reply.usage, datetime.now(UTC)),
            endpoint=getattr(tries.request, "endpoint", None),
        )
        self.note_answer(call, response)
        return response

    def _told(self, failure: CallFailed, tries: _Tries) -> CallFailed:
        """A failure without secrets, with all that the call's tries have brought."""
        call = tries.call
        failure.args = (self._secrets.removed_from_text(str(failure)),)
        failure = self._as_refusal(failure, call)
        failure.attempts = tries.attempts
        if failure.billable:
            tries.unread.append(Unread(failure.usage, _assumed(call, failure.usage)))
            self.note_unread(tries.unread[-1])
        failure.unread = tuple(tries.unread)
        if not failure.elsewhere:
            self._breaker.note_failure(failure)
        return failure

    def _as_refusal(self, failure: CallFailed, call: Call) -> CallFailed:
        """A failure; as one of every request with these parameters, if it is about one of them."""
        name = None if frozenset(call.parameters) in self._answered else refused_parameter(failure, call, self._model)
        return failure if name is None else CallFailed(str(failure), kind=REFUSED, parameter=name)

    def sending(self) -> AbstractContextManager[None]:
        """Around every request, from before it may wait for others until all of it is noted."""
        return nullcontext()

    def note_answer(self, call: Call, response: LiveResponse) -> None:
        """Called for every answer that can be used.

        Args:
            call: What was asked.
            response: The answer.
        """

    def note_unread(self, unread: Unread) -> None:
        """Called for every answer that came and cannot be used."""

    def check_may_send(self) -> None:
        """Called before every request.

        Raises:
            Stopped: If the run ends.
            NotAsked: If the model is asked no more.
        """
        if self._stop.is_set():
            raise Stopped("the run was stopped before this call was made")
        self._breaker.check()

    def check_asked(self, others: Iterable[Model]) -> None:
        """End a case that needs other models, too, if one of them is asked no more: it would be paid for in vain.

        Raises:
            NotAsked: If one of them is.
        """
        for model in others if self._requests.given_up else ():
            if model.name in self._requests.given_up:
                raise not_asked(model.name)

    @property
    def notes(self) -> Sequence[str]:
        """What the user should know of the model's addresses."""
        return [f"{self._model.name}: {note}" for note in getattr(self._client, "notes", ())]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _in_short(failure: CallFailed) -> str:
    """Why a request is sent again, and for how long its provider asks to wait."""
    said = str(failure)
    said = said if len(said) <= SHOWN_REASON else f"{said[: SHOWN_REASON - 1]}…"
    return said if failure.retry_after is None else f"{said} (asks to wait {duration(failure.retry_after)})"


def _assumed(call: Call, told: Usage) -> Usage:
    """The tokens of an answer that cannot be used, with an estimate where it does not tell."""
    limit = call.parameters.get("max_tokens")
    output = min(ASSUMED_OUTPUT_TOKENS, limit) if isinstance(limit, int) else ASSUMED_OUTPUT_TOKENS
    return Usage(
        approximate_tokens(len(text_of(call))) if told.input_tokens is None else told.input_tokens,
        output if told.output_tokens is None else told.output_tokens,
        told.cached_tokens,
        told.reasoning_tokens,
    )
