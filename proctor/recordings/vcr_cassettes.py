"""Recordings as cassettes of vcrpy, and cassettes of vcrpy as recordings.

A file of vcrpy holds what one test asked. So ours become a file for each case, its calls in the order in which they
were made: a test that asks the same replays it with vcrpy's usual rules, by method and address. What vcrpy has no place
for (the key, what the call was made from, the date) stands in each interaction under ``proctor``, which vcrpy ignores.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError
from proctor._base.files import write_whole
from proctor.media.generated import FOLDER as MADE
from proctor.media.generated import IN_FILE
from proctor.models.registry import safe_file_name
from proctor.providers.bodies import LARGEST_ANSWER
from proctor.recordings.cassette import opened, recordings_in
from proctor.recordings.computed import FOLDER as COMPUTED
from proctor.recordings.leak_detector import Detector
from proctor.recordings.recording import Recording
from proctor.tasks.judge import ANSWER
from proctor.tasks.sample import case_name

OURS = "proctor"
"""Where in an interaction our own fields stand."""

CASSETTE = re.compile(r"[a-z0-9_]+/[a-z0-9_-]+/[A-Za-z0-9_%+~-][A-Za-z0-9_%+~.-]*\.jsonl")
"""The name of a cassette below the folder of cassettes; paths are made of it."""

SUFFIXES = frozenset({".yaml", ".yml", ".json"})
PICTURE = re.compile(rf'"b64_json":"{IN_FILE.pattern}"')


@dataclass(frozen=True, slots=True)
class WrittenCassette:
    """A cassette that was written for vcrpy.

    Args:
        cassette: The cassette.
        recordings: How many recordings it holds.
        files: How many files they went to.
        folder: Where these are.
    """

    cassette: Path
    recordings: int
    files: int
    folder: Path


def write_vcr_cassettes(cassettes: Path, folder: Path, detector: Detector) -> Iterator[WrittenCassette]:
    """Write ``<benchmark>/<task>/<model>/<case>.yaml`` for each case that has recordings.

    Args:
        cassettes: The folder of cassettes, or one in it.
        folder: Where to write.
        detector: Finds secrets that no recording may hold.

    Raises:
        DataError: For a line of a cassette that cannot be used, or a picture that is not there.
        OSError: If a file cannot be read or written.
    """
    import yaml
    from vcr.serialize import CASSETTE_FORMAT_VERSION

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # ten times as fast, where there is libyaml
    for file in sorted(file for file in cassettes.rglob("*.jsonl") if file.parent.name != COMPUTED):
        real = file.resolve()
        name = "/".join(real.parts[-3:])
        handle, content = opened(file, mend=None)
        handle.close()
        cases: dict[str, list[Recording]] = {}
        for _, _, recording in recordings_in(content, file, detector):
            of_case = case_name(recording.call_id.sample, recording.call_id.epoch)
            cases.setdefault(safe_file_name(of_case), []).append(recording)
        below = folder.joinpath(*real.parts[-3:-1], real.stem)
        below.mkdir(parents=True, exist_ok=True)
        for case, recordings in cases.items():
            interactions = [_interaction(one, name, file) for one in sorted(recordings, key=_order)]
            content_of_case = {"version": CASSETTE_FORMAT_VERSION, "interactions": interactions}
            text: str = yaml.dump(content_of_case, Dumper=dumper, sort_keys=False)  # unsorted, parameters come back so
            write_whole(below / f"{case}.yaml", text.encode())
        yield WrittenCassette(file, sum(map(len, cases.values())), len(cases), below)


def _order(recording: Recording) -> tuple[bool, str, str, int]:
    """The order in which a case's calls were made, as far as their dates tell."""
    call_id = recording.call_id
    return call_id.role != ANSWER, recording.recorded_at, call_id.role, call_id.turn


def _interaction(recording: Recording, cassette: str, file: Path) -> dict[str, Any]:
    request, response = recording.interaction["request"], recording.interaction["response"]
    body = PICTURE.sub(lambda found: _picture(found, file), response["body"]["string"])
    return {
        "request": {**request, "body": None if request["body"] is None else _text_or_bytes(request["body"])},
        "response": {**response, "body": {"string": _text_or_bytes(body)}},
        OURS: {"cassette": cassette, **recording.fields},
    }


def _picture(found: re.Match[str], cassette: Path) -> str:
    """A picture that a model made, which is in a file, as the provider sent it."""
    file = cassette.parent / MADE / found["name"]
    try:
        content = file.read_bytes()
    except OSError as problem:
        raise DataError(
            f"a recording names this picture, which cannot be read: {problem.strerror}", file=file
        ) from None
    return f'"b64_json":"{base64.b64encode(content).decode()}"'


def _text_or_bytes(text: str) -> str | bytes:
    """A body as vcrpy has it: bytes where it is no UTF-8."""
    content = text.encode("utf-8", "surrogateescape")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


@dataclass(frozen=True, slots=True)
class VcrExchange:
    """An exchange in a file of vcrpy.

    Args:
        location: The file, and which interaction in it, from 1; for messages.
        request: The request, as vcrpy writes it, but the body in bytes.
        response: Status and headers of the answer, as vcrpy writes them.
        body: The answer's body, unpacked.
        ours: What stands in it under ``proctor``; ``None`` in a file that is not from here.
        modified: When the file was written, in seconds since 1970.
    """

    location: str
    request: Mapping[str, Any]
    response: Mapping[str, Any]
    body: bytes
    ours: Mapping[str, Any] | None
    modified: float

    def header(self, name: str) -> str | None:
        """A header of the answer."""
        found = (values for known, values in self.response["headers"].items() if known.lower() == name)
        return next((value for values in found for value in values), None)


def read_vcr_cassettes(folder: Path) -> Iterator[VcrExchange | str]:
    """The exchanges in the files of vcrpy in a folder and those below it, by path; of what is none, why.

    Raises:
        OSError: If a file cannot be read.
    """
    import yaml
    from vcr.serializers import jsonserializer, yamlserializer

    for file in sorted(file for file in folder.rglob("*") if file.suffix in SUFFIXES and file.is_file()):
        serializer = jsonserializer if file.suffix == ".json" else yamlserializer
        try:
            content = serializer.deserialize(file.read_bytes().decode())
        except (yaml.YAMLError, ValueError, TypeError, RecursionError) as problem:
            yield f"{file} cannot be read: {str(problem).splitlines()[0] if str(problem) else type(problem).__name__}"
            continue
        found = content.get("interactions") if isinstance(content, dict) else None
        if not isinstance(found, list):
            yield f"{file} is no cassette of vcrpy: it has no list of interactions"
            continue
        modified = file.stat().st_mtime
        for number, interaction in enumerate(found, 1):
            location = f"{file}, interaction {number}"
            try:
                yield _exchange(interaction, location, modified)
            except (ValueError, TypeError, KeyError, AttributeError) as problem:
                yield f"{location}: not as vcrpy writes it: {type(problem).__name__}: {problem}"


def _exchange(interaction: Any, location: str, modified: float) -> VcrExchange:
    request, response = interaction["request"], interaction["response"]
    if "status_code" in response:  # as vcrpy wrote what httpx had asked until its version 8.2
        status, answer = {"code": response["status_code"], "message": ""}, response["content"]
    else:
        status, answer = response["status"], response["body"]["string"]
    int(status["code"])
    headers = {str(name): _values(value) for name, value in response["headers"].items()}
    for name in ("method", "uri"):
        if not isinstance(request[name], str):
            raise TypeError(f"{name!r} is no text")
    ours = interaction.get(OURS)
    if not isinstance(ours, (dict, type(None))):
        raise TypeError(f"{OURS!r} is no mapping")
    asked = request["body"]
    return VcrExchange(
        location,
        {
            "method": request["method"],
            "uri": request["uri"],
            "body": None if asked is None else _bytes(asked),
            "headers": {str(name): _values(value) for name, value in request["headers"].items()},
        },
        {"status": {"code": int(status["code"]), "message": status.get("message")}, "headers": headers},
        _unpacked(_bytes(answer), headers),
        ours,
        modified,
    )


def _values(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(one) for one in value]


def _bytes(body: Any) -> bytes:
    """A body, which vcrpy writes as text where it can, and in pieces where it was sent so."""
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    if isinstance(body, bytes):
        return body
    return b"".join(_bytes(piece) for piece in body)


def _unpacked(body: bytes, headers: Mapping[str, Sequence[str]]) -> bytes:
    """The body as it was before the server packed it, if it still is."""
    packed = [
        value.lower() for name, values in headers.items() if name.lower() == "content-encoding" for value in values
    ]
    if not packed or not body:
        return body
    windows = {"gzip": (zlib.MAX_WBITS | 16,), "deflate": (zlib.MAX_WBITS, -zlib.MAX_WBITS)}.get(packed[0])
    if windows is None or len(packed) > 1:
        raise ValueError(f"the answer is packed in a way that is not known here: {', '.join(packed)}")
    for window in windows:
        unpack = zlib.decompressobj(window)
        try:
            found = unpack.decompress(body, LARGEST_ANSWER)
        except zlib.error:
            continue
        if unpack.unconsumed_tail:
            raise ValueError(f"the answer is larger than {LARGEST_ANSWER / 1e6:g} MB")
        return found
    if body.lstrip()[:1] in (b"{", b"["):  # unpacked by whoever wrote it, and the header left as it was
        return body
    raise ValueError(f"the answer is not packed as it says: {packed[0]}")
