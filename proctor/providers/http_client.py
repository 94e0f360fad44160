"""The HTTP client of every provider: no server can hold it, fill its memory or lead it to another host.

httpx's timeouts are for one read each: a server that sends a byte now and then is waited for as long as it likes. So
the time that an answer takes in all, and its size, are looked after where bytes arrive, in the connections.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any
from urllib.request import getproxies

import httpcore2
import httpx2

from proctor._base.http import host_of
from proctor._base.turns import out_of_turn
from proctor.providers.connections import NoCookies, one_per_request, ssl_context
from proctor.providers.patience import Patience
from proctor.tasks.call import CallFailed

CONNECT_SECONDS = 10.0  # a host that does not even take the connection by then is down
LOOK_AGAIN = 0.5
"""Seconds after which a read that still waits looks whether it has been given up."""

SENT_AT_ONCE = 65_536  # bytes that a connection takes from us without waiting for the other end
BESIDE_THE_BODY = 1_000_000  # bytes: headers, and the marks between the chunks of a body
STATUS_LINE = 12  # bytes of "HTTP/1.1 200"
CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
KEPT_ALIVE = [
    (getattr(socket, level), getattr(socket, name), value)
    for level, name, value in (
        ("SOL_SOCKET", "SO_KEEPALIVE", 1),
        ("IPPROTO_TCP", "TCP_KEEPIDLE", 30),
        ("IPPROTO_TCP", "TCP_KEEPINTVL", 30),
        ("IPPROTO_TCP", "TCP_KEEPCNT", 5),
    )
    if hasattr(socket, name)
]
"""Options of connections that are silent while a model thinks: a router on the way must not forget them."""


class _Exchange(threading.local):
    """What is known of the request that this thread has made last."""

    patience: Patience | None = None
    host = ""
    deadline: float | None = None
    received = 0
    beginning = b""

    def begin(self, patience: Patience, host: str) -> None:
        self.patience, self.host = patience, host
        self.deadline = None if patience.total is None else time.monotonic() + patience.total
        self.sending()

    def sending(self) -> None:
        """Another request, after a redirect, or inside of a tunnel."""
        self.received, self.beginning = 0, b""

    def left(self, timeout: float | None) -> float | None:
        """Seconds that the next read or write may take.

        Raises:
            CallFailed: If nothing is left.
        """
        patience = self.patience
        assert patience is not None
        if patience.given_up.is_set():
            raise CallFailed("the answer was given up when the run was stopped", kind="given_up")
        if self.deadline is None:
            return timeout
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise CallFailed(f"no whole answer from {self.host} within {patience.total:g} s", kind="timeout")
        return left if timeout is None else min(left, timeout)

    def take(self, data: bytes) -> None:
        self.received += len(data)
        if len(self.beginning) < STATUS_LINE:
            self.beginning += data[:STATUS_LINE]
        assert self.patience is not None
        if self.received > self.patience.most + BESIDE_THE_BODY:
            too_large(self.patience.most)

    @property
    def succeeded(self) -> bool:
        return self.beginning.startswith(b"HTTP/") and self.beginning[9:10] == b"2"


_exchange = _Exchange()


def answer_has_begun() -> bool:
    """Whether the request that this thread has made last is being answered, or was, and not with an error.

    Whatever came of that answer: the provider may want money for it.
    """
    return _exchange.succeeded


def too_large(most: int) -> None:
    """Raise the CallFailed for an answer of more than so many bytes."""
    raise CallFailed(f"malformed answer: it is larger than {most / 1e6:g} MB", kind="malformed")


class _Stream(httpcore2.NetworkStream):
    """A connection whose reads end when the answer has taken too long in all, is too large, or is given up."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        exchange = _exchange
        if exchange.patience is None:
            return self._stream.read(max_bytes, timeout)
        silent_from = time.monotonic()
        while True:
            left = exchange.left(None if timeout is None else timeout - (time.monotonic() - silent_from))
            try:
                with out_of_turn():
                    data = self._stream.read(max_bytes, LOOK_AGAIN if left is None else max(0.0, min(left, LOOK_AGAIN)))
            except httpcore2.ReadTimeout:
                if timeout is not None and time.monotonic() - silent_from >= timeout:
                    raise
            else:
                exchange.take(data)
                return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if _exchange.patience is not None:
            if _exchange.received:
                _exchange.sending()
            timeout = _exchange.left(timeout)
        with out_of_turn() if len(buffer) > SENT_AT_ONCE else nullcontext():
            self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, *args: Any, **kwargs: Any) -> httpcore2.NetworkStream:
        with out_of_turn():
            return _Stream(self._stream.start_tls(*args, **kwargs))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore2.SyncBackend):
    """Makes connections of that kind."""

    def connect_tcp(self, *args: Any, **kwargs: Any) -> httpcore2.NetworkStream:
        with out_of_turn():
            return _Stream(super().connect_tcp(*args, **kwargs))


Sender = Callable[[httpx2.HTTPTransport, httpx2.Request], httpx2.Response]
"""How a transport sends a request: ``HTTPTransport.handle_request``, or what listens has put in its place."""

_listener: Sender | None = None


@contextmanager
def listened_to() -> Iterator[None]:
    """Let whoever listens to transports now hear every request of ours, and nobody who begins to listen later.

    A test beside the benchmarks may play a cassette of its own while our requests are in flight: it must neither answer
    them nor record them.
    """
    global _listener  # as what it stands for, a method of a class, is
    _listener = httpx2.HTTPTransport.handle_request
    try:
        yield
    finally:
        _listener = None


def _send(transport: httpx2.HTTPTransport, request: httpx2.Request) -> httpx2.Response:
    return (_listener or httpx2.HTTPTransport.handle_request)(transport, request)


def watched(transport: httpx2.HTTPTransport) -> httpx2.HTTPTransport:
    """Let a transport that has not connected yet make such connections; httpx has no argument for that."""
    transport._pool._network_backend = _Backend()  # a test of the connections says if it has moved
    vars(transport)["handle_request"] = partial(_send, transport)
    return transport


class Client(httpx2.Client):
    """A client for one endpoint, which requests of no other host leave.

    Args:
        url: The endpoint.
        patience: How long to wait for each answer, and how much of it to take.
    """

    def __init__(self, url: str, patience: Patience) -> None:
        # With proxies in the environment, httpx's own client knows how to deal.
        transport = None if getproxies() else one_per_request(lambda context: watched(_transport(context)))
        super().__init__(
            verify=ssl_context(url),
            timeout=timeouts(patience),
            limits=CONNECTIONS,
            follow_redirects=True,
            cookies=NoCookies(),
            transport=transport,
            event_hooks={"request": [self._check_host]},
        )
        self._endpoint, self._shown = httpx2.URL(url), host_of(url)
        self._patience = patience
        if transport is None:
            for own in (self._transport, *self._mounts.values()):
                if isinstance(own, httpx2.HTTPTransport):
                    watched(own)

    def _check_host(self, request: httpx2.Request) -> None:
        """Raise for a request to another host, to which only a redirect can lead: it holds the prompt, if no more."""
        here, there = self._endpoint, request.url
        if _origin(here) == _origin(there):
            return
        if (here.host, here.scheme, there.scheme) == (there.host, "http", "https") and not (here.port or there.port):
            return
        raise CallFailed(
            f"{self._shown} redirects to another host, {host_of(str(there))}, which is not asked",
            kind="rejected",
        )

    def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request; its answer takes no longer, and no more memory, than the client's patience says."""
        _exchange.begin(self._patience, self._shown)
        answer = super().send(request, stream=True, **options)
        return answer if stream else _read(answer, self._patience.most)


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _read(answer: httpx2.Response, most: int) -> httpx2.Response:
    """The answer with its body read, and unpacked no further than so many bytes.

    Raises:
        CallFailed: If it has more.
    """
    packed = answer.headers.get("content-encoding")
    if packed is None:
        if len(answer.read()) > most:
            too_large(most)
        return answer
    chunks: list[bytes] = []
    size = 0
    try:
        if "," in packed:
            raise CallFailed("malformed answer: it is packed more than once", kind="malformed")
        for chunk in answer.iter_bytes():  # in pieces of 1 MB, however small they were when packed
            size += len(chunk)
            if size > most:
                chunks.clear()  # which the traceback would hold
                too_large(most)
            chunks.append(chunk)
    finally:
        answer.close()
    about_the_body = {"content-encoding", "content-length", "transfer-encoding"}
    return httpx2.Response(
        answer.status_code,
        headers=[(name, value) for name, value in answer.headers.multi_items() if name not in about_the_body],
        content=b"".join(chunks),
        request=answer.request,
        extensions=answer.extensions,
        history=answer.history,
    )


def timeouts(patience: Patience) -> httpx2.Timeout:
    """The part of a patience that httpx looks after."""
    longest = patience.silence if patience.total is None else min(patience.silence, patience.total)
    return httpx2.Timeout(longest, connect=min(longest, CONNECT_SECONDS))


def _transport(context: Any) -> httpx2.HTTPTransport:
    return httpx2.HTTPTransport(verify=context, socket_options=KEPT_ALIVE)
