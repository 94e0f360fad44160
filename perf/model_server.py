"""A model server that answers after a fixed time and counts: ``python -m perf.model_server``, GET /stats, POST /reset.

One thread and no framework, so that it takes little of the cores that it shares with the client that is measured. The
stub server of the tests (a thread for each connection) is the one that can fail in all ways; this one is only fast.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

TRIPLETS = "person -> verb -> pick-up\npick-up -> dobj -> cup\npick-up -> with -> hand1"
HEADERS = {
    "Content-Type": "application/json",
    "Date": "Fri, 21 Nov 2025 12:00:00 GMT",
    "Server": "cloudflare",
    "openai-organization": "org-perf",
    "openai-processing-ms": "300",
    "openai-version": "2020-10-01",
    "x-ratelimit-limit-requests": "30000",
    "x-ratelimit-limit-tokens": "150000000",
    "x-ratelimit-remaining-requests": "29999",
    "x-ratelimit-remaining-tokens": "149999985",
    "x-ratelimit-reset-requests": "2ms",
    "x-ratelimit-reset-tokens": "0s",
    "x-request-id": "req_0123456789abcdef0123456789abcdef",
    "CF-RAY": "0123456789abcdef-FRA",
}
"""What OpenAI's API sends, in kind: who stores all headers pays for them."""


@dataclass
class Stats:
    """What the server saw since it was last reset.

    Args:
        latency_s: Seconds before every answer.
        takes: Requests that are answered at the same time; others get a 429 at once. 0 for any number.
        retry_after_s: What a 429 asks to wait; 0 if it does not say.
        requests: Requests so far.
        turned_away: Requests that got a 429.
        in_flight: Requests without an answer yet.
        peak: Most of them at one time.
        first: When the first request was there, in seconds.
        last: When the last answer was sent.
        cpu_s: Seconds of CPU that the server took until then.
    """

    latency_s: float = 0.0
    takes: int = 0
    retry_after_s: float = 0.0
    requests: int = 0
    turned_away: int = 0
    in_flight: int = 0
    peak: int = 0
    first: float = 0.0
    last: float = 0.0
    cpu_s: float = 0.0


@dataclass
class ModelServer:
    """Makes the connections, which share its stats."""

    stats: Stats = field(default_factory=Stats)
    cpu_before: float = 0.0

    def connection(self) -> asyncio.Protocol:
        """A new connection."""
        return _Connection(self)


class _Connection(asyncio.Protocol):
    """One client's connection: requests one after the other."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._received = b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, rest = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        length = next((int(h[15:]) for h in head.lower().split(b"\r\n") if h.startswith(b"content-length:")), 0)
        if len(rest) < length:
            return
        self._received = rest[length:]
        self._handle(head.split(b" ", 2)[1], rest[:length])

    def _handle(self, path: bytes, body: bytes) -> None:
        server = self._server
        stats = server.stats
        if path == b"/stats":
            self._send(vars(stats))
        elif path == b"/reset":
            server.stats = Stats(**json.loads(body))
            server.cpu_before = time.process_time()
            self._send({})
        elif not body:
            self._send({"object": "list", "data": []})  # its models, by which a client finds out whether it is there
        else:
            stats.requests += 1
            stats.first = stats.first or time.monotonic()
            if stats.takes and stats.in_flight >= stats.takes:
                stats.turned_away += 1
                wait = {"Retry-After": f"{stats.retry_after_s:g}"} if stats.retry_after_s else {}
                self._send({"error": {"message": "too many requests", "code": None}}, "429 Too Many Requests", wait)
                return
            stats.in_flight += 1
            stats.peak = max(stats.peak, stats.in_flight)
            asyncio.get_running_loop().call_later(stats.latency_s, self._answer, stats, completion(json.loads(body)))

    def _answer(self, stats: Stats, content: dict[str, Any]) -> None:
        stats.in_flight -= 1
        self._send(content)
        stats.last = time.monotonic()
        stats.cpu_s = time.process_time() - self._server.cpu_before

    def _send(
        self, content: dict[str, Any], status: str = "200 OK", headers: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        body = json.dumps(content).encode()
        head = "".join(f"{name}: {value}\r\n" for name, value in {**HEADERS, **headers}.items())
        assert self._transport is not None
        self._transport.write(f"HTTP/1.1 {status}\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)


def completion(request: dict[str, Any]) -> dict[str, Any]:
    """A chat completion with all the fields that OpenAI's API sends, and a short answer of the kind asked for."""
    prompt = request["messages"][-1]["content"]
    text = TRIPLETS if " -> " in prompt else "[A]" if "[A]" in prompt else "[cloth]"
    return {
        "id": "chatcmpl-CeXampLe0123456789abcdefghij",
        "object": "chat.completion",
        "created": 1_763_726_400,
        "model": request["model"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None, "annotations": []},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": len(prompt) // 4,
            "completion_tokens": len(text) // 4,
            "total_tokens": len(prompt) // 4 + len(text) // 4,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": 0,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        },
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
    }


async def serve() -> None:
    """Serve on a free port, which is printed first, until the process is ended."""
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(ModelServer().connection, "127.0.0.1", 0, backlog=1024)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(serve())
