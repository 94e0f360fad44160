"""Live answers to calls without a recording, recorded as they come."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from proctor._base.files import NotKept
from proctor._base.json_values import Json
from proctor._base.time_stamps import time_stamp
from proctor._base.turns import in_turn
from proctor.conversations.context import TaskContext
from proctor.conversations.outcome import Answered, FailedCall, Outcome, failed
from proctor.conversations.replay import UnrecordedCall, check_may_record, with_images_kept
from proctor.recordings.recording import Recording
from proctor.tasks.call import CallFailed
from proctor.tasks.judge import FAILURES, JudgeFailed, role_name

if TYPE_CHECKING:
    from proctor.live.endpoint_client import LiveResponse


class Live:
    """Asks live where the record mode allows it, on top of `proctor.conversations.replay.Replay`.

    Args:
        context: What the sample is asked with.
    """

    def __init__(self, context: TaskContext) -> None:
        self._context = context

    def ask(self, wanted: UnrecordedCall, outcome: Outcome) -> Answered:
        """Ask, and record the answer.

        Args:
            wanted: The call.
            outcome: Takes up what failed.

        Raises:
            NotRecorded: If the record mode does not allow it.
            CallFailed: If the model under test gives no answer.
            JudgeFailed: If a model in another role gives none.
            NotKept: If the answer cannot be recorded.
        """
        check_may_record(self._context, wanted, outcome)
        try:
            return self._send(wanted)
        except CallFailed as failure:
            raise self._noted(failure, wanted, outcome) from None

    def _send(self, wanted: UnrecordedCall) -> Answered:
        context = self._context
        client = context.client(wanted.model)
        client.check_asked(context.role_models.values())
        response = client.send(wanted.call)
        reply = with_images_kept(context, response.reply)
        now = time_stamp(datetime.now(UTC))
        if context.keep_recordings:
            with in_turn():
                self._record(wanted, response, now)
        return Answered(
            role=wanted.call_id.role,
            model=wanted.model,
            call=wanted.call,
            reply=reply,
            source="recorded" if context.keep_recordings else "live",
            latency_s=response.latency_s,
            attempts=response.attempts,
            recorded_at=now,
            turn=wanted.call_id.turn,
            unread=response.unread,
            cost_usd=response.cost_usd,
            endpoint=response.endpoint,
        )

    def _record(self, wanted: UnrecordedCall, response: LiveResponse, now: str) -> None:
        if response.interaction is None:
            return
        recording = Recording(
            call_id=wanted.call_id,
            key=wanted.call.key,
            origin=wanted.origin.fields,
            recorded_at=now,
            latency_s=response.latency_s,
            attempts=response.attempts,
            interaction=response.interaction,
            cost_usd=response.cost_usd,
        )
        try:
            self._context.cassette.append(recording)
        except OSError as problem:
            file = self._context.cassette.file
            raise NotKept(f"an answer could not be written to {file}: {problem.strerror}") from None

    def _noted(self, failure: CallFailed, wanted: UnrecordedCall, outcome: Outcome) -> CallFailed | JudgeFailed:
        """What to raise for a call that failed, of which the outcome knows then."""
        context, model, role = self._context, wanted.model, wanted.call_id.role
        judges = role_name(role) in context.role_models
        outcome.failed_attempts += failure.attempts
        outcome.failed_live = True
        if failure.unread:
            outcome.failed_calls.append(FailedCall(role, model, failure.unread))
        if not judges:
            return failure
        said = f"{model.name} as {role}: {failure}"
        known: Json = {"failure": said, "kind": failure.kind, "attempts": failure.attempts}
        context.computed(FAILURES).remember(failed(wanted.call_id, wanted.call), known)
        outcome.judge_problem = said
        return JudgeFailed(said, kind=failure.kind)
