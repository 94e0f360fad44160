"""A stub server that every provider's base URL points at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from stub_server import StubServer


@pytest.fixture(scope="session")
def running_server() -> Iterator[StubServer]:
    with StubServer() as server:
        yield server


@pytest.fixture
def server(running_server: StubServer, monkeypatch: pytest.MonkeyPatch) -> StubServer:
    """The session's server, as good as new, with no key in the environment."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    running_server.reset()
    for name in ("OPENAI_BASE_URL", "OPENROUTER_BASE_URL", "LOCAL_BASE_URL"):
        monkeypatch.setenv(name, running_server.openai_url)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", running_server.anthropic_url)
    return running_server
