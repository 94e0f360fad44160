"""Plots as papers have them, drawn with a few lines and dots so that each takes a few kilobytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PIL import Image

from benchmarks.sgi.figures.canvas import PALETTE, Point, blank, write

SIZE = (360, 270)
LEFT, RIGHT, TOP, BOTTOM = 52, 344, 48, 222
"""Edges of the plotting area, in pixels."""


class Plot:
    """Axes from 0, and what is drawn between them.

    Args:
        title: What it shows.
        x: Name of the horizontal axis, and its numbers; the last one is where it ends, and one alone is not written.
        y: The same of the vertical one.
    """

    def __init__(self, title: str, x: tuple[str, Sequence[float]], y: tuple[str, Sequence[float]]) -> None:
        self.picture, self.draw = blank(SIZE)
        self._x, self._y = x[1][-1], y[1][-1]
        for number in x[1]:
            self.line([(number, 0), (number, self._y)], "pale", 1)
            if len(x[1]) > 1:
                write(self.draw, (self.at((number, 0))[0], BOTTOM + 11), f"{number:g}", 12)
        for number in y[1]:
            self.line([(0, number), (self._x, number)], "pale", 1)
            write(self.draw, (LEFT - 7, self.at((0, number))[1]), f"{number:g}", 12, anchor="rm")
        self.line([(0, self._y), (0, 0), (self._x, 0)], "black", 2)
        write(self.draw, (SIZE[0] / 2, 11), title, 14)
        write(self.draw, ((LEFT + RIGHT) / 2, BOTTOM + 31), x[0], 13)
        write(self.draw, (6, 26), y[0], 12, anchor="lm")

    def at(self, point: Point) -> Point:
        """Where a point stands, in pixels."""
        return LEFT + (RIGHT - LEFT) * point[0] / self._x, BOTTOM - (BOTTOM - TOP) * point[1] / self._y

    def line(self, points: Iterable[Point], colour: str, width: int = 3) -> None:
        """Draw a line through points."""
        self.draw.line([self.at(point) for point in points], fill=PALETTE[colour], width=width)

    def curve(
        self, function: Callable[[float], float], colour: str, start: float = 0, end: float | None = None
    ) -> None:
        """Draw a function from *start* to *end*, in 120 steps."""
        end = self._x if end is None else end
        xs = [start + (end - start) * step / 120 for step in range(121)]
        self.line([(x, function(x)) for x in xs], colour)

    def dots(self, points: Iterable[Point], colour: str) -> None:
        """Draw a dot at each point."""
        for x, y in map(self.at, points):
            self.draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=PALETTE[colour])

    def bar(self, centre: float, height: float, colour: str, width: float = 0.5) -> None:
        """Draw a bar around a place of the horizontal axis."""
        (left, top), (right, bottom) = self.at((centre - width / 2, height)), self.at((centre + width / 2, 0))
        self.draw.rectangle((left, top, right, bottom), fill=PALETTE[colour])

    def name(self, point: Point, text: str, colour: str = "black") -> None:
        """Write a name at a point."""
        write(self.draw, self.at(point), text, 13, colour=colour)


def few_colours(picture: Image.Image) -> Image.Image:
    """The picture with a palette of 32 colours, which takes a third of the bytes."""
    return picture.quantize(32, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
