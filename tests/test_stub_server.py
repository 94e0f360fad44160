"""The stub server as a process of its own, as other tests and benchmarks start it."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import stub_server


def test_it_serves_other_processes_and_tells_what_they_asked() -> None:
    command = [
        sys.executable,
        str(Path(stub_server.__file__)),
        "--answer",
        "[x]",
        "--fail-every",
        "2",
        "--retry-after",
        "3",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            urls = dict(word.split("=", 1) for word in process.stdout.readline().split())
            body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "?"}]}).encode()
            path = urls["OPENAI_BASE_URL"] + "/chat/completions"
            with urllib.request.urlopen(urllib.request.Request(path, body)) as answer:
                assert json.load(answer)["choices"][0]["message"]["content"] == "[x]"
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(urllib.request.Request(path, body))
            assert (caught.value.code, caught.value.headers["Retry-After"]) == (503, "3")
            caught.value.close()
            with urllib.request.urlopen(urls["ANTHROPIC_BASE_URL"] + "/stats") as stats:
                assert json.load(stats) == {"requests": 2, "in_flight": 0, "peak": 1}
        finally:
            process.terminate()
