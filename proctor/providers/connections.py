"""Connections of many threads to one provider, none of which waits for another's; and no cookies."""

from __future__ import annotations

import threading
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING, Any
from urllib.request import getproxies

if TYPE_CHECKING:
    import httpx2


class NoCookies(CookieJar):
    """Keeps no cookie of any answer: an API knows its callers by their keys, and a cookie would only tell of others."""

    def extract_cookies(self, response: Any, request: Any) -> None:
        """Leave them all."""


def one_per_thread() -> httpx2.BaseTransport | None:
    """A transport with a connection of its own for each thread, for the OpenAI SDK.

    Anthropic's SDK sets up its connections to stay alive through long answers, and keeps its own.

    The pool of connections that an SDK's client has by itself looks through all of them, under a lock, whenever a
    request begins or ends; with 64 in flight that is a tenth of what a request costs.

    Returns:
        The transport, for one client; ``None`` where the environment names proxies, with which the SDK's own client
        knows how to deal.
    """
    if getproxies():
        return None
    import httpx2

    class OnePerThread(httpx2.BaseTransport):
        """Hands each request to the transport of the thread that makes it."""

        def __init__(self) -> None:
            self._ssl_context = httpx2.create_ssl_context()  # reading the certificates takes as long as some requests
            self._of_thread = threading.local()
            self._all: list[httpx2.HTTPTransport] = []

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            own: httpx2.HTTPTransport | None = getattr(self._of_thread, "transport", None)
            if own is None:
                own = self._of_thread.transport = httpx2.HTTPTransport(verify=self._ssl_context)
                self._all.append(own)
            return own.handle_request(request)

        def close(self) -> None:
            for transport in self._all:
                transport.close()

    return OnePerThread()
