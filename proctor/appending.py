"""Lines that are appended to a file, and files that are put in place, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


class NotKept(Exception):
    """What was paid for, or computed, could not be written; whatever follows would be lost as well."""


def append_line(file: Path, line: bytes) -> os.stat_result:
    """Append *line* to *file*; it is in the file, for other processes and after a crash of this one, on return.

    Args:
        file: The file; made if it does not exist.
        line: The line, with its newline.

    Returns:
        What the file was before.

    Raises:
        OSError: If the disk is full, say; the file is then as long as it was.
    """
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        before = os.fstat(handle)
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(handle, rest) :]
        except OSError:
            os.ftruncate(handle, before.st_size)
            raise
    finally:
        os.close(handle)
    return before


def write_whole(file: Path, content: bytes) -> None:
    """Put *content* in the place of *file*: whoever reads it, at any moment, finds all of it or what was there before.

    Who may read and write the file stays as it was; where it is a link, so does the link.

    Args:
        file: The file. No other process may write it at the same time.
        content: What is to be in it.

    Raises:
        OSError: If the disk is full, say; the file is then as it was, and nothing is left beside it.
    """
    file = file.resolve()
    scratch = file.with_name(f".{file.name}.tmp")
    try:
        scratch.write_bytes(content)
        if file.exists():
            scratch.chmod(file.stat().st_mode)
        scratch.replace(file)
    finally:
        scratch.unlink(missing_ok=True)
