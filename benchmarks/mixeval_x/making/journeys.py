"""Clips to follow from beginning to end: order over time, hidden things, conditions, arithmetic."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from PIL import ImageDraw

from benchmarks.mixeval_x.making.canvas import PALETTE, draw_shape, write
from benchmarks.mixeval_x.making.clips import Clip, between, film
from benchmarks.mixeval_x.making.entries import Choice, FreeForm, Medium, number


def hard() -> list[Medium[Clip]]:
    """The clips of video2text_hard."""
    return [three_cups(), race(), letter_walk(), gauge(), crossing(), sums()]


PLACES = ("left", "middle", "right")


def three_cups() -> Medium[Clip]:
    """A ball under one of three cups that change places."""
    swaps = ((0, 1), (1, 2), (0, 2), (0, 1))
    hidden, shown_for, period = 1, 1.2, 0.8
    order = [[0, 1, 2]]  # order[k][place] is the cup that stands there after k swaps
    for first, second in swaps:
        places = list(order[-1])
        places[first], places[second] = places[second], places[first]
        order.append(places)

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        if time < shown_for:
            draw_shape(draw, "circle", "red", (48 + 80 * hidden, 140), 13)
        # a swap takes the first six tenths of its period; then the cups rest
        which, phase = divmod(max(time - shown_for - 0.4, 0), period)
        done, along = (int(which), min(phase / 0.6, 1)) if which < len(swaps) else (len(swaps), 0.0)
        for place, cup in enumerate(order[done]):
            x, y = 48.0 + 80 * place, 110.0
            if done < len(swaps) and time > shown_for and place in swaps[done]:
                first, second = swaps[done]
                target = second if place == first else first
                x += 80 * (target - place) * along
                y += (-30 if place == first else 30) * math.sin(math.pi * along)
            if cup == hidden:
                y -= between(((0.7, 55), (shown_for, 0)), time)
            _draw_cup(draw, x, y)

    final = PLACES[order[-1].index(hidden)]
    return Medium(
        "Journeys",
        film(shown_for + 0.4 + period * len(swaps) + 0.4, paint, "sky"),
        (
            FreeForm("How many times do two cups change places?", number(len(swaps))),
            Choice(
                "At the start a red ball is covered by a cup. Under which cup is the ball at the end?",
                tuple(f"the {place} one" for place in PLACES),
                f"the {final} one",
            ),
        ),
    )


def _draw_cup(draw: ImageDraw.ImageDraw, x: float, y: float) -> None:
    draw.polygon([(x - 20, y - 42), (x + 20, y - 42), (x + 32, y + 45), (x - 32, y + 45)], fill=PALETTE["brown"])
    draw.line((x - 24, y - 24, x + 24, y - 24), fill=PALETTE["orange"], width=4)


def race() -> Medium[Clip]:
    """Three balls that overtake one another."""
    start, finish, seconds = 20, 215, 5.0
    # (second, x); who leads at the start does not win
    ways = {
        "red": ((0.5, start), (2.0, 130), (4.6, finish + 5)),
        "blue": ((0.5, start), (2.5, 90), (3.6, finish), (4.0, finish + 20)),
        "green": ((0.5, start), (3.0, 100), (4.1, finish), (4.5, finish + 20)),
    }

    def arrival(colour: str) -> float:
        steps = range(round(seconds * 1000))
        return next(step / 1000 for step in steps if between(ways[colour], step / 1000) >= finish)

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        draw.line((finish, 10, finish, 182), fill=PALETTE["black"], width=4)
        for lane, (colour, way) in enumerate(ways.items()):
            draw_shape(draw, "circle", colour, (between(way, time), 40 + 56 * lane), 16)

    order = sorted(ways, key=arrival)
    early = max(ways, key=lambda colour: between(ways[colour], 1.5))
    return Medium(
        "Journeys",
        film(seconds, paint),
        (
            FreeForm(
                "In which order do the balls arrive at the black line? Name their colours, the first one first.",
                (", ".join(order), ", then ".join(order)),
            ),
            Choice(
                "Which ball is in front at first and is overtaken later?",
                ("the red ball", "the blue ball", "the green ball", "none of them"),
                f"the {early} ball",
            ),
        ),
    )


def letter_walk() -> Medium[Clip]:
    """A dot that visits letters on a grid."""
    letters = ("KRT", "ASE", "MOL")
    path = ("R", "S", "A", "M", "O", "L", "E")
    cells = {letter: (x, y) for y, row in enumerate(letters) for x, letter in enumerate(row)}
    period = 0.7

    def middle(letter: str) -> tuple[float, float]:
        x, y = cells[letter]
        return 60 + 68 * x, 38 + 58 * y

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        ways = []
        for axis in (0, 1):
            waypoints = []
            for step, letter in enumerate(path):
                arrived = 0.4 + period * step
                waypoints += [(arrived, middle(letter)[axis]), (arrived + 0.3, middle(letter)[axis])]
            ways.append(between(waypoints, time))
        draw_shape(draw, "circle", "yellow", (ways[0], ways[1]), 26)
        for letter in cells:
            write(draw, middle(letter), letter, 26)

    names = {(1, 0): "right", (-1, 0): "left", (0, 1): "down", (0, -1): "up"}
    moves = Counter(
        names[cells[second][0] - cells[first][0], cells[second][1] - cells[first][1]]
        for first, second in pairwise(path)
    )
    seen = ", ".join(path)
    return Medium(
        "Journeys",
        film(0.4 + period * len(path) + 0.3, paint),
        (
            FreeForm("Which letters does the yellow dot visit, in order?", (seen, "".join(path))),
            Choice("How many times does the dot move down?", ("1", "2", "3", "4"), str(moves["down"])),
        ),
    )


def gauge() -> Medium[Clip]:
    """A column that rises and falls beside a scale with a mark."""
    mark = 6
    turns = (2, 8, 3, 5, 1, 9, 4, 7)
    waypoints = [(0.3 + 0.6 * step, value) for step, value in enumerate(turns)]

    def height(value: float) -> float:
        return 175 - 16 * value

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        for value in range(0, 11, 2):
            write(draw, (80, height(value)), str(value), 14, anchor="rm")
            draw.line((84, height(value), 94, height(value)), fill=PALETTE["black"], width=2)
        draw.rectangle((98, height(10), 148, height(0)), fill=PALETTE["pale"])
        draw.rectangle((98, height(between(waypoints, time)), 148, height(0)), fill=PALETTE["blue"])
        draw.line((90, height(mark), 175, height(mark)), fill=PALETTE["red"], width=3)

    above = sum(first < mark < second for first, second in pairwise(turns))
    return Medium(
        "Screens",
        film(0.3 + 0.6 * len(turns), paint),
        (
            FreeForm("How many times does the blue column rise above the red line?", number(above)),
            Choice(
                "What is the highest value that the column reaches?",
                ("about 10", "about 7", "about 9", "about 6"),
                f"about {max(turns)}",
            ),
        ),
    )


def crossing() -> Medium[Clip]:
    """Cars that pass a traffic light."""
    lights = ((0.0, "green"), (1.6, "red"), (4.0, "green"))
    # colour and when the car passes the light
    cars = (("blue", 0.8), ("yellow", 2.2), ("purple", 3.2), ("orange", 4.8), ("black", 5.6))

    def light_at(time: float) -> str:
        return [colour for since, colour in lights if since <= time][-1]

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        draw.rectangle((0, 110, 256, 170), fill=PALETTE["grey"])
        draw.rectangle((122, 20, 152, 82), fill=PALETTE["black"])
        draw.rectangle((134, 82, 140, 110), fill=PALETTE["black"])
        now = light_at(time)
        draw_shape(draw, "circle", "red" if now == "red" else "grey", (137, 36), 11)
        draw_shape(draw, "circle", "green" if now == "green" else "grey", (137, 66), 11)
        draw.line((137, 110, 137, 170), fill=PALETTE["white"], width=4)
        for colour, passing in cars:
            x = 137 + 260 * (time - passing)
            draw.rounded_rectangle((x - 26, 128, x + 26, 152), 7, fill=PALETTE[colour])

    on_red = [colour for colour, passing in cars if light_at(passing) == "red"]
    return Medium(
        "Events",
        film(6.2, paint, "sky"),
        (
            FreeForm(
                "How many cars cross the white line while the light is green?",
                number(sum(light_at(passing) == "green" for _, passing in cars)),
            ),
            Choice(
                "Which car is the first to cross the white line while the light is red?",
                ("the purple one", "the orange one", "the blue one", "the yellow one"),
                f"the {on_red[0]} one",
            ),
        ),
    )


def sums() -> Medium[Clip]:
    """Numbers to add and to subtract, one after another."""
    terms = (7, 5, -4, 6, -3)
    period = 0.9
    running = [sum(terms[:count]) for count in range(1, len(terms) + 1)]

    def paint(draw: ImageDraw.ImageDraw, time: float) -> None:
        which, phase = divmod(time, period)
        if phase < 0.7 and which < len(terms):
            term = terms[int(which)]
            sign = "" if which == 0 else "+ " if term > 0 else "- "
            write(draw, (128, 96), f"{sign}{abs(term)}", 72, colour="yellow")

    return Medium(
        "Screens",
        film(period * len(terms) + 0.3, paint, "purple"),
        (
            FreeForm("Work out the sum that the clip shows term by term. What is the result?", number(running[-1])),
            Choice(
                "Work out the result after each term. What is the largest result on the way?",
                ("11", "12", "14", "18"),
                str(max(running)),
            ),
        ),
    )
