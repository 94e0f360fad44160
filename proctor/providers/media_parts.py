"""What the messages of a call show, ready to be sent: read from files at the moment of a live call, and not before."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from proctor._base.errors import DataError, UsageError
from proctor.media import audio as sounds
from proctor.media import images as pictures
from proctor.media import video as clips
from proctor.media.audio import Sound
from proctor.media.images import Picture
from proctor.media.limits import MediaLimits

if TYPE_CHECKING:
    from pathlib import Path

    from proctor._base.json_values import Json
    from proctor.tasks.call import Call, Message

Part: TypeAlias = str | Picture | Sound
"""A part of a message: a text, or a medium as it is sent. A clip is a run of pictures."""


def parts(call: Call, message: Message, limits: MediaLimits) -> list[Part]:
    """The parts of one message of a call, in order.

    Raises:
        DataError: For a medium that cannot be shown; it names the file.
        UsageError: If a library for media is not installed.
    """
    content = message["content"]
    if isinstance(content, str):
        return [content]
    assert isinstance(content, Sequence)
    return [made for part in content for made in _made(call, part, limits)]


def _made(call: Call, part: Json, limits: MediaLimits) -> Iterator[Part]:
    assert isinstance(part, dict)
    kind = part["type"]
    if kind == "text":
        yield str(part["text"])
        return
    file = call.media[str(part["sha256"])]
    if kind == "image" and limits.image is not None:
        yield pictures.prepared(file, limits.image)
    elif kind == "video" and limits.video is not None and limits.image is not None:
        yield from clips.prepared(file, limits.video, limits.image)
    elif kind == "audio" and limits.audio is not None:
        yield sounds.prepared(file, limits.audio)
    else:
        raise UsageError(f"this model's API takes no {kind}, such as {file}")


def content_part(call: Call, limits: MediaLimits, part: Callable[[Part], Json]) -> list[Message]:
    """The messages of a call in the words of an API; a message that is one text stays as it is.

    Args:
        call: The call.
        limits: How the API takes media.
        part: The API's words for a part.

    Raises:
        DataError: For a medium that cannot be shown, or too many pictures.
        UsageError: If a library for media is not installed.
    """
    messages: list[Message] = []
    number = 0
    for message in call.messages:
        if not isinstance(message["content"], list):
            messages.append(message)
            continue
        made = parts(call, message, limits)
        number += sum(isinstance(one, Picture) for one in made)
        messages.append({**message, "content": [part(one) for one in made]})
    check_number(call, number, limits)
    return messages


def check_number(call: Call, number: int, limits: MediaLimits) -> None:
    """Raise a DataError if so many pictures are too many for one request.

    Args:
        call: What is asked.
        number: Pictures, with the frames of clips.
        limits: The model's.
    """
    most = None if limits.image is None else limits.image.max_count
    if most is not None and number > most:
        first: Path = next(iter(call.media.values()))
        raise DataError(
            f"the question shows {number} pictures, and the API takes {most} in one request",
            file=first,
            remedy="Set fewer frames under media: in models.yaml.",
        )


def in_base64(medium: Picture | Sound) -> str:
    """A medium as text."""
    return base64.b64encode(medium.content).decode("ascii")


def data_uri(picture: Picture) -> str:
    """A picture as an address that holds it."""
    return f"data:{picture.mime};base64,{in_base64(picture)}"
