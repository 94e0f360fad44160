"""How long to wait for an answer, and how much of it to take."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from proctor.providers import bodies


@dataclass(frozen=True)
class Patience:
    """How long to wait for an answer, and how much of it to take.

    Args:
        total: Seconds from sending the request to the last byte of its answer; ``None`` for no limit.
        silence: Seconds without a byte.
        most: Bytes of an answer, packed or unpacked.
        given_up: Once it is set, nothing is waited for any more.
    """

    total: float | None
    silence: float
    most: int = bodies.LARGEST_ANSWER
    given_up: threading.Event = field(default_factory=threading.Event)
