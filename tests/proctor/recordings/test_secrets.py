"""Recordings that hold a secret are refused, and nothing that only resembles one is."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from capitals import Project

from proctor.recordings.leak_detector import Detector
from proctor.recordings.recording import Recording

CHANGE = Callable[[dict[str, Any]], object]


def tamper(project: Project, change: CHANGE) -> None:
    """Change the third recording's interaction, with a checksum that fits."""
    lines = project.cassette.read_bytes().splitlines(keepends=True)
    recording = Recording.parse(lines[2].rstrip(b"\n"))
    interaction: dict[str, Any] = copy.deepcopy(dict(recording.interaction))
    change(interaction)
    lines[2] = replace(recording, interaction=interaction).line()
    project.cassette.write_bytes(b"".join(lines))


def in_answer(text: str) -> CHANGE:
    """Into the answer's text; the line keeps its short form."""

    def change(interaction: dict[str, Any]) -> None:
        body = interaction["response"]["body"]
        body["string"] = body["string"].replace('"content":"', '"content":"' + json.dumps(f"\n{text}")[1:-1])

    return change


def in_body(text: str) -> CHANGE:
    """Behind the answer, which is then no JSON; the line holds the whole interaction."""

    def change(interaction: dict[str, Any]) -> None:
        interaction["response"]["body"]["string"] += f"\n{text}"

    return change


def in_header(half: str, name: str, value: str) -> CHANGE:
    return lambda interaction: interaction[half]["headers"].update({name: [value]})


@pytest.mark.parametrize(
    ("change", "secret", "kind"),
    [
        (in_body("sk-ant-api03-abcdefghij0123456789xyz"), "abcdefghij", "a secret: an API key"),
        (in_answer("sk-ant-api03-abcdefghij0123456789xyz"), "abcdefghij", "a secret: an API key"),
        (in_answer("BEARER: Bearer abcdefghij.0123456789_xyz"), "abcdefghij", "a secret: a bearer token"),
        (in_answer("a local-0123-key-of-mine it is"), "local-0123", "a secret: the value of ANTHROPIC_API_KEY"),
        (in_body("hf_abcdefghijABCDEFGHIJabcdefghij1234"), "abcdefghij", "a secret: an API key"),
        (in_body("BEARER: Bearer abcdefghij.0123456789_xyz"), "abcdefghij", "a secret: a bearer token"),
        (in_body("Set-Cookie: session=0123456789abcdef; Path=/"), "0123456789", "a secret: a cookie header"),
        (in_body("a local-0123-key-of-mine it is"), "local-0123", "a secret: the value of ANTHROPIC_API_KEY"),
        (
            in_header("request", "Authorization", "Basic abcd"),
            "abcd",
            "may be a secret: the request header authorization",
        ),
        (in_header("response", "set-cookie", "a=b"), "a=b", "may be a secret: the response header set-cookie"),
    ],
)
def test_a_recording_with_a_secret_is_refused_without_showing_it(
    project: Project, monkeypatch: pytest.MonkeyPatch, change: CHANGE, secret: str, kind: str
) -> None:
    project.record()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "local-0123-key-of-mine")
    tamper(project, change)
    result = project.run("-k", "France")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [f"ERROR: *gpt-4o-mini.jsonl:3: the recording holds *{kind}", "  Revoke the secret. Delete the line, then *"]
    )
    assert secret not in str(result.stdout) + str(result.stderr)


def test_an_answer_that_looks_like_a_key_is_recorded_without_it_and_replays(project: Project) -> None:
    project.server.script = "[Paris] as in\nsk-proj-abcdefghijABCDEFGHIJ0123"
    project.record("-k", "France")
    assert project.rows["France"]["response_text"] == "[Paris] as in\n[removed]"
    assert project.run("-k", "France").ret == 0
    assert project.rows["France"]["response_text"] == "[Paris] as in\n[removed]"


@pytest.mark.parametrize(
    "text",
    [
        "risk-ant-colony-optimisation-with-many-ants task-or-goal-oriented-dialogue-systems",
        "Use Bearer authentication/authorization in the header; send Bearer <your token here>",
        "Cookie: the small cake. cookie: name=value",
        "data:image/png;base64,iVBORsk-0123456789abcdefghijABCDEFGHIJ01AIza0123456789abcdefghijABCDEFGHIJ01234",
        "anything goes",
    ],
)
def test_prose_is_no_secret(text: str) -> None:
    detector = Detector({"LOCAL_KEY": "anything"})
    assert detector.lines_with_secrets(json.dumps({"text": text}).encode()) == {}


def test_lines_are_counted_from_one() -> None:
    content = b'{}\n{"x":"\\nsk-0123456789abcdefghijABCDEFGHIJ0123"}\n{}\n{"y":"Bearer 0123456789abcdefghij"}\n'
    assert Detector({}).lines_with_secrets(content) == {2: "an API key", 4: "a bearer token"}
