"""Clips: frames painted one by one, and the MP4 files they become."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import av
import numpy as np
from PIL import Image, ImageDraw

from benchmarks.mixeval_x.making.canvas import blank

FRAMES_A_SECOND = 10
CLIP_SIZE = (256, 192)
"""Width and height in pixels."""

Clip = list[Image.Image]


def film(seconds: float, paint: Callable[[ImageDraw.ImageDraw, float], None], background: str = "white") -> Clip:
    """The frames of a clip.

    Args:
        seconds: how long it lasts.
        paint: draws what is seen at a time, in seconds since the start.
        background: a name in the palette.
    """
    frames = []
    for index in range(round(seconds * FRAMES_A_SECOND)):
        picture, draw = blank(CLIP_SIZE, background)
        paint(draw, index / FRAMES_A_SECOND)
        frames.append(picture)
    return frames


def between(waypoints: Sequence[tuple[float, float]], time: float) -> float:
    """The value at *time* on straight lines between (time, value) *waypoints*; constant before and after them."""
    times, values = zip(*waypoints, strict=True)
    return float(np.interp(time, times, values))


def save_clip(frames: Clip, path: Path) -> None:
    """Write an MP4 file: H.264 where this build of FFmpeg can encode it, else MPEG-4 part 2."""
    encoder = "libx264" if "libx264" in av.codecs_available else "mpeg4"
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = cast("av.VideoStream", container.add_stream(encoder, rate=FRAMES_A_SECOND))
        stream.width, stream.height = frames[0].size
        stream.pix_fmt = "yuv420p"
        # one thread, since the number of threads changes what x264 writes
        stream.options = {"crf": "24", "threads": "1"} if encoder == "libx264" else {"qscale": "3"}
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.asarray(frame), format="rgb24")))
        container.mux(stream.encode())
