"""An HTTP server on this machine that has a few files, and gives them away badly on demand.

with FileServer({"/data.jsonl": b"…"}) as server:
    server.faults = [Fault(cut=10), Fault(status=503)]   # of the first requests; the ones after them go well
    fetch(server.url + "/data.jsonl")
    assert server.requests[1].headers["range"] == "bytes=10-"
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Fault:
    """How an answer goes wrong.

    Args:
        status: An error instead of the file.
        headers: Further headers.
        body: This, instead of the file.
        cut: Close the connection after so many bytes of what should be sent.
        ignore_range: Send the whole file, whatever part is asked for.
        length: State this many bytes, more or fewer than are sent.
        no_length: State no length, and end by closing the connection.
        shifted: Send a part that begins so many bytes after the one that is asked for, and say so.
        hang: Seconds of silence in the middle.
    """

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut: int | None = None
    ignore_range: bool = False
    length: int | None = None
    no_length: bool = False
    shifted: int = 0
    hang: float = 0.0


@dataclass(frozen=True)
class FileRequest:
    """A request as it came; names of headers in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class FileServer:
    """The server; a context manager that runs it in threads of this process.

    Args:
        files: What it has, by path.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.faults: Sequence[Fault] = ()
        self.requests: list[FileRequest] = []
        self.post: Callable[[FileRequest], Any] = lambda _: None
        self.ended = threading.Event()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.files = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def ranges(self) -> list[str | None]:
        """The part that each request asked for."""
        return [request.headers.get("range") for request in self.requests]

    def next_fault(self, request: FileRequest) -> Fault:
        self.requests.append(request)
        number = len(self.requests) - 1
        return self.faults[number] if number < len(self.faults) else Fault()

    def __enter__(self) -> FileServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    files: FileServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that go away are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_GET(self) -> None:
        request = self._request()
        fault = self.server.files.next_fault(request)
        whole = self.server.files.files.get(request.path)
        if fault.status:
            self._send(fault.status, fault.body or b"no", fault.headers)
        elif whole is None:
            self._send(404, b"not here", {})
        elif (asked := request.headers.get("range")) and not fault.ignore_range and fault.body is None:
            start = int(asked.removeprefix("bytes=").removesuffix("-")) + fault.shifted
            if start >= len(whole):
                self._send(416, b"", {"Content-Range": f"bytes */{len(whole)}"})
            else:
                part = f"bytes {start}-{len(whole) - 1}/{len(whole)}"
                self._send(206, whole[start:], {"Content-Range": part}, fault)
        else:
            self._send(200, whole if fault.body is None else fault.body, {}, fault)

    def do_POST(self) -> None:
        request = self._request(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self.server.files.requests.append(request)
        said = self.server.files.post(request)
        self._send(404 if said is None else 200, json.dumps(said).encode(), {})

    def _request(self, body: bytes = b"") -> FileRequest:
        headers = {name.lower(): value for name, value in self.headers.items()}
        return FileRequest(self.command, self.path, headers, body)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str], fault: Fault | None = None) -> None:
        fault = fault or Fault()
        self.send_response(status)
        for name, value in {**headers, **fault.headers}.items():
            self.send_header(name, value)
        if not fault.no_length:
            self.send_header("Content-Length", str(len(body) if fault.length is None else fault.length))
        self.end_headers()
        sent = body if fault.cut is None else body[: fault.cut]
        if fault.hang:
            self.wfile.write(sent[: len(sent) // 2])
            self.wfile.flush()
            self.server.files.ended.wait(fault.hang)
            sent = sent[len(sent) // 2 :]
        self.wfile.write(sent if fault.length is None else sent[: fault.length])
        self.wfile.flush()
        self.close_connection = self.close_connection or fault.cut is not None or fault.no_length or bool(fault.length)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
