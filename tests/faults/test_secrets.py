"""Whatever a live run is asked to show or to log, no secret of its requests and responses stands in a file or on the
terminal."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from capitals import Project
from drawn_media import picture
from stub_server import SECRETS, Answer, Request

KEYS = ("sk-proj-distinctiveKey0123456789", "sk-ant-distinctiveKey0123456789", "local-distinctive-0123456789")
ORGANISATION, PASSWORD, QUERY = "org-distinctive42", "distinctive-password", "distinctive-query"
HIDDEN = (*KEYS, ORGANISATION, PASSWORD, QUERY, *(value.split(";")[0] for value in SECRETS.values()))
REGISTRY = """
models:
  chat: {provider: openai, api_id: m, KEY}
  responses: {provider: openai, api: openai-responses, api_id: m, KEY}
  anthropic: {provider: anthropic, api_id: m, parameters: {max_tokens: 9}, KEY}
  images: {provider: openai, api: openai-images, api_id: m, KEY}
""".replace("KEY", "base_url: 'URL', key_env: LOCAL_KEY")
SHOWN = ("-vv", "-rA", "--showlocals", "--tb=long", "--record-prompts", "--junitxml=junit.xml", "--debug=trace.log")
LOGGED = ("-o", "log_file=run.log", "-o", "log_file_level=DEBUG", "-o", "log_level=DEBUG", "-o", "log_cli=true")


@pytest.mark.parametrize("model", ["chat", "responses", "anthropic", "images"])
def test_nothing_that_a_run_shows_or_writes_holds_a_secret(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: str
) -> None:
    drawn = base64.b64encode(picture(tmp_path / "drawn.png").read_bytes()).decode()
    if model == "images":
        project.benchmark(outputs='frozenset({"image"})')

    def script(request: Request) -> str | Answer:
        if "Peru" in request.question:
            headers = {"authorization", "x-api-key"} & request.headers.keys()
            return Answer.error(400, f"no key {[request.headers[name] for name in headers]} of {ORGANISATION}")
        return drawn if model == "images" else "[Paris]"

    project.server.script = script
    address = project.server.anthropic_url.replace("://", f"://user:{PASSWORD}@")
    # Anthropic's SDK leaves a query where it is; OpenAI's would append the path to it.
    url = f"{address}?key={QUERY}" if model == "anthropic" else f"{address}/v1"
    registry = project.path / "models.yaml"
    registry.write_text(REGISTRY.replace("URL", url))
    for name, value in (("OPENAI_LOG", "debug"), ("ANTHROPIC_LOG", "debug"), ("OPENAI_ORG_ID", ORGANISATION)):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LOCAL_KEY", KEYS[2])
    result = project.run_apart("--record-mode", "once", *SHOWN, *LOGGED, model=model)
    assert result.ret == 1
    assert [name for name, row in project.rows.items() if row["status"] == "error"] == ["Peru"]
    registry.unlink()
    shown = [(file, file.read_bytes().decode("utf-8", "replace")) for file in project.path.rglob("*") if file.is_file()]
    shown.append((Path("the terminal"), f"{result.stdout}{result.stderr}"))
    assert [(file, secret) for file, text in shown for secret in HIDDEN if secret in text] == []
