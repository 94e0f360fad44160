"""OpenAI's batch API: a file of requests goes up, a file of answers and one of errors come down."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from proctor._base.http import redact
from proctor.providers import openai_chat, openai_client, openai_responses
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
from proctor.providers.bodies import count_at, object_at, parse
from proctor.providers.failures import of_error_object

if TYPE_CHECKING:
    from proctor._base.json_values import Json
    from proctor.models.registry import Model
    from proctor.providers.patience import Patience
    from proctor.tasks.call import Call

T = TypeVar("T")
BODIES = {"openai-chat": openai_chat.body, "openai-responses": openai_responses.body}
ENDPOINTS = {"openai-chat": "/chat/completions", "openai-responses": "/responses"}
VERSION = "/v1"  # of the endpoint's name in a batch, whatever the base URL is
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
MARK = "proctor"
RETRIES = 2


def connect_batches(model: Model, *, url: str, key: str, patience: Patience) -> OpenAIBatches:
    """Make a client; see :func:`proctor.providers.batch.protocol.connect_batches`."""
    return OpenAIBatches(model, url=url, key=key, patience=patience)


class OpenAIBatches:
    """See :class:`proctor.providers.batch.protocol.BatchApi`."""

    most_requests = 50_000
    most_bytes = 200_000_000

    def __init__(self, model: Model, *, url: str, key: str, patience: Patience) -> None:
        self._model = model
        self._endpoint = ENDPOINTS[model.api]
        self.uri = url.rstrip("/") + self._endpoint
        self._url, self._key = url, key
        self._once = openai_client.make(model, url=url, key=key, patience=patience)
        self._sdk = self._once.with_options(max_retries=RETRIES)

    def body(self, call: Call) -> Mapping[str, Json]:
        """See `BatchApi.body`."""
        return BODIES[self._model.api](call, self._model)

    def line(self, custom_id: str, call: Call) -> bytes:
        """See `BatchApi.line`."""
        request = {
            "custom_id": custom_id,
            "method": "POST",
            "url": VERSION + self._endpoint,
            "body": self.body(call),
        }
        return encoded_call(request) + b"\n"

    def submit(self, lines: Sequence[bytes], mark: str) -> str:
        """See `BatchApi.submit`. The upload is free and may be repeated; the batch is made by one request only."""
        upload = (f"{MARK}-{mark}.jsonl", b"".join(lines), "application/jsonl")
        files, batches = self._sdk.files.with_raw_response, self._once.batches.with_raw_response
        file_id = id_in(self._told(lambda: files.create(file=upload, purpose="batch").content))
        made = self._told(
            lambda: batches.create(
                input_file_id=file_id,
                endpoint=cast("Any", VERSION + self._endpoint),
                completion_window="24h",
                metadata={MARK: mark},
            )
        )
        return id_in(made.content)

    def find(self, mark: str, requests: Collection[str], *, since: datetime, known: Collection[str]) -> str | None:  # noqa: ARG002
        """See `BatchApi.find`. A batch carries our mark, and the list begins with the latest."""
        raw = self._sdk.batches.with_raw_response

        def page(after: str | None) -> bytes:
            return self._told(lambda: raw.list(limit=100, extra_query={"after": after} if after else None).content)

        for batch in listed(page):
            if field(batch, "metadata", MARK) == mark:
                return state_in(batch, "id")
            created = count_at(batch, "created_at")
            if created is not None and created < (since - CLOCKS_DIFFER).timestamp():
                break
        return None

    def progress(self, batch_id: str) -> BatchProgress:
        """See `BatchApi.progress`."""
        batch = self._batch(batch_id)
        state, counts = state_in(batch, "status"), object_at(batch, "request_counts")
        problems = field(batch, "errors", "data")
        return BatchProgress(
            state=state,
            ended=state in ENDED,
            total=count_at(counts, "total"),
            answered=count_at(counts, "completed"),
            failed=count_at(counts, "failed"),
            problems=tuple(
                str(of_error_object(problem, key=self._key))
                for problem in (problems if isinstance(problems, list) else ())
            ),
        )

    def results(self, batch_id: str) -> Iterator[bytes]:
        """See `BatchApi.results`."""
        batch = self._batch(batch_id)
        for name in ("output_file_id", "error_file_id"):
            file_id = field(batch, name)
            if isinstance(file_id, str) and file_id:
                yield from lines_in(self._content(file_id))

    def _content(self, file_id: str) -> bytes:
        return self._told(lambda: self._sdk.files.content(file_id).read())

    def _batch(self, batch_id: str) -> dict[str, Any]:
        raw = self._sdk.batches.with_raw_response
        return dict(self._told(lambda: parse(raw.retrieve(batch_id).content)))

    def read(self, line: bytes) -> Result:
        """See `BatchApi.read`."""
        told = json.loads(line)
        name = field(told, "custom_id")
        if not isinstance(name, str):
            raise ValueError("it names no request")  # noqa: TRY004  # one kind of error for one kind of line
        status, body = field(told, "response", "status_code"), field(told, "response", "body")
        if status == 200 and isinstance(body, dict):
            return Result(name, encoded_call(body))
        error = field(told, "error") or field(body, "error") or body
        if error is None:
            raise ValueError("it has neither an answer nor an error")
        return Result(name, None, redact(str(of_error_object(error, key=self._key, status=status)), key=self._key))

    def _told(self, work: Callable[[], T]) -> T:
        return told(work, url=self._url, key=self._key)

    def close(self) -> None:
        """Close the connections."""
        self._once.close()
