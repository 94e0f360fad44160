"""Keys that may be words, as local servers are given: messages and answers stay readable, and no key is told as one."""

from __future__ import annotations

import pytest
from capitals import Project, answers
from stub_server import Answer, Request

from proctor._base.http import redact

SAID = "xylophone: an abc of anything, in axes x and y"


@pytest.mark.parametrize("key", ["x", "abc", "anything", "lm-studio"])
def test_a_message_is_readable_and_tells_no_key(key: str) -> None:
    assert redact(SAID, key=key) == SAID
    for before in ("Incorrect API key provided: ", '{"Authorization": "Bearer ', "api_key="):
        assert redact(f"{before}{key}. Read on", key=key) == f"{before}[hidden]. Read on"


def test_a_longer_key_is_hidden_wherever_it_stands() -> None:
    assert redact("hunter22 and k3yk3y99", key="k3yk3y99") == "hunter22 and [hidden]"


@pytest.mark.parametrize("key", ["x", "anything"])
def test_nothing_of_a_run_is_garbled(project: Project, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)

    def script(request: Request) -> str | Answer:
        if "Peru" in request.question:
            return Answer.error(400, f"{SAID}; you sent {request.headers['authorization']}")
        return f"{SAID} {answers(request)} ({request.headers['authorization']})"

    project.server.script = script
    assert project.record().ret == 1
    rows = project.rows
    assert rows["Peru"]["error"] == f"400: {SAID}; you sent Bearer [hidden]"
    assert rows["France"]["response_text"] == f"{SAID} [Paris] (Bearer [removed])"
    files = [file for file in project.path.rglob("*.*") if file.is_file()]
    assert not [file for file in files if f"Bearer {key}" in file.read_text(errors="replace")]
    assert project.run("-k", "France").ret == 0
