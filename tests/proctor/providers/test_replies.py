"""Reading an answer: text, how it ended, tokens; first through the stub server's bodies, then odd ones by hand."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stub_server import Answer, Request

from proctor.providers import read_reply
from proctor.tasks.call import CallFailed, Usage

APIS = ["openai-chat", "openai-responses", "anthropic-messages"]
every_api = pytest.mark.parametrize("api", APIS)


def body_of(api: str, answer: Answer) -> bytes:
    return answer.content(Request("", {}, {"model": "m"}, api))


@every_api
@pytest.mark.parametrize("text", ["[mop-stick]", "", " spaces\n\tkept ", "löffel → 🥄", "a" * 100_000])
def test_text_comes_exactly_as_sent(api: str, text: str) -> None:
    reply = read_reply(api, body_of(api, Answer(text)))
    assert (reply.text, reply.finish_reason) == (text, "stop")


@every_api
@pytest.mark.parametrize(
    ("finish", "reason"), [("length", "length"), ("refusal", "refusal"), ("content_filter", "refusal")]
)
def test_how_an_answer_ended(api: str, finish: str, reason: str) -> None:
    reply = read_reply(api, body_of(api, Answer("I cannot", finish=finish)))  # type: ignore[arg-type]
    assert (reply.text, reply.finish_reason) == ("I cannot", reason)


@pytest.mark.parametrize(
    ("api", "usage"),
    [
        ("openai-chat", Usage(1000, 300, 600, 250)),
        ("openai-responses", Usage(1000, 300, 600, 250)),
        ("anthropic-messages", Usage(1000, 300, 600, None, 0)),
    ],
)
def test_input_tokens_include_cached_ones_for_every_provider(api: str, usage: Usage) -> None:
    assert read_reply(api, body_of(api, Answer(tokens=(1000, 600, 300, 250)))).usage == usage


def test_anthropics_input_tokens_leave_out_what_was_read_from_and_written_to_the_cache() -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 600, "cache_creation_input_tokens": 90, "output_tokens": 5}
    body = json.dumps({"content": [], "stop_reason": "end_turn", "usage": usage}).encode()
    assert read_reply("anthropic-messages", body).usage == Usage(700, 5, 600, None, 90)


@pytest.mark.parametrize(
    ("api", "body", "text", "reason"),
    [
        ("openai-chat", {"choices": [{"message": {"content": None}, "finish_reason": "stop"}]}, "", "stop"),
        ("openai-chat", {"choices": [{"message": {}}]}, "", "other"),
        ("openai-chat", {"choices": [{"message": {"content": "a"}, "finish_reason": "tool_calls"}]}, "a", "other"),
        ("openai-chat", {"choices": [{"message": {"content": "a"}, "finish_reason": "eos"}]}, "a", "stop"),
        ("openai-chat", {"choices": [{"message": {"content": "a"}, "finish_reason": "MAX_TOKENS"}]}, "a", "length"),
        (
            "openai-chat",
            {"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]},
            "ab",
            "other",
        ),
        ("openai-responses", {"output": []}, "", "other"),
        (
            "openai-responses",
            {
                "status": "completed",
                "output": [
                    {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]},
                    {"type": "message", "content": [{"type": "output_text", "text": "a"}]},
                    {"type": "message", "content": [{"type": "output_text", "text": "b"}]},
                ],
            },
            "ab",
            "stop",
        ),
        ("openai-responses", {"status": "incomplete", "output": []}, "", "other"),
        (
            "anthropic-messages",
            {
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "a"},
                    {"type": "text", "text": "b"},
                ],
                "stop_reason": "stop_sequence",
            },
            "ab",
            "stop",
        ),
        ("anthropic-messages", {"content": [], "stop_reason": None}, "", "other"),
        ("anthropic-messages", {"content": [], "stop_reason": "model_context_window_exceeded"}, "", "length"),
    ],
)
def test_sparse_and_rich_answers(api: str, body: object, text: str, reason: str) -> None:
    reply = read_reply(api, json.dumps(body).encode())
    assert (reply.text, reply.finish_reason, reply.usage) == (text, reason, Usage())


@pytest.mark.parametrize(("word", "kind"), [("error", "malformed"), ("abort", "unfinished"), (["odd"], "unfinished")])
@pytest.mark.parametrize("api", ["openai-chat", "anthropic-messages"])
def test_an_end_that_is_an_error_or_unknown_is_no_answer(api: str, word: object, kind: str) -> None:
    chat = {"choices": [{"message": {"content": "a"}, "finish_reason": word}]}
    body = {**chat, "content": [{"type": "text", "text": "a"}], "stop_reason": word}
    with pytest.raises(CallFailed, match=word if isinstance(word, str) else "odd") as caught:
        read_reply(api, json.dumps(body).encode())
    assert caught.value.kind == kind


@pytest.mark.parametrize("count", [10**12 + 1, 10**400])
@every_api
def test_a_count_beyond_all_reason_is_malformed(api: str, count: int) -> None:
    with pytest.raises(CallFailed, match="more than 1,000,000,000,000"):
        read_reply(api, body_of(api, Answer(tokens=(count, 0, 5, 0))))


@pytest.mark.parametrize("levels", [150, 400])
@every_api
def test_how_deep_an_answer_may_be_does_not_depend_on_the_thread(api: str, levels: int) -> None:
    body = body_of(api, Answer("x"))[:-1] + b', "more": ' + b"[" * levels + b"]" * levels + b"}"
    if levels < 200:
        assert read_reply(api, body).text == "x"
    else:
        with pytest.raises(CallFailed, match="deep"):
            read_reply(api, body)


@every_api
def test_a_byte_order_mark_is_read(api: str) -> None:
    assert read_reply(api, b"\xef\xbb\xbf" + body_of(api, Answer("x"))).text == "x"


@pytest.mark.parametrize("status", ["in_progress", "queued", "cancelled"])
def test_a_response_that_is_not_finished_is_malformed(status: str) -> None:
    with pytest.raises(CallFailed, match=status):
        read_reply("openai-responses", json.dumps({"status": status, "output": []}).encode())


@pytest.mark.parametrize("count", [None, "12", True, -1, 1.5, {}])
def test_a_count_that_is_none_is_unknown(count: object) -> None:
    body = {"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": count, "completion_tokens": 3}}
    assert read_reply("openai-chat", json.dumps(body).encode()).usage == Usage(None, 3, None, None)


@pytest.mark.parametrize("usage", [None, [], "free", {"prompt_tokens_details": None, "completion_tokens_details": []}])
def test_usage_in_an_odd_shape_is_unknown(usage: object) -> None:
    body = {"choices": [{"message": {"content": "a"}}], "usage": usage}
    assert read_reply("openai-chat", json.dumps(body).encode()).usage == Usage()


def test_blanks_around_the_body_do_not_matter() -> None:
    body = b"\n   \n" + body_of("openai-chat", Answer("x")) + b"\n"  # OpenRouter keeps a slow connection alive so
    assert read_reply("openai-chat", body).text == "x"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "output", "type", "text", "usage", "error", "code"]),
            inner,
        )
    ),
)


@settings(max_examples=60, deadline=None)
@given(api=st.sampled_from(APIS), body=st.binary() | json_values.map(lambda value: json.dumps(value).encode()))
def test_whatever_the_body_reading_it_gives_a_reply_or_a_failed_call(api: str, body: bytes) -> None:
    try:
        reply = read_reply(api, body)
    except CallFailed:
        return
    assert isinstance(reply.text, str)


def test_no_sdk_is_imported_before_a_client_is_made() -> None:
    code = f"""
import sys
import proctor.models.registry, proctor.providers
from proctor.providers import read_reply
for api, body in {[(api, body_of(api, Answer("x"))) for api in APIS]!r}:
    assert read_reply(api, body).text == "x"
heavy = {{"openai", "anthropic", "httpx", "httpx2", "vcr", "pydantic", "yaml", "requests"}}
print(sorted(heavy & set(sys.modules)))
proctor.models.registry.Registry.load()
print(sorted((heavy - {{"yaml"}}) & set(sys.modules)))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["[]", "[]"]
