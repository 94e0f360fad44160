"""Who answers the questions of a conversation: recordings, live models, built-in ones, or a stand-in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from proctor._base.json_values import Json

if TYPE_CHECKING:
    from proctor.conversations.outcome import Answered, Outcome
    from proctor.recordings.computed import Computed
    from proctor.recordings.recording import CallId
    from proctor.tasks.call import Reply
    from proctor.tasks.prompt import Question
    from proctor.tasks.sample import Sample


class OpenQuestion(NamedTuple):
    """A question that a task has put, and that is to be answered.

    Args:
        sample: The sample that it is about.
        call_id: Names its call.
        question: The question.
        earlier: What was said before it, in order.
    """

    sample: Sample
    call_id: CallId
    question: Question
    earlier: Sequence[Question | Reply]


class Answerer(Protocol):
    """Answers the questions of one conversation, and of the parts that are held at the same time."""

    def opening(self, sample: Sample, epoch: int) -> Answered | None:  # noqa: ARG002  # what most do: nothing
        """The answer about a sample where it takes no question; ``None`` if the task is to ask for it."""
        return None

    def answer(self, asked: OpenQuestion, outcome: Outcome) -> Answered:
        """The answer to a question.

        Args:
            asked: The question.
            outcome: Takes up what was asked, and what failed.

        Raises:
            Exception: If there is none.
        """

    def again(self, call_id: CallId, tries: int) -> bool:
        """Whether to ask once more, since the reply before could not be read; see `proctor.tasks.ask.Ask.again`.

        Args:
            call_id: Names the next try's call.
            tries: How often one run asks live, at most.
        """

    def computed(self, known: Computed, inputs: Json, compute: Callable[[], Json]) -> Any:
        """The result of a computation; see `proctor.tasks.ask.Ask.computed`."""
        return known.value(inputs, compute)


class Delegating(Answerer):
    """Answers as another answerer does, but for what a subclass does otherwise.

    Args:
        answerer: The other one.
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
        """See `Answerer`."""
        return self._answerer.computed(known, inputs, compute)
