"""Rendered text and clocks: what is written, what it costs, what time it is."""

from __future__ import annotations

from PIL import Image

from benchmarks.mixeval_x.making.canvas import PALETTE, blank, draw_clock, write
from benchmarks.mixeval_x.making.entries import Choice, FreeForm, Medium, only


def easy() -> list[Medium[Image.Image]]:
    """Text and clocks to read."""
    return [bakery(), departures(), one_clock()]


def hard() -> list[Medium[Image.Image]]:
    """Text and clocks to calculate with."""
    return [receipt(), start_and_end(), four_clocks()]


def bakery() -> Medium[Image.Image]:
    """A shop's opening hours."""
    hours = {
        "Monday": "closed",
        "Tuesday": "7:00 - 18:00",
        "Wednesday": "7:00 - 18:00",
        "Friday": "7:00 - 19:00",
        "Saturday": "8:00 - 13:30",
    }
    picture, draw = blank(background="brown")
    write(draw, (160, 30), "MILLSTONE BAKERY", 26, colour="yellow")
    for line, (day, text) in enumerate(hours.items()):
        write(draw, (40, 75 + 32 * line), day, 20, colour="white", anchor="lm")
        write(draw, (285, 75 + 32 * line), text, 20, colour="white", anchor="rm")
    hour, minute = hours["Saturday"].split(" - ")[1].split(":")
    closed = only(day for day, text in hours.items() if text == "closed")
    return Medium(
        "Signs",
        picture,
        (
            FreeForm(
                "Until what time is the bakery open on Saturday?", (f"{hour}:{minute}", f"{int(hour) - 12}:{minute} pm")
            ),
            Choice("On which day is the bakery closed?", ("Tuesday", "Friday", "Saturday", "Monday"), closed),
        ),
    )


def departures() -> Medium[Image.Image]:
    """A board of trains."""
    trains = (
        ("9:05", "Harbour", "3"),
        ("9:20", "Old Town", "1"),
        ("9:35", "Airport", "4"),
        ("9:50", "Lake Park", "2"),
    )
    picture, draw = blank(background="black")
    for x, title in ((20, "Time"), (95, "To"), (235, "Platform")):
        write(draw, (x, 28), title, 18, colour="yellow", anchor="lm")
    for line, (time, place, platform) in enumerate(trains):
        for x, text in ((20, time), (95, place), (265, platform)):
            write(draw, (x, 75 + 42 * line), text, 22, colour="white", anchor="lm")
    (airport,) = (time for time, place, _ in trains if place == "Airport")
    (town,) = (platform for _, place, platform in trains if place == "Old Town")
    return Medium(
        "Signs",
        picture,
        (
            FreeForm("When does the train to the airport leave?", (airport, f"{airport} am")),
            Choice(
                "From which platform does the train to Old Town leave?",
                tuple(f"platform {platform}" for *_, platform in trains),
                f"platform {town}",
            ),
        ),
    )


def one_clock() -> Medium[Image.Image]:
    """A clock."""
    minutes = 4 * 60 + 35
    picture, draw = blank((220, 220), "sky")
    draw_clock(draw, (110, 110), 95, minutes)
    hour, past = divmod(minutes, 60)
    wordings = (f"{hour}:{past:02}", f"{60 - past} minutes to {hour + 1}", f"{hour + 12}:{past:02}")
    return Medium("Clocks", picture, (FreeForm("What time does the clock show?", wordings),))


def receipt() -> Medium[Image.Image]:
    """A receipt whose total is covered by a stain."""
    lines = ((2, "notebook", 3), (5, "pencil", 1), (1, "stapler", 7), (3, "eraser", 2))
    picture, draw = blank((280, 260))
    write(draw, (140, 24), "CORNER STATIONERS", 20)
    for row, (count, name, price) in enumerate(lines):
        write(draw, (20, 65 + 30 * row), f"{count} x {name}", 18, anchor="lm")
        write(draw, (260, 65 + 30 * row), f"{price} each", 18, anchor="rm")
    draw.line((20, 185, 260, 185), fill=PALETTE["black"], width=2)
    write(draw, (20, 210), "TOTAL", 20, anchor="lm")
    for x, y, radius in ((225, 208, 24), (246, 216, 18), (204, 216, 16), (232, 226, 16)):
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=PALETTE["purple"])
    total = str(sum(count * price for count, _, price in lines))
    costs = {name: count * price for count, name, price in lines}
    dearest = max(costs, key=costs.__getitem__)
    return Medium(
        "Signs",
        picture,
        (
            FreeForm(
                "The total on the receipt is covered by a stain. The prices are for one piece each. What is the total?",
                (total,),
            ),
            Choice(
                "Which line of the receipt costs most, with the number of pieces counted in?",
                tuple(f"the {name}{'s' if count > 1 else ''}" for count, name, _ in lines),
                only(f"the {name}{'s' if count > 1 else ''}" for count, name, _ in lines if name == dearest),
            ),
        ),
    )


def start_and_end() -> Medium[Image.Image]:
    """Two clocks, some time apart."""
    start, end = 2 * 60 + 50, 4 * 60 + 15
    picture, draw = blank((340, 210), "sky")
    for x, label, minutes in ((88, "start", start), (252, "end", end)):
        draw_clock(draw, (x, 90), 76, minutes)
        write(draw, (x, 188), label, 22)
    passed = end - start
    question = "A class began and ended on the same afternoon at the times shown. How many minutes did it last?"
    wordings = (str(passed), f"{passed} minutes", f"{passed // 60} hour and {passed % 60} minutes")
    return Medium("Clocks", picture, (FreeForm(question, wordings),))


def four_clocks() -> Medium[Image.Image]:
    """Four clocks, one of which differs from the others' pattern."""
    shown = {"A": 9 * 60 + 30, "B": 10 * 60 + 15, "C": 8 * 60 + 55, "D": 11 * 60 + 5}
    picture, draw = blank((340, 330), "sky")
    for position, (name, minutes) in enumerate(shown.items()):
        x, y = 90 + 160 * (position % 2), 80 + 160 * (position // 2)
        draw_clock(draw, (x, y), 70, minutes)
        write(draw, (x - 70, y - 62), name, 24)
    order = sorted(shown, key=shown.__getitem__)
    return Medium(
        "Clocks",
        picture,
        (
            Choice(
                "All four clocks show times of one morning. In which order do the times follow one another?",
                ("A, B, C, D", "C, A, B, D", "C, B, A, D", "A, C, D, B"),
                ", ".join(order),
            ),
        ),
    )
