"""What processes use, as Linux tells it in /proc: memory, threads, files, and what stands in a folder."""

from __future__ import annotations

import contextlib
import math
import os
import resource
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PROC = Path("/proc")
PAGE = resource.getpagesize()
BLOCK = 512  # bytes, the unit of st_blocks


def disk_passed(job: dict[str, Any]) -> bool:
    """Whether the folder holds too many files or bytes."""
    size, count = disk_use(job["folder"], job["folder_bytes"], job["folder_files"])
    return bool(size > job["folder_bytes"] or count > job["folder_files"])


def files_in_memory(pid: int, job: dict[str, Any]) -> int:
    """Files in the file systems that a sandbox has in memory, as one of its processes sees them.

    Their bytes are limited when they are made, but files without content take memory as well.
    """
    root = PROC / str(pid) / "root"
    count = 0
    with contextlib.suppress(OSError):
        if job["in_memory"] and root.stat().st_dev != Path("/").stat().st_dev:
            for place in job["in_memory"]:
                system = os.statvfs(f"{root}{place}")
                count += system.f_files - system.f_ffree
    return count


def disk_use(folder: str, most_bytes: float = math.inf, most_files: float = math.inf) -> tuple[int, int]:
    """Bytes and files in a folder, in any depth; it is not counted on beyond the most that is given."""
    size = count = 0
    folders = [folder]
    while folders and size <= most_bytes and count <= most_files:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:  # what vanishes meanwhile is no matter
            for entry in entries:
                count += 1
                with contextlib.suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * BLOCK
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                if count > most_files:
                    break
    return size, count


def descendants() -> list[int]:
    """The processes below this one, in any depth."""
    children: dict[int, list[int]] = {}
    for name in os.listdir(PROC) if PROC.is_dir() else ():  # noqa: PTH208  (faster, and asked often)
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                # "pid (name) state parent …": a name may hold spaces and brackets, so what follows the last one counts
                parent = int((PROC / name / "stat").read_bytes().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    unseen = [os.getpid()]
    while unseen:
        below = children.get(unseen.pop(), [])
        found += below
        unseen += below
    return found


def resident(pid: int) -> int:
    """Bytes of memory that a process has in use."""
    try:
        return int((PROC / str(pid) / "statm").read_bytes().split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return 0


def proportional(pid: int) -> int:
    """Bytes of memory that a process has in use, what it shares with others divided by their number."""
    try:
        return int((PROC / str(pid) / "smaps_rollup").read_bytes().partition(b"\nPss:")[2].split()[0]) * 1024
    except (OSError, ValueError, IndexError):  # it has ended, or the kernel does not tell
        return resident(pid)


def memory_files(pids: Iterable[int]) -> int:
    """Bytes of files without a name or a file system (``memfd_create``), which no process need have mapped."""
    sizes: dict[int, int] = {}
    for pid in pids:
        with contextlib.suppress(OSError), os.scandir(PROC / str(pid) / "fd") as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if os.readlink(entry.path).startswith("/memfd:"):  # noqa: PTH115  (faster, and asked often)
                        file = entry.stat()
                        sizes[file.st_ino] = file.st_blocks * BLOCK
    return sum(sizes.values())


def threads(pid: int) -> int:
    """Threads that a process has."""
    try:
        return int((PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[17])
    except (OSError, ValueError, IndexError):
        return 0


def written(pid: int) -> int:
    """Bytes that a process has made the system write to disks; what it has written into memory does not count."""
    try:
        return int((PROC / str(pid) / "io").read_bytes().partition(b"\nwrite_bytes: ")[2].split()[0])
    except (OSError, ValueError, IndexError):
        return 0


def tasks_on_this_machine() -> int:
    """How many there are already: the kernel's limit is on all tasks of a user, so the program's is added to these."""
    try:
        return int((PROC / "loadavg").read_bytes().split()[3].partition(b"/")[2])
    except (OSError, ValueError, IndexError):
        return 10_000
