"""Data sets of a hub on this machine, as the Hugging Face hub answers for them: what ``HF_ENDPOINT`` names.

with HubServer({"owner/name": {"data/test.parquet": b"…"}}) as hub:
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "c0ffee" * 6 + "c0ff"


class HubServer:
    """The hub; a context manager that runs it in threads of this process.

    Args:
        sets: The files of each data set, by its name and their path.
    """

    def __init__(self, sets: Mapping[str, Mapping[str, bytes]]) -> None:
        self.sets = sets
        self.requests: list[tuple[str, str]] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                hub.answer(self)

            do_HEAD = do_GET  # noqa: N815  (the base class's name)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> HubServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def downloads(self) -> list[str]:
        """The paths of the files that were fetched."""
        return [path for method, path in self.requests if method == "GET" and "/resolve/" in path]

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path.partition("?")[0]
        self.requests.append((request.command, path))
        content = self._content(path)
        request.send_response(404 if content is None else 200)
        if content is None:
            request.send_header("X-Error-Code", "RepoNotFound")
            content = b"{}"
        request.send_header("Content-Length", str(len(content)))
        request.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        request.send_header("X-Repo-Commit", COMMIT)
        request.end_headers()
        if request.command == "GET":
            request.wfile.write(content)

    def _content(self, path: str) -> bytes | None:
        for name, files in self.sets.items():
            if path.startswith(f"/api/datasets/{name}"):
                siblings = [{"rfilename": file} for file in ("README.md", *files)]
                return json.dumps({"id": name, "sha": COMMIT, "siblings": siblings}).encode()
            for file, content in files.items():
                if path == f"/datasets/{name}/resolve/{COMMIT}/{file}":
                    return content
        return None
