"""What a program that a model wrote may use."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1 << 20
GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Limits:
    """The limits of one program, with all processes that it starts.

    Args:
        seconds: From its start to its end. Each process may use that much time on each core as well.
        memory: Bytes of memory in use by all its processes together.
        address_space: Bytes that one process can allocate, used or not.
        processes: Processes at a time.
        threads: Threads at a time, of all its processes together.
        disk: Bytes that it may write to disk, or have in its folder beyond what was there; no file may be larger.
        files: Files that it may add to its folder.
        open_files: Files that one process can have open.
        output: Bytes of both outputs together.
    """

    seconds: float
    memory: int = 4 * GIGABYTE
    address_space: int = 8 * GIGABYTE
    processes: int = 64
    threads: int = 512
    disk: int = 512 * MEGABYTE
    files: int = 10_000
    open_files: int = 256
    output: int = 8 * MEGABYTE
