"""Sounds as they are sent: as they are, once it is known that the API takes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from proctor._base.errors import DataError
from proctor.media.files import read, type_of
from proctor.media.limits import AudioLimits

ENDLESS = 0x7FFF0000
"""From this size on, a WAV file tells that its writer did not know its length: SoX and FFmpeg write different ones."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound as it is sent: the content of a file, and its type (``wav`` or ``mp3``)."""

    content: bytes
    type: str


def prepared(file: Path, limits: AudioLimits) -> Sound:
    """A sound that keeps to the limits.

    Raises:
        DataError: For a file that is no sound, is cut, too large, or of a type that the API does not take; it names the
            file.
    """
    content = read(file, "audio")
    kind = type_of(content)
    if kind not in limits.types:
        raise DataError(
            f"the API takes {' and '.join(limits.types)}, and this is {kind or 'nothing that is known'}",
            file=file,
            remedy=f"Convert it: ffmpeg -i {file.name} {file.stem}.{limits.types[0]}",
        )
    if len(content) > limits.max_bytes:
        raise DataError(
            f"the sound has {len(content):,} bytes, and the API takes {limits.max_bytes:,}",
            file=file,
            remedy="Shorten it, or convert it to mp3.",
        )
    if kind == "wav":
        _check_wav(content, file)
    return Sound(content, kind)


def _check_wav(content: bytes, file: Path) -> None:
    """Raise a DataError unless the file has a format and samples, as many bytes of them as it says."""
    position, has_format = 12, False
    while position + 8 <= len(content):
        name, size = content[position : position + 4], int.from_bytes(content[position + 4 : position + 8], "little")
        position += 8
        if name == b"fmt ":
            has_format = True
        if name == b"data" and has_format:
            there = len(content) - position
            if not there:
                raise DataError("the sound is empty", file=file)
            if there < size < ENDLESS:
                raise DataError(f"the sound is cut: {there:,} of {size:,} bytes are there", file=file)
            if not size:
                raise DataError("the sound is empty", file=file)
            return
        position += size + size % 2
    raise DataError("the sound is cut or broken: it has no samples", file=file)
