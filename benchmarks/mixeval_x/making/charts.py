"""Bar and line charts, with questions about the values they show."""

from __future__ import annotations

from itertools import pairwise

from PIL import Image, ImageDraw

from benchmarks.mixeval_x.making.canvas import PALETTE, blank, write
from benchmarks.mixeval_x.making.entries import Choice, FreeForm, Medium, number, only

LEFT, RIGHT, TOP, BOTTOM = 45, 310, 45, 205
"""Edges of the plotting area, in pixels."""


def easy() -> list[Medium[Image.Image]]:
    """Charts read at one place."""
    return [cups(), temperatures()]


def hard() -> list[Medium[Image.Image]]:
    """Charts to compare and to calculate with."""
    return [two_drinks()]


def cups() -> Medium[Image.Image]:
    """Bars of five days."""
    sold = {"Mon": 15, "Tue": 25, "Wed": 10, "Thu": 35, "Fri": 30}
    names = {"Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday"}
    picture, draw = _axes("Cups of tea sold", 40, 10)
    for position, (day, count) in enumerate(sold.items()):
        x = LEFT + 27 + 53 * position
        draw.rectangle((x - 16, _height(count, 40), x + 16, BOTTOM), fill=PALETTE["blue"])
        write(draw, (x, BOTTOM + 14), day)
    best = max(sold, key=sold.__getitem__)
    return Medium(
        "Charts",
        picture,
        (
            FreeForm("On which day were the most cups sold?", (names[best], best)),
            Choice("How many cups were sold on Tuesday?", ("15", "20", "25", "35"), str(sold["Tue"])),
        ),
    )


def temperatures() -> Medium[Image.Image]:
    """A line over five months that falls once."""
    degrees = {"Apr": 10, "May": 14, "Jun": 20, "Jul": 17, "Aug": 22}
    picture, draw = _axes("Temperature at noon (°C)", 25, 5)
    points = [(LEFT + 27 + 53 * position, _height(value, 25)) for position, value in enumerate(degrees.values())]
    draw.line(points, fill=PALETTE["red"], width=3)
    for (x, y), month in zip(points, degrees, strict=True):
        draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=PALETTE["red"])
        write(draw, (x, BOTTOM + 14), month)
    steps = {f"{first} and {second}": degrees[second] - degrees[first] for first, second in pairwise(degrees)}
    falling = only(name for name, change in steps.items() if change < 0)
    return Medium(
        "Charts",
        picture,
        (Choice("Between which two months does the temperature fall?", tuple(steps), falling),),
    )


def two_drinks() -> Medium[Image.Image]:
    """Pairs of bars over four quarters."""
    tea = {"Q1": 20, "Q2": 35, "Q3": 15, "Q4": 30}
    coffee = {"Q1": 30, "Q2": 25, "Q3": 40, "Q4": 35}
    picture, draw = _axes("Boxes sold", 40, 10)
    for position, quarter in enumerate(tea):
        x = LEFT + 35 + 65 * position
        draw.rectangle((x - 22, _height(tea[quarter], 40), x - 2, BOTTOM), fill=PALETTE["green"])
        draw.rectangle((x + 2, _height(coffee[quarter], 40), x + 22, BOTTOM), fill=PALETTE["brown"])
        write(draw, (x, BOTTOM + 14), quarter)
    for x, colour, name in ((150, "green", "tea"), (220, "brown", "coffee")):
        draw.rectangle((x, 30, x + 12, 42), fill=PALETTE[colour])
        write(draw, (x + 18, 36), name, 14, anchor="lm")
    total = sum(count for quarter, count in tea.items() if coffee[quarter] > count)
    gaps = {quarter: abs(tea[quarter] - coffee[quarter]) for quarter in tea}
    widest = only(quarter for quarter, gap in gaps.items() if gap == max(gaps.values()))
    return Medium(
        "Charts",
        picture,
        (
            FreeForm(
                "Add up the boxes of tea of those quarters in which more coffee than tea was sold. What is the sum?",
                number(total),
            ),
            Choice("In which quarter do tea and coffee differ most?", tuple(gaps), widest),
        ),
    )


def _axes(title: str, top: int, step: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """An empty chart whose scale ends at *top*, with a line every *step* and a fainter one half way."""
    picture, draw = blank()
    write(draw, (160, 16), title, 18)
    for value in range(0, 2 * top + 1, step):
        y = _height(value / 2, top)
        draw.line((LEFT, y, RIGHT, y), fill=PALETTE["pale" if value % (2 * step) else "grey"], width=1)
        if value % (2 * step) == 0:
            write(draw, (LEFT - 6, y), str(value // 2), 14, anchor="rm")
    return picture, draw


def _height(value: float, top: int) -> float:
    return BOTTOM - (BOTTOM - TOP) * value / top
