"""The model server as a process of its own."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from perf.model_server import Stats


class ServerProcess:
    """Runs `perf.model_server`; a context manager.

    Args:
        root: The folder that holds the package ``perf``.
        environment: The process's environment.
    """

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "perf.model_server"], cwd=root, env=environment, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    @property
    def url(self) -> str:
        """Base URL for the OpenAI SDK."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def stats(self) -> Stats:
        """What the server has seen."""
        return Stats(**self._request("GET", "/stats"))

    def reset(self, *, latency_s: float, takes: int = 0, retry_after_s: float = 0.0) -> None:
        """Forget what was seen, and behave like this from now on; see `Stats`."""
        self._request("POST", "/reset", asdict(Stats(latency_s=latency_s, takes=takes, retry_after_s=retry_after_s)))

    def _request(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> dict[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, json.dumps(content))
            answer: dict[str, Any] = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        return answer

    def stop(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def __enter__(self) -> ServerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
