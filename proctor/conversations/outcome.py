"""What a conversation led to."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from proctor._base.json_values import Json
from proctor.recordings.recording import CallId
from proctor.tasks.call import Call, Reply, Unread
from proctor.tasks.judge import role_name

if TYPE_CHECKING:
    from proctor.models.registry import Model


Source = Literal["replayed", "recorded", "live", "responses"]


class NotRecorded(Exception):
    """A call has no recording, and the record mode does not allow to make one."""


class NeedsLive(Exception):
    """A call has no recording, or a result is not known; raised where only recordings may be used."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One call of a conversation and what came of it.

    Args:
        role: What the call was for; see `proctor.tasks.ask.Ask`.
        model: Whom it asked.
        call: The call.
        reply: The answer.
        source: Where the answer comes from.
        latency_s: Seconds that it took when it was made; ``None`` if nobody measured that.
        attempts: Requests that it took then.
        recorded_at: When that was, ISO 8601.
        turn: Which call in that role it was, from 0.
        batch: Whether the answer came out of a batch, at a batch's price and without a time that says anything.
        unread: Answers that came before it, and could not be used.
        cost_usd: What it cost then, in dollars; ``None`` if that was not written down.
        endpoint: Which of the model's addresses answered, if it has several.
    """

    role: str
    model: Model
    call: Call
    reply: Reply
    source: Source
    latency_s: float | None
    attempts: int
    recorded_at: str | None
    turn: int = 0
    batch: bool = False
    unread: tuple[Unread, ...] = ()
    cost_usd: float | None = None
    endpoint: str | None = None

    @property
    def cost(self) -> float | None:
        """What the answer cost, in dollars: as written down when it came, else by models.yaml."""
        return self.model.cost(self.reply.usage, batch=self.batch) if self.cost_usd is None else self.cost_usd


class FailedCall(NamedTuple):
    """A call without a usable answer that may have to be paid for all the same.

    Args:
        role: What the call was for.
        model: Whom it asked.
        unread: The answers that came, and could not be used.
    """

    role: str
    model: Model
    unread: tuple[Unread, ...]


@dataclass(slots=True)
class Outcome:
    """What a conversation led to.

    Args:
        reply: The reply to be scored; ``None`` if there is none.
        evidence: What was found out about the reply, where the task's score depends on more than its text.
        calls: The calls that were answered, in order.
        asked: The id and key of every call, answered or not, in order.
        failure: Why there is no reply, or no evidence.
        failed_call: The call that failed.
        failed_attempts: Requests that failed calls took.
        failed_live: Whether any of them was made just now.
        judge_problem: Why a judge gave no answer.
        waits_for: The models of calls that have no recording, where nothing may be asked live.
        failed_calls: Calls that failed although answers came.
    """

    reply: Reply | None = None
    evidence: Json = None
    calls: list[Answered] = field(default_factory=list)
    asked: list[tuple[CallId, str]] = field(default_factory=list)
    failure: Exception | None = None
    failed_call: Call | None = None
    failed_attempts: int = 0
    failed_live: bool = False
    judge_problem: str = ""
    waits_for: set[Model] = field(default_factory=set)
    failed_calls: list[FailedCall] = field(default_factory=list)

    def sent(self, roles: Container[str]) -> Call | None:
        """The first call that the model under test was sent, answered or not.

        Args:
            roles: The task's other roles.

        Returns:
            ``None`` for built-in models and ready-made responses: they were not asked.
        """
        answers = (answered.call for answered in self.calls if role_name(answered.role) not in roles)
        call = next(answers, self.failed_call)
        return call if call and call.messages else None

    def take_in(self, part: Outcome) -> None:
        """Take up what part of the conversation led to."""
        self.calls += part.calls
        self.asked += part.asked
        self.failed_attempts += part.failed_attempts
        self.failed_live |= part.failed_live
        self.judge_problem = self.judge_problem or part.judge_problem
        self.waits_for |= part.waits_for
        self.failed_calls += part.failed_calls
        if self.failed_call is None:
            self.failed_call = part.failed_call


def failed(call_id: CallId, call: Call) -> Json:
    """Under what a judge's call that failed is remembered."""
    return {**call_id._asdict(), "key": call.key}
