"""Short clips in which one thing happens: motion, light, size, words and shapes that appear."""

from __future__ import annotations

import math

from PIL import ImageDraw

from benchmarks.mixeval_x.making.canvas import PALETTE, draw_shape, write
from benchmarks.mixeval_x.making.clips import Clip, between, film
from benchmarks.mixeval_x.making.entries import Choice, FreeForm, Medium, number, only


def easy() -> list[Medium[Clip]]:
    """The clips of video2text."""
    return [passing_shapes(), flashing_lamp(), words(), sizes(), bouncing_ball(), appearing_shapes()]


def passing_shapes() -> Medium[Clip]:
    """Four shapes, of which three move."""
    directions = {"right": (1, 0), "left": (-1, 0), "up": (0, -1), "down": (0, 1), "nowhere": (0, 0)}
    # colour, kind, where it is half way, where it goes
    things = (
        ("red", "circle", (128, 35), "right"),
        ("green", "triangle", (40, 125), "up"),
        ("blue", "square", (128, 100), "nowhere"),
        ("orange", "star", (150, 160), "left"),
    )
    seconds, reach = 3.0, {True: 90, False: 30}

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        along = 2 * time / seconds - 1
        for colour, kind, (x, y), where in things:
            dx, dy = directions[where]
            distance = along * reach[dx != 0]
            draw_shape(draw, kind, colour, (x + dx * distance, y + dy * distance), 18)

    red = only(where for colour, _, _, where in things if colour == "red")
    still = only(f"the {colour} {kind}" for colour, kind, _, where in things if where == "nowhere")
    return Medium(
        "Motion",
        film(seconds, paint),
        (
            FreeForm("In which direction does the red circle move?", (red, f"to the {red}", "from left to right")),
            Choice(
                "Which shape stays where it is?", tuple(f"the {colour} {kind}" for colour, kind, *_ in things), still
            ),
        ),
    )


def flashing_lamp() -> Medium[Clip]:
    """A lamp that lights up in several colours."""
    flashes = ("yellow", "blue", "yellow", "green", "red")
    period = 0.7

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        which, phase = divmod(time - 0.3, period)
        lit = 0 <= which < len(flashes) and phase < 0.4
        draw.rectangle((118, 125, 138, 175), fill=PALETTE["grey"])
        draw_shape(draw, "circle", flashes[int(which)] if lit else "black", (128, 85), 45)

    return Medium(
        "Events",
        film(0.6 + period * len(flashes), paint, "pale"),
        (
            FreeForm("How many times does the lamp light up?", number(len(flashes))),
            Choice("In which colour does the lamp light up last?", ("yellow", "blue", "green", "red"), flashes[-1]),
        ),
    )


def words() -> Medium[Clip]:
    """Four words, shown one after another."""
    shown = ("RIVER", "CHAIR", "APPLE", "NIGHT")

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        write(draw, (128, 96), shown[min(int(time / 0.8), len(shown) - 1)], 48, colour="yellow")

    return Medium(
        "Screens",
        film(0.8 * len(shown), paint, "black"),
        (
            FreeForm("Which word is shown second?", (shown[1],)),
            Choice(
                "Which word comes directly after APPLE?",
                ("RIVER", "CHAIR", "NIGHT", "no other word"),
                shown[shown.index("APPLE") + 1],
            ),
        ),
    )


def sizes() -> Medium[Clip]:
    """One shape grows, one shrinks, one stays as it is."""
    radii = {("orange", "square"): (12, 36), ("purple", "circle"): (38, 12), ("green", "star"): (28, 28)}
    seconds = 3.0

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        for position, ((colour, kind), (first, last)) in enumerate(radii.items()):
            radius = between(((0.5, first), (seconds - 0.5, last)), time)
            draw_shape(draw, kind, colour, (45 + 83 * position, 96), radius)

    colour, kind = max(radii, key=lambda key: radii[key][1] - radii[key][0])
    first, last = radii["purple", "circle"]
    happens = "It gets larger." if last > first else "It gets smaller."
    return Medium(
        "Motion",
        film(seconds, paint),
        (
            FreeForm("Which shape grows?", (f"the {colour} {kind}", kind)),
            Choice(
                "What happens to the circle?",
                ("It gets larger.", "It gets smaller.", "It keeps its size.", "It turns green."),
                happens,
            ),
        ),
    )


def bouncing_ball() -> Medium[Clip]:
    """A ball that bounces and changes its colour on the way."""
    bounces, fall, floor, top = 3, 0.5, 170, 40
    colours = ("red", "red", "blue", "blue")
    seconds = fall * 2 * bounces

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        draw.rectangle((0, floor, 256, 192), fill=PALETTE["brown"])
        # falls and rises take *fall* seconds each; the ball is on the floor at fall, 3 fall, 5 fall …
        phase = abs((time / fall + 1) % 2 - 1)
        y = top + (floor - 16 - top) * phase * phase
        touched = int((time / fall + 1) // 2)
        draw_shape(draw, "circle", colours[touched], (30 + 200 * time / seconds, y), 16)

    return Medium(
        "Motion",
        film(seconds, paint, "sky"),
        (
            FreeForm("How many times does the ball hit the ground?", number(bounces)),
            Choice("Which colour does the ball have at the end?", ("red", "yellow", "green", "blue"), colours[-1]),
        ),
    )


def appearing_shapes() -> Medium[Clip]:
    """Shapes that appear one after another and stay."""
    things = (
        ("blue", "square", (60, 50)),
        ("red", "star", (190, 60)),
        ("green", "circle", (80, 135)),
        ("purple", "triangle", (150, 115)),
        ("orange", "diamond", (215, 145)),
    )

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        for colour, kind, centre in things[: math.floor(time / 0.6)]:
            draw_shape(draw, kind, colour, centre, 24)

    colour, kind, _ = things[-1]
    return Medium(
        "Events",
        film(0.6 * (len(things) + 2), paint),
        (
            FreeForm("Which shape appears last, and which colour has it?", (f"an {colour} {kind}", f"{colour} {kind}")),
            Choice("How many shapes are there at the end?", ("3", "4", "5", "6"), str(len(things))),
        ),
    )
