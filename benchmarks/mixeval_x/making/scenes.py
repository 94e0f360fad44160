"""Pictures of shapes and things: what is there, how many, where, and how it compares."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from PIL import Image, ImageDraw

from benchmarks.mixeval_x.making.canvas import PALETTE, Point, blank, draw_arrow, draw_shape, write
from benchmarks.mixeval_x.making.entries import Choice, FreeForm, Medium, number, only

Picture = Medium[Image.Image]


@dataclass(frozen=True)
class Thing:
    """A shape in a picture; lengths in pixels."""

    colour: str
    kind: str
    x: float
    y: float
    radius: float = 22

    @property
    def name(self) -> str:
        """With its article, such as ``a red circle``."""
        return f"{'an' if self.colour[0] in 'aeiou' else 'a'} {self.colour} {self.kind}"


def easy() -> list[Picture]:
    """Pictures whose questions need one look."""
    return [shapes(), street()]


def hard() -> list[Picture]:
    """Pictures whose questions combine several things seen."""
    return [framed_shapes(), seesaws(), arrow_grid(), colour_grid()]


def shapes() -> Picture:
    """Shapes to count, and one that is missing."""
    things = (
        Thing("blue", "circle", 45, 50),
        Thing("red", "circle", 125, 60),
        Thing("blue", "square", 205, 45),
        Thing("yellow", "star", 280, 60, 28),
        Thing("blue", "circle", 70, 130),
        Thing("green", "triangle", 160, 125, 28),
        Thing("red", "circle", 250, 140),
        Thing("blue", "square", 40, 205),
        Thing("green", "circle", 130, 200),
        Thing("blue", "circle", 210, 205),
    )
    picture, draw = blank()
    for thing in things:
        draw_shape(draw, thing.kind, thing.colour, (thing.x, thing.y), thing.radius)
    circles = sum(thing.colour == "blue" and thing.kind == "circle" for thing in things)
    offered = ("a green circle", "a yellow star", "a red square", "a blue circle")
    missing = only(name for name in offered if name not in {thing.name for thing in things})
    return Medium(
        "Scenes",
        picture,
        (
            FreeForm("How many blue circles are in the picture?", number(circles)),
            Choice("Which of these is not in the picture?", offered, missing),
        ),
    )


def street() -> Picture:
    """A tree, a house and a car in a row, and the sun in a corner."""
    row = ("tree", "house", "car")
    sun = "upper right corner"
    corners = {
        "upper left corner": (40, 40),
        "upper right corner": (280, 40),
        "lower left corner": (40, 200),
        "lower right corner": (280, 200),
    }
    picture, draw = blank(background="sky")
    draw.rectangle((0, 190, 320, 240), fill=PALETTE["green"])
    for position, what in enumerate(row):
        {"tree": draw_tree, "house": draw_house, "car": draw_car}[what](draw, 55 + 105 * position)
    draw_shape(draw, "circle", "yellow", corners[sun], 26)
    left = row[row.index("house") - 1]
    return Medium(
        "Scenes",
        picture,
        (
            FreeForm("What stands to the left of the house?", (left, f"a {left}")),
            Choice("Where in the picture is the sun?", tuple(corners), sun),
        ),
    )


def draw_tree(draw: ImageDraw.ImageDraw, x: float) -> None:
    """Draw a tree around the column *x*, standing on the ground of the street."""
    draw.rectangle((x - 7, 140, x + 7, 195), fill=PALETTE["brown"])
    for dx, dy in ((0, 95), (-18, 120), (18, 120)):
        draw_shape(draw, "circle", "green", (x + dx, dy), 26)


def draw_house(draw: ImageDraw.ImageDraw, x: float) -> None:
    """Draw a house with a roof and a door around the column *x*."""
    draw.rectangle((x - 42, 125, x + 42, 195), fill=PALETTE["orange"])
    draw.polygon([(x - 52, 126), (x + 52, 126), (x, 75)], fill=PALETTE["red"])
    draw.rectangle((x - 10, 155, x + 10, 195), fill=PALETTE["brown"])
    draw.rectangle((x - 34, 138, x - 18, 154), fill=PALETTE["white"])
    draw.rectangle((x + 18, 138, x + 34, 154), fill=PALETTE["white"])


def draw_car(draw: ImageDraw.ImageDraw, x: float) -> None:
    """Draw a car seen from the side around the column *x*."""
    draw.rounded_rectangle((x - 40, 165, x + 40, 190), 6, fill=PALETTE["blue"])
    draw.polygon([(x - 26, 166), (x - 16, 146), (x + 14, 146), (x + 26, 166)], fill=PALETTE["blue"])
    draw.polygon([(x - 18, 165), (x - 12, 150), (x + 10, 150), (x + 18, 165)], fill=PALETTE["white"])
    for wheel in (x - 22, x + 22):
        draw_shape(draw, "circle", "black", (wheel, 191), 10)


def framed_shapes() -> Picture:
    """Large and small shapes in and around a frame."""
    small, large = 12, 26
    frame = (85, 30, 300, 210)
    inside = (
        Thing("red", "circle", 115, 60, small),
        Thing("blue", "square", 165, 70, large),
        Thing("blue", "circle", 220, 55, small),
        Thing("green", "star", 270, 75, large),
        Thing("yellow", "square", 115, 115, small),
        Thing("red", "square", 170, 130, small),
        Thing("red", "triangle", 225, 125, large),
        Thing("green", "circle", 275, 135, small),
        Thing("blue", "square", 120, 180, small),
        Thing("red", "circle", 175, 180, large),
        Thing("yellow", "circle", 250, 185, small),
    )
    outside = (
        Thing("blue", "circle", 35, 50, small),
        Thing("blue", "square", 45, 105, large),
        Thing("green", "circle", 30, 155, small),
        Thing("blue", "circle", 50, 205, small),
    )
    picture, draw = blank()
    draw.rectangle(frame, outline=PALETTE["black"], width=4)
    for thing in (*inside, *outside):
        draw_shape(draw, thing.kind, thing.colour, (thing.x, thing.y), thing.radius)
    wanted = sum(thing.radius == small and thing.colour != "red" for thing in inside)
    colours = Counter(thing.colour for thing in inside)
    most = only(colour for colour, count in colours.items() if count == max(colours.values()))
    return Medium(
        "Scenes",
        picture,
        (
            FreeForm("How many small shapes that are not red lie inside the black frame?", number(wanted)),
            Choice("Which colour do most of the shapes inside the frame have?", tuple(colours), most),
        ),
    )


def seesaws() -> Picture:
    """Four balls, weighed two at a time."""
    weights = {"green": 1, "yellow": 2, "blue": 3, "red": 4}
    weighed = (("yellow", "blue"), ("red", "blue"), ("yellow", "green"))
    picture, draw = blank((360, 150))
    for position, (left, right) in enumerate(weighed):
        _draw_seesaw(draw, 62 + 118 * position, left, right, left_down=weights[left] > weights[right])
    order = sorted(weights, key=weights.__getitem__, reverse=True)
    return Medium(
        "Scenes",
        picture,
        (
            FreeForm(
                "Three seesaws show which of two balls is heavier. List the four balls by their colours, "
                "from the heaviest to the lightest.",
                (", ".join(order), " > ".join(order)),
            ),
            Choice("By the three seesaws, which ball is the lightest?", tuple(weights), order[-1]),
        ),
    )


def _draw_seesaw(draw: ImageDraw.ImageDraw, x: float, left: str, right: str, *, left_down: bool) -> None:
    tilt = 16 if left_down else -16
    draw.polygon([(x, 88), (x - 16, 124), (x + 16, 124)], fill=PALETTE["grey"])
    draw.line((x - 50, 88 + tilt, x + 50, 88 - tilt), fill=PALETTE["black"], width=5)
    draw_shape(draw, "circle", left, (x - 38, 88 + tilt * 0.76 - 18), 15)
    draw_shape(draw, "circle", right, (x + 38, 88 - tilt * 0.76 - 18), 15)


STEPS = {"→": (0, 1), "←": (0, -1), "↑": (-1, 0), "↓": (1, 0)}


def arrow_grid() -> Picture:
    """Cells with arrows that lead from the star to one of the letters."""
    rows = ("→↓K↓", "↑→↓←", "M↓←P", "↑→T↑")
    start = (1, 0)
    row, column = start
    while (sign := rows[row][column]) in STEPS:
        row, column = row + STEPS[sign][0], column + STEPS[sign][1]
    picture, draw = blank((260, 260))
    for line in range(4):
        for place in range(4):
            x, y = 20 + 55 * place, 20 + 55 * line
            draw.rectangle((x, y, x + 55, y + 55), outline=PALETTE["grey"], width=2)
            _draw_cell(draw, (x + 28, y + 28), rows[line][place])
    draw_shape(draw, "star", "red", (20 + 55 * start[1] + 12, 20 + 55 * start[0] + 12), 9)
    question = (
        "Start in the cell with the small red star and follow the arrows from cell to cell "
        "until you come to a letter. Which letter is it?"
    )
    return Medium("Grids", picture, (FreeForm(question, (rows[row][column],)),))


def _draw_cell(draw: ImageDraw.ImageDraw, centre: Point, sign: str) -> None:
    if sign not in STEPS:
        write(draw, centre, sign, 28)
        return
    dy, dx = (15 * step for step in STEPS[sign])
    draw_arrow(draw, (centre[0] - dx, centre[1] - dy), (centre[0] + dx, centre[1] + dy), "blue")


def colour_grid() -> Picture:
    """Rows of red, blue and yellow cells, one of them balanced."""
    names = {"R": "red", "B": "blue", "Y": "yellow"}
    rows = ("RRBYRB", "BYBBRR", "RBYYBR", "YBRRBR")
    picture, draw = blank((320, 220))
    for line, cells in enumerate(rows):
        y = 15 + 50 * line
        write(draw, (30, y + 20), str(line + 1), 20)
        for place, cell in enumerate(cells):
            x = 55 + 42 * place
            draw.rectangle((x, y, x + 38, y + 38), fill=PALETTE[names[cell]])
    labels = tuple(f"row {line}" for line in range(1, len(rows) + 1))
    even = only(label for label, cells in zip(labels, rows, strict=True) if cells.count("R") == cells.count("B"))
    return Medium(
        "Grids",
        picture,
        (Choice("In which row are there as many red cells as blue cells?", labels, even),),
    )
