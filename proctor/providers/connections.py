"""Connections of many threads to one provider, none of which waits for another's; and no cookies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING, Any

from proctor._base.errors import UsageError

if TYPE_CHECKING:
    import httpx2


def check_certificates() -> None:
    """Raise a `UsageError` if ``SSL_CERT_FILE`` names no certificates: no client could then be made at all."""
    file = os.environ.get("SSL_CERT_FILE")
    if not file:
        return
    import ssl

    try:
        ssl.create_default_context(cafile=file)
    except OSError as problem:  # of which an SSLError, for a file of anything else, is one
        raise UsageError(
            f"SSL_CERT_FILE does not name a file of certificates: {file}: {problem.strerror or problem}",
            remedy="Correct it, or unset it.",
        ) from None


class NoCookies(CookieJar):
    """Keeps no cookie of any answer: an API knows its callers by their keys, and a cookie would only tell of others."""

    def extract_cookies(self, response: Any, request: Any) -> None:
        """Leave them all."""


def one_per_request(make: Callable[[Any], httpx2.HTTPTransport]) -> httpx2.BaseTransport:
    """A transport with a connection of its own for each request in flight.

    The pool of connections that an SDK's client has by itself looks through all of them, under a lock, whenever a
    request begins or ends; with 64 in flight that is a tenth of what a request costs.

    Args:
        make: Makes the transport of one connection, with the SSL context that all of them share.

    Returns:
        The transport, for one client.
    """
    import httpx2

    class Lent(httpx2.SyncByteStream):
        """The body of an answer, after which its connection is free for another request."""

        def __init__(self, body: Any, give_back: Callable[[], None]) -> None:
            self._body = body
            self._give_back: Callable[[], None] | None = give_back

        def __iter__(self) -> Iterator[bytes]:
            yield from self._body

        def close(self) -> None:
            self._body.close()
            give_back, self._give_back = self._give_back, None
            if give_back is not None:  # the first time
                give_back()

    class OnePerRequest(httpx2.BaseTransport):
        """Hands each request to a transport that no other uses meanwhile, and that as a rule is connected already.

        Not one a thread: parts of a conversation run in threads of their own, which end, and their connections would
        stay.
        """

        def __init__(self) -> None:
            self._ssl_context = httpx2.create_ssl_context()  # reading the certificates takes as long as some requests
            self._idle: list[httpx2.HTTPTransport] = []  # to take the last one, and to put one back, needs no lock

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            try:
                own = self._idle.pop()
            except IndexError:
                own = make(self._ssl_context)
            try:
                response = own.handle_request(request)
            except BaseException:
                own.close()
                raise
            response.stream = Lent(response.stream, lambda: self._idle.append(own))
            return response

        def close(self) -> None:
            while self._idle:
                self._idle.pop().close()

    return OnePerRequest()
