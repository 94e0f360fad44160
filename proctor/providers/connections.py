"""Connections of many threads to one provider, none of which waits for another's; and no cookies."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING, Any
from urllib.request import getproxies

from proctor._base.errors import UsageError

if TYPE_CHECKING:
    import ssl

    import httpx2

_reading = threading.Lock()
_read: dict[tuple[str | None, str | None], ssl.SSLContext] = {}


def certificates() -> ssl.SSLContext:
    """The certificates that connections of this process trust: read once, which takes as long as some requests.

    Raises:
        OSError: If ``SSL_CERT_FILE`` names none.
    """
    import httpx2

    environment = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    with _reading:
        if environment not in _read:
            _read[environment] = httpx2.create_ssl_context()  # which looks into the environment itself
        return _read[environment]


def ssl_context(url: str) -> ssl.SSLContext:
    """What a connection to *url* trusts: `certificates`, or nobody where it has neither TLS nor a proxy."""
    import ssl

    if url.casefold().startswith("http://") and not getproxies():
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return certificates()


def check_certificates(url: str) -> None:
    """Raise a `UsageError` if a client of *url* needs certificates that cannot be read."""
    try:
        ssl_context(url)
    except OSError as problem:  # of which an SSLError, for a file of anything else, is one
        said, file = problem.strerror or problem, os.environ.get("SSL_CERT_FILE")
        if not file:
            raise UsageError(f"the certificates of this machine cannot be read: {said}") from None
        raise UsageError(
            f"SSL_CERT_FILE does not name a file of certificates: {file}: {said}", remedy="Correct it, or unset it."
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
        make: Makes the transport of one connection, with the SSL context that it is to have.

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
            self._idle: dict[str, list[httpx2.HTTPTransport]] = {"http": [], "https": []}

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            idle = self._idle[request.url.scheme]  # to take the last one, and to put one back, needs no lock
            try:
                own = idle.pop()
            except IndexError:
                own = make(ssl_context(str(request.url)))
            try:
                response = own.handle_request(request)
            except BaseException:
                own.close()
                raise
            response.stream = Lent(response.stream, lambda: idle.append(own))
            return response

        def close(self) -> None:
            for idle in self._idle.values():
                while idle:
                    idle.pop().close()

    return OnePerRequest()
