"""Whether a model is still asked: not after several calls in a row that failed alike."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from proctor._base.errors import NotAsked, legible
from proctor.providers.refusals import KIND as REFUSED_PARAMETER
from proctor.providers.refusals import is_about_this_prompt, remedy
from proctor.tasks.call import CallFailed

if TYPE_CHECKING:
    from proctor.models.registry import Model

ALIKE = 5
"""Calls in a row that fail alike, or tries of one call (about 8 s with their waits) where nobody answers."""

MAX_TURNED_AWAY = 30
"""Requests of one call that the provider turned away since there were too many of all, after which it is given up."""

LOOK_AGAIN = 1.0
"""Seconds after which a call that waits looks whether its model is still asked."""

CERTAIN = frozenset({"quota", REFUSED_PARAMETER})
"""Kinds of failures of which one says enough."""

UNREACHABLE = "unreachable"
"""The kind of failure where nobody answers at an address."""

PATIENCE = {UNREACHABLE: ALIKE, CallFailed.TURNED_AWAY: MAX_TURNED_AWAY}
"""How often one call is sent before these say something of its model: they may pass, and many come at the same time."""

FORBIDDEN = 403
"""The status of what a firewall refuses, too: it may be about one prompt."""


class Breaker:
    """Ends the asking of one model whose calls all fail alike; also ends what waits for it, as the end of the run does.

    It counts what comes of requests and knows no clock. An answer, or a failure of another kind, begins the count anew,
    so a provider that is slow, limits or fails now and then is asked for as long as it takes; but not one that turns
    everybody away for as long as one call is sent again, 13 minutes at least. What is left out is missing
    from the run, and asked for by the same command again.

    Args:
        model: The model.
        stop: Set when the run ends.
        note: Told the reason, once.
        overrides: The names of the parameters that the command line gave this model.
    """

    def __init__(
        self,
        model: Model,
        *,
        stop: threading.Event,
        note: Callable[[str, str], object],
        overrides: Collection[str] = (),
    ) -> None:
        self._model = model
        self._stop = stop
        self._note = note
        self._overrides = overrides
        self._lock = threading.Lock()
        self._answered = False
        self._alike: str | None = None
        self._failures: Counter[int] = Counter()  # alike and in a row, by the thread that sends a call
        self._tripped = False

    @property
    def has_tripped(self) -> bool:
        """Whether the model is asked no more."""
        return self._tripped

    def is_set(self) -> bool:
        """Whether the model is asked no more, or the run ends."""
        return self._tripped or self._stop.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for so long, or until `is_set`."""
        while seconds > 0 and not self.is_set():
            self._stop.wait(min(seconds, LOOK_AGAIN))
            seconds -= LOOK_AGAIN

    def check(self) -> None:
        """End a case that needs this model when it is asked no more: its test is skipped, and has no row.

        Raises:
            NotAsked: If the model is asked no more.
        """
        if self._tripped:
            raise not_asked(self._model.name)

    @property
    def turned_away_in_a_row(self) -> int:
        """How often one call was turned away since anybody was answered."""
        with self._lock:
            return max(self._failures.values(), default=0) if self._alike == CallFailed.TURNED_AWAY else 0

    def note_answer(self) -> None:
        """An answer came."""
        if self._alike is not None or not self._answered:
            with self._lock:
                self._answered, self._alike = True, None

    def note_failure(self, failure: CallFailed) -> None:
        """A request of the call that this thread sends has failed."""
        alike = _likeness(failure)
        with self._lock:
            if alike is None or alike != self._alike:
                self._alike = alike
                self._failures.clear()
            if alike is None or self._tripped:
                return
            self._failures[threading.get_ident()] += 1
            self._tripped = tripped = self._are_enough(failure)
        if tripped:
            self._note(self._model.name, self._reason(failure))

    def _are_enough(self, failure: CallFailed) -> bool:
        if failure.kind in PATIENCE:
            return max(self._failures.values()) >= PATIENCE[failure.kind]
        certain = failure.fatal and not self._answered and failure.status != FORBIDDEN
        return certain or failure.kind in CERTAIN or self._failures.total() >= ALIKE

    def _reason(self, failure: CallFailed) -> str:
        """Why, and what to do."""
        said, model, kind = str(failure).rstrip("."), self._model, failure.kind
        if kind == CallFailed.TURNED_AWAY:
            said = f"it has answered nobody while it turned one call away {MAX_TURNED_AWAY} times: {said}"
        if kind == REFUSED_PARAMETER:
            return f"{said}. {remedy(model, failure, self._overrides)}"
        key = f" Check {model.key_env}." if model.key_env and kind == "authentication" else ""
        name = f" proctor models {model.name} shows what the name stands for." * (kind == "unknown_model")
        return f"{said}.{key}{name} The same command again asks for what is missing."


def given_up_line(model: str, reason: str) -> str:
    """What a user is told of a model that is asked no more."""
    return f"{model} is asked no more: {legible(reason)}"


def not_asked(name: str) -> NotAsked:
    """What ends a case that needs a model which is asked no more."""
    return NotAsked(f"not asked: {name} is asked no more, see the reason above")


def _likeness(failure: CallFailed) -> str | None:
    """What failures have in common that say the same of their model; ``None`` for one that says nothing of it."""
    if failure.fatal or failure.kind in PATIENCE:
        return failure.kind
    if failure.kind == "rejected" and not is_about_this_prompt(failure):
        return str(failure)
    return None
