"""Anthropic's message batches: the requests go up in one piece, the results come down as lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from proctor.providers import anthropic_messages
from proctor.providers.batch.protocol import (
    CLOCKS_DIFFER,
    BatchProgress,
    Result,
    encoded_call,
    field,
    id_in,
    lines_in,
    listed,
    state_in,
    told,
)
from proctor.providers.bodies import Object, count_at, malformed, object_at, parse, text_at
from proctor.providers.failures import of_error_object
from proctor.tasks.call import CallFailed

if TYPE_CHECKING:
    from proctor._base.json_values import Json
    from proctor.models.registry import Model
    from proctor.providers.patience import Patience
    from proctor.tasks.call import Call

T = TypeVar("T")
ENDED = "ended"
ENDINGS = ("succeeded", "errored", "canceled", "expired")
GONE = frozenset({"unknown_model", "rejected"})
"""Kinds of failure in which the provider says that it has no results any more."""

RETRIES = 2


def connect_batches(model: Model, *, url: str, key: str, patience: Patience) -> AnthropicBatches:
    """Make a client; see :func:`proctor.providers.batch.protocol.connect_batches`."""
    return AnthropicBatches(model, url=url, key=key, patience=patience)


class AnthropicBatches:
    """See :class:`proctor.providers.batch.protocol.BatchApi`."""

    most_requests = 100_000
    most_bytes = 256_000_000

    def __init__(self, model: Model, *, url: str, key: str, patience: Patience) -> None:
        self._model = model
        self.uri = url.rstrip("/") + "/v1/messages"
        self._url, self._key = url, key
        self._once = anthropic_messages.make(model, url=url, key=key, patience=patience)
        self._sdk = self._once.with_options(max_retries=RETRIES)

    def body(self, call: Call) -> Mapping[str, Json]:
        """See `BatchApi.body`."""
        return anthropic_messages.body(call, self._model)

    def line(self, custom_id: str, call: Call) -> bytes:
        """See `BatchApi.line`."""
        request = {"custom_id": custom_id, "params": self.body(call)}
        return encoded_call(request) + b"\n"

    def submit(self, lines: Sequence[bytes], mark: str) -> str:  # noqa: ARG002  # these batches carry no mark
        """See `BatchApi.submit`."""
        requests = cast("Any", [json.loads(line) for line in lines])
        raw = self._once.messages.batches.with_raw_response
        return id_in(self._told(lambda: raw.create(requests=requests).read()))

    def find(self, mark: str, requests: Collection[str], *, since: datetime, known: Collection[str]) -> str | None:  # noqa: ARG002
        """See `BatchApi.find`.

        A batch says nothing of ours until it has ended; then its results name the requests. While one of that time
        with as many requests is under way, nobody can tell: it may be another project's, or another batch of ours.
        """
        raw = self._sdk.messages.batches.with_raw_response

        def page(after: str | None) -> bytes:
            return self._told(lambda: raw.list(limit=100, extra_query={"after_id": after} if after else None).read())

        under_way: list[str] = []
        for batch in listed(page):
            if _created(batch) < since - CLOCKS_DIFFER:
                break
            batch_id = state_in(batch, "id")
            if batch_id in known or sum(_counts(batch).values()) != len(requests):
                continue
            if state_in(batch, "processing_status") != ENDED:
                under_way.append(batch_id)
            elif self._holds(batch_id, requests):
                return batch_id
        if under_way:
            raise CallFailed(f"it may be {' or '.join(under_way)}, which tells when it has ended", kind="undecided")
        return None

    def _holds(self, batch_id: str, requests: Collection[str]) -> bool:
        """Whether the results of a batch are those of our requests."""
        try:
            return self.read(next(self.results(batch_id))).custom_id in requests
        except CallFailed as problem:
            if problem.kind in GONE:  # they are kept for a month only
                return False
            raise
        except (StopIteration, ValueError, RecursionError):
            malformed(f"the results of {batch_id} do not say whose they are")

    def progress(self, batch_id: str) -> BatchProgress:
        """See `BatchApi.progress`."""
        raw = self._sdk.messages.batches.with_raw_response
        batch = self._told(lambda: parse(raw.retrieve(batch_id).read()))
        counts = _counts(batch)
        state = state_in(batch, "processing_status")
        return BatchProgress(
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
            return Result(name, encoded_call(message))
        error = field(told, "result", "error", "error") or field(told, "result", "error")
        return Result(name, None, str(of_error_object(error, key=self._key)) if error else kind)

    def _told(self, work: Callable[[], T]) -> T:
        return told(work, url=self._url, key=self._key)

    def close(self) -> None:
        """Close the connections."""
        self._once.close()


def _counts(batch: Object) -> dict[str, int]:
    counts = object_at(batch, "request_counts")
    return {name: count_at(counts, name) or 0 for name in (*ENDINGS, "processing")}


def _created(batch: Object) -> datetime:
    try:
        return datetime.fromisoformat(text_at(batch, "created_at")).astimezone(UTC)
    except ValueError:
        malformed("a batch does not say when it was created")
