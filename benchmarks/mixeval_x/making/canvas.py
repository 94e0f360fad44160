"""What all pictures are drawn with: a palette, plain shapes, and text in Pillow's built-in font."""

from __future__ import annotations

import math
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
PICTURE_SIZE = (320, 240)

Point = tuple[float, float]


def blank(size: tuple[int, int] = PICTURE_SIZE, background: str = "white") -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """A new picture of one colour, in pixels, and the pen to draw on it."""
    picture = Image.new("RGB", size, PALETTE[background])
    return picture, ImageDraw.Draw(picture)


def draw_shape(draw: ImageDraw.ImageDraw, kind: str, colour: str, centre: Point, radius: float) -> None:
    """Draw a filled circle, square, triangle, diamond or star.

    Args:
        draw: the pen.
        kind: one of the names above.
        colour: a name in PALETTE.
        centre: in pixels.
        radius: of the circle around the shape; of a square, half its side.

    Raises:
        KeyError: If the kind or the colour is unknown.
    """
    x, y = centre
    fill = PALETTE[colour]
    if kind == "circle":
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)
    elif kind == "square":
        draw.rectangle((x - radius, y - radius, x + radius, y + radius), fill=fill)
    else:
        corners, inner = {"triangle": (3, 0.5), "diamond": (4, math.sqrt(0.5)), "star": (5, 0.4)}[kind]
        draw.polygon(_ring(centre, radius, corners, inner), fill=fill)


def _ring(centre: Point, radius: float, corners: int, inner: float) -> list[Point]:
    """The outline from the top on: corners at *radius*, and between two of them one at *inner* times the radius."""
    points = []
    for step in range(2 * corners):
        angle = math.pi * step / corners
        length = radius * (inner if step % 2 else 1)
        points.append((centre[0] + length * math.sin(angle), centre[1] - length * math.cos(angle)))
    return points


@lru_cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    # a build of Pillow without FreeType would raise here: its built-in font cannot be scaled
    return cast("ImageFont.FreeTypeFont", ImageFont.load_default(size))


def write(
    draw: ImageDraw.ImageDraw, at: Point, text: str, size: int = 16, *, colour: str = "black", anchor: str = "mm"
) -> None:
    """Write *text*, *size* pixels high, around the point *at* (or as Pillow's *anchor* says)."""
    draw.text(at, text, fill=PALETTE[colour], font=_font(size), anchor=anchor)


def draw_arrow(draw: ImageDraw.ImageDraw, start: Point, end: Point, colour: str = "black", width: int = 4) -> None:
    """Draw an arrow whose tip lies at *end*."""
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    head = 3 * width

    def behind(length: float, side: float) -> Point:
        return (
            end[0] - length * math.cos(angle) - side * math.sin(angle),
            end[1] - length * math.sin(angle) + side * math.cos(angle),
        )

    draw.line((*start, *behind(head / 2, 0)), fill=PALETTE[colour], width=width)
    draw.polygon([end, behind(head, head * 0.6), behind(head, -head * 0.6)], fill=PALETTE[colour])


def draw_clock(draw: ImageDraw.ImageDraw, centre: Point, radius: float, minutes: int) -> None:
    """Draw a clock with twelve numbers.

    Args:
        draw: the pen.
        centre: in pixels.
        radius: of the face, in pixels.
        minutes: since twelve o'clock.
    """
    x, y = centre
    draw.ellipse(
        (x - radius, y - radius, x + radius, y + radius), fill=PALETTE["white"], outline=PALETTE["black"], width=3
    )
    for hour in range(1, 13):
        angle = math.tau * hour / 12
        write(
            draw,
            (x + radius * 0.82 * math.sin(angle), y - radius * 0.82 * math.cos(angle)),
            str(hour),
            round(radius / 5),
        )
    for turns, length, width in ((minutes / 720, 0.45, 6), (minutes / 60, 0.68, 3)):
        angle = math.tau * turns
        tip = (x + radius * length * math.sin(angle), y - radius * length * math.cos(angle))
        draw.line((x, y, *tip), fill=PALETTE["black"], width=width)
    draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=PALETTE["black"])
