"""Clips as they are sent: some of their frames, as pictures."""

from __future__ import annotations

import bisect
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from proctor._base.errors import DataError
from proctor.media.files import library, read, type_of
from proctor.media.images import MOST_PIXELS, Picture, encoded_image
from proctor.media.limits import ImageLimits, VideoLimits

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.frame import VideoFrame
    from PIL.Image import Image

CONTAINERS = {
    **dict.fromkeys(("mp4", "m4a", "quicktime"), "mov"),
    **{name: name for name in ("gif", "avi", "flv", "ogg", "mpegts", "mpeg", "asf")},
    "matroska or webm": "matroska",
}
"""FFmpeg's reader for each type. It is never left to guess: playlists, too, are clips to it, and name other files."""

DROPPED = 2
"""Frames at the ends of a clip that its packets may promise and no decoder gives."""


def prepared(file: Path, video: VideoLimits, image: ImageLimits) -> list[Picture]:
    """Frames of a clip, in order, each a JPEG; all of them if the clip has fewer than wanted.

    Args:
        file: The clip, in one of `CONTAINERS`; a GIF is one.
        video: How many frames, how chosen and how large.
        image: What each picture must keep to.

    Raises:
        DataError: For a file that is no clip, is cut or broken; it names the file.
        UsageError: If PyAV or Pillow is not installed.
    """
    av = library("video")
    library("image")
    content = read(file, "video")
    container_format = CONTAINERS.get(type_of(content) or "")
    if container_format is None:
        raise DataError(
            f"not a clip, or of no type that is read ({type_of(content) or 'not known'})",
            file=file,
            remedy=f"Convert it: ffmpeg -i {file.name} {file.stem}.mp4",
        )
    limits = ImageLimits(min(video.max_edge, image.max_edge), image.max_bytes, ("jpeg",), image.max_count)
    try:
        with av.open(io.BytesIO(content), format=container_format) as container:
            if not container.streams.video:
                raise DataError("the clip has no pictures", file=file)
            wanted, promised = _wanted(container, video.frames)
        if not wanted:
            raise DataError("the clip has no pictures", file=file)
        with av.open(io.BytesIO(content), format=container_format) as container:
            return [_picture(frame, limits, file) for frame in _frames(container, wanted, promised, file)]
    except (av.error.FFmpegError, EOFError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or str(problem)
        raise DataError(f"the clip is cut or broken, or no clip: {said}", file=file) from None


def _wanted(container: InputContainer, number: int) -> tuple[list[int], int]:
    """Which frames to take, counted in the order of showing, and how many the clip has, without decoding any."""
    stream = container.streams.video[0]
    packets = [packet for packet in container.demux(stream) if packet.size and not packet.is_discard]
    times = [packet.pts for packet in packets]
    if not packets or None in times or len(set(times)) < len(times):
        starts: list[float] = [float(index) for index in range(len(packets))]
        return centres(starts, float(len(packets)), number), len(packets)
    shown = sorted((float(packet.pts or 0), float(packet.duration or 0)) for packet in packets)
    starts = [start for start, _ in shown]
    last = shown[-1][1] or (starts[-1] - starts[0]) / max(1, len(starts) - 1) or 1.0
    return centres(starts, starts[-1] + last, number), len(packets)


def centres(starts: Sequence[float], end: float, number: int) -> list[int]:
    """The frames that are seen at the centres of *number* equal parts of a clip, each once.

    Args:
        starts: When each frame begins to be seen, in order.
        end: When the last one ends.
        number: How many.

    Returns:
        Indices into *starts*, in order: the frame at ``start + (k + 0.5) · length / number`` for each k.
    """
    if not starts:
        return []
    # One division, the last step: a centre at which a frame begins is not to fall short of it by rounding.
    moments = (starts[0] + (2 * index + 1) * (end - starts[0]) / (2 * number) for index in range(number))
    return sorted({bisect.bisect_right(starts, moment) - 1 for moment in moments})


def _frames(container: InputContainer, wanted: Sequence[int], promised: int, file: Path) -> Iterator[VideoFrame]:
    """These frames, decoded."""
    stream = container.streams.video[0]
    if stream.codec_context is None:
        raise DataError("the clip's pictures are encoded in a way that is not known", file=file)
    stream.thread_type = "AUTO"
    if stream.width * stream.height > MOST_PIXELS:
        raise DataError(f"the clip's frames are too large: {stream.width} × {stream.height} pixels", file=file)
    left = list(wanted)
    index, frame = -1, None
    for index, frame in enumerate(container.decode(stream)):
        if index == left[0]:
            yield frame
            left.pop(0)
            if not left:
                return
    if frame is None or index + 1 < promised - DROPPED:
        raise DataError(f"the clip is cut or broken: {index + 1} of {promised} frames can be read", file=file)
    if index not in wanted:
        yield frame


def _picture(frame: VideoFrame, limits: ImageLimits, file: Path) -> Picture:
    if frame.width * frame.height > MOST_PIXELS:
        raise DataError(f"the clip's frames are too large: {frame.width} × {frame.height} pixels", file=file)
    image: Image = frame.to_image()  # type: ignore[no-untyped-call]  # PyAV leaves it so
    if frame.rotation:
        image = image.rotate(frame.rotation, expand=True)
    return encoded_image(image.convert("RGB"), limits, photographic=True)
