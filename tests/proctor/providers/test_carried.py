"""What a request carries beside its messages: headers, a query, nested parameters; and a tool call for an answer."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

import pytest
from capitals import Project, answers
from stub_server import Answer, Request

GATEWAY = """
providers:
  gateway:
    base_url: '{url}?api-version=2024-10-21'
    api: {api}
    headers: {{X-Gateway: 'team ${{GATEWAY_SECRET}}', X-Plain: hello}}
    query: {{region: 'eu west', token: '${{GATEWAY_TOKEN}}'}}
"""
SECRETS = {"GATEWAY_SECRET": "distinctiveGateway123", "GATEWAY_TOKEN": "distinctiveToken4567"}


@pytest.fixture
def gateway(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    return project


def configure(project: Project, api: str) -> None:
    url = project.server.anthropic_url if api == "anthropic-messages" else project.server.openai_url
    (project.path / "models.yaml").write_text(GATEWAY.format(url=url, api=api))


@pytest.mark.parametrize("api", ["openai-chat", "openai-responses", "anthropic-messages"])
def test_headers_and_query_are_sent_and_reach_no_file(gateway: Project, api: str) -> None:
    configure(gateway, api)
    gateway.server.script = lambda r: f"{answers(r)} {dict(r.headers)} {r.path}"  # all of it, echoed
    arguments = ("-k", "France", "--max-tokens", "9")
    assert gateway.run("--record-mode", "once", "--record-prompts", *arguments, model="gateway/m").ret == 0
    (sent,) = gateway.server.requests
    path, _, query = sent.path.partition("?")
    assert path in ("/v1/chat/completions", "/v1/responses", "/v1/messages")
    assert dict(parse_qsl(query)) == {
        "api-version": "2024-10-21",
        "region": "eu west",
        "token": SECRETS["GATEWAY_TOKEN"],
    }
    assert (sent.headers["x-gateway"], sent.headers["x-plain"]) == ("team distinctiveGateway123", "hello")
    files = [file for file in gateway.path.rglob("*") if file.is_file()]
    assert not [file for file in files for value in SECRETS.values() if value.encode() in file.read_bytes()]
    (gateway.path / "models.yaml").write_text(
        f"providers:\n  gateway: {{base_url: 'http://elsewhere/v1', api: {api}}}\n"
    )
    assert gateway.run(*arguments, model="gateway/m").ret == 0  # neither address nor headers are part of the key


def test_a_header_whose_variable_is_not_set_is_said_before_the_first_call(
    gateway: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GATEWAY_SECRET")
    configure(gateway, "openai-chat")
    result = gateway.run("--record-mode", "once", model="gateway/m")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "GATEWAY_SECRET is not set, and gateway/m is sent it (header X-Gateway)" in f"{result.stdout}{result.stderr}"
    assert gateway.server.count == 0


def test_an_azure_key_is_sent_as_azure_wants_it(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_KEY", "distinctiveAzure1234")
    url = f"{project.server.anthropic_url}/openai/deployments/mini?api-version=2024-10-21"
    (project.path / "models.yaml").write_text(
        f"providers:\n  azure: {{base_url: '{url}', headers: {{api-key: '${{AZURE_KEY}}'}}}}\n"
    )
    assert project.run("--record-mode", "once", "-k", "France", model="azure/mini").ret == 0
    (sent,) = project.server.requests
    assert sent.path == "/openai/deployments/mini/chat/completions?api-version=2024-10-21"
    assert sent.headers["api-key"] == "distinctiveAzure1234"
    assert "authorization" not in sent.headers


def test_nested_parameters_are_sent_as_they_are_and_part_of_the_key(project: Project) -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    (project.path / "models.yaml").write_text(
        "models:\n  nested: {provider: openai, api_id: m, parameters: {extra_body: {guided: {choice: [a, b]}}}}\n"
    )
    format_of = f"response_format={json.dumps(wanted)}"
    arguments = ("-k", "France", "--model-param", format_of, "--model-param")
    result = project.run("--record-mode", "once", *arguments, "top_k=40", model="nested")
    assert result.ret == 0
    (sent,) = project.server.requests
    assert (sent.json["response_format"], sent.json["guided"], sent.json["top_k"]) == (
        wanted,
        {"choice": ["a", "b"]},
        40,
    )
    assert "extra_body" not in sent.json
    assert project.run(*arguments, "top_k=40", model="nested").ret == 0
    result = project.run("-k", "France", model="nested")
    assert result.ret == 1
    assert "parameter response_format" in str(result.stdout)


def test_no_parameter_hides_in_extra_body(project: Project) -> None:
    result = project.run("--record-mode", "once", "--model-param", 'extra_body={"model": "other"}')
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "'model' is not a parameter that can be set" in f"{result.stdout}{result.stderr}"


CHAT_CALL = {"id": "c", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
TOOL_CALLS = {
    "openai": {"choices": [{"finish_reason": "tool_calls", "message": {"content": None, "tool_calls": [CHAT_CALL]}}]},
    "stopped": {"choices": [{"finish_reason": "stop", "message": {"content": "", "tool_calls": [CHAT_CALL]}}]},
    "responses": {
        "status": "completed",
        "output": [{"type": "function_call", "name": "look_up", "arguments": "{}", "call_id": "c"}],
    },
    "anthropic": {
        "content": [{"type": "tool_use", "id": "c", "name": "look_up", "input": {}}],
        "stop_reason": "tool_use",
    },
}
WITH_TEXT = {"choices": [{"finish_reason": "tool_calls", "message": {"content": "[Paris]", "tool_calls": [CHAT_CALL]}}]}
MODELS = {"responses": "o1-pro", "anthropic": "claude-haiku-4-5"}


@pytest.mark.parametrize("how", TOOL_CALLS)
def test_a_tool_call_instead_of_an_answer_has_a_status_of_its_own(project: Project, how: str) -> None:
    def script(request: Request) -> str | Answer:
        called = json.dumps(TOOL_CALLS[how]).encode()
        return Answer(body=called) if "France" in request.question else answers(request)

    project.server.script = script
    model = MODELS.get(how, "gpt-4o-mini")
    for arguments in (("--record-mode", "once"), ()):
        assert project.run(*arguments, "-k", "France or Japan", model=model).ret == 0
        row = project.rows["France"]
        assert (row["status"], row["finish_reason"], row["response_text"]) == ("tool_call", "tool_call", "")
        assert row["scores"]["strict"] == {"accuracy": 0.0}
        (task,) = project.report["tasks"]
        assert (task["status"]["tool_call"], task["status"]["scored"]) == (1, 1)
        assert task["failures"]["tool_call"] == ["France"]
    assert "| tool_call |" in (project.folders[-1] / "report.md").read_text()


def test_an_answer_with_a_tool_call_besides_is_scored(project: Project) -> None:
    project.server.script = Answer(body=json.dumps(WITH_TEXT).encode())
    assert project.record("-k", "France").ret == 0
    assert (project.rows["France"]["status"], project.rows["France"]["prediction"]) == ("scored", "Paris")
