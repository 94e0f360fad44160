"""Finding out whether a conversation can be held without asking anybody live."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from proctor._base.json_values import Json
from proctor.conversations.answerer import Answerer, OpenQuestion
from proctor.conversations.outcome import Answered, NeedsLive, Outcome
from proctor.conversations.replay import UnrecordedCall, check_may_record

if TYPE_CHECKING:
    from proctor.conversations.context import TaskContext
    from proctor.recordings.computed import Computed
    from proctor.recordings.recording import CallId
    from proctor.tasks.sample import Sample


class Rehearsal(Answerer):
    """Answers as another answerer does, and ends the conversation at the first computation that was never made.

    Args:
        answerer: The other one. It must not ask anybody live; see `nobody_live`.
    """

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    def opening(self, sample: Sample, epoch: int) -> Answered | None:
        """See `Answerer`."""
        return self._answerer.opening(sample, epoch)

    def answer(self, asked: OpenQuestion, outcome: Outcome) -> Answered:
        """See `Answerer`."""
        return self._answerer.answer(asked, outcome)

    def again(self, call_id: CallId, tries: int) -> bool:
        """See `Answerer`."""
        return self._answerer.again(call_id, tries)

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
