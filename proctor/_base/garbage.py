"""When Python does not look for garbage: while there is none, and much else."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def many_objects_that_stay() -> Iterator[None]:
    """Collect no garbage inside the ``with`` block, which imports a library or reads a data file.

    An SDK is some hundred thousand objects, none of them garbage; looking through them again and again while they are
    made takes a fifth of the time of importing it. Nor are they looked through once when collection goes on: they are
    taken out of it, until somebody calls `gc.unfreeze`.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
