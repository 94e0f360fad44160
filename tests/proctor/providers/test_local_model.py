"""The adapters against a real model, live and recorded by pytest-recording.

Start one with ``python3 scripts/serve_smollm2.py --port 8080``, then run these tests with
``PROCTOR_TEST_MODEL_URL=http://127.0.0.1:8080``. ``.ci/run`` does both.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proctor.models.registry import Model, Registry
from proctor.providers import connect, read_reply
from proctor.tasks.call import Call, Reply

pytest_plugins = ["pytester"]

URL = os.environ.get("PROCTOR_TEST_MODEL_URL", "").rstrip("/")
NAME = os.environ.get("PROCTOR_TEST_MODEL", "smollm2-135m-instruct")

pytestmark = pytest.mark.skipif(
    not URL, reason="needs a model server: set PROCTOR_TEST_MODEL_URL, such as http://127.0.0.1:8080"
)
every_api = pytest.mark.parametrize("api", ["openai-chat", "openai-responses", "anthropic-messages"])

USER_FILE = """
providers:
  openai-chat: {{api: openai-chat, base_url: {url}/v1}}
  openai-responses: {{api: openai-responses, base_url: {url}/v1}}
  anthropic-messages: {{api: anthropic-messages, base_url: {url}}}
"""

RECORDED_TEST = """
import pytest
from pathlib import Path
from proctor.models.registry import Registry
from proctor.providers import connect, read_reply

@pytest.fixture(scope="module")
def vcr_config():
    return {{"filter_headers": ["authorization", "x-api-key"], "decode_compressed_response": True}}

@pytest.mark.vcr
def test_answer():
    model = Registry.load(Path("models.yaml")).resolve("{api}/{name}")
    client = connect(model, timeout=60)
    messages = [{{"role": "user", "content": "Say hello."}}]
    reply = read_reply(model.api, client.send(model.call(messages, {{"temperature": 0, "max_tokens": 8}}, {{}})))
    client.close()
    Path("reply.txt").write_text(repr(reply))
    assert reply.text and reply.usage.output_tokens
"""


def model_of(api: str, tmp_path: Path) -> Model:
    file = tmp_path / "models.yaml"
    file.write_text(USER_FILE.format(url=URL))
    return Registry.load(file).resolve(f"{api}/{NAME}")


def ask(model: Model, question: str, max_tokens: int) -> tuple[Call, Reply]:
    messages = [{"role": "system", "content": "You are brief."}, {"role": "user", "content": question}]
    call = model.call(messages, {"temperature": 0, "max_tokens": max_tokens}, {})
    client = connect(model, timeout=60)
    try:
        return call, read_reply(model.api, client.send(call))
    finally:
        client.close()


@every_api
def test_a_real_answer(api: str, tmp_path: Path) -> None:
    _, reply = ask(model_of(api, tmp_path), "Say hello.", 40)
    assert reply.text.strip()
    assert reply.finish_reason in ("stop", "length")
    assert reply.usage.input_tokens is not None
    assert 10 < reply.usage.input_tokens < 100
    assert reply.usage.output_tokens is not None
    assert 1 <= reply.usage.output_tokens <= 40


@pytest.mark.parametrize("api", ["openai-chat", "anthropic-messages"])
def test_a_real_answer_cut_at_the_limit(api: str, tmp_path: Path) -> None:
    _, reply = ask(model_of(api, tmp_path), "Count from one to one hundred.", 5)
    assert (reply.finish_reason, reply.usage.output_tokens) == ("length", 5)


@every_api
def test_a_recording_replays_with_the_server_out_of_reach(
    api: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    pytester.makepyfile(test_recorded=RECORDED_TEST.format(api=api, name=NAME))
    pytester.makefile(".yaml", models=USER_FILE.format(url=URL))
    options = ("-p", "no:cacheprovider", "-W", "ignore")
    pytester.runpytest_subprocess("--record-mode=once", *options).assert_outcomes(passed=1)
    recorded = (pytester.path / "reply.txt").read_text()
    cassette = pytester.path / "cassettes" / "test_recorded" / "test_answer.yaml"
    assert "no-key-needed" not in cassette.read_text()

    # The same test and recording, but for an address where nobody answers.
    for file in (cassette, pytester.path / "models.yaml"):
        file.write_text(file.read_text().replace(URL, "http://127.0.0.1:9"))
    (pytester.path / "reply.txt").unlink()
    pytester.runpytest_subprocess("--record-mode=none", "--block-network", *options).assert_outcomes(passed=1)
    assert (pytester.path / "reply.txt").read_text() == recorded
