"""Finding out whether a conversation can be held without asking anybody live."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from proctor._base.json_values import Json
from proctor.conversations.answerer import Delegating
from proctor.conversations.outcome import NeedsLive, Outcome
from proctor.conversations.replay import UnrecordedCall, check_may_record

if TYPE_CHECKING:
    from proctor.conversations.context import TaskContext
    from proctor.recordings.computed import Computed


class Rehearsal(Delegating):
    """Answers as another answerer does, and ends the conversation at the first computation that was never made.

    Args:
        answerer: The other one. It must not ask anybody live; see `nobody_live`.
    """

    def computed(self, known: Computed, inputs: Json, compute: Callable[[], Json]) -> Any:
        """See `Answerer`.

        Raises:
            NeedsLive: If the result is not known.
        """
        if not known.find(inputs):
            raise NeedsLive
        return known.value(inputs, compute)


def nobody_live(context: TaskContext) -> Callable[[UnrecordedCall, Outcome], NoReturn]:
    """In the place of live answers: notes whom a conversation waits for, and ends it with `NeedsLive`."""

    def note(wanted: UnrecordedCall, outcome: Outcome) -> NoReturn:
        check_may_record(context, wanted, outcome)
        outcome.waits_for.add(wanted.model)
        raise NeedsLive

    return note
