"""Answers over TLS, from a server whose certificate the tests' own authority has signed."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from capitals import Project, answers
from stub_server import StubServer

AUTHORITY = trustme.CA()


@pytest.fixture
def secured(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubServer]:
    """A server that speaks TLS, at the addresses in the environment."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert("127.0.0.1").configure_cert(context)
    with StubServer(answers, tls=context) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.anthropic_url)
        yield server


def certificate(folder: Path, authority: trustme.CA) -> str:
    file = folder / "authority.pem"
    authority.cert_pem.write_to_path(str(file))
    return str(file)


@pytest.mark.parametrize("model", ["gpt-4o-mini", "o1-pro", "claude-3-5-haiku"])
@pytest.mark.parametrize("proxied", [False, True])
def test_an_authority_that_is_trusted(
    project: Project, secured: StubServer, monkeypatch: pytest.MonkeyPatch, model: str, proxied: bool
) -> None:
    """With a proxy for other hosts in the environment, httpx makes the connections itself."""
    if proxied:
        monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", certificate(project.path, AUTHORITY))
    assert project.run("--record-mode", "once", model=model).ret == 0
    assert len(secured.requests) == len(project.rows) == 5


@pytest.mark.parametrize("model", ["gpt-4o-mini", "claude-3-5-haiku"])
def test_an_authority_that_is_not_trusted_gets_no_question(
    project: Project, secured: StubServer, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", certificate(project.path, trustme.CA()))
    result = project.run("--record-mode", "once", model=model)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: * cannot be asked: *certificate verify failed*"])
    assert not secured.requests


def test_an_address_without_tls_needs_no_certificates(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(project.path / "missing.pem"))
    assert project.record().ret == 0
