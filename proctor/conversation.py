"""One case's conversation with a model: each question answered from a recording, or live and recorded."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from proctor.calls import Call, CallFailed, Json, Reply
from proctor.cassette import Cassette, Origin, Recording, Slot
from proctor.prompts import Template
from proctor.providers import read_reply

if TYPE_CHECKING:
    from proctor.live import Line
    from proctor.models import Model
    from proctor.samples import Sample
    from proctor.task import Task

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


class NotKept(Exception):
    """A live answer could not be recorded; whatever is asked from now on would be lost as well."""


class NeedsLive(Exception):
    """A call has no recording and must be asked live; raised where only recordings may be used."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One call of a conversation and what came of it."""

    role: str
    call: Call
    reply: Reply
    source: Source
    latency_s: float
    attempts: int
    recorded_at: str | None
    turn: int = 0


@dataclass(slots=True)
class Outcome:
    """What a conversation led to.

    Args:
        reply: The reply to be scored; ``None`` if there is none.
        calls: The calls that were answered, in order.
        asked: The place and key of every call, answered or not, in order.
        failure: Why there is no reply.
        failed_call: The call that failed.
        failed_attempts: Requests that the failed call took.
    """

    reply: Reply | None = None
    calls: list[Answered] = field(default_factory=list)
    asked: list[tuple[Slot, str]] = field(default_factory=list)
    failure: Exception | None = None
    failed_call: Call | None = None
    failed_attempts: int = 0


@dataclass(frozen=True)
class Place:
    """Everything a conversation needs beside its sample; the same for all samples of one task and model.

    Args:
        task: The task.
        model: The model under test.
        templates: The task's prompt templates by name.
        cassette: The recordings.
        mode: What may be asked live.
        overrides: Sampling parameters from the command line.
        line: Makes live calls; called only if a call has to be made.
        record_command: The command that records what is missing.
        keep_recordings: False to ask live without recording and without replaying.
    """

    task: Task
    model: Model
    templates: Mapping[str, Template]
    cassette: Cassette
    mode: RecordMode
    overrides: Mapping[str, Json]
    line: Callable[[Model], Line]
    record_command: str
    keep_recordings: bool = True


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
        try:
            self.outcome.reply = self._place.task.converse(self._sample, self)
        except NeedsLive:
            raise
        except Exception as failure:
            self.outcome.failure = failure
        return self.outcome

    def __call__(self, template: str, /, *, role: str = "answer", **values: str) -> Reply:
        """See `proctor.task.Ask`."""
        place = self._place
        chosen = place.templates[template]
        call = place.model.call(
            [{"role": "user", "content": chosen.fill(values)}], place.task.parameters, place.overrides
        )
        slot = Slot(self._sample.id, self._epoch, role, self._asked[role])
        self._asked[role] += 1
        self.outcome.failed_call = call
        self.outcome.asked.append((slot, call.key))
        recording = self._recorded(slot, call)
        if recording is not None:
            reply = read_reply(place.model.api, recording.body)
            answered = Answered(
                role, call, reply, "replayed", recording.latency_s, recording.attempts, recording.recorded_at, slot.turn
            )
        else:
            origin = Origin.of(call, template=chosen.sha256, row=self._sample.row_sha256)
            self._check_may_record(slot, origin)
            answered = self._ask_live(slot, call, origin)
        self.outcome.calls.append(answered)
        self.outcome.failed_call = None
        return answered.reply

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
            from proctor.prompt_diff import prompt_diff  # imported here since a replay rarely needs it

            call = self.outcome.failed_call
            nearest = min(others, key=lambda other: len(origin.changes(other.origin)))
            raise NotRecorded(
                f"recorded for another call in {place.cassette.file}: changed since then: "
                f"{'; '.join(origin.changes(nearest.origin))}\n"
                f"{prompt_diff(nearest.interaction['request'].get('body'), call.messages if call else ())}"
                f"  Record it: {place.record_command}"
            )

    def _ask_live(self, slot: Slot, call: Call, origin: Origin) -> Answered:
        if not self._live:
            raise NeedsLive
        place = self._place
        try:
            landed = place.line(place.model).send(call)
        except CallFailed as failure:
            self.outcome.failed_attempts = failure.attempts
            raise
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
            call=call,
            reply=landed.reply,
            source=source,
            latency_s=landed.latency_s,
            attempts=landed.attempts,
            recorded_at=now,
            turn=slot.turn,
        )
