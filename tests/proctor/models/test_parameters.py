"""Parameters that models refuse: what is left out, what is an error, and what ends a run after one request."""

from __future__ import annotations

import json
from typing import Any

import pytest
from capitals import Project, answers
from stub_server import Answer, Request

TEMPERATURE = "        unsupported: [temperature]"


def asked(project: Project, model: str, *args: str) -> pytest.RunResult:
    return project.run("--record-mode", "once", *args, model=model)


def refusing(name: str, message: str, **error: Any) -> Any:
    """A model that answers 400 to a request with that parameter."""

    def script(request: Request) -> str | Answer:
        if name in request.json:
            fault = {"type": "invalid_request_error", "message": message, **error}
            return Answer(status=400, body=json.dumps({"type": "error", "error": fault}).encode())
        return answers(request)

    return script


def test_a_tasks_own_parameter_that_a_model_refuses_is_left_out_and_said_once(project: Project) -> None:
    result = asked(project, "claude-opus-5-5")
    assert result.ret == 0
    assert all("temperature" not in request.json for request in project.server.requests)
    said = "WARNING: claude-opus-5-5 refuses temperature: left out of what is sent (geo/capitals)"
    assert result.stdout.str().count(said) == 1
    assert "WARNING" not in project.run(model="claude-opus-5-5").stdout.str()


def test_one_from_the_command_line_is_an_error_before_the_first_call(project: Project) -> None:
    result = asked(project, "claude-opus-5-5", "--temperature", "0.5")
    assert (result.ret, project.server.count) == (4, 0)
    result.stderr.fnmatch_lines(["*model claude-opus-5-5 does not support the parameter 'temperature'"])


@pytest.mark.parametrize(
    ("model", "message", "error"),
    [
        ("anthropic/claude-new", "`temperature` is deprecated for this model.", {}),
        (
            "openai/new-1",
            "Unsupported value: 'temperature' does not support 0.1 with this model.",
            {"param": "temperature", "code": "unsupported_value"},
        ),
        ("openai/new-2", "invalid temperature: only 1 is allowed for this model", {}),
        ("local/new-3", "temperature: Extra inputs are not permitted", {}),
    ],
)
def test_an_unknown_model_that_refuses_one_ends_the_run_after_one_call(
    project: Project, monkeypatch: pytest.MonkeyPatch, model: str, message: str, error: dict[str, str]
) -> None:
    monkeypatch.setenv("LOCAL_BASE_URL", project.server.openai_url)
    project.server.latency = 0.1  # all would be on their way by then
    project.server.script = refusing("temperature", message, **error)
    result = asked(project, model)
    assert result.ret == 1
    assert project.server.count == 1
    provider, _, name = model.partition("/")
    lines = ["    models:", f"      {name}:", f"        provider: {provider}", f"        api_id: {name}", TEMPERATURE]
    said = result.stdout.str()
    assert "\n".join(lines) in said
    (project.path / "models.yaml").write_text("\n".join(line[4:] for line in lines))
    assert asked(project, model).ret == 0
    assert project.server.count == 1 + 5


def test_another_name_for_a_parameter_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_BASE_URL", project.server.openai_url)
    message = "Unsupported parameter: 'max_tokens' is not supported here. Use 'max_completion_tokens' instead."
    project.server.script = refusing("max_tokens", message, param="max_tokens", code="unsupported_parameter")
    project.benchmark(parameters='{"max_tokens": 50}')
    result = asked(project, "local/new")
    assert project.server.count == 1
    assert "        rename: {max_tokens: max_completion_tokens}" in result.stdout.str()


def test_one_from_the_command_line_that_an_unknown_model_refuses(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_BASE_URL", project.server.openai_url)
    project.server.script = refusing("top_p", "top_p is not supported")
    result = asked(project, "local/new", "--model-param", "top_p=0.5")
    assert project.server.count == 1
    result.stdout.fnmatch_lines(["*local/new is asked no more: 400: top_p is not supported. Leave out --model-param.*"])


def test_what_one_prompt_alone_is_refused_for_ends_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_BASE_URL", project.server.openai_url)
    message = "max_tokens is not possible: the context has 4096 tokens"
    project.server.script = lambda r: Answer.error(400, message) if "Peru" in r.question else answers(r)
    assert asked(project, "local/new", "--max-tokens", "50").ret == 1
    assert project.server.count == 5


def test_a_word_in_a_refusal_ends_nothing_once_the_parameters_were_accepted(project: Project) -> None:
    project.server.script = lambda r: (
        Answer.error(400, "temperature in Peru is unsupported") if "Peru" in r.question else answers(r)
    )
    assert project.record("--concurrency", "1").ret == 1
    assert project.server.count == 5


def test_the_first_request_to_an_unknown_model_goes_alone(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_BASE_URL", project.server.openai_url)
    in_flight: list[int] = []

    def script(request: Request) -> str:
        in_flight.append(project.server.in_flight)
        return answers(request)

    project.server.script = script
    project.server.latency = 0.2
    assert asked(project, "local/new").ret == 0
    assert in_flight[0] == 1
    assert project.server.peak == 4


class TestEffort:
    def test_it_is_asked_for_and_part_of_the_call(self, project: Project) -> None:
        assert asked(project, "gpt-6-luna", "--effort", "high", "-k", "France").ret == 0
        assert project.server.requests[-1].json["reasoning_effort"] == "high"
        assert "temperature" not in project.server.requests[-1].json
        assert project.run("-k", "France", "--effort", "high", model="gpt-6-luna").ret == 0
        result = project.run("-k", "France", "--effort", "low", model="gpt-6-luna")
        assert result.ret == 1
        result.stdout.fnmatch_lines(["*changed since then: parameter effort (recorded high, now low)*"])

    def test_a_level_that_a_model_does_not_know_is_an_error(self, project: Project) -> None:
        result = asked(project, "gpt-6.1-sol", "--effort", "none")
        assert (result.ret, project.server.count) == (4, 0)
        result.stderr.fnmatch_lines(["*gpt-6.1-sol does not know the effort 'none'", "*low, medium, high, xhigh*"])

    def test_a_word_that_is_no_level(self, project: Project) -> None:
        assert asked(project, "gpt-6.1-sol", "--effort", "hard").ret == 4

    def test_a_field_of_ones_own_is_joined_to_it(self, project: Project) -> None:
        assert asked(project, "gpt-6.1-sol-pro", "--effort", "low", "-k", "France").ret == 0
        request = project.server.requests[-1]
        assert (request.api, request.json["model"]) == ("openai-responses", "gpt-6.1-sol")
        assert request.json["reasoning"] == {"effort": "low", "mode": "pro"}
