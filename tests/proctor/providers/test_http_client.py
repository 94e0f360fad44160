"""The HTTP client's connections: what httpx2 does not promise, and is used all the same."""

from __future__ import annotations

import threading

import httpcore2
import httpx2
import pytest
from stub_server import StubServer

from proctor.providers.http_client import Client, answer_has_begun, watched
from proctor.providers.patience import Patience
from proctor.tasks.call import CallFailed


def test_a_transport_connects_through_the_part_that_is_replaced(server: StubServer) -> None:
    made: list[str] = []

    class Counting(httpcore2.SyncBackend):
        def connect_tcp(self, host: str, *args: object, **kwargs: object) -> httpcore2.NetworkStream:
            made.append(host)
            return super().connect_tcp(host, *args, **kwargs)  # type: ignore[arg-type]

    transport = httpx2.HTTPTransport()
    before = transport._pool._network_backend
    assert isinstance(before, httpcore2.NetworkBackend)
    assert watched(transport) is transport
    assert type(transport._pool._network_backend) is not type(before)
    transport._pool._network_backend = Counting()
    with httpx2.Client(transport=transport) as client:
        client.get(server.anthropic_url)
    assert made == ["127.0.0.1"]


@pytest.mark.parametrize("proxy", [None, "http://127.0.0.1:1"])
def test_the_connections_of_a_client_are_watched(
    server: StubServer, monkeypatch: pytest.MonkeyPatch, proxy: str | None
) -> None:
    """With a proxy in the environment, httpx makes the transports itself."""
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    if proxy is not None:
        monkeypatch.setenv("https_proxy", proxy)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
    given_up = threading.Event()
    with Client(server.openai_url, Patience(60, 60, given_up=given_up)) as client:
        request = client.build_request("POST", f"{server.openai_url}/chat/completions", json={})
        client.send(request)
        assert answer_has_begun()
        given_up.set()
        with pytest.raises(CallFailed, match="given up"):
            client.send(request)
