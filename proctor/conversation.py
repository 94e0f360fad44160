"""One case's conversation with a model: each question answered from a recording, or live and recorded."""

from __future__ import annotations

import copy
import enum
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from proctor.appending import NotKept
from proctor.calls import Call, CallFailed, Json, Message, Reply
from proctor.judging import ANSWER, JudgeFailed, role_name
from proctor.media.made import FOLDER as MADE
from proctor.media.made import keep
from proctor.media.medium import Media
from proctor.prompts import Question, Template, Value
from proctor.providers import read_reply
from proctor.recordings.cassette import Cassette
from proctor.recordings.recording import Origin, Recording, Slot

if TYPE_CHECKING:
    from proctor.live.line import Line
    from proctor.models.registry import Model
    from proctor.recordings.computed import Computed
    from proctor.responses import Responses
    from proctor.samples import Sample
    from proctor.task import Ask, Task

T = TypeVar("T")
Source = Literal["replayed", "recorded", "live", "responses"]


class RecordMode(enum.Enum):
    """pytest-recording's record modes, at the level of a call."""

    NONE = "none"
    ONCE = "once"
    NEW_EPISODES = "new_episodes"
    ALL = "all"
    REWRITE = "rewrite"

    @property
    def replays(self) -> bool:
        """Whether a recording of exactly this call is used."""
        return self not in (RecordMode.ALL, RecordMode.REWRITE)

    @property
    def records(self) -> bool:
        """Whether anything may be asked live."""
        return self is not RecordMode.NONE


class NotRecorded(Exception):
    """A call has no recording, and the record mode does not allow to make one."""


class NeedsLive(Exception):
    """A call has no recording, or a result is not known; raised where only recordings may be used."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One call of a conversation and what came of it."""

    role: str
    model: Model
    call: Call
    reply: Reply
    source: Source
    latency_s: float
    attempts: int
    recorded_at: str | None
    turn: int = 0
    batch: bool = False


@dataclass(slots=True)
class Outcome:
    """What a conversation led to.

    Args:
        reply: The reply to be scored; ``None`` if there is none.
        evidence: What was found out about the reply, where the task's score depends on more than its text.
        calls: The calls that were answered, in order.
        asked: The place and key of every call, answered or not, in order.
        failure: Why there is no reply, or no evidence.
        failed_call: The call that failed.
        failed_model: The model that it was made to.
        failed_attempts: Requests that failed calls took.
    """

    reply: Reply | None = None
    evidence: Json = None
    calls: list[Answered] = field(default_factory=list)
    asked: list[tuple[Slot, str]] = field(default_factory=list)
    failure: Exception | None = None
    failed_call: Call | None = None
    failed_model: Model | None = None
    failed_attempts: int = 0

    def take_in(self, part: Outcome) -> None:
        """Take up what part of the conversation led to."""
        self.calls += part.calls
        self.asked += part.asked
        self.failed_attempts += part.failed_attempts
        if self.failed_call is None:
            self.failed_call, self.failed_model = part.failed_call, part.failed_model


@dataclass(frozen=True)
class Place:
    """Everything a conversation needs beside its sample; the same for all samples of one task and model.

    Args:
        task: The task.
        model: The model under test.
        role_models: The models in the task's other roles, by role.
        templates: The task's prompt templates by name.
        cassette: The recordings.
        computed: What is remembered of one kind of computation.
        mode: What may be asked live.
        overrides: Sampling parameters from the command line, for the model under test.
        line: Makes live calls; called only if a call has to be made.
        record_command: The command that records what is missing.
        keep_recordings: False to ask live without recording and without replaying.
        given: The answers, where they were made elsewhere.
        pictures: The folder of the pictures that models make.
    """

    task: Task
    model: Model
    role_models: Mapping[str, Model]
    templates: Mapping[str, Template]
    cassette: Cassette
    computed: Callable[[str], Computed]
    mode: RecordMode
    overrides: Mapping[str, Json]
    line: Callable[[Model], Line]
    record_command: str
    keep_recordings: bool = True
    given: Responses | None = None
    pictures: Path = Path(MADE)


class Conversation:
    """The `proctor.task.Ask` of one sample and epoch.

    Args:
        place: What the sample is asked with.
        sample: The sample.
        epoch: Which repetition this is, from 1.
        live: False to raise `NeedsLive` instead of asking live.
    """

    def __init__(self, place: Place, sample: Sample, epoch: int, *, live: bool = True) -> None:
        self._place = place
        self._sample = sample
        self._epoch = epoch
        self._live = live
        self._asked: Counter[str] = Counter()
        self.outcome = Outcome()

    def run(self) -> Outcome:
        """Hold the conversation; failures are part of the outcome, never raised.

        Raises:
            NeedsLive: If live calls were ruled out and one is needed.
        """
        task = self._place.task
        try:
            self.outcome.reply = self._answer()
            if task.judged is not None:
                self.outcome.evidence = task.judged.examine(self._sample, self.outcome.reply.text, self)
        except NeedsLive:
            raise
        except Exception as failure:
            self.outcome.failure = failure
        return self.outcome

    def _answer(self) -> Reply:
        return self._place.task.converse(self._sample, self)

    def __call__(self, template: str, /, *earlier: Question | Reply, role: str = ANSWER, **values: Value) -> Reply:
        """See `proctor.task.Ask`."""
        slot = Slot(self._sample.id, self._epoch, role, self._asked[role])
        self._asked[role] += 1
        answered = self._ask(slot, Question(template, values), earlier)
        self.outcome.calls.append(answered)
        self.outcome.failed_call = self.outcome.failed_model = None
        return answered.reply

    def together(self, parts: Sequence[Callable[[Ask], T]], /) -> list[T]:
        """See `proctor.task.Ask`."""
        asks = [copy.copy(self) for _ in parts]
        for ask in asks:
            ask.outcome = Outcome()
        with ThreadPoolExecutor(max(1, len(parts)), thread_name_prefix="proctor-part") as pool:
            done = [pool.submit(part, ask) for part, ask in zip(parts, asks, strict=True)]
        seen: set[str] = set()
        for ask in asks:
            roles = {slot.role for slot, _ in ask.outcome.asked}
            if roles & seen:
                raise ValueError(f"two parts of a conversation use the role {min(roles & seen)!r} at the same time")
            seen |= roles
            self.outcome.take_in(ask.outcome)
        return [part.result() for part in done]

    def computed(self, kind: str, inputs: Json, compute: Callable[[], Json], /) -> Any:
        """See `proctor.task.Ask`."""
        known = self._place.computed(kind)
        if not self._live and not known.find(inputs):
            raise NeedsLive
        return known.value(inputs, compute)

    def _ask(self, slot: Slot, question: Question, earlier: Sequence[Question | Reply]) -> Answered:
        place, outcome = self._place, self.outcome
        name = role_name(slot.role)
        judges = name in place.role_models
        model = place.role_models[name] if judges else place.model
        parameters = place.task.roles[name].parameters if judges else place.task.parameters
        overrides = {} if judges else place.overrides
        call = call_of(model, place.templates, (*earlier, question), parameters, overrides)
        outcome.failed_call, outcome.failed_model = call, model
        outcome.asked.append((slot, call.key))
        recording = self._recorded(slot, call)
        if recording is not None:
            return Answered(
                role=slot.role,
                model=model,
                call=call,
                reply=self._kept(read_reply(model.api, recording.body)),
                source="replayed",
                latency_s=recording.latency_s,
                attempts=recording.attempts,
                recorded_at=recording.recorded_at,
                turn=slot.turn,
                batch=recording.batch,
            )
        template = place.templates[question.template]
        origin = Origin.of(call, template=template.sha256, row=self._sample.row_sha256)
        self._check_may_record(slot, origin)
        try:
            return self._ask_live(slot, model, call, origin)
        except CallFailed as failure:
            outcome.failed_attempts += failure.attempts
            if not judges or failure.fatal:
                raise
            raise JudgeFailed(f"{model.name} as {slot.role}: {failure}") from None

    def _recorded(self, slot: Slot, call: Call) -> Recording | None:
        place = self._place
        if not (place.keep_recordings and place.mode.replays):
            return None
        found = place.cassette.find(slot, call.key)
        if found is None and place.mode.records:
            place.cassette.refresh()  # another process may have recorded it since
            found = place.cassette.find(slot, call.key)
        return found

    def _check_may_record(self, slot: Slot, origin: Origin) -> None:
        """Raise unless the record mode allows a live call for a slot without a recording of this call."""
        place = self._place
        if not place.keep_recordings:
            return
        others = place.cassette.others(slot)
        if place.mode is RecordMode.NONE or (place.mode is RecordMode.ONCE and others):
            if not others:
                raise NotRecorded(f"never recorded in {place.cassette.file}\n  Record it: {place.record_command}")
            from proctor.recordings.prompt_diff import prompt_diff  # imported here since a replay rarely needs it

            call = self.outcome.failed_call
            nearest = min(others, key=lambda other: len(origin.changes(other.origin)))
            raise NotRecorded(
                f"recorded for another call in {place.cassette.file}: changed since then: "
                f"{'; '.join(origin.changes(nearest.origin))}\n"
                f"{prompt_diff(nearest.interaction['request'].get('body'), call.messages if call else ())}"
                f"  Record it: {place.record_command}"
            )

    def _ask_live(self, slot: Slot, model: Model, call: Call, origin: Origin) -> Answered:
        if not self._live:
            raise NeedsLive
        place = self._place
        landed = place.line(model).send(call)
        reply = self._kept(landed.reply)
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        if place.keep_recordings and landed.interaction is not None:
            recording = Recording(
                slot, call.key, asdict(origin), now, landed.latency_s, landed.attempts, landed.interaction
            )
            try:
                place.cassette.append(recording)
            except OSError as problem:
                raise NotKept(f"an answer could not be written to {place.cassette.file}: {problem.strerror}") from None
        source: Source = "recorded" if place.keep_recordings else "live"
        return Answered(
            role=slot.role,
            model=model,
            call=call,
            reply=reply,
            source=source,
            latency_s=landed.latency_s,
            attempts=landed.attempts,
            recorded_at=now,
            turn=slot.turn,
        )

    def _kept(self, reply: Reply) -> Reply:
        """A reply whose pictures are in files; those that were made just now are written there."""
        if not reply.images:
            return reply
        folder = self._place.pictures
        try:
            return replace(reply, images=tuple(keep(image, folder) for image in reply.images))
        except OSError as problem:
            raise NotKept(f"a picture could not be written to {folder}: {problem.strerror}") from None


def call_of(
    model: Model,
    templates: Mapping[str, Template],
    turns: Sequence[Question | Reply],
    parameters: Mapping[str, Json],
    overrides: Mapping[str, Json],
) -> Call:
    """The call that goes on with a conversation; the last turn is the question."""
    messages: list[Message] = []
    media: dict[str, Path] = {}
    for turn in turns:
        if isinstance(turn, Reply):
            messages.append({"role": "assistant", "content": turn.text})
            continue
        pieces = templates[turn.template].fill(turn.values)
        media |= {piece.sha256: piece.file for piece in pieces if isinstance(piece, Media)}
        messages.append({"role": "user", "content": _content(model, pieces)})
    return model.call(messages, parameters, overrides, media)


def _content(model: Model, pieces: Sequence[Value]) -> Json:
    if len(pieces) == 1 and isinstance(pieces[0], str):
        return pieces[0]
    return [{"type": "text", "text": piece} if isinstance(piece, str) else model.shown(piece) for piece in pieces]
