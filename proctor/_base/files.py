"""Lines that are appended to a file, and files that are put in place, whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


class NotKept(Exception):
    """What was paid for, or computed, could not be written; whatever follows would be lost as well."""


def content_of(file: Path) -> bytes:
    """The content of a file that a user names, or keeps where it is looked for.

    Args:
        file: A regular file: a pipe or a device may keep its reader waiting for ever, and may not be read twice.

    Raises:
        OSError: If it is none, or cannot be read.
    """
    mode = file.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # of a folder the system itself says so
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(file))
    return file.read_bytes()


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


def sync(file: Path) -> None:
    """Wait until a file, and its name in its folder, are on the disk itself.

    Raises:
        OSError: If that cannot be done.
    """
    for path in (file, file.resolve().parent):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def replacing(file: Path, *, durable: bool = False) -> Iterator[BinaryIO]:
    """Put what is written inside in the place of *file*.

    Whoever reads the file, at any moment, finds all of it or what was there before; if several write it at the same
    time, it is what one of them wrote. Who may read and write the file stays as it was; where it is a link, so does the
    link.

    Args:
        file: The file.
        durable: Whether a loss of power right afterwards must leave it, too: some file systems would else leave an
            empty file.

    Yields:
        What to write to.

    Raises:
        OSError: If the disk is full, say; the file is then as it was, and nothing is left beside it.
    """
    file = file.resolve()
    scratch = file.with_name(f".{file.name}.{os.urandom(6).hex()}.tmp")
    try:
        with scratch.open("xb") as handle:
            yield handle
            if durable:
                handle.flush()
                os.fsync(handle.fileno())
        with suppress(FileNotFoundError):
            scratch.chmod(file.stat().st_mode)
        scratch.replace(file)
        if durable:
            sync(file)
    finally:
        scratch.unlink(missing_ok=True)


def write_whole(file: Path, content: bytes | Iterable[bytes], *, durable: bool = False) -> None:
    """Put *content*, in one piece or in several, in the place of *file*; see `replacing`."""
    with replacing(file, durable=durable) as handle:
        handle.writelines([content] if isinstance(content, bytes) else content)
