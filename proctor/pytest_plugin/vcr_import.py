"""Finds the calls of the collected cases that vcrpy has recorded the answers to, in the place of running them."""

from __future__ import annotations

import pytest

from proctor._base.errors import UsageError
from proctor.conversations.answerer import Delegating, OpenQuestion
from proctor.conversations.context import TaskContext
from proctor.conversations.conversation import Conversation
from proctor.conversations.outcome import Answered, NeedsLive, Outcome
from proctor.conversations.rehearsal import Rehearsal
from proctor.conversations.replay import Replay, UnrecordedCall, with_images_kept
from proctor.models.builtin import API as BUILTIN
from proctor.providers import read_reply
from proctor.pytest_plugin.items import cases_to_ask
from proctor.pytest_plugin.measured import RUN
from proctor.recordings.vcr_import import Object, VcrImport, asked_of


class VcrMatcher:
    """A pytest plugin that looks for answers to the calls of the collected cases, and runs nothing.

    Args:
        brought: The answers; those that belong to a call are recorded.
    """

    def __init__(self, brought: VcrImport) -> None:
        self._brought = brought
        self.cases = 0
        self.unanswered: list[Object] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Hold the conversation of each case as far as there are answers."""
        run = session.config.stash[RUN]
        for case in cases_to_ask(session.items):
            self.cases += 1
            if case.model.api == BUILTIN:
                continue
            try:
                context = run.context(case.task, case.model)
                answerer = Rehearsal(_Finder(context, self._brought, self.unanswered))
                Conversation(context, case.sample, case.epoch, answerer).run()
            except NeedsLive:
                continue
            except UsageError as error:
                raise pytest.UsageError(str(error)) from None


class _Finder(Delegating):
    """Answers from recordings, and from what vcrpy has recorded.

    Args:
        context: What the sample is asked with.
        brought: What vcrpy has recorded.
        unanswered: Takes up what is asked in calls without an answer.
    """

    def __init__(self, context: TaskContext, brought: VcrImport, unanswered: list[Object]) -> None:
        super().__init__(Replay(context, self._find, in_every_mode=True))
        self._context = context
        self._brought = brought
        self._unanswered = unanswered

    def answer(self, asked: OpenQuestion, outcome: Outcome) -> Answered:
        """See `Answerer`."""
        answered = super().answer(asked, outcome)
        if answered.source == "replayed":
            cassette = self._context.cassette
            recording = cassette.find(asked.call_id, answered.call.key)
            assert recording is not None
            self._brought.drop(cassette, answered.model, answered.call, recording)
        return answered

    def _find(self, wanted: UnrecordedCall, outcome: Outcome) -> Answered:  # noqa: ARG002  # nothing fails
        context, call_id = self._context, wanted.call_id
        found = self._brought.answer(context.cassette, wanted.model, call_id, wanted.call, wanted.origin)
        if found is None:
            if (request := asked_of(wanted.model, wanted.call)) is not None:
                self._unanswered.append(request)
            raise NeedsLive
        return Answered(
            role=call_id.role,
            model=wanted.model,
            call=wanted.call,
            reply=with_images_kept(context, read_reply(wanted.model.api, found.body)),
            source="recorded",
            latency_s=found.latency_s,
            attempts=found.attempts,
            recorded_at=found.recorded_at,
            turn=call_id.turn,
        )
