"""Anthropic's message batches: the requests go up in one piece, the results come down as lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar, cast

from proctor.calls import CallFailed
from proctor.providers.anthropic_messages import body
from proctor.providers.batches import Progress, Result, encoded, field, lines_in, told
from proctor.providers.bodies import parse
from proctor.providers.client import timeouts
from proctor.providers.failures import of_error_object

if TYPE_CHECKING:
    from proctor.calls import Call, Json
    from proctor.models.registry import Model

T = TypeVar("T")
ENDED = "ended"
ENDINGS = ("succeeded", "errored", "canceled", "expired")
CLOCKS_DIFFER = timedelta(minutes=10)
RETRIES = 2


def connect_batches(model: Model, *, url: str, key: str, timeout: float) -> AnthropicBatches:
    """Make a client; see :func:`proctor.providers.batches.connect_batches`."""
    return AnthropicBatches(model, url=url, key=key, timeout=timeout)


class AnthropicBatches:
    """See :class:`proctor.providers.batches.BatchApi`."""

    most_requests = 100_000
    most_bytes = 256_000_000

    def __init__(self, model: Model, *, url: str, key: str, timeout: float) -> None:
        import anthropic

        self._model = model
        self.uri = url.rstrip("/") + "/v1/messages"
        self._url, self._key = url, key
        self._once = anthropic.Anthropic(api_key=key, base_url=url, timeout=timeouts(timeout), max_retries=0)
        self._sdk = self._once.with_options(max_retries=RETRIES)

    def body(self, call: Call) -> Mapping[str, Json]:
        """See `BatchApi.body`."""
        return body(call, self._model)

    def line(self, custom_id: str, call: Call) -> bytes:
        """See `BatchApi.line`."""
        request = {"custom_id": custom_id, "params": self.body(call)}
        return encoded(request) + b"\n"

    def submit(self, lines: Sequence[bytes], mark: str) -> str:  # noqa: ARG002  # these batches carry no mark
        """See `BatchApi.submit`."""
        requests = cast("Any", [json.loads(line) for line in lines])
        return self._told(lambda: self._once.messages.batches.create(requests=requests)).id

    def find(self, mark: str, requests: Collection[str], *, since: datetime, known: Collection[str]) -> str | None:  # noqa: ARG002
        """See `BatchApi.find`.

        A batch says nothing of ours until it has ended; then its results name the requests. Until then, one of that
        time with as many requests is taken for it: should it be somebody else's, its results will show that.
        """

        def search() -> str | None:
            for batch in self._sdk.messages.batches.list(limit=100):
                if batch.created_at < since - CLOCKS_DIFFER:
                    return None
                total = sum(getattr(batch.request_counts, name) for name in (*ENDINGS, "processing"))
                if batch.id in known or total != len(requests):
                    continue
                if batch.processing_status != ENDED or self._holds(batch.id, requests):
                    return batch.id
            return None

        return self._told(search)

    def _holds(self, batch_id: str, requests: Collection[str]) -> bool:
        """Whether the results of a batch are those of our requests."""
        try:
            return self.read(next(self.results(batch_id))).custom_id in requests
        except (StopIteration, ValueError, CallFailed):  # results are kept for a month only
            return False

    def progress(self, batch_id: str) -> Progress:
        """See `BatchApi.progress`."""
        raw = self._sdk.messages.batches.with_raw_response
        batch = dict(self._told(lambda: parse(raw.retrieve(batch_id).read())))
        counts = {name: field(batch, "request_counts", name) or 0 for name in (*ENDINGS, "processing")}
        state = str(field(batch, "processing_status"))
        return Progress(
            state=state,
            ended=state == ENDED,
            total=sum(counts.values()),
            answered=counts["succeeded"],
            failed=counts["errored"] + counts["canceled"] + counts["expired"],
        )

    def results(self, batch_id: str) -> Iterator[bytes]:
        """See `BatchApi.results`. Fetched from the endpoint itself, not from the address that the batch names."""
        import httpx2

        path = f"/v1/messages/batches/{batch_id}/results"
        content = self._told(lambda: self._sdk.get(path, cast_to=httpx2.Response).read())
        yield from lines_in(content)

    def read(self, line: bytes) -> Result:
        """See `BatchApi.read`."""
        told = json.loads(line)
        name, kind, message = field(told, "custom_id"), field(told, "result", "type"), field(told, "result", "message")
        if not isinstance(name, str) or kind not in ENDINGS:
            raise ValueError("it names no request, or no ending")
        if kind == "succeeded":
            if not isinstance(message, dict):
                raise ValueError("it has no message")
            return Result(name, encoded(message))
        error = field(told, "result", "error", "error") or field(told, "result", "error")
        return Result(name, None, str(of_error_object(error, key=self._key)) if error else kind)

    def _told(self, work: Callable[[], T]) -> T:
        return told(work, url=self._url, key=self._key)

    def close(self) -> None:
        """Close the connections."""
        self._once.close()
