"""What each kind of model is sent, byte for byte where it matters; expectations are written by hand."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from stub_server import Answer, Request, StubServer

from proctor._base.errors import UsageError
from proctor.models.registry import Registry
from proctor.providers import connect, read_reply
from proctor.tasks.call import CallFailed

REGISTRY = Registry.load()
USER = {"role": "user", "content": "What is on the table?"}
SYSTEM = {"role": "system", "content": "Answer in brackets."}


def sent(server: StubServer, name: str, *messages: dict[str, str], **overrides: object) -> Request:
    """The request that asking model *name* makes, with the defaults that TSG-Bench's tasks have."""
    model = REGISTRY.resolve(name)
    client = connect(model, timeout=120)
    try:
        client.send(model.call(messages or (USER,), {"temperature": 0, "max_tokens": 256}, overrides))  # type: ignore[arg-type]
    finally:
        client.close()
    return server.requests[-1]


@pytest.mark.parametrize(
    ("name", "path", "body"),
    [
        (
            "gpt4o-mini",
            "/v1/chat/completions",
            {"model": "gpt-4o-mini-2024-07-18", "temperature": 0, "max_completion_tokens": 256},
        ),
        ("o3", "/v1/chat/completions", {"model": "o3", "max_completion_tokens": 256}),
        ("gpt-5-nano", "/v1/chat/completions", {"model": "gpt-5-nano", "max_completion_tokens": 256}),
        ("o1-pro", "/v1/responses", {"model": "o1-pro", "max_output_tokens": 256}),
        ("gpt-5-pro", "/v1/responses", {"model": "gpt-5-pro", "max_output_tokens": 256}),
        (
            "claude-3-5-haiku",
            "/v1/messages",
            {"model": "claude-3-5-haiku-20241022", "temperature": 0, "max_tokens": 256},
        ),
        (
            "metallama",
            "/v1/chat/completions",
            {"model": "meta-llama/llama-3.3-70b-instruct", "temperature": 0, "max_tokens": 256},
        ),
        (
            "openrouter/vendor/new:free",
            "/v1/chat/completions",
            {"model": "vendor/new:free", "temperature": 0, "max_tokens": 256},
        ),
        (
            "smollm2-135m-instruct",
            "/v1/chat/completions",
            {"model": "smollm2-135m-instruct", "temperature": 0, "max_tokens": 512, "seed": 42},
        ),
    ],
)
def test_each_kind_of_model_gets_exactly_its_parameters(
    server: StubServer, name: str, path: str, body: dict[str, object]
) -> None:
    request = sent(server, name)
    assert request.path == path
    question = "input" if path.endswith("responses") else "messages"
    assert request.json == {**body, question: [USER]}


def test_the_command_line_reaches_the_wire_under_the_models_own_names(server: StubServer) -> None:
    body = sent(server, "gpt-4o", max_tokens=7, top_k=40, seed=1).json
    assert (body["max_completion_tokens"], body["top_k"], body["seed"]) == (7, 40, 1)
    assert "max_tokens" not in body


def test_a_name_of_the_wire_given_on_the_command_line_wins(server: StubServer) -> None:
    assert sent(server, "gpt-4o", max_completion_tokens=9).json["max_completion_tokens"] == 9


def test_anthropic_gets_system_messages_apart_and_stop_as_a_list(server: StubServer) -> None:
    body = sent(server, "claude-3-5-sonnet", SYSTEM, SYSTEM, USER, stop="END", top_k=3).json
    assert body["system"] == "Answer in brackets.\n\nAnswer in brackets."
    assert body["messages"] == [USER]
    assert body["stop_sequences"] == ["END"]
    assert body["top_k"] == 3


def test_anthropic_gets_no_system_field_without_system_messages(server: StubServer) -> None:
    assert "system" not in sent(server, "claude-3-5-sonnet").json


@pytest.mark.parametrize("timeout", [5, 60, 600])
def test_anthropic_takes_a_large_token_limit_without_streaming(server: StubServer, timeout: float) -> None:
    model = REGISTRY.resolve("claude-3-5-sonnet")
    client = connect(model, timeout=timeout)
    client.send(model.call([USER], {}, {"max_tokens": 64_000}))
    client.close()
    assert server.requests[-1].json["max_tokens"] == 64_000


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        ({"effort": "low"}, 1024 + 256),
        ({"effort": "high"}, 16384 + 256),
        ({"effort": "high", "max_tokens": 20000}, 20000),
    ],
)
def test_a_budget_of_thoughts_stays_below_the_token_limit(server: StubServer, given: Any, limit: int) -> None:
    assert sent(server, "claude-haiku-4-5", **given).json["max_tokens"] == limit


def test_what_claude_thinks_has_room_in_its_token_limit(server: StubServer) -> None:
    assert sent(server, "claude-opus-5-5").json["max_tokens"] == 32000


def test_anthropic_rejects_a_token_limit_that_is_no_number(server: StubServer) -> None:
    with pytest.raises(CallFailed, match="max_tokens") as caught:
        sent(server, "claude-3-5-sonnet", max_tokens=None)
    assert caught.value.kind == "rejected"


@pytest.mark.parametrize("name", ["gpt-4o", "o1-pro"])
def test_openai_keeps_system_messages_in_the_conversation(server: StubServer, name: str) -> None:
    body = sent(server, name, SYSTEM, USER).json
    assert (body.get("messages") or body["input"]) == [SYSTEM, USER]


@pytest.mark.parametrize("name", ["gpt-4o", "o1-pro", "claude-3-5-haiku", "metallama", "local/any"])
def test_a_loopback_address_needs_no_key(server: StubServer, name: str) -> None:
    assert sent(server, name).headers["authorization"] == "Bearer no-key-needed"


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("gpt-4o", "OPENAI_API_KEY"),
        ("o1-pro", "OPENAI_API_KEY"),
        ("claude-3-5-haiku", "ANTHROPIC_API_KEY"),
        ("metallama", "OPENROUTER_API_KEY"),
    ],
)
def test_each_provider_takes_its_own_key(
    server: StubServer, monkeypatch: pytest.MonkeyPatch, name: str, variable: str
) -> None:
    monkeypatch.setenv(variable, " sk-mine ")
    headers = sent(server, name).headers
    assert "sk-mine" in (headers.get("authorization", "") + headers.get("x-api-key", ""))


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("gpt-4o", "OPENAI_API_KEY"),
        ("o1-pro", "OPENAI_API_KEY"),
        ("claude-3-5-haiku", "ANTHROPIC_API_KEY"),
        ("metallama", "OPENROUTER_API_KEY"),
    ],
)
def test_a_missing_key_is_named_before_any_request(monkeypatch: pytest.MonkeyPatch, name: str, variable: str) -> None:
    for other in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OPENROUTER_BASE_URL", variable):
        monkeypatch.delenv(other, raising=False)
    with pytest.raises(UsageError, match=variable):
        connect(REGISTRY.resolve(name), timeout=120)


def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret\nsk-other")
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
        connect(REGISTRY.resolve("gpt-4o"), timeout=120)
    assert "secret" not in str(caught.value)


def test_the_openai_organisation_goes_to_openai_alone(server: StubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    assert sent(server, "gpt-4o").headers["openai-organization"] == "org-mine"
    assert "openai-organization" not in sent(server, "metallama").headers


@pytest.mark.parametrize("name", ["gpt-4o", "o1-pro", "claude-3-5-haiku"])
def test_one_client_carries_a_hundred_requests_at_once(server: StubServer, name: str) -> None:
    everybody = threading.Barrier(100, timeout=120)  # an answer comes only when all hundred have arrived

    def script(request: Request) -> Answer:
        everybody.wait()
        return Answer(request.question)

    server.script = script
    model = REGISTRY.resolve(name)
    client = connect(model, timeout=120)
    calls = [model.call([{"role": "user", "content": f"question {n}"}], {}, {}) for n in range(100)]
    with ThreadPoolExecutor(100) as pool:
        answers = [read_reply(model.api, body).text for body in pool.map(client.send, calls)]
    client.close()
    assert answers == [f"question {n}" for n in range(100)]
    assert server.peak == 100


@pytest.mark.parametrize("name", ["gpt-4o", "o1-pro", "claude-3-5-haiku"])
def test_threads_that_end_leave_their_connections_to_others(server: StubServer, name: str) -> None:
    model = REGISTRY.resolve(name)
    client = connect(model, timeout=120)
    for _ in range(5):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(client.send, model.call([USER], {}, {})).result()
    assert (server.count, server.connections) == (5, 1)
    client.close()
