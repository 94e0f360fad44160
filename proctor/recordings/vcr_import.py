"""Taking up what vcrpy has recorded: our own cassettes as they were, and what tests have asked models by themselves.

An exchange that is not from here belongs to a call if it asked the very same: the model, the conversation and all
parameters. Who asked, when and through which address is nothing to it. So a change never takes an old answer. A model
that was asked by an alias, such as gpt-4o-mini, is the one that the answer names, gpt-4o-mini-2024-07-18.
"""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from proctor._base.errors import DataError
from proctor._base.time_stamps import time_stamp
from proctor.media.generated import FOLDER as MADE
from proctor.media.generated import keep
from proctor.models.prices import cost_of
from proctor.providers import read_reply, request_body
from proctor.recordings.cassette import Cassette, compact
from proctor.recordings.leak_detector import Detector
from proctor.recordings.recorder import cleaned
from proctor.recordings.recording import CallId, Origin, Recording
from proctor.recordings.secrets import Secrets
from proctor.recordings.vcr_cassettes import CASSETTE, VcrExchange
from proctor.tasks.call import Call, CallFailed

if TYPE_CHECKING:
    from proctor.models.registry import Model

APIS = {
    "/chat/completions": "openai-chat",
    "/responses": "openai-responses",
    "/messages": "anthropic-messages",
}
"""The APIs of which requests are understood, by how the path of a request ends."""

SHORTEST_SECRET = 8
CONVERSATION = ("messages", "system", "input", "instructions")
"""What of a request is the conversation, in the words of the three APIs; the rest is the model, and parameters."""

Object = Mapping[str, Any]
Name = tuple[str, str]
"""The API of a request, and what it asks: the same for all that ask the same."""


@dataclass(frozen=True, slots=True)
class ForeignAnswer:
    """An answer that some other program was given.

    Args:
        exchange: The exchange.
        api: The API that was spoken.
        request: What was asked.
    """

    exchange: VcrExchange
    api: str
    request: Object

    @property
    def names(self) -> set[Name]:
        """What requests that ask the same are called; two if the model was asked by an alias."""
        stated = json.loads(self.exchange.body).get("model")
        alias = isinstance(stated, str) and stated.startswith(f"{self.request.get('model')}-")
        return {_name(self.api, request) for request in (self.request, {**self.request, "model": stated})[: 1 + alias]}

    @property
    def recorded_at(self) -> datetime:
        """When it was given: as its server says, else when the file was written."""
        try:
            return parsedate_to_datetime(self.exchange.header("date") or "").astimezone(UTC)
        except ValueError:
            return datetime.fromtimestamp(self.exchange.modified, UTC)


class VcrImport:
    """Takes exchanges into cassettes.

    Args:
        folder: The folder of cassettes.
        keys: Secrets that no recording may hold, by what they are called.
        whole_prompts: Whether to keep the prompts of exchanges that are not from here.
    """

    def __init__(self, folder: Path, keys: Mapping[str, str], *, whole_prompts: bool = False) -> None:
        self.folder = folder
        self.recorded: Counter[Path] = Counter()
        self.known: Counter[Path] = Counter()
        self.problems: list[str] = []
        self.beside = 0  # exchanges that are no answer of a model
        self._whole_prompts = whole_prompts
        self._detector = Detector(keys)
        self._secrets = Secrets(keys, shortest=SHORTEST_SECRET)
        self._cassettes: dict[Path, Cassette] = {}
        self._answers: dict[str, ForeignAnswer] = {}  # by their locations
        self._lock = threading.Lock()
        self._locations: defaultdict[Name, list[str]] = defaultdict(list)

    @property
    def left(self) -> list[ForeignAnswer]:
        """The answers of which nobody knows yet whose they are."""
        return list(self._answers.values())

    def take(self, exchange: VcrExchange) -> None:
        """Record an exchange of ours; keep another one until its call is found."""
        try:
            if exchange.ours is not None:
                self._take_ours(exchange, exchange.ours)
            elif (answer := self._foreign(exchange)) is None:
                self.beside += 1
            else:
                self._answers[exchange.location] = answer
                for name in answer.names:
                    self._locations[name].append(exchange.location)
        except (ValueError, TypeError, CallFailed, RecursionError) as problem:
            self.problems.append(f"{exchange.location}: {self._secrets.removed_from_text(str(problem))}")

    def _take_ours(self, exchange: VcrExchange, ours: Object) -> None:
        name = ours.get("cassette")
        if not isinstance(name, str) or not CASSETTE.fullmatch(name):
            raise ValueError("'proctor.cassette' is not the name of a cassette, <benchmark>/<task>/<model>.jsonl")
        whole = exchange.request["body"] is not None
        recording = Recording.of(ours, self._interaction(exchange, whole_prompts=whole))
        file = self.folder / name
        cassette = self._cassettes.get(file)
        if cassette is None:
            cassette = self._cassettes[file] = Cassette(file, repair=True, detector=self._detector)
        if cassette.find(recording.call_id, recording.key) is not None:
            self.known[file] += 1
            return
        recording.line()  # raises for what is no JSON
        for api in ("openai-images",) if b'"b64_json"' in exchange.body else ():
            for image in read_reply(api, exchange.body).images:
                keep(image, file.parent / MADE)
        cassette.append(recording)
        self.recorded[file] += 1

    def _foreign(self, exchange: VcrExchange) -> ForeignAnswer | None:
        """An exchange as an answer of a model; ``None`` if it is something else, or a failure."""
        path = urlsplit(exchange.request["uri"]).path.rstrip("/")
        api = next((api for end, api in APIS.items() if path.endswith(end)), None)
        if api is None or exchange.request["method"] != "POST" or exchange.response["status"]["code"] != 200:
            return None
        if exchange.request["body"] is None:
            raise ValueError("what was asked is not recorded")
        request = json.loads(exchange.request["body"])
        if not isinstance(request, dict):
            raise TypeError("what was asked is no JSON object")
        if request.get("stream"):
            raise ValueError("the answer came as a stream, which is not read here; record it without stream=True")
        read_reply(api, exchange.body)
        return ForeignAnswer(exchange, api, _normal(api, request))

    def answer(self, cassette: Cassette, model: Model, call_id: CallId, call: Call, origin: Origin) -> Recording | None:
        """Record the answer to a call, if there is one that no other call was given.

        Args:
            cassette: Where it goes.
            model: Who is asked.
            call_id: Names the call.
            call: The call.
            origin: What it was made from.

        Raises:
            OSError: If it cannot be written.
        """
        with self._lock:  # parts of a conversation ask at the same time
            found = next(self._answers_to(model, call), None)
            if found is None:
                return None
            del self._answers[found.exchange.location]
        when = found.recorded_at
        recording = Recording(
            call_id=call_id,
            key=call.key,
            origin=origin.fields,
            recorded_at=time_stamp(when),
            latency_s=None,
            attempts=1,
            interaction=self._interaction(found.exchange, whole_prompts=self._whole_prompts),
            cost_usd=cost_of(model, read_reply(model.api, found.exchange.body).usage, when),
        )
        self._cassettes[cassette.file] = cassette
        cassette.append(recording)
        self.recorded[cassette.file] += 1
        return recording

    def drop(self, cassette: Cassette, model: Model, call: Call, recording: Recording) -> None:
        """Let go of an answer that is the recording of its call already.

        Args:
            cassette: Where the recording is.
            model: Who was asked.
            call: What was asked.
            recording: The recording.
        """
        with self._lock:
            for answer in self._answers_to(model, call):
                interaction = self._interaction(answer.exchange, whole_prompts=False)
                if interaction["response"]["body"] == recording.interaction["response"]["body"]:
                    self.known[cassette.file] += 1
                    del self._answers[answer.exchange.location]
                    return

    def _answers_to(self, model: Model, call: Call) -> Iterator[ForeignAnswer]:
        request = asked_of(model, call) if self._answers else None
        for location in () if request is None else self._locations[_name(model.api, request)]:
            if location in self._answers:
                yield self._answers[location]

    def _interaction(self, exchange: VcrExchange, *, whole_prompts: bool) -> dict[str, Any]:
        body = self._secrets.removed_from(exchange.body)
        return cleaned(exchange.request, exchange.response, body, self._secrets, whole_prompts=whole_prompts)

    def finish(self) -> None:
        """Bring the cassettes that were written to into order.

        Raises:
            OSError: If one cannot be written.
        """
        for file in self.recorded:
            self._cassettes[file].sync()
            compact(file)


def asked_of(model: Model, call: Call) -> Object | None:
    """What a call asks, in the form in which requests are compared; ``None`` if its model has no API of those here."""
    if model.api not in APIS.values():
        return None
    try:
        request: Object = _normal(model.api, request_body(call, model))
    except (CallFailed, DataError):  # which cannot be asked at all
        return None
    return request


def difference(answer: ForeignAnswer, request: Object) -> str | None:
    """How a request for the same conversation differs from what was asked; ``None`` for another conversation."""
    there = answer.request
    if any(there.get(name) != request.get(name) for name in CONVERSATION):
        return None
    other_model = there.get("model") != request.get("model")  # whose parameters are others anyway
    names = ["model"] if other_model else sorted({*there, *request}.difference(CONVERSATION))
    return ", ".join(
        f"{name} (there {_shown(there, name)}, here {_shown(request, name)})"
        for name in names
        if there.get(name) != request.get(name)
    )


def _shown(request: Object, name: str) -> str:
    return json.dumps(request[name], ensure_ascii=False) if name in request else "unset"


def _name(api: str, request: Object) -> Name:
    return api, json.dumps(request, sort_keys=True)


def _normal(api: str, request: Object) -> dict[str, Any]:
    """A request's body without what makes no difference: what is null, how one text is wrapped, 1.0 for 1.

    OpenAI has renamed ``max_tokens``; a model that knows the new name alone refuses the old one.
    """
    normal: dict[str, Any] = dict(_parts(request))
    if normal.get("stream") is False:
        del normal["stream"]
    if api == "openai-chat" and "max_tokens" in normal:
        normal.setdefault("max_completion_tokens", normal.pop("max_tokens"))
    if isinstance(normal.get("input"), str):
        normal["input"] = [{"role": "user", "content": normal["input"]}]
    return normal


def _parts(value: Object) -> Iterator[tuple[str, Any]]:
    for name, part in value.items():
        if part is not None:
            yield name, _same(part)


def _same(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(_parts(value))
    if isinstance(value, (list, tuple)):
        if len(value) == 1 and isinstance(value[0], Mapping) and set(value[0]) == {"type", "text"}:
            return value[0]["text"]
        return [_same(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
