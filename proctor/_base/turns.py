"""Turns of threads that ask models, so that each deals with its answer in one go.

One thread of an interpreter runs at a time. Left alone, all threads whose answers have come go on side by side, a bit
of each in turn: all are done late, and their next requests leave late, together. In turns the first is done early.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

MOST_WAITING = 16
"""Threads that wait for their turn; others go on without. Where more wait, answers come faster than they can be dealt
with, and an order brings nothing; nor can a turn that takes long, on a slow disk, hold up more."""


class _Own(threading.local):
    takes_turns = False
    has_turn = False


_turn = threading.Lock()
_waiting: set[int] = set()
_own = _Own()


def _begin() -> None:
    thread = threading.get_ident()
    if len(_waiting) >= MOST_WAITING:
        return
    _waiting.add(thread)
    try:
        _turn.acquire()
    finally:
        _waiting.discard(thread)
    _own.has_turn = True


def _end() -> None:
    if _own.has_turn:
        _own.has_turn = False
        _turn.release()


@contextmanager
def in_turn() -> Iterator[None]:
    """Keep other threads from what they do in turn, but inside of `out_of_turn`; not to be nested.

    Whatever waits inside for another thread, or for long, belongs out of turn.
    """
    _own.takes_turns = True
    _begin()
    try:
        yield
    finally:
        _own.takes_turns = False
        _end()


@contextmanager
def out_of_turn() -> Iterator[None]:
    """Let others have their turns meanwhile, which is spent waiting; in a thread that takes none, do nothing."""
    if not _own.takes_turns:
        yield
        return
    _end()
    try:
        yield
    finally:
        _begin()
