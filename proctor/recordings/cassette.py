"""Recordings: one JSONL file per task and model, one recorded HTTP interaction a line.

What a line holds says `proctor.recordings.recording`. A checksum at its end tells a line which was cut or edited when
the file is read.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from proctor._base.errors import DataError
from proctor._base.files import append_line, sync, write_whole
from proctor.recordings.leak_detector import Detector, foreign_header
from proctor.recordings.recording import CallId, Recording

if TYPE_CHECKING:
    from filelock import FileLock

LOCK_TIMEOUT = 60.0
RECORD_AGAIN = "Delete the line, then record that case again with --record-mode new_episodes."
RESTORE_LINE_ENDS = "Restore the line endings: `cassettes/** -text` in .gitattributes keeps git from changing them."


class Span(NamedTuple):
    """Where a recording's line stands in its file: its first byte, and how many there are."""

    start: int
    length: int


class Extent(NamedTuple):
    """Which file it is, and up to which byte: enough to see whether lines have come to it since."""

    inode: int
    size: int

    @classmethod
    def of(cls, file: Path) -> Extent | None:
        """The file's extent now; ``None`` if there is none to be seen."""
        try:
            found = file.stat()
        except OSError:
            return None
        return cls(found.st_ino, found.st_size)


class Cassette:
    """The recordings of one task and model.

    Found in constant time by call id and key; appended line by line, safely from several threads and processes. In
    memory is where each recording stands, not what it holds, which for 100,000 cases would be half a gigabyte.
    ``models`` has the API id of who was asked last in each role, as the file was read.

    Args:
        file: The cassette file; it need not exist.
        repair: Drop a torn last line, which a killed run may leave, instead of raising. For runs that can record it
            again.
        detector: Finds secrets that no recording may hold.

    Raises:
        DataError: For a line that is cut, edited, not a recording, or holds a secret.
    """

    def __init__(self, file: Path, *, repair: bool = False, detector: Detector | None = None) -> None:
        self.file = file
        self._detector = detector or Detector({})
        self._lock = threading.Lock()
        self._index: dict[CallId, dict[str, Recording | Span]] = {}
        self._opened: FileIO | None = None
        self._unsynced = False
        self._read = Extent(inode=0, size=0)
        latest: dict[str, tuple[str, str]] = {}
        if file.exists():
            # Kept open: even if another run puts a sorted file in its place, what was read stays where it was.
            self._opened, content = opened(file, mend=_mend_end if repair else None)
            weakref.finalize(self, self._opened.close)  # with the last one who looks into it: conversations, a report
            self._read = Extent(os.fstat(self._opened.fileno()).st_ino, whole_lines(content))
            for start, length, recording in recordings_in(content, file, self._detector):
                self._index.setdefault(recording.call_id, {})[recording.key] = Span(start, length)
                role = recording.call_id.role.partition("/")[0]
                if role not in latest or recording.recorded_at > latest[role][0]:
                    latest[role] = (recording.recorded_at, str(recording.origin.get("model")))
        self.models = {role: model for role, (_, model) in latest.items()}

    def __len__(self) -> int:
        return sum(map(len, self._index.values()))

    def __iter__(self) -> Iterator[Recording]:
        for by_key in self._index.values():
            yield from map(self._parsed, by_key.values())

    def find(self, call_id: CallId, key: str) -> Recording | None:
        """The recording of exactly this call, or ``None``."""
        found = self._index.get(call_id, {}).get(key)
        return None if found is None else self._parsed(found)

    def others(self, call_id: CallId) -> list[Recording]:
        """All recordings with this call id, whatever was called."""
        return [self._parsed(found) for found in self._index.get(call_id, {}).values()]

    def _parsed(self, found: Recording | Span) -> Recording:
        if isinstance(found, Recording):
            return found
        assert self._opened is not None
        return Recording.parse(os.pread(self._opened.fileno(), found.length, found.start))

    def append(self, recording: Recording) -> None:
        """Add a recording and write it to disk before returning."""
        line = recording.line()
        with self._lock, self._held:
            # Opened anew each time: another run may have replaced the file by a sorted one.
            is_known = Extent.of(self.file) == self._read
            if not is_known:
                _mend_end(self.file)
            before = append_line(self.file, line)
            if is_known or before.st_size == 0:
                self._read = Extent(before.st_ino, before.st_size + len(line))
            self._remember(recording)
            self._unsynced = True

    def sync(self) -> None:
        """Wait until what was appended is on the disk itself, where a loss of power leaves it."""
        if self._unsynced:
            self._unsynced = False
            with suppress(OSError):  # nothing is lost but this certainty
                sync(self.file)

    @cached_property
    def _held(self) -> FileLock:
        """As `exclusive` for the cassette's own file, made once: an answer is recorded at a time when others land."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        return _lock(self.file)

    def check_writable(self) -> None:
        """Raise an `OSError` if recordings cannot be written, before any answer is paid for."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(self.file):
            if self.file.exists():
                os.close(os.open(self.file, os.O_WRONLY | os.O_APPEND))

    def refresh(self, call_id: CallId) -> None:  # noqa: ARG002  # a cassette elsewhere asks for no more than that
        """Take up what other processes have recorded, for one call id at least, into the file since it was read.

        If another run has put a sorted file in the place of the one that was read, all of it is read. A line that
        cannot be used is left out here: nothing is lost by asking again, and the next run that reads the file says what
        is wrong with it.
        """
        if Extent.of(self.file) == self._read:
            return
        with self._lock:
            try:
                handle = self.file.open("rb")
            except OSError:  # not there, or not to be read: there is nothing to take up
                return
            with handle:
                found = os.fstat(handle.fileno())
                longer = found.st_ino == self._read.inode and found.st_size >= self._read.size
                start = self._read.size if longer else 0
                handle.seek(start)
                new = handle.read()
            new = new[: whole_lines(new)]
            self._read = Extent(found.st_ino, start + len(new))
            for _, _, recording in checked_lines(new, self._detector):
                if isinstance(recording, Recording):
                    self._remember(recording)

    def _remember(self, recording: Recording) -> None:
        self._index.setdefault(recording.call_id, {})[recording.key] = recording


class LeakFound(ValueError):
    """A line holds a secret; the message says what kind, never the secret."""


@contextmanager
def exclusive(file: Path) -> Iterator[None]:
    """Hold a cassette file against all other threads and processes that ask for it."""
    with _lock(file):
        yield


def _lock(file: Path) -> FileLock:
    from filelock import FileLock  # imported here since a replay needs no lock

    file = file.resolve()  # the same file under two names, one a link to the other, has one lock
    return FileLock(file.with_name(f".{file.name}.lock"), timeout=LOCK_TIMEOUT, thread_local=False)


def opened(file: Path, *, mend: Callable[[Path], None] | None) -> tuple[FileIO, bytes]:
    """Open a file that other processes may be appending to, and read it.

    Args:
        file: The file, which exists.
        mend: Mends a last line without newline; it is called with the file held. ``None`` to leave such a line.

    Returns:
        The open file, and its content: a line that was being written just then is whole in it.

    Raises:
        OSError: If the file cannot be read, or not be mended.
    """
    handle = FileIO(file)
    content = handle.readall()
    if whole_lines(content) == len(content):
        return handle, content
    handle.close()
    # Another run is writing the last line, or one that was killed has left it: whoever holds the file can tell.
    try:
        with exclusive(file):
            if mend is not None:
                mend(file)
            handle = FileIO(file)
            return handle, handle.readall()
    except OSError:
        if mend is not None:
            raise
    handle = FileIO(file)  # where no lock can be had, nobody writes
    return handle, handle.readall()


def recordings_in(content: bytes, file: Path, detector: Detector) -> Iterator[tuple[int, int, Recording]]:
    """The recordings in the lines of *content*, which was read from *file*, each with its start and its length.

    Raises:
        DataError: For a line that is cut, edited, not a recording, or holds a secret.
    """
    start = 0
    for number, line, found in checked_lines(content, detector):
        if isinstance(found, Recording):
            yield start, len(line), found
            start += len(line) + 1
        elif isinstance(found, LeakFound):
            raise DataError(str(found), file=file, line=number, remedy=f"Revoke the secret. {RECORD_AGAIN}")
        else:
            value = line.decode("utf-8", "replace")
            raise DataError(str(found), file=file, line=number, value=value, remedy=remedy_for(line))


def remedy_for(line: bytes) -> str:
    """What to do about a line that cannot be used."""
    return RESTORE_LINE_ENDS if line.endswith(b"\r") else RECORD_AGAIN


def lines_of(content: bytes) -> Iterator[bytes]:
    """The lines of *content*, one at a time, without a copy of all; only a line feed ends one."""
    start = 0
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        yield content[start:end]
        start = end + 1


def checked_lines(content: bytes, detector: Detector) -> Iterator[tuple[int, bytes, Recording | ValueError]]:
    """Each line with its number and its recording, or what is wrong with it.

    Args:
        content: A cassette's lines.
        detector: Finds secrets, which no line may hold.
    """
    secrets = detector.lines_with_secrets(content)
    for number, line in enumerate(lines_of(content), 1):
        if number in secrets:
            yield number, line, LeakFound(f"the recording holds a secret: {secrets[number]}")
            continue
        try:
            recording = Recording.parse(line)
            header = foreign_header(recording.interaction)
        except ValueError as problem:
            yield number, line, problem
        except (AttributeError, KeyError, TypeError, RecursionError):
            yield number, line, ValueError("the line is not a recording")
        else:
            leak = None
            if header:
                leak = LeakFound(f"the recording holds what may be a secret: {header}")
            elif detector.split_over(line):
                leak = LeakFound("the recording holds a secret, split over several texts")
            yield number, line, leak or recording


def whole_lines(content: bytes) -> int:
    """How many bytes of the content are in lines that have their newline."""
    return content.rfind(b"\n") + 1


def ends_whole(file: Path) -> bool:
    """Whether the file's last line has its newline, or there is no line."""
    try:
        with file.open("rb") as handle:
            if handle.seek(0, os.SEEK_END) == 0:
                return True
            handle.seek(-1, os.SEEK_END)
            return handle.read(1) == b"\n"
    except FileNotFoundError:
        return True


def mend_end(file: Path, check: Callable[[bytes], object]) -> None:
    """Let the file end in a newline. To be called by whoever holds the file.

    A last line without one is cut off if it is torn: a killed run left it, and it cannot be used. If the line is whole,
    an editor took the newline away, and it is put back.

    Args:
        file: The file.
        check: Raises a `ValueError` for a line that is not whole.
    """
    if ends_whole(file):
        return
    with file.open("r+b") as handle:
        before, newline, last = handle.read().rpartition(b"\n")
        try:
            check(last)
        except ValueError:
            handle.truncate(len(before) + len(newline))
        else:
            handle.write(b"\n")


def _mend_end(file: Path) -> None:
    mend_end(file, Recording.parse)


def compact(file: Path, *, rewritten_since: str | None = None) -> None:
    """Bring a cassette into its stable order: sorted by call id and key, each recording once, the last one kept.

    Args:
        file: The cassette; nothing happens if it does not exist or is in order already.
        rewritten_since: ISO 8601. Of call ids that were recorded at or after this time, drop what is older.

    Raises:
        DataError: For a line that is cut or edited.
        OSError: If the file cannot be read or written.
    """
    if not file.exists():
        return
    with suppress(DataError):  # a line that is being written just now: look again when nobody writes
        content = file.read_bytes()
        if _in_order(file, content, rewritten_since) == content:
            return  # without the lock, which a read-only folder does not give
    with exclusive(file):
        _mend_end(file)
        write_whole(file, _in_order(file, file.read_bytes(), rewritten_since), durable=True)


def _in_order(file: Path, content: bytes, rewritten_since: str | None) -> bytes:
    """What the content of a cassette is in its stable order; see `compact`."""
    # What stands last is newest, whatever the clock said when it was recorded.
    latest: dict[tuple[CallId, str], tuple[str, bytes]] = {}
    rewritten: set[CallId] = set()
    for number, line in enumerate(lines_of(content), 1):
        try:
            recording = Recording.parse(line)
        except ValueError as problem:
            raise DataError(str(problem), file=file, line=number, remedy=remedy_for(line)) from None
        latest[recording.call_id, recording.key] = (recording.recorded_at, line)
        if rewritten_since is not None and recording.recorded_at >= rewritten_since:
            rewritten.add(recording.call_id)
    kept = (
        name
        for name, (recorded_at, _) in latest.items()
        if rewritten_since is None or name[0] not in rewritten or recorded_at >= rewritten_since
    )
    return b"".join(latest[name][1] + b"\n" for name in sorted(kept))
