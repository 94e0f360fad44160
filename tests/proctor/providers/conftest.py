"""A stub server that every provider's base URL points at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from stub_server import StubServer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubServer]:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with StubServer() as server:
        for name in ("OPENAI_BASE_URL", "OPENROUTER_BASE_URL", "LOCAL_BASE_URL"):
            monkeypatch.setenv(name, server.openai_url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.anthropic_url)
        yield server
