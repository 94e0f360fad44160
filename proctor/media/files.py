"""Reading a medium's file, and telling by its content what it is; names of files tell nothing."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

from proctor._base.errors import DataError, UsageError
from proctor._base.files import content_of
from proctor.media.medium import unreadable

LARGEST = 500_000_000
"""Bytes of a file that is read; larger ones are no medium of a question."""

EXTRAS = {"image": ("PIL", "Pillow"), "video": ("av", "PyAV")}
"""The module, and the name of the library, that preparing media of a kind takes."""

_SHAPES = (
    ("png", rb"\x89PNG\r\n\x1a\n"),
    ("jpeg", rb"\xff\xd8\xff"),
    ("gif", rb"GIF8[79]a"),
    ("webp", rb"RIFF....WEBP"),
    ("bmp", rb"BM"),
    ("tiff", rb"II\*\0|MM\0\*"),
    ("wav", rb"RIFF....WAVE"),
    ("mp3", rb"ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]"),
    ("flac", rb"fLaC"),
    ("ogg", rb"OggS"),
    ("aiff", rb"FORM....AIF[FC]"),
    ("avi", rb"RIFF....AVI "),
    ("m4a", rb"....ftypM4[AB]"),
    ("mp4", rb"....ftyp"),
    ("quicktime", rb"....(?:moov|mdat|wide|free)"),
    ("flv", rb"FLV\x01"),
    ("asf", rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11"),
    ("mpeg", rb"\x00\x00\x01\xba"),
    ("mpegts", rb"\x47.{187}\x47"),
    ("matroska or webm", rb"\x1a\x45\xdf\xa3"),
)
_TYPES = [(name, re.compile(shape, re.DOTALL)) for name, shape in _SHAPES]


def type_of(content: bytes) -> str | None:
    """What a file is, by its first bytes; ``None`` for what is none of the types that are known here."""
    return next((name for name, shape in _TYPES if shape.match(content)), None)


def read(file: Path, kind: str) -> bytes:
    """The content of a medium's file.

    Raises:
        DataError: If it cannot be read, is empty, or is absurdly large.
    """
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise DataError(
                f"the {kind} is too large: {size:,} bytes", file=file, remedy=f"Up to {LARGEST:,} are read."
            )
        content = content_of(file)
    except OSError as problem:
        raise unreadable(file, kind, problem) from None
    if not content:
        raise DataError(f"the {kind} is empty", file=file)
    return content


def library(kind: str) -> ModuleType:
    """The library that preparing media of a kind takes.

    Args:
        kind: ``image`` or ``video``.

    Raises:
        UsageError: If it is not installed.
    """
    module, name = EXTRAS[kind]
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError(
            f"{name} is needed to show a model {'pictures' if kind == 'image' else 'clips'}, and is not installed",
            remedy="pip install 'proctor[media]'",
        ) from None
