"""The pictures of a row: files beside the data, or the bytes that stand in the row as the hub's Parquet has them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from proctor import Media, Row, media_type_of, store_image

FOLDER = "media"
"""The folder beside a data file in which its pictures are looked for, and those of its rows are written."""


def pictures_of(row: Row, name: str) -> tuple[Media, ...]:
    """The pictures in field *name*, a list of pictures or one.

    A picture is the path of a file, beside the data file or in its folder `FOLDER`; base64, bare or as a ``data:``
    address; bytes; or an object with ``bytes``, else ``path``, as data sets of the hub have them. Bytes are written
    into that folder, under the name of their hash, since it is files that models are shown. No name leads out of the
    data file's folder.

    Raises:
        DataError: For anything else, such as ``images[1]``. Whether a file is there is seen when it is shown.
    """
    value = row.get(name)
    entries = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(_picture(row, f"{name}[{number}]", entry) for number, entry in enumerate(entries))


def _picture(row: Row, field: str, entry: object) -> Media:
    if isinstance(entry, Mapping):
        entry = entry.get("bytes") or entry.get("path")
    if isinstance(entry, str):
        content = _decoded(entry)
        if content is None:
            return _file(row, field, entry)
        entry = content
    if not isinstance(entry, bytes) or not entry:
        raise row.error(field, "must be a picture: a path, base64, or an object with bytes or path", value=entry)
    folder = row.file.parent / FOLDER
    try:
        return store_image(entry, folder)
    except OSError as problem:
        raise row.error(field, f"the picture could not be written to {folder}: {problem.strerror}") from None


def _decoded(text: str) -> bytes | None:
    """What a text holds in base64; ``None`` if it is a path."""
    head, comma, rest = text.partition(";base64,")
    encoded = rest if comma and head.startswith("data:") else text
    try:
        content = base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    return content if media_type_of(content) else None  # a path may be base64 by accident, but then not of a picture


def _file(row: Row, field: str, name: str) -> Media:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
        raise row.error(field, "must not lead out of the data file's folder", value=name)
    here, beside = row.file.parent / path, row.file.parent / FOLDER / path
    return Media("image", Path(beside if beside.is_file() else here))
