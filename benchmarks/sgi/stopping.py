"""An end to the programs that run in threads of this process, once nobody waits for them any more."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Iterator

_changing = threading.Lock()
_watching: set[subprocess.Popen[bytes]] = set()
_stopped = False


def stop_programs() -> None:
    """End all programs, and start no other until `allow_programs` is called."""
    global _stopped
    with _changing:
        _stopped = True
        for supervisor in _watching:
            assert supervisor.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                supervisor.stdin.close()  # tells it that nobody wants the outcome


def allow_programs() -> None:
    """Let programs start, should they have been stopped."""
    global _stopped
    with _changing:
        _stopped = False


@contextlib.contextmanager
def stoppable(supervisor: subprocess.Popen[bytes]) -> Iterator[None]:
    """While it is entered, `stop_programs` ends what this process supervises, by closing its input."""
    with _changing:
        _watching.add(supervisor)
        stopped = _stopped
    try:
        if stopped:
            stop_programs()
        yield
    finally:
        with _changing:
            _watching.discard(supervisor)
