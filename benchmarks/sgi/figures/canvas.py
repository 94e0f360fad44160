"""What figures are drawn with: a palette, and text in Pillow's built-in font."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from PIL import Image, ImageDraw, ImageFont

PALETTE = {
    "black": (20, 20, 20),
    "white": (255, 255, 255),
    "grey": (150, 150, 150),
    "pale": (226, 232, 240),
    "red": (214, 40, 40),
    "blue": (29, 78, 216),
    "green": (22, 148, 60),
    "yellow": (245, 205, 20),
    "orange": (245, 130, 20),
    "purple": (126, 52, 170),
    "brown": (120, 72, 36),
    "sky": (190, 225, 250),
}

Point = tuple[float, float]


def blank(size: tuple[int, int], background: str = "white") -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """A new picture of one colour, in pixels, and the pen to draw on it."""
    picture = Image.new("RGB", size, PALETTE[background])
    return picture, ImageDraw.Draw(picture)


@lru_cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    # a build of Pillow without FreeType would raise here: its built-in font cannot be scaled
    return cast("ImageFont.FreeTypeFont", ImageFont.load_default(size))


def write(
    draw: ImageDraw.ImageDraw, at: Point, text: str, size: int = 16, *, colour: str = "black", anchor: str = "mm"
) -> None:
    """Write *text*, *size* pixels high, around the point *at* (or as Pillow's *anchor* says)."""
    draw.text(at, text, fill=PALETTE[colour], font=_font(size), anchor=anchor)
