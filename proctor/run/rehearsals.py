"""What cases are known to need before any is asked: each conversation is held once without anybody live."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, NamedTuple

from proctor.conversations.outcome import NeedsLive

if TYPE_CHECKING:
    from proctor.models.registry import Model
    from proctor.run.case import Case
    from proctor.run.run import Run


class Rehearsed(NamedTuple):
    """What a conversation is known to need before it is held.

    Args:
        needs_live: Whether it cannot be held without asking or computing anything anew.
        waits_for: The models that it has to ask first, if any.
        asks: Whether it had asked anybody by then.
    """

    needs_live: bool
    waits_for: Set[Model]
    asks: bool


class Rehearsals:
    """Each case's conversation, held once without asking anybody live.

    Args:
        run: The run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._known: dict[Case, Rehearsed] = {}

    def of(self, case: Case) -> Rehearsed:
        """What came of a case's."""
        if case not in self._known:
            conversation, needs_live = self._run.conversation(case, live=False), False
            try:
                conversation.run()
            except NeedsLive:
                needs_live = True
            outcome = conversation.outcome
            self._known[case] = Rehearsed(needs_live, frozenset(outcome.waits_for), bool(outcome.asked))
        return self._known[case]
