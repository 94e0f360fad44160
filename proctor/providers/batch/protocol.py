"""Batch APIs: many requests handed over at once, answered within a day, for less money."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from proctor._base.errors import UsageError
from proctor.providers import checked_key
from proctor.providers.bodies import Object, malformed, objects_at, parse, text_at
from proctor.providers.failures import of_exception
from proctor.providers.patience import Patience

if TYPE_CHECKING:
    from datetime import datetime

    from proctor._base.json_values import Json
    from proctor.models.registry import Model
    from proctor.tasks.call import Call

_ADAPTERS = {
    "openai-chat": "proctor.providers.batch.openai",
    "openai-responses": "proctor.providers.batch.openai",
    "anthropic-messages": "proctor.providers.batch.anthropic",
}
CLOCKS_DIFFER = timedelta(days=1)
"""By how much this machine's clock may be ahead of the provider's: one that is hours off must not hide a batch."""

PATIENCE = Patience(total=3600.0, silence=600.0, most=1_000_000_000)
"""With each request. Hundreds of megabytes go up, and come down, in one."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch is.

    Args:
        state: The provider's word for it.
        ended: Whether nothing more will come.
        total: Its requests; ``None`` where the provider does not say.
        answered: Those with an answer.
        failed: Those without one that will not get any.
        problems: What is wrong with the whole batch.
    """

    state: str
    ended: bool
    total: int | None
    answered: int | None
    failed: int | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one request.

    Args:
        custom_id: The name we gave the request.
        body: The body of the answer, as a live call would have brought it; ``None`` if there is none.
        error: Why there is none.
    """

    custom_id: str
    body: bytes | None
    error: str = ""


class BatchApi(Protocol):
    """The batch API of one model's endpoint. All methods but `line` and `read` may raise CallFailed."""

    uri: str
    """Where a live request would go, without anything secret."""

    most_requests: int
    most_bytes: int

    def body(self, call: Call) -> Mapping[str, Json]:
        """What a live request would send."""
        ...

    def line(self, custom_id: str, call: Call) -> bytes:
        """A request as it is going to be sent.

        Args:
            custom_id: What tells the request apart within its batch.
            call: What is asked.
        """
        ...

    def submit(self, lines: Sequence[bytes], mark: str) -> str:
        """Hand over requests, in the knowledge that this may be paid for; returns the provider's id of the batch.

        Args:
            lines: What `line` made.
            mark: Our name for the batch, by which `find` may find it.
        """
        ...

    def find(self, mark: str, requests: Collection[str], *, since: datetime, known: Collection[str]) -> str | None:
        """The id of a batch that was handed over, though nobody wrote that down; ``None`` if there is none.

        Args:
            mark: Our name for it.
            requests: The names of its requests.
            since: When it was prepared; UTC.
            known: Ids of batches that are others of ours.

        Raises:
            CallFailed: Also of kind ``undecided``, if that cannot be told yet.
        """
        ...

    def progress(self, batch_id: str) -> BatchProgress:
        """How far a batch is."""
        ...

    def results(self, batch_id: str) -> Iterator[bytes]:
        """The lines that say what came of each request of a batch that ended; `read` understands them."""
        ...

    def read(self, line: bytes) -> Result:
        """What a line says.

        Raises:
            ValueError: If it is not what the API promises.
        """
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


class _Adapter(Protocol):
    def connect_batches(self, model: Model, *, url: str, key: str, patience: Patience) -> BatchApi: ...


def connect_batches(model: Model) -> BatchApi:
    """The batch API for *model*.

    Args:
        model: The model, whose provider has a batch API.

    Raises:
        UsageError: If the API key is missing, or the API has no batches.
    """
    if model.api not in _ADAPTERS:
        raise UsageError(f"no batch API is known for {model.name} ({model.api})")
    key = checked_key(model)
    adapter = cast("_Adapter", importlib.import_module(_ADAPTERS[model.api]))
    return adapter.connect_batches(model, url=model.url(os.environ), key=key, patience=PATIENCE)


def told(work: Callable[[], T], *, url: str, key: str) -> T:
    """What *work* returns.

    Raises:
        CallFailed: For what the SDK raises, without anything secret.
    """
    try:
        return work()
    except Exception as error:
        failure = of_exception(error, url=url, key=key)
    # Raised out here, a failure has no context: the SDK's exception holds the headers of request and response.
    raise failure


def id_in(body: bytes) -> str:
    """The id of what a provider says it has made.

    Raises:
        CallFailed: If the body names none.
    """
    return text_at(parse(body), "id") or malformed("it names no id")


def state_in(batch: Object, name: str) -> str:
    """The provider's word for how far a batch is.

    Raises:
        CallFailed: If there is none.
    """
    return text_at(batch, name) or malformed(f"it has no {name!r}")


def listed(page: Callable[[str | None], bytes]) -> Iterator[Object]:
    """All batches of a list that comes in pages.

    Args:
        page: Fetches the page after the batch with that id; the first page for ``None``.

    Raises:
        CallFailed: For a page that is none: what it leaves out may be the batch that is looked for.
    """
    after: str | None = None
    while True:
        answer = parse(page(after))
        batches = objects_at(answer, "data")
        yield from batches
        if not batches or not answer.get("has_more"):
            return
        before, after = after, text_at(batches[-1], "id")
        if not after or after == before:
            malformed("the list of batches has no next page, though it says so")


def lines_in(content: bytes) -> Iterator[bytes]:
    """The lines of a JSONL file; only a line feed ends one, whatever else its text may hold."""
    return (line for line in content.split(b"\n") if line.strip())


def encoded_call(value: Any) -> bytes:
    """JSON in as few bytes as will pass any text, be it half a surrogate pair."""
    return json.dumps(value, separators=(",", ":")).encode()


def field(holder: Any, *path: str) -> Any:
    """The value at a path of names in nested objects; ``None`` where there is no such thing."""
    for name in path:
        holder = holder.get(name) if isinstance(holder, dict) else None
    return holder
