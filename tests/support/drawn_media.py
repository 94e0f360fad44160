"""Pictures, clips and sounds that tests draw themselves, so that what arrives can be told apart."""

from __future__ import annotations

import base64
import hashlib
import io
import math
import struct
import wave
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from PIL import Image, ImageDraw

STEP = 6
"""Grey levels between one frame of a clip and the next; a codec changes fewer than half of them."""


def picture(
    file: Path, size: tuple[int, int] = (64, 48), *, mode: str = "RGB", noise: bool = False, **how: Any
) -> Path:
    """A picture whose left half is red and whose right half is blue, or one full of noise."""
    if noise:
        image = Image.effect_noise(size, 120).convert("RGB")
    else:
        image = Image.new("RGB", size, "blue")
        ImageDraw.Draw(image).rectangle((0, 0, size[0] // 2 - 1, size[1]), fill="red")
    image.convert(mode).save(file, **how)
    return file


def encoded(colour: str) -> bytes:
    """A small picture of one colour, as PNG."""
    content = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(content, "PNG")
    return content.getvalue()


def clip(
    file: Path,
    frames: int,
    *,
    codec: str = "mpeg4",
    rate: int = 10,
    size: tuple[int, int] = (64, 48),
    picture: Image.Image | None = None,
) -> Path:
    """A clip whose frame number n is grey of level n · STEP, or *picture*."""
    with av.open(str(file), "w") as container:
        stream: Any = container.add_stream(codec, rate=rate)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.bit_rate = 4_000_000  # enough for every grey to stay what it is
        stream.time_base = Fraction(1, rate)
        for number in range(frames):
            image = picture or Image.new("RGB", size, (number * STEP,) * 3)
            frame = av.VideoFrame.from_image(image)  # type: ignore[no-untyped-call]  # PyAV leaves it so
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return file


def gif(file: Path, frames: int) -> Path:
    """A GIF whose frame number n is grey of level n · STEP."""
    images = [Image.new("L", (40, 30), number * STEP) for number in range(frames)]
    images[0].save(file, save_all=True, append_images=images[1:], duration=100)
    return file


def numbers_of(pictures: list[bytes]) -> list[int]:
    """The numbers of the frames that these pictures show."""
    greys: list[Any] = [Image.open(io.BytesIO(content)).convert("L").getpixel((5, 5)) for content in pictures]
    return [round(grey / STEP) for grey in greys]


def tone(file: Path, seconds: float = 0.1) -> Path:
    """A WAV file with a tone."""
    with wave.open(str(file), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        for index in range(int(8000 * seconds)):
            sound.writeframes(struct.pack("<h", int(8000 * math.sin(index / 3))))
    return file


def mp3(file: Path) -> Path:
    """An MP3 file of one silent frame: MPEG-1 layer III, 128 kbit/s, 44.1 kHz, which takes 417 bytes."""
    file.write_bytes(b"\xff\xfb\x90\x00" + bytes(413))
    return file


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def held(project: Path, *contents: bytes) -> list[Path]:
    """The files in the project, but for those of its data, that hold one of these contents, whole or in part."""
    signs = {sign for content in contents for sign in (content[20:60], base64.b64encode(content)[:48])}
    signs |= {base64.b64encode(content)[60:108] for content in contents}
    files = [file for file in project.rglob("*") if file.is_file() and project / "data" not in file.parents]
    assert len(files) > 5
    return [file for file in files if any(sign in file.read_bytes() for sign in signs)]
