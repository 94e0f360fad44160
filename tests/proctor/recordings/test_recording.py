"""A recording's line: short for a usual interaction, whole for any other, and the answer's body as it came for both."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest
from capitals import Project
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.recordings.recording import CallId, Recording, compact

URI = "http://127.0.0.1:1/v1/chat/completions"
JSON = "application/json"


def recording(
    body: str, *, prompt: str | None = None, code: int = 200, kind: str = JSON, parameters: dict[str, Any] | None = None
) -> Recording:
    interaction = {
        "request": {"method": "POST", "uri": URI, "body": prompt, "headers": {}},
        "response": {
            "status": {"code": code, "message": "OK"},
            "headers": {"content-type": [kind]},
            "body": {"string": body},
        },
    }
    origin = {"model": "m", "parameters": parameters or {}, "template": "00000000", "row": "11111111"}
    return Recording(CallId("a", 1, "answer", 0), "0f" * 16, origin, "2026-01-01T00:00:00.000Z", 0.25, 1, interaction)


def read_back(recorded: Recording) -> Recording:
    line = recorded.line()
    assert line.endswith(b"\n")
    assert line.count(b"\n") == line.count(b"\r") + 1 == 1
    return Recording.parse(line[:-1])


def test_a_usual_interaction_takes_one_short_line() -> None:
    text = (
        '{"sample":"a","epoch":1,"role":"answer","key":"0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",'
        '"origin":{"model":"m","parameters":{},"template":"00000000","row":"11111111"},'
        '"recorded_at":"2026-01-01T00:00:00.000Z","latency_s":0.25,"uri":"http://127.0.0.1:1/v1/chat/completions",'
        '"body":{"choices":[{"message":{"content":"[é]"}}]}'
    ).encode()
    recorded = recording('{"choices":[{"message":{"content":"[é]"}}]}')
    assert recorded.line() == text + b',"check":"%08x"}\n' % zlib.crc32(text)
    assert read_back(recorded) == recorded


def test_a_line_that_holds_the_whole_interaction_is_read() -> None:
    """The form of all lines before there was a short one."""
    text = (
        b'{"sample":"a","epoch":1,"role":"answer","turn":0,"key":"0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",'
        b'"origin":{"model":"m","parameters":{},"template":"00000000","row":"11111111"},'
        b'"recorded_at":"2026-01-01T00:00:00.000Z","latency_s":0.25,'
        b'"request":{"method":"POST","uri":"http://127.0.0.1:1/v1/chat/completions","body":null,"headers":{}},'
        b'"response":{"status":{"code":200,"message":"OK"},"headers":{"content-type":["application/json"]},'
        b'"body":{"string":"{\\"choices\\":[]}"}}'
    )
    assert Recording.parse(text + b',"check":"%08x"}' % zlib.crc32(text)) == recording('{"choices":[]}')


@pytest.mark.parametrize(
    "body",
    [
        '{"a":1.50E+3,"b":1e999,"c":-0.0,"d":12345678901234567890123}',
        '{"a":1,"a":2}',
        '{"half a pair":"\\ud83d","whole":"\\ud83d\\ude00","raw":"😀\u2028"}',
        '{"quoted":",\\"body\\":{","nested":{"x":0,"body":{"x":",\\"check\\":\\"00000000\\"}"}}}',
        "{}",
        '{"not":NaN}',
        '{"cut":',
        "[1,2]",
        '"text"',
        "",
        "<html>\r\n</html>",
        '{"bytes":"' + b"\xff\xfe".decode("utf-8", "surrogateescape") + '"}',
        '{"a":' * 5000 + "1" + "}" * 5000,
        '{"control":"\x01"}',
    ],
)
def test_a_body_comes_back_as_it_was(body: str) -> None:
    assert compact(body) == body
    again = read_back(recording(body))
    assert again.body == body.encode("utf-8", "surrogateescape")
    assert again == recording(body)


@pytest.mark.parametrize(
    ("pretty", "short"),
    [
        ('{\n  "a": [1, 2.0],\r\n\t"b c": "d  e\\n \\" f"\n}\n', '{"a":[1,2.0],"b c":"d  e\\n \\" f"}'),
        ('{"a" : 1 , "a" : 1.0e5}', '{"a":1,"a":1.0e5}'),
        ("no json { }", "no json { }"),
    ],
)
def test_only_blanks_between_the_values_of_json_are_dropped(pretty: str, short: str) -> None:
    assert compact(pretty) == short


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


# The first text that Hypothesis makes in a checkout takes it a second, which it then calls slow.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text() | st.just("body"), VALUES, max_size=4), st.booleans(), st.sampled_from([None, 0, 3]))
def test_any_json_answer_says_the_same_after_recording(
    value: dict[str, Any], escaped: bool, indent: int | None
) -> None:
    try:
        body = json.dumps(value, ensure_ascii=escaped, indent=indent)
        body.encode()
    except UnicodeEncodeError:
        body = json.dumps(value, indent=indent)
    again = read_back(recording(compact(body), parameters={"x": 1, "body": {"y": [2]}}))
    assert json.loads(again.body) == value
    assert again.origin["parameters"] == {"x": 1, "body": {"y": [2]}}


@pytest.mark.parametrize("more", [{"prompt": "{}"}, {"code": 201}, {"kind": "text/plain"}])
def test_whatever_else_an_interaction_has_is_kept(more: dict[str, Any]) -> None:
    recorded = recording('{"choices":[]}', **more)
    assert read_back(recorded) == recorded
    assert b'"request":{' in recorded.line()


def test_answers_of_models_are_recorded_in_short_form_and_replay(project: Project) -> None:
    project.record()
    lines = [json.loads(line) for line in project.cassette.read_text().splitlines()]
    assert {line["body"]["choices"][0]["message"]["content"] for line in lines} >= {"[Paris]", "[Tokyo]"}
    assert all(line["uri"] == f"{project.server.openai_url}/chat/completions" for line in lines)
    assert not any("request" in line or "response" in line for line in lines)
    assert project.run().ret == 0


def test_prompts_that_are_kept_stand_in_the_whole_interaction(project: Project) -> None:
    project.record("--record-prompts", "-k", "France")
    line = json.loads(project.cassette.read_text())
    assert "What is the capital of France" in line["request"]["body"]
    assert project.run("-k", "France").ret == 0
