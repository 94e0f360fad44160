"""Small pictures of what a medium shows, for a page that must stay small; a short sound is kept as it is."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError, UsageError
from proctor.media import audio as sounds
from proctor.media import images as pictures
from proctor.media import video as clips
from proctor.media.files import read, type_of
from proctor.media.limits import AudioLimits, ImageLimits, VideoLimits
from proctor.media.medium import Media

PICTURE = ImageLimits(max_edge=160, max_bytes=12_000, types=("png", "jpeg"))
CLIP = VideoLimits(frames=4, max_edge=160)
SOUND = AudioLimits(max_bytes=100_000)
"""The limits of what is shown: a page has room for some 300 pictures, or 30 sounds."""
MIME = {"wav": "audio/wav", "mp3": "audio/mpeg", "png": "image/png", "jpeg": "image/jpeg"}
LARGEST_CLIP = 4_000_000
"""Bytes: a clip is decoded up to the last frame that is shown, and a report of hundreds must not take minutes."""


def thumbnail(medium: Media) -> dict[str, Any]:
    """What a page shows of a medium.

    Args:
        medium: The medium, in a file of which nothing is known.

    Returns:
        ``pictures``: data URIs of one picture, or of several of a clip. ``sound``: the data URI of a short sound.
        ``seconds``: how long it lasts, where that can be told. ``note``: why there is nothing to see or hear. Only
        what there is.
    """
    file = medium.file
    try:
        if Media(medium.kind, file).sha256 != medium.sha256:
            return {"note": "the file has changed"}
        if medium.kind == "image":
            return {"pictures": [_uri(pictures.prepared(file, PICTURE))]}
        if medium.kind == "audio":
            return _sound(file)
        if file.stat().st_size > LARGEST_CLIP:
            return {"note": f"no preview of a clip of more than {LARGEST_CLIP // 1_000_000} MB"}
        return {"pictures": [_uri(picture) for picture in clips.prepared(file, CLIP, PICTURE)]}
    except DataError as problem:
        # Without the folder, which a page that is passed on has no need to name.
        said = str(problem).splitlines()[0].removeprefix(f"{file}: ")
        return {"note": f"no preview: {said}"}
    except UsageError as problem:
        return {"note": f"no preview: {'; '.join(map(str.strip, str(problem).splitlines()))}"}
    except Exception:  # decoders meet whatever a file holds, and fail in as many ways
        return {"note": "no preview: the file cannot be read"}


def _sound(file: Path) -> dict[str, Any]:
    content = read(file, "audio")
    kind = type_of(content)
    if kind not in SOUND.types:
        return {"note": f"cannot be heard here, being neither {' nor '.join(SOUND.types)}"}
    seconds = _seconds(content, kind)
    known = {} if seconds is None else {"seconds": seconds}
    if len(content) > SOUND.max_bytes:
        return {**known, "note": f"cannot be heard here, having more than {SOUND.max_bytes // 1000} kB"}
    return {**known, "sound": _uri(sounds.prepared(file, SOUND))}


def _seconds(content: bytes, kind: str) -> float | None:
    """How long a sound lasts, where a decoder can tell."""
    try:
        import av

        # FFmpeg is not left to guess: playlists, too, are sounds to it, and name other files.
        with av.open(io.BytesIO(content), format=kind) as sound:
            length = getattr(sound, "duration", None)
            return length / av.time_base if length else None
    except Exception:  # it can be heard without
        return None


def _uri(prepared: pictures.Picture | sounds.Sound) -> str:
    return f"data:{MIME[prepared.type]};base64,{base64.b64encode(prepared.content).decode()}"
