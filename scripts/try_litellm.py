#!/usr/bin/env python3
"""Try Proctor against a real LiteLLM proxy, with its mock answers: chat completions, Responses, Anthropic's messages.

    python -m scripts.try_litellm

The first start installs the proxy into a virtual environment under --home (about 400 MB). It runs on 127.0.0.1 until
the end of the try, asks nobody, and its key is made up. Exit code 0 if all three APIs were asked, recorded and
replayed, a parameter that the proxy refuses ended its run, and what nobody has was said.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGE = "litellm[proxy]==1.106.2"
START = 180.0  # seconds; it imports half of the world
APIS = ("openai-chat", "openai-responses", "anthropic-messages")

SCORES = r"(?s)" + r".*".join(rf"{api}: n = 2.*?accuracy +0\.0000 \S+ \S+ +0\.5000" for api in APIS)
"""One of two is right. The published script would have read the thoughts as well, and found another city in them."""

PROXY = """
model_list:
  - model_name: mock
    litellm_params: {model: openai/mock, api_key: none, mock_response: "<think>Is it [Rome]?</think>[Paris]"}
  - model_name: strict
    litellm_params: {model: mistral/mistral-small-2603, api_key: none, mock_response: "[Paris]"}
"""
MODELS = """
providers:
  proxy:
    base_url: http://127.0.0.1:{port}/v1
    key_env: PROXY_KEY
models:
"""
MODEL = """
  {api}:
    provider: proxy
    api: {api}
    base_url: http://127.0.0.1:{port}{path}
    api_id: mock
"""
TEST = """
import re
from proctor import Placeholders, Sample, Score, Task

def score(sample, response):
    found = {"accuracy": float(re.findall(r"\\[(.*?)\\]", response)[:1] == [sample.target])}
    return Score(response, found, found)

TASK = Task(
    name="geo/capitals",
    samples_of=lambda row: [Sample(row.text("country"), {"country": row.text("country")}, row.text("capital"))],
    prompts={"capitals": Placeholders("country")},
    converse=lambda sample, ask: ask("capitals", country=sample.fields["country"]),
    score=score,
    metrics={"accuracy": 0.0},
    parameters={"max_tokens": 50},
)

@TASK.cases
def test_capitals(case):
    case.measure()
"""
DATA = '{"country": "France", "capital": "Paris"}\n{"country": "Peru", "capital": "Lima"}\n'


def install(venv: Path) -> Path:
    """The proxy's command; makes its environment unless an earlier start has finished doing so."""
    command, finished = venv / "bin" / "litellm", venv / "installed"
    if not finished.exists() or finished.read_text() != PACKAGE:
        shutil.rmtree(venv, ignore_errors=True)
        print(f"installing {PACKAGE} into {venv}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        python = venv / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE], check=True)
        finished.write_text(PACKAGE)
    return command


@contextmanager
def proxy(command: Path, folder: Path, port: int, key: str) -> Iterator[None]:
    """The proxy, until the end of the block."""
    config, log = folder / "proxy.yaml", folder / "proxy.log"
    config.write_text(PROXY)
    environment = {
        **os.environ,
        "LITELLM_MASTER_KEY": key,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",
    }
    words = [str(command), "--config", str(config), "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
    with log.open("wb") as output, subprocess.Popen(words, env=environment, stdout=output, stderr=output) as running:
        try:
            wait(f"http://127.0.0.1:{port}/health/liveliness", running, log)
            yield
        finally:
            running.terminate()


def wait(url: str, running: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the proxy answers."""
    until = time.monotonic() + START
    while time.monotonic() < until and running.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310  # this machine
                return
        except OSError:
            time.sleep(0.5)
    sys.exit(f"the proxy does not answer:\n{log.read_text()[-2000:]}")


def project(folder: Path, port: int) -> None:
    """A benchmark of two questions, and the proxy as a provider of our own."""
    paths = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic-messages": ""}
    files = {
        "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n",
        "models.yaml": MODELS.format(port=port)
        + "".join(MODEL.format(api=api, port=port, path=paths[api]) for api in APIS),
        "benchmarks/geo/test_capitals.py": TEST,
        "prompts/geo/capitals.txt": "What is the capital of {country}?\n",
        "data/geo/capitals.jsonl": DATA,
    }
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def tried(folder: Path, key: str, *arguments: str, says: str, code: int) -> bool:
    """Run pytest in the project; whether it ends and says what it should, by a pattern."""
    words = [sys.executable, "-m", "pytest", "-q", *arguments]
    ran = subprocess.run(
        words, cwd=folder, env={**os.environ, "PROXY_KEY": key}, capture_output=True, text=True, check=False
    )
    right = ran.returncode == code and re.search(says, ran.stdout + ran.stderr) is not None
    print(f"{'ok  ' if right else 'FAIL'} pytest {' '.join(arguments)}: exit code {ran.returncode}", flush=True)
    if not right:
        print(ran.stdout + ran.stderr)
    return right


def main() -> int:
    """Try everything; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=4123)
    parser.add_argument("--home", type=Path, default=Path.home() / ".cache" / "proctor-litellm")
    options = parser.parse_args()
    command, key = install(options.home.resolve() / "venv"), f"sk-{secrets.token_hex(16)}"
    live = ("--record-mode", "once", "--model")
    models = [word for api in APIS for word in ("--model", api)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        project(folder, options.port)
        with proxy(command, folder, options.port, key):
            right = [
                tried(folder, key, "--record-mode", "once", *models, says=SCORES, code=0),
                tried(folder, key, *live, "proxy/nobody", says="proxy/nobody cannot be asked: 4", code=1),
                tried(
                    folder,
                    key,
                    *live,
                    "proxy/strict",
                    *("--model-param", "frequency_penalty=0.5", "--model-param", "logit_bias={}"),
                    says="Leave out --model-param",
                    code=1,
                ),
            ]
        right.append(tried(folder, "", *models, says=SCORES, code=0))
        kept = "".join(file.read_text() for file in (folder / "cassettes").rglob("*.jsonl"))
        print(f"{'FAIL' if key in kept else 'ok  '} the key is in no recording")
        return 0 if all(right) and key not in kept else 1


if __name__ == "__main__":
    sys.exit(main())
