"""Answers that exist already, judged like any others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proctor._base.errors import DataError
from proctor.conversations.answerer import Answerer, Delegating
from proctor.conversations.outcome import Answered
from proctor.tasks.call import Call
from proctor.tasks.judge import ANSWER

if TYPE_CHECKING:
    from proctor.conversations.responses import Responses
    from proctor.models.registry import Model
    from proctor.tasks.sample import Sample


class Provided(Delegating):
    """Responses that were made elsewhere; others answer what judges are asked about them.

    Args:
        responses: The responses.
        model: The model that has given them.
        judges: Answers in its place.
    """

    def __init__(self, responses: Responses, model: Model, judges: Answerer) -> None:
        super().__init__(judges)
        self._responses = responses
        self._model = model

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
