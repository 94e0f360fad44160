"""A server on this machine with the batch APIs of OpenAI and Anthropic, as their documentation describes them.

    with BatchServer(lambda request: "[x]") as server:     # what a live call would be answered
        submit(server.openai_url)
        server.end()                                       # all batches end, each request answered
        server.end("expired", answered=2)                  # or: two are answered, the others expire
        server.result_lines = lambda lines: lines[::-1]    # or: what becomes of the lines of results

``server.batches`` holds what was handed over. ``server.faults`` lists what goes wrong with the next posts of batches: a
status; a function, after which the connection is lost; or bytes that are the reply. In the latter two cases the batch
is made. ``server.instead`` says what gets are answered whose path ends so: status and body.
"""

from __future__ import annotations

import email
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from stub_server import APIS, SECRETS, Answer, Request

OPENAI_ENDED = {"completed", "failed", "expired", "cancelled"}


@dataclass
class ServedBatch:
    """One batch: its requests, each with the custom id and the body of a live call."""

    id: str
    kind: str
    requests: list[dict[str, Any]]
    metadata: dict[str, str] = field(default_factory=dict)
    endpoint: str = ""
    created: float = field(default_factory=time.time)
    state: str = "in_progress"
    answered: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)


class BatchServer:
    """The server; a context manager that runs it in threads of this process.

    Args:
        script: The answer to a request, as for `stub_server.StubServer`.
    """

    def __init__(self, script: Callable[[Request], str | Answer]) -> None:
        self.script = script
        self.batches: list[ServedBatch] = []
        self.files: dict[str, bytes] = {}
        self.uploads: list[str] = []
        self.paths: list[str] = []
        self.faults: list[int | bytes | Callable[[], None]] = []
        self.instead: dict[str, tuple[int, bytes]] = {}
        self.result_lines: Callable[[list[bytes]], list[bytes]] = lambda lines: lines
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.api = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def openai_url(self) -> str:
        return f"{self.anthropic_url}/v1"

    def end(self, state: str = "completed", *, answered: int | None = None) -> None:
        """Let every batch that is under way end, with that many of its requests answered; all, by default."""
        for batch in self.batches:
            if batch.state == "in_progress":
                batch.state = state
                batch.answered = len(batch.requests) if answered is None else answered

    def __enter__(self) -> BatchServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    # ---- what both have

    def answer(self, api: str, body: dict[str, Any]) -> tuple[int, Any]:
        said = self.script(Request("", {}, body, api))
        answer = Answer(said) if isinstance(said, str) else said
        return answer.status, json.loads(answer.content(Request("", {}, body, api)))

    def lines(self, batch: ServedBatch, *, answered: bool) -> bytes:
        """The results of a batch, as they are sent; those that were answered, or the others."""
        return b"".join(self.result_lines(self._results(batch, answered=answered)))

    def _results(self, batch: ServedBatch, *, answered: bool) -> list[bytes]:
        write = self._openai_line if batch.kind == "openai" else self._anthropic_line
        both = [(n < batch.answered, write(batch, n, request)) for n, request in enumerate(batch.requests)]
        if batch.kind == "openai":
            both = [(good and b'"status_code": 200' in line, line) for good, line in both]
            return [line for good, line in both if good == answered]
        return [line for _, line in both]

    # ---- OpenAI

    def _openai_line(self, batch: ServedBatch, number: int, request: dict[str, Any]) -> bytes:
        api = next(api for path, api in APIS.items() if batch.endpoint.endswith(path))
        line: dict[str, Any] = {"id": f"batch_req_{number}", "custom_id": request["custom_id"], "error": None}
        if number < batch.answered:
            status, body = self.answer(api, request["body"])
            line["response"] = {"status_code": status, "request_id": "req_stubRequest42", "body": body}
        else:
            line["response"] = None
            line["error"] = {"code": f"batch_{batch.state}", "message": f"This request was not run: {batch.state}."}
        return json.dumps(line).encode() + b"\n"

    def openai_batch(self, batch: ServedBatch) -> dict[str, Any]:
        ended = batch.state in OPENAI_ENDED
        good = self.lines(batch, answered=True) if ended else b""
        bad = self.lines(batch, answered=False) if ended and batch.state != "failed" else b""
        self.files |= {f"file-{batch.id}-good": good, f"file-{batch.id}-bad": bad}
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": batch.endpoint,
            "errors": {"object": "list", "data": batch.problems} if batch.problems else None,
            "input_file_id": "file-in",
            "completion_window": "24h",
            "status": batch.state,
            "output_file_id": f"file-{batch.id}-good" if good else None,
            "error_file_id": f"file-{batch.id}-bad" if bad else None,
            "created_at": int(batch.created),
            "metadata": batch.metadata,
            "request_counts": {
                "total": len(batch.requests),
                "completed": len(self._results(batch, answered=True)) if good else 0,
                "failed": len(self._results(batch, answered=False)) if bad else 0,
            },
        }

    def upload(self, content_type: str, body: bytes) -> dict[str, Any]:
        message = email.message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
        parts: Any = message.get_payload()
        fields = {part.get_param("name", header="content-disposition"): part for part in parts}
        assert fields["purpose"].get_payload() == "batch"
        file_id = f"file-{len(self.files)}"
        self.files[file_id] = fields["file"].get_payload(decode=True)
        self.uploads.append(str(fields["file"].get_filename()))
        return {"id": file_id, "object": "file", "bytes": len(self.files[file_id]), "purpose": "batch"}

    def make_openai(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert asked["completion_window"] == "24h"
        requests = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        for request in requests:
            assert (request["method"], request["url"]) == ("POST", asked["endpoint"])
        batch = ServedBatch(
            f"batch_{len(self.batches)}", "openai", requests, asked.get("metadata") or {}, asked["endpoint"]
        )
        self.batches.append(batch)
        return self.openai_batch(batch)

    # ---- Anthropic

    def _anthropic_line(self, batch: ServedBatch, number: int, request: dict[str, Any]) -> bytes:
        result: dict[str, Any] = {"type": "canceled" if batch.state == "canceled" else "expired"}
        if number < batch.answered:
            status, body = self.answer("anthropic-messages", request["params"])
            good = status == 200
            result = {"type": "succeeded", "message": body} if good else {"type": "errored", "error": body}
        return json.dumps({"custom_id": request["custom_id"], "result": result}).encode() + b"\n"

    def anthropic_batch(self, batch: ServedBatch) -> dict[str, Any]:
        ended = batch.state != "in_progress"
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        for line in self._results(batch, answered=True) if ended else ():
            counts[json.loads(line)["result"]["type"]] += 1
        counts["processing"] = len(batch.requests) - sum(counts.values())
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(batch.created))
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": created,
            "expires_at": created,
            "ended_at": created if ended else None,
            "results_url": "https://elsewhere.invalid/results" if ended else None,
        }

    def make_anthropic(self, asked: dict[str, Any]) -> dict[str, Any]:
        batch = ServedBatch(f"msgbatch_{len(self.batches)}", "anthropic", asked["requests"])
        self.batches.append(batch)
        return self.anthropic_batch(batch)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    api: BatchServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that go away are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_GET(self) -> None:
        api, path = self.server.api, urlsplit(self.path).path
        api.paths.append(f"GET {path}")
        by_id = {batch.id: batch for batch in api.batches}
        for end, (status, body) in api.instead.items():
            if path.endswith(end):
                self._send(status, body)
                return
        if path == "/v1/batches":
            self._page([api.openai_batch(b) for b in api.batches[::-1] if b.kind == "openai"])
        elif path == "/v1/messages/batches":
            self._page([api.anthropic_batch(b) for b in api.batches[::-1] if b.kind == "anthropic"])
        elif (found := re.fullmatch(r"/v1/batches/(\w+)", path)) and found[1] in by_id:
            self._send(200, api.openai_batch(by_id[found[1]]))
        elif (found := re.fullmatch(r"/v1/messages/batches/(\w+)", path)) and found[1] in by_id:
            self._send(200, api.anthropic_batch(by_id[found[1]]))
        elif (found := re.fullmatch(r"/v1/messages/batches/(\w+)/results", path)) and found[1] in by_id:
            self._send(200, api.lines(by_id[found[1]], answered=True))
        elif (found := re.fullmatch(r"/v1/files/([\w-]+)/content", path)) and found[1] in api.files:
            self._send(200, api.files[found[1]])
        else:
            self._send(404, {"error": {"type": "not_found_error", "message": f"no such thing: {path}"}})

    def _page(self, batches: list[dict[str, Any]]) -> None:
        """A page of at most two, after the one that the query names."""
        after = parse_qs(urlsplit(self.path).query).get("after") or parse_qs(urlsplit(self.path).query).get("after_id")
        start = next((n + 1 for n, batch in enumerate(batches) if after and batch["id"] == after[0]), 0)
        page = batches[start : start + 2]
        self._send(
            200,
            {
                "object": "list",
                "data": page,
                "has_more": start + 2 < len(batches),
                "first_id": page[0]["id"] if page else None,
                "last_id": page[-1]["id"] if page else None,
            },
        )

    def do_POST(self) -> None:
        api, path = self.server.api, self.path
        api.paths.append(f"POST {path}")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        make: dict[str, Callable[[], dict[str, Any]]] = {
            "/v1/files": lambda: api.upload(self.headers["Content-Type"], body),
            "/v1/batches": lambda: api.make_openai(json.loads(body)),
            "/v1/messages/batches": lambda: api.make_anthropic(json.loads(body)),
        }
        fault = api.faults.pop(0) if api.faults and "batches" in path else None
        if isinstance(fault, int):
            self._send(fault, {"type": "error", "error": {"type": "stub_error", "message": "stub error"}})
            return
        made = make[path]()
        if isinstance(fault, bytes):
            self._send(200, fault)
            return
        if fault is not None:
            fault()
            self.close_connection = True  # the batch is made, but nobody hears of it
            return
        self._send(200, made)

    def _send(self, status: int, body: Any) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **SECRETS}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
