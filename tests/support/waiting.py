"""Waiting for what another thread or process does: by events and by looking, never by the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

LIMIT = 300.0
"""Seconds after which something must be broken: on a machine with nothing to spare all that tests wait for is there."""

T = TypeVar("T")


def wait_until(look: Callable[[], T], *, otherwise: Callable[[], str] = lambda: "it did not happen") -> T:
    """Look until there is something to see, and return it.

    Args:
        look: Returns what is true, or not yet.
        otherwise: Says what there is instead, should it never be.

    Raises:
        AssertionError: After `LIMIT`.
    """
    deadline = time.monotonic() + LIMIT
    while not (found := look()):
        assert time.monotonic() < deadline, otherwise()
        time.sleep(0.005)
    return found
