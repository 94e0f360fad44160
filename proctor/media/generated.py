"""Pictures that models make: kept in files named by their content, so that no recording holds them whole."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from proctor._base.files import write_whole
from proctor.media.files import type_of
from proctor.media.medium import Media

FOLDER = "media"
"""The folder, beside a task's cassettes, that holds the pictures its recordings name."""

IN_FILE = re.compile(r"sha256:(?P<name>(?P<sha256>[0-9a-f]{64})\.(?:png|jpeg|gif|webp))")
"""What stands in a recorded answer in place of a picture: its hash, as the name of its file."""

KEPT = re.compile(r"[0-9a-f]{64}\.(?:png|jpeg|gif|webp)|\..+\.tmp")
"""The names of files that `keep` writes, the last for one that a killed run left half written. Others are not ours."""


def hashed(content: bytes) -> Media:
    """A picture that was made just now, with its content, and the name under which it is going to be kept."""
    sha256 = hashlib.sha256(content).hexdigest()
    return Media("image", Path(f"{sha256}.{type_of(content)}"), sha256, content)


def store_image(content: bytes, folder: Path) -> Media:
    """Write the bytes of a picture into a folder, under the name of their hash.

    Raises:
        OSError: If they cannot be written.
    """
    return keep(hashed(content), folder)


def keep(picture: Media, folder: Path) -> Media:
    """Write a picture that was made just now into a folder, all of it or nothing.

    Returns:
        The picture in that folder, without its content.

    Raises:
        OSError: If it cannot be written.
    """
    kept = replace(picture.below(folder), content=None)
    if picture.content is None or kept.file.exists():
        return kept
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(kept.file, picture.content, durable=True)  # as the recording that names it will be
    return kept


def without_pictures(answer: str) -> str:
    """An answer of the images API with each picture in it replaced by the name of its file; others as they are."""
    if '"b64_json"' not in answer:
        return answer
    try:
        body: Any = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    items = body.get("data") if isinstance(body, dict) else None
    if not isinstance(items, list):
        return answer
    for item in items:
        if isinstance(item, dict) and isinstance(text := item.get("b64_json"), str) and not IN_FILE.fullmatch(text):
            try:
                content = base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                continue
            item["b64_json"] = f"sha256:{hashed(content).file.name}"
    named = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    try:
        named.encode()
    except UnicodeEncodeError:  # half a surrogate pair in another field, which was escaped and has to stay so
        return json.dumps(body, separators=(",", ":"))
    return named


def without_media(request: str) -> str:
    """A request's JSON with ``sha256:`` and the hash of what is sent in the place of each medium."""
    try:
        body = json.loads(request)
    except ValueError:
        return request
    hashed_body = _without_media(body)
    return request if hashed_body == body else json.dumps(hashed_body, ensure_ascii=False, separators=(",", ":"))


def _without_media(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_media(item) for item in value]
    if not isinstance(value, dict):
        return value
    # The places in which the APIs take a medium: a sound, a picture of Anthropic's, and the address of a picture.
    holds_data = "format" in value or "media_type" in value
    holders = {"url", "image_url", *(["data"] if holds_data else [])}
    return {name: (_hash_of if name in holders else _without_media)(item) for name, item in value.items()}


def _hash_of(value: Any) -> Any:
    """``sha256:`` and the hash of what a text holds in base64; anything else without the media in it."""
    if not isinstance(value, str):
        return _without_media(value)
    head, comma, rest = value.partition(";base64,")
    try:
        content = base64.b64decode(rest if comma else head, validate=True)
    except (binascii.Error, ValueError):
        return value
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def form_fields(content_type: str, body: bytes) -> str:
    """A form as JSON, in which ``sha256:`` and the hash stands for each file.

    Args:
        content_type: The header's value, with the boundary between the parts.
        body: The ``multipart/form-data``.
    """
    from email import message_from_bytes
    from email.message import Message

    form = message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    fields: dict[str, Any] = {}
    for part in form.walk():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if not isinstance(part, Message) or not isinstance(name, str) or not isinstance(content, bytes):
            continue
        if part.get_filename() is None:
            fields[name] = content.decode("utf-8", "replace")
        else:
            fields.setdefault(name, []).append(f"sha256:{hashlib.sha256(content).hexdigest()}")
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def named_in(recordings: bytes) -> Iterator[str]:
    """The names of the pictures that the lines of a cassette name."""
    for found in re.finditer(IN_FILE.pattern.encode(), recordings):
        yield found["name"].decode()


def unnamed(folder: Path, *, before: float) -> list[Path]:
    """The pictures beside a task's cassettes that no recording names, by name.

    Args:
        folder: The task's cassettes.
        before: Seconds since 1970; pictures that were written later are not among them: another run is at work.
    """
    media = folder / FOLDER
    if not media.is_dir():
        return []
    named = {name for file in folder.glob("*.jsonl") for name in named_in(file.read_bytes())}
    own = (file for file in media.iterdir() if KEPT.fullmatch(file.name) and file.name not in named)
    return sorted(file for file in own if file.is_file() and file.stat().st_mtime < before)
