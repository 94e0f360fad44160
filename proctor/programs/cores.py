"""As many programs at a time as there are cores, whatever number of cases is being asked."""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

POLL_SECONDS = 0.02


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Wait until fewer programs run than this user's processes may use cores, here and in other workers."""
    with _own_cores():
        folder = Path(tempfile.gettempdir(), f"proctor-{os.getuid()}")
        folder.mkdir(mode=0o700, exist_ok=True)
        locks = [FileLock(folder / f"core-{number}.lock", thread_local=False) for number in core_numbers()]
        while True:
            for lock in locks:
                try:
                    lock.acquire(blocking=False)
                except Timeout:
                    continue
                try:
                    yield
                finally:
                    lock.release()
                return
            time.sleep(POLL_SECONDS)


@functools.cache
def _own_cores() -> threading.BoundedSemaphore:
    return threading.BoundedSemaphore(cores())


def cores() -> int:
    """How many cores this process may use."""
    return len(core_numbers())


def core_numbers() -> list[int]:
    """The cores that this process may use; jobs that a scheduler has put on one machine have others each."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
