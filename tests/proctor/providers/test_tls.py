"""Answers over TLS, from a server whose certificate the tests' own authority has signed."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


def reads(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The files of certificates that are read from now on, as they are."""
    files: list[str | None] = []
    load = ssl.SSLContext.load_verify_locations

    def noted(context: ssl.SSLContext, cafile: str | None = None, *further: Any) -> None:
        files.append(cafile)
        load(context, cafile, *further)

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", noted)
    return files


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


@pytest.mark.parametrize("proxied", [False, True])
def test_certificates_are_read_once(
    project: Project, secured: StubServer, monkeypatch: pytest.MonkeyPatch, proxied: bool
) -> None:
    """Two models have a client each."""
    if proxied:
        monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", file := certificate(project.path, AUTHORITY))
    read = reads(monkeypatch)
    assert project.record("--model", "claude-3-5-haiku").ret == 0
    assert len(secured.requests) == 10
    assert read == [file]


def test_an_address_without_tls_needs_no_certificates(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(project.path / "missing.pem"))
    read = reads(monkeypatch)
    assert project.record().ret == 0
    assert project.server.count == 5
    assert not read
