"""The calls that the selected cases wait for: made by nobody yet, and dependent on no answer that is not there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

import pytest

from proctor.builtin import API as BUILTIN
from proctor.case import Case, cases_to_ask, grouped
from proctor.conversation import Conversation, NeedsLive, Place, RecordMode
from proctor.errors import UsageError
from proctor.models.capabilities import check_answers
from proctor.preflight import check_can_show
from proctor.recordings.recording import Origin, Recording, Slot
from proctor.run import RUN, Run

if TYPE_CHECKING:
    from proctor.calls import Call
    from proctor.models.registry import Model
    from proctor.samples import Sample

CUSTOM_ID_LENGTH = 32  # hex digits; both providers take 64 letters
SUPPORTED_MODES = (RecordMode.NONE, RecordMode.ONCE, RecordMode.NEW_EPISODES)


@dataclass(frozen=True)
class WaitingCall:
    """A call to be made.

    Args:
        model: Whom to ask.
        slot: Its place.
        call: The call.
        origin: What it was made from.
        cassette: Where its recording goes, relative to the project's folder.
    """

    model: Model
    slot: Slot
    call: Call
    origin: Origin
    cassette: str

    @property
    def custom_id(self) -> str:
        """Our name for it with a provider: of its place and key, so that no call is sent twice under two names."""
        name = "\0".join((self.cassette, *map(str, self.slot), self.call.key))
        return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:CUSTOM_ID_LENGTH]


@dataclass
class Waiting:
    """What the selected cases wait for.

    Args:
        calls: The calls that can be made now.
        cases: How many cases were selected.
        changed: Calls that are left out since their place has a recording of another call; with record mode ``once``.
        whole_prompts: Whether recordings keep whole prompts.
    """

    calls: list[WaitingCall] = field(default_factory=list)
    cases: int = 0
    changed: int = 0
    whole_prompts: bool = False


class _Foresight(Conversation):
    """A conversation held up to the calls that it cannot do without."""

    def __init__(self, place: Place, sample: Sample, epoch: int, *, cassette: str, waiting: Waiting) -> None:
        super().__init__(place, sample, epoch, live=False)
        self._waiting = waiting
        self._cassette = cassette

    def _recorded(self, slot: Slot, call: Call) -> Recording | None:
        return self._place.cassette.find(slot, call.key)

    def _check_may_record(self, slot: Slot, origin: Origin) -> None:  # noqa: ARG002
        if self._place.mode is RecordMode.ONCE and self._place.cassette.others(slot):
            self._waiting.changed += 1
            raise NeedsLive

    def _ask_live(self, slot: Slot, model: Model, call: Call, origin: Origin) -> NoReturn:
        self._waiting.calls.append(WaitingCall(model, slot, call, origin, self._cassette))
        raise NeedsLive


def waiting_calls(run: Run, cases: Sequence[Case]) -> Waiting:
    """What these cases wait for, each call once.

    Raises:
        UsageError: For an option that makes no sense here, or a template or recording that cannot be used.
    """
    options = run.options
    if options.record_mode not in SUPPORTED_MODES:
        raise UsageError(
            f"--record-mode {options.record_mode.value} asks again for what is recorded, which a batch does not",
            remedy="Remove the recordings first, or leave the option out: what has no recording is sent.",
        )
    if options.max_cost is not None:
        raise UsageError(
            "--max-cost ends a live run", remedy="See with --estimate what a batch costs, and use --limit."
        )
    for task, model, _ in grouped(cases):
        place = run.place(task, model)
        if model.api != BUILTIN:
            if place.given is None:
                check_answers(model, task, run.registry)
            check_can_show(run, place)
    waiting = Waiting(cases=len(cases), whole_prompts=options.whole_prompts)
    for case in cases:
        if case.model.api == BUILTIN:
            continue
        place = run.place(case.task, case.model)
        cassette = os.path.relpath(place.cassette.file.resolve(), run.root.resolve())
        try:
            _Foresight(place, case.sample, case.epoch, cassette=cassette, waiting=waiting).run()
        except NeedsLive:
            continue
    waiting.calls = list({call.custom_id: call for call in waiting.calls}.values())
    return waiting


class Foreseer:
    """A pytest plugin that finds what the collected cases wait for, and runs nothing."""

    def __init__(self) -> None:
        self.waiting: Waiting | None = None
        self.config: pytest.Config | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Look ahead."""
        self.config = session.config
        if session.config.getoption("collectonly"):
            raise pytest.UsageError("--collect-only runs nothing, but batch submit would\n  Give it to pytest instead.")
        try:
            self.waiting = waiting_calls(session.config.stash[RUN], list(cases_to_ask(session.items)))
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
