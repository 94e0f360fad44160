"""Recordings between workers in other places and the controller, over a channel of execnet.

A worker whose files the controller cannot see sends each recording as soon as it has it, and asks for those that it
lacks before it asks a model. So recordings lie where the command was given, and no answer is paid for twice, whichever
worker is handed a case, and whatever becomes of it.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from typing import Any

from proctor._base.errors import UsageError
from proctor._base.files import NotKept
from proctor.media.generated import FOLDER as MADE
from proctor.media.generated import IN_FILE, keep
from proctor.media.medium import Media
from proctor.recordings.cassette import Cassette
from proctor.recordings.computed import FOLDER as COMPUTED
from proctor.recordings.computed import add_computed
from proctor.recordings.leak_detector import Detector, foreign_header
from proctor.recordings.recording import CallId, Recording
from proctor.tasks.names import FULL_NAME

CASSETTE = re.compile(rf"{FULL_NAME}/[A-Za-z0-9_%+~-][A-Za-z0-9_%+~.-]*\.jsonl")
RESULTS = re.compile(rf"{FULL_NAME}/{COMPUTED}/[A-Za-z0-9_-]+\.jsonl")
"""What files a worker may name, below the folder of cassettes."""
GONE = "the controller is not there any more"


class Carrier:
    """A worker's end of the channel; safe for threads.

    Args:
        channel: The channel.
    """

    def __init__(self, channel: Any) -> None:
        self._channel = channel
        self._numbers = count()
        self._waiting: dict[int, Future[Any]] = {}
        self._gone = False
        channel.setcallback(self._take, endmarker=None)

    def send(self, kind: str, *parts: Any) -> None:
        """Send what was made here.

        Raises:
            NotKept: If the controller is not there any more.
        """
        try:
            self._channel.send((kind, *parts))
        except OSError:
            raise NotKept(GONE) from None

    def recordings(self, file: str, call_id: CallId) -> Sequence[tuple[bytes, Sequence[tuple[str, bytes]]]]:
        """The controller's recordings with a call id: the line of each, and the pictures that it names.

        Args:
            file: The cassette's name, as the controller knows it.
            call_id: The call.

        Raises:
            NotKept: If the controller is not there any more.
        """
        number = next(self._numbers)
        answer = self._waiting[number] = Future()
        self.send("find", number, file, tuple(call_id))
        if self._gone:
            raise NotKept(GONE)
        found: Sequence[tuple[bytes, Sequence[tuple[str, bytes]]]] = answer.result()
        return found

    def _take(self, message: Any) -> None:
        if message is None:
            self._gone = True
            for waiting in list(self._waiting.values()):
                waiting.set_exception(NotKept(GONE))
            self._waiting.clear()
            return
        number, found = message
        self._waiting.pop(number).set_result(found)


class CarriedCassette(Cassette):
    """A cassette in another place than the controller's, to which all of it is carried.

    Args:
        file: The cassette file in this place.
        name: What it is called below the folder of cassettes.
        carrier: Carries recordings there, and brings those that are there already.
        detector: Finds secrets that no recording may hold.
    """

    def __init__(self, file: Path, name: str, carrier: Carrier, *, detector: Detector | None) -> None:
        super().__init__(file, repair=True, detector=detector)
        self._name = name
        self._carrier = carrier
        self._asked: set[CallId] = set()
        self._there: set[tuple[CallId, str]] = set()

    def append(self, recording: Recording) -> None:
        """Add a recording; it is on its way to the controller, and on this disk, before this returns."""
        self._carrier.send("recorded", self._name, recording.line())
        self._there.add((recording.call_id, recording.key))
        super().append(recording)

    def find(self, call_id: CallId, key: str) -> Recording | None:
        """As everywhere; what was recorded here by a run whose controller did not live to see it is carried over."""
        found = super().find(call_id, key)
        if found is not None and (call_id, key) not in self._there:
            self._there.add((call_id, key))
            self._carrier.send("had", self._name, found.line())
        return found

    def refresh(self, call_id: CallId) -> None:
        """Take up what the controller has for a call id."""
        super().refresh(call_id)
        if call_id in self._asked:
            return
        self._asked.add(call_id)
        for line, pictures in self._carrier.recordings(self._name, call_id):
            recording = Recording.parse(line)
            for name, content in pictures:
                keep_picture(self.file.parent, name, content)
            self._there.add((recording.call_id, recording.key))
            self._remember(recording)


class Receiver:
    """The controller's end of all channels.

    Args:
        folder: The folder of cassettes.
        detector: Finds secrets that no recording may hold.
    """

    def __init__(self, folder: Path, detector: Callable[[], Detector]) -> None:
        self._folder = folder
        self._detector = detector
        self._lock = threading.Lock()
        self._cassettes: dict[str, Cassette] = {}
        self.problem: str | None = None

    def listen(self, channel: Any) -> None:
        """Take what a worker sends; this goes on in execnet's threads."""

        def take(message: Any) -> None:
            try:
                self._take(channel, *message)
            except OSError as problem:
                self.problem = f"what workers recorded could not be written to {self._folder}: {problem.strerror}"
            except (UsageError, NotKept, ValueError, TypeError, KeyError, AttributeError) as problem:
                self.problem = f"what a worker sent is no recording that can be kept: {problem}"

        channel.setcallback(take)

    def _take(self, channel: Any, kind: str, *parts: Any) -> None:
        if kind == "find":
            number, name, call_id = parts
            found: list[Any] = []
            try:
                found = [
                    self._with_pictures(name, recording) for recording in self._cassette(name).others(CallId(*call_id))
                ]
            finally:  # the worker waits
                channel.send((number, found))
        elif kind in ("recorded", "had"):
            name, line = parts
            recording = Recording.parse(line)
            cassette = self._cassette(name)
            if kind == "recorded" or cassette.find(recording.call_id, recording.key) is None:
                self._check(line, recording)
                cassette.append(recording)
        elif kind == "picture":
            task, name, content = parts
            if not re.fullmatch(FULL_NAME, task):
                raise ValueError("not the name of a task")
            keep_picture(self._folder / task, name, content)
        else:
            name, line = parts
            if not RESULTS.fullmatch(name):
                raise ValueError("not the name of a file of results")
            add_computed(self._folder / name, line)

    def _check(self, line: bytes, recording: Recording) -> None:
        leak = next(iter(self._detector().lines_with_secrets(line).values()), None)
        if leak or foreign_header(recording.interaction):
            raise ValueError(f"it holds a secret: {leak or foreign_header(recording.interaction)}")

    def _cassette(self, name: str) -> Cassette:
        if not CASSETTE.fullmatch(name):
            raise ValueError("not the name of a cassette")
        with self._lock:
            if name not in self._cassettes:
                self._cassettes[name] = Cassette(self._folder / name, repair=True, detector=self._detector())
            return self._cassettes[name]

    def _with_pictures(self, name: str, recording: Recording) -> tuple[bytes, list[tuple[str, bytes]]]:
        line, folder = recording.line(), (self._folder / name).parent / MADE
        files = {found["name"] for found in IN_FILE.finditer(line.decode("utf-8", "replace"))}
        return line, [(file, (folder / file).read_bytes()) for file in sorted(files) if (folder / file).is_file()]


def keep_picture(task_folder: Path, name: str, content: bytes) -> None:
    """Write a picture from elsewhere beside a task's cassettes.

    Raises:
        ValueError: If its name is not that of its content.
        OSError: If it cannot be written.
    """
    found = IN_FILE.fullmatch(f"sha256:{name}")
    if found is None or hashlib.sha256(content).hexdigest() != found["sha256"]:
        raise ValueError("a picture's name is not its hash")
    keep(Media("image", Path(name), found["sha256"], content), task_folder / MADE)
