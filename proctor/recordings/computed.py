"""What programs computed about answers, remembered by its inputs: one JSONL file a kind.

As recordings are for calls: a replay needs neither the program, nor the machine that it ran on.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError
from proctor._base.files import NotKept, append_line, sync, write_whole
from proctor._base.json_values import Json, sha256_of
from proctor.recordings.cassette import exclusive, lines_of, mend_end, opened
from proctor.recordings.recording import CHECK

FOLDER = "computed"
"""The folder, beside a task's cassettes, that holds these files."""

KEY_DIGITS = 32  # 128 bits, as the keys of calls have
REMEDY = "Delete the line, then run again with --record-mode new_episodes."


class Computed:
    """The remembered values of one kind; safe for threads, and for several processes that add to one file.

    Args:
        file: The JSONL file; it need not exist.
        keep: Whether to write new values to the file. A torn last line, which a killed run may leave, is then cut off
            instead of being an error.
        renew: Whether to compute anew what earlier runs have computed.
        kept: Told of each line that was written.

    Raises:
        DataError: For a line that is cut or was edited.
    """

    def __init__(
        self, file: Path, *, keep: bool, renew: bool = False, kept: Callable[[bytes], None] | None = None
    ) -> None:
        self.file = file
        self._keep = keep
        self._kept = kept
        self._lock = threading.Lock()
        self._running: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lines: dict[str, bytes] = {}
        self._unsynced = False
        if file.exists() and not renew:
            handle, content = opened(file, mend=_mend_end if keep else None)
            handle.close()
            self._lines = _lines_by_key(file, content)

    def find(self, inputs: Json) -> bool:
        """Whether the value for these inputs is known."""
        return _key(inputs) in self._lines

    def value(self, inputs: Json, compute: Callable[[], Json]) -> Any:
        """The value for these inputs: computed if it is not known, by one thread while others wait for it.

        Args:
            inputs: Everything that the value depends on.
            compute: Computes the value, which must be JSON.

        Raises:
            NotKept: If a new value cannot be written.
        """
        key = _key(inputs)
        with self._lock:
            running = self._running[key]
        with running:
            if key not in self._lines:
                self._remember(key, compute())
            return json.loads(self._lines[key])["value"]

    def remember(self, inputs: Json, value: Json) -> None:
        """Remember a value instead of the one that is known for these inputs, if any.

        Raises:
            NotKept: If it cannot be written.
        """
        self._remember(_key(inputs), value)

    def _remember(self, key: str, value: Json) -> None:
        text = json.dumps({"key": key, "value": value}, ensure_ascii=False, separators=(",", ":"))
        unchecked = text.encode("utf-8", "backslashreplace")[:-1]
        line = unchecked + b',"check":"%08x"}' % zlib.crc32(unchecked)
        if self._keep:
            self._write(line)
            if self._kept is not None:
                self._kept(line)
        self._lines[key] = line

    def sync(self) -> None:
        """Wait until what was written is on the disk itself, where a loss of power leaves it."""
        if self._unsynced:
            self._unsynced = False
            with suppress(OSError):  # nothing is lost but this certainty
                sync(self.file)

    def _write(self, line: bytes) -> None:
        with self._lock:
            try:
                _append(self.file, line)
                self._unsynced = True
            except OSError as problem:
                raise NotKept(f"a result could not be written to {self.file}: {problem.strerror}") from None


def add_computed(file: Path, line: bytes) -> None:
    """Add a line that was written elsewhere.

    Raises:
        DataError: If it is none.
        OSError: If it cannot be written.
    """
    _lines_by_key(file, line)
    _append(file, line)


def _append(file: Path, line: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(file):
        _mend_end(file)  # of a run that was killed since, or one whose values are made anew
        append_line(file, line + b"\n")


def compact_computed(cassettes: Path, tasks: Iterable[str]) -> None:
    """Bring the files of these tasks into their stable order: sorted by key, each key once, with its last value.

    Args:
        cassettes: The folder of all cassettes.
        tasks: Names of tasks.
    """
    for file in [file for task in sorted(tasks) for file in sorted((cassettes / task / FOLDER).glob("*.jsonl"))]:
        if _in_order(content := file.read_bytes()) != content:
            with exclusive(file):
                _mend_end(file)
                write_whole(file, _in_order(file.read_bytes()), durable=True)


def _in_order(content: bytes) -> bytes:
    latest = {line[: len('{"key":"') + KEY_DIGITS]: line for line in lines_of(content)}
    return b"".join(latest[key] + b"\n" for key in sorted(latest))


def _key(inputs: Json) -> str:
    return sha256_of(inputs)[:KEY_DIGITS]


def _lines_by_key(file: Path, content: bytes) -> dict[str, bytes]:
    found = {}
    for number, line in enumerate(lines_of(content), 1):
        try:
            found[_checked(line)["key"]] = line
        except ValueError as problem:
            value = line.decode("utf-8", "replace")
            raise DataError(str(problem), file=file, line=number, value=value, remedy=REMEDY) from None
    return found


def _checked(line: bytes) -> dict[str, Any]:
    """What a line holds.

    Raises:
        ValueError: If it is cut or was edited.
    """
    check = CHECK.search(line)
    if check is None:
        raise ValueError("the line is cut")
    fields = json.loads(line) if int(check[1], 16) == zlib.crc32(line[: check.start()]) else None
    if not isinstance(fields, dict) or not isinstance(fields.get("key"), str) or "value" not in fields:
        raise ValueError("the line was edited: its checksum does not fit")
    return fields


def _mend_end(file: Path) -> None:
    mend_end(file, _checked)
