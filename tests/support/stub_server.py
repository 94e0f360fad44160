"""A real HTTP server on this machine that speaks the model APIs and fails on demand.

    with StubServer() as server:                              # answers "[stub]" to everything
        ask(server.openai_url)                                # …/v1; server.anthropic_url has no path
        assert server.requests[-1].json["temperature"] == 0
        assert server.count == 1 and server.peak == 1

    StubServer(lambda request: request.question.upper())      # text computed from the request
    StubServer(lambda request: Answer("[x]", finish="length"))
    StubServer([Answer.error(429, retry_after="0.1"), "[x]"]) # one after the other; the last one repeats
    StubServer("[x]", latency=0.3)

Every answer carries response headers that nobody may store: see ``SECRETS``.
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from form_data import Upload, read_form

SECRETS = {
    "Set-Cookie": "__cf_bm=stub-cookie-7f3a; Path=/; HttpOnly",
    "openai-organization": "org-stubOrganisation42",
    "openai-project": "proj_stubProject42",
    "x-request-id": "req_stubRequest42",
    "request-id": "req_stubRequest43",
    "anthropic-organization-id": "5b0c3d2e-0000-4000-8000-57ab00000042",
    "cf-ray": "stub-ray-42",
}
"""Response headers of every answer, with values that appear nowhere else."""

APIS = {
    "/chat/completions": "openai-chat",
    "/responses": "openai-responses",
    "/messages": "anthropic-messages",
    "/images/generations": "openai-images",
    "/images/edits": "openai-images",
}
Finish = Literal["stop", "length", "refusal", "content_filter"]


@dataclass(frozen=True)
class Request:
    """A request as it came: the path, the headers (names in lower case), the JSON body and the api it belongs to.

    Of a form, *json* has the fields, and *files* the files.
    """

    path: str
    headers: Mapping[str, str]
    json: dict[str, Any]
    api: str
    files: Sequence[Upload] = ()

    @property
    def question(self) -> str:
        """The text of the last message."""
        if "prompt" in self.json:
            return str(self.json["prompt"])
        content = (self.json.get("messages") or self.json.get("input") or [{"content": ""}])[-1]["content"]
        return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@dataclass(frozen=True)
class Answer:
    """What to send back.

    Args:
        text: The completion; for a refusal, what it says.
        finish: How the completion ends.
        status: HTTP status.
        headers: Further response headers.
        delay: Seconds before the answer begins.
        body: This instead of the API's JSON.
        cut: Close the connection after half of the body.
        drip: Seconds between two bytes of a body that never ends.
        tokens: (input, cached input, output, reasoning), where input includes cached and output includes reasoning.
    """

    text: str = "[stub]"
    finish: Finish = "stop"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    body: bytes | None = None
    cut: bool = False
    drip: float = 0.0
    tokens: tuple[int, int, int, int] = (100, 0, 5, 0)

    @classmethod
    def error(
        cls,
        status: int,
        message: str = "stub error",
        *,
        error_type: str = "stub_error",
        code: str | None = None,
        **headers: str,
    ) -> Answer:
        """An error as the APIs send it; ``retry_after="2"`` becomes a header."""
        error = {"type": error_type, "message": message, "code": code, "param": None}
        body = json.dumps({"type": "error", "error": error}).encode()
        return cls(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def content(self, request: Request) -> bytes:
        """The body, in the words of the api that was asked."""
        if self.body is not None:
            return self.body
        write = {
            "openai-chat": _chat_completion,
            "openai-responses": _response,
            "anthropic-messages": _message,
            "openai-images": _picture,
        }[request.api]
        return json.dumps(write(self, str(request.json.get("model"))), ensure_ascii=False).encode()


Script = str | Answer | Sequence[str | Answer] | Callable[[Request], str | Answer]


class StubServer:
    """The server; a context manager that runs it in threads of this process.

    Args:
        script: The answer, answers one after the other, or a function of the request. It may be replaced at any time.
        latency: Seconds before every answer.
        port: Port on 127.0.0.1; 0 takes a free one.
        tls: With whose certificate it speaks TLS; it speaks none if not given.
    """

    def __init__(
        self, script: Script = "[stub]", *, latency: float = 0.0, port: int = 0, tls: ssl.SSLContext | None = None
    ) -> None:
        self.script = script
        self.latency = latency
        self.requests: list[Request] = []
        self.in_flight = 0
        self.peak = 0
        self.connections = 0
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.stub = self
        self._scheme = "http" if tls is None else "https"
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def anthropic_url(self) -> str:
        """Base URL for the Anthropic SDK."""
        return f"{self._scheme}://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        """Base URL for the OpenAI SDK."""
        return f"{self.anthropic_url}/v1"

    @property
    def count(self) -> int:
        """Requests so far."""
        return len(self.requests)

    def reset(self, script: Script = "[stub]") -> None:
        """Forget all requests and follow *script* from its beginning."""
        with self._lock:
            self.requests, self.peak, self.connections, self.script = [], 0, 0, script

    def start(self) -> StubServer:
        """Begin to answer."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Close the port and every connection; a request sent afterwards cannot connect."""
        self._http.shutdown()
        self._http.server_close()
        self._http.disconnect()
        self._thread.join()

    def __enter__(self) -> StubServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def answer(self, request: Request) -> Answer:
        """Record *request* and return what the script says to it."""
        with self._lock:
            index = len(self.requests)
            self.requests.append(request)
        script = self.script
        if callable(script):
            said = script(request)
        elif isinstance(script, (str, Answer)):
            said = script
        else:
            said = script[min(index, len(script) - 1)]
        return Answer(said) if isinstance(said, str) else said

    @contextlib.contextmanager
    def counted(self) -> Any:
        """While a request is inside, it counts as in flight."""
        with self._lock:
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)
        try:
            yield
        finally:
            with self._lock:
                self.in_flight -= 1


class _Http(ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True
    block_on_close = False
    stub: StubServer

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._connections: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.stub.connections += 1
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def disconnect(self) -> None:
        for connection in list(self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that go away are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body leave in one packet
    server: _Http

    def do_GET(self) -> None:
        known = {"/health": {"status": "ok"}, "/v1/models": {"object": "list", "data": []}}
        self._send(200 if self.path in known else 404, json.dumps(known.get(self.path)).encode(), {})

    def do_POST(self) -> None:
        stub = self.server.stub
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        api = next((api for path, api in APIS.items() if self.path.partition("?")[0].endswith(path)), None)
        if api is None:
            self._send(404, b'{"error": {"message": "no such path"}}', SECRETS)
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        if headers.get("content-type", "").startswith("multipart/"):
            fields, files = read_form(headers["content-type"], body)
            request = Request(self.path, headers, fields, api, files)
        else:
            request = Request(self.path, headers, json.loads(body or b"{}"), api)
        with stub.counted():
            answer = stub.answer(request)
            if answer.delay or stub.latency:
                time.sleep(answer.delay + stub.latency)
        # Sent when it no longer counts: whoever has the answer may ask again before this thread runs on.
        self._send(
            answer.status, answer.content(request), {**SECRETS, **answer.headers}, cut=answer.cut, drip=answer.drip
        )

    def _send(
        self, status: int, body: bytes, headers: Mapping[str, str], *, cut: bool = False, drip: float = 0.0
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(10**9 if drip else len(body)))
        self.end_headers()
        while drip:  # until the client goes away
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(drip)
        self.wfile.write(body[: len(body) // 2] if cut else body)
        self.wfile.flush()
        self.close_connection = self.close_connection or cut

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _chat_completion(answer: Answer, model: str) -> dict[str, Any]:
    read, cached, written, reasoning = answer.tokens
    refused = answer.finish == "refusal"
    finish = "stop" if refused else answer.finish
    message = {
        "role": "assistant",
        "content": None if refused else answer.text,
        "refusal": answer.text if refused else None,
    }
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": reasoning, "audio_tokens": 0},
        },
    }


def _response(answer: Answer, model: str) -> dict[str, Any]:
    read, cached, written, reasoning = answer.tokens
    part = {"type": "output_text", "text": answer.text, "annotations": []}
    if answer.finish == "refusal":
        part = {"type": "refusal", "refusal": answer.text}
    reason = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(answer.finish)
    status = "incomplete" if reason else "completed"
    return {
        "id": "resp_stub",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": model,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": [
            {"id": "rs_stub", "type": "reasoning", "summary": []},
            {"id": "msg_stub", "type": "message", "role": "assistant", "status": status, "content": [part]},
        ],
        "usage": {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": reasoning},
            "total_tokens": read + written,
        },
    }


def _message(answer: Answer, model: str) -> dict[str, Any]:
    read, cached, written, _reasoning = answer.tokens
    reasons = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal", "content_filter": "refusal"}
    return {
        "id": "msg_stub",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": answer.text}] if answer.text else [],
        "stop_reason": reasons[answer.finish],
        "stop_sequence": None,
        "usage": {
            "input_tokens": read - cached,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": cached,
            "output_tokens": written,
        },
    }


def _picture(answer: Answer, model: str) -> dict[str, Any]:
    """The completion's text is the picture, in base64; this API does not repeat the model."""
    usage = {"input_tokens": answer.tokens[0], "output_tokens": answer.tokens[2]}
    return {"created": 1_700_000_000, "output_format": "png", "data": [{"b64_json": answer.text}], "usage": usage}
