"""One model behind several addresses: each request goes to the one with the fewest in flight.

One that fails, or turns requests away, is left out, and tried again later with a single request. Where all are left
out, the one is asked whose time is up first, as if it were the only one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proctor._base.http import host_of
from proctor._base.turns import out_of_turn
from proctor.tasks.call import CallFailed

if TYPE_CHECKING:
    from proctor.providers.connection import Client
    from proctor.tasks.call import Call

FIRST_LEFT_OUT, LONGEST_LEFT_OUT = 10.0, 120.0
"""Seconds for which an address is left out: the first time, and at most; each time in between twice as long."""

FAILURES_IN_A_ROW = 3
"""So many answers that are no answers, one after another, and the address is left out."""

OF_THE_ADDRESS = frozenset({"connection", "unreachable", "authentication", "unknown_model", "quota"})
"""Kinds of failures that the next request to the same address would meet as well."""

OF_THE_MOMENT = frozenset({"server", "timeout", "malformed"})
"""Kinds that may be over with the next request."""


@dataclass(eq=False)
class _Address:
    url: str
    client: Client
    in_flight: int = 0
    sent: int = 0
    failures: int = 0  # in a row
    left_out: int = 0  # times, since the last answer
    until: float = 0.0

    @property
    def shown(self) -> str:
        return host_of(self.url)


class SeveralEndpoints:
    """A :class:`proctor.providers.connection.Client` over the clients of several addresses, safe for threads.

    Args:
        clients: By address.
        clock: Gives seconds that only grow.
    """

    def __init__(self, clients: Mapping[str, Client], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._addresses = [_Address(url, client) for url, client in clients.items()]
        self._clock = clock
        self._lock = threading.Lock()
        self.notes: list[str] = []

    def ready(self, call: Call) -> EndpointRequest:
        """See :meth:`proctor.providers.connection.Client.ready`."""
        return EndpointRequest(self, call)

    def send(self, call: Call) -> bytes:
        """See :meth:`proctor.providers.connection.Client.send`."""
        return self.ready(call)()

    def reach(self) -> Sequence[str]:
        """See :meth:`proctor.providers.connection.Client.reach`; all are asked at the same time."""

        def problem(address: _Address) -> CallFailed | None:
            try:
                address.client.reach()
            except CallFailed as failure:
                return failure
            return None

        with ThreadPoolExecutor(len(self._addresses), thread_name_prefix="proctor-reach") as pool:
            found = list(zip(self._addresses, pool.map(problem, self._addresses), strict=True))
        missing = [(address, failure) for address, failure in found if failure is not None]
        if len(missing) == len(found):
            raise missing[0][1]
        with self._lock:
            for address, _ in missing:
                self._leave_out(address)
        return [f"{address.shown}: {failure}" for address, failure in missing]

    def close(self) -> None:
        """Close the connections."""
        for address in self._addresses:
            address.client.close()

    def take(self) -> _Address:
        """The address of the next request, which is in flight from then on."""
        with self._lock:
            now = self._clock()
            free = [address for address in self._addresses if self._is_free(address, now)]
            chosen = (
                min(free, key=lambda address: (address.in_flight, address.sent))
                if free
                else min(self._addresses, key=lambda address: (address.until, address.in_flight))
            )
            chosen.in_flight += 1
            chosen.sent += 1
            return chosen

    def answered(self, address: _Address) -> None:
        """Take an address in again, if it was left out."""
        with self._lock:
            address.in_flight -= 1
            address.failures, address.left_out, address.until = 0, 0, 0.0

    def failed(self, address: _Address, failure: CallFailed) -> CallFailed:
        """Take up a failure.

        Returns:
            What to raise: where another address can be asked at once, a failure that says so, and ends nothing.
        """
        with self._lock:
            address.in_flight -= 1
            address.failures += failure.kind in OF_THE_MOMENT
            again = address.left_out > 0 and failure.kind in OF_THE_MOMENT
            ill = (
                failure.kind in (*OF_THE_ADDRESS, CallFailed.TURNED_AWAY)
                or again
                or address.failures >= FAILURES_IN_A_ROW
            )
            if not ill:
                return failure
            if self._clock() >= address.until:  # else others that were in flight have failed before
                self._leave_out(address, failure.retry_after)
                note = f"{address.shown} was left out, and tried again later: {failure}"
                if note not in self.notes:
                    self.notes.append(note)
            if not any(self._is_free(other, self._clock()) for other in self._addresses if other is not address):
                return failure
        told = CallFailed(f"{address.shown}: {failure}", kind="connection")
        told.billable, told.usage, told.elsewhere = failure.billable, failure.usage, True
        return told

    def release(self, address: _Address) -> None:
        """Note that a request has ended in a way that says nothing of the address."""
        with self._lock:
            address.in_flight -= 1

    def _leave_out(self, address: _Address, asked: float | None = None) -> None:
        seconds = min(LONGEST_LEFT_OUT, FIRST_LEFT_OUT * 2.0**address.left_out if asked is None else asked)
        address.left_out += 1
        address.failures = 0
        address.until = self._clock() + seconds

    @staticmethod
    def _is_free(address: _Address, now: float) -> bool:
        return now >= address.until and not (address.left_out and address.in_flight)


class EndpointRequest:
    """A request that goes to whichever address is best when it is sent.

    Args:
        endpoints: The addresses.
        call: The call.

    Attributes:
        endpoint: The address that was asked last, without path.
    """

    def __init__(self, endpoints: SeveralEndpoints, call: Call) -> None:
        self._endpoints = endpoints
        self._call = call
        self._made: dict[str, Callable[[], bytes]] = {}
        self.endpoint: str | None = None

    def __call__(self) -> bytes:
        """Send it once."""
        address = self._endpoints.take()
        self.endpoint = address.shown
        with suppress(CallFailed):
            try:
                if address.url not in self._made:
                    with out_of_turn():  # to convert a clip takes long
                        self._made[address.url] = address.client.ready(self._call)
                body = self._made[address.url]()
            except CallFailed as failure:
                told = self._endpoints.failed(address, failure)
                raise
            except BaseException:
                self._endpoints.release(address)
                raise
            self._endpoints.answered(address)
            return body
        raise told  # out here it has no context, which may hold headers
