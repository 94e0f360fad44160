"""Answers that exist already, judged like any others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from proctor._base.errors import DataError
from proctor._base.json_values import Json
from proctor.conversations.answerer import Answerer, OpenQuestion
from proctor.conversations.outcome import Answered, Outcome
from proctor.tasks.call import Call
from proctor.tasks.judge import ANSWER

if TYPE_CHECKING:
    from proctor.conversations.responses import Responses
    from proctor.models.registry import Model
    from proctor.recordings.computed import Computed
    from proctor.recordings.recording import CallId
    from proctor.tasks.sample import Sample


class Provided(Answerer):
    """Responses that were made elsewhere; others answer what judges are asked about them.

    Args:
        responses: The responses.
        model: The model that has given them.
        judges: Answers in its place.
    """

    def __init__(self, responses: Responses, model: Model, judges: Answerer) -> None:
        self._responses = responses
        self._model = model
        self._judges = judges

    def opening(self, sample: Sample, epoch: int) -> Answered:
        """See `Answerer`.

        Raises:
            DataError: If the response cannot be used.
        """
        reply = self._responses.replies[sample.id, epoch]
        if isinstance(reply, DataError):
            raise reply
        call = Call(model=self._model.api_id, messages=(), parameters={})
        return Answered(ANSWER, self._model, call, reply, "responses", 0.0, 0, None)

    def answer(self, asked: OpenQuestion, outcome: Outcome) -> Answered:
        """See `Answerer`."""
        return self._judges.answer(asked, outcome)

    def again(self, call_id: CallId, tries: int) -> bool:
        """See `Answerer`."""
        return self._judges.again(call_id, tries)

    def computed(self, known: Computed, inputs: Json, compute: Callable[[], Json]) -> Any:
        """See `Answerer`."""
        return self._judges.computed(known, inputs, compute)
