"""Tasks of image2action: the things to use are seen in a picture, drawn and named."""

from __future__ import annotations

from PIL import Image, ImageDraw

from benchmarks.mixeval_x.making.actions import HOUSE, ActionTask
from benchmarks.mixeval_x.making.canvas import PALETTE, Point, blank, write
from benchmarks.mixeval_x.making.entries import Entry

Stroke = tuple[str, str, tuple[float, ...]]
"""``box`` or ``round`` (corners x0, y0, x1, y1) or ``poly`` (x, y of every corner), a colour, and where, in pixels
from the thing's middle."""

ICONS: dict[str, tuple[Stroke, ...]] = {
    "ball": (("round", "red", (-18, -18, 18, 18)), ("box", "white", (-18, -3, 18, 3))),
    "basket": (("poly", "brown", (-26, -12, 26, -12, 18, 24, -18, 24)), ("box", "orange", (-28, -16, 28, -9))),
    "bin": (("poly", "grey", (-16, -16, 16, -16, 12, 24, -12, 24)), ("box", "black", (-20, -22, 20, -16))),
    "book": (("box", "purple", (-20, -14, 20, 14)), ("box", "white", (-14, -8, 14, -3))),
    "box": (("box", "brown", (-24, -14, 24, 22)), ("box", "yellow", (-4, -14, 4, 22))),
    "bread": (
        ("round", "orange", (-26, -14, 26, 22)),
        ("box", "brown", (-12, -6, -7, 8)),
        ("box", "brown", (7, -6, 12, 8)),
    ),
    "cat": (
        ("round", "grey", (-16, -8, 16, 24)),
        ("round", "grey", (-12, -28, 12, -4)),
        ("poly", "grey", (-12, -20, -10, -34, -2, -26)),
        ("poly", "grey", (12, -20, 10, -34, 2, -26)),
        ("round", "black", (-6, -20, -2, -16)),
        ("round", "black", (2, -20, 6, -16)),
    ),
    "bowl": (("poly", "blue", (-24, -6, 24, -6, 14, 18, -14, 18)),),
    "cup": (("round", "red", (8, -8, 28, 12)), ("round", "white", (13, -3, 23, 7)), ("box", "red", (-16, -14, 16, 20))),
    "door": (("box", "brown", (-22, -38, 22, 38)), ("round", "yellow", (10, -2, 17, 5))),
    "fridge": (
        ("box", "grey", (-24, -40, 24, 40)),
        ("box", "white", (-20, -36, 20, -10)),
        ("box", "white", (-20, -4, 20, 36)),
        ("box", "black", (12, -28, 15, -14)),
        ("box", "black", (12, 2, 15, 20)),
    ),
    "key": (
        ("round", "orange", (-26, -10, -6, 10)),
        ("round", "white", (-20, -4, -12, 4)),
        ("box", "orange", (-8, -3, 26, 3)),
        ("box", "orange", (14, 0, 18, 11)),
        ("box", "orange", (21, 0, 25, 11)),
    ),
    "kettle": (
        ("round", "blue", (-20, -16, 20, 22)),
        ("poly", "blue", (12, 2, 32, -14, 20, 12)),
        ("box", "black", (-10, -26, 10, -18)),
    ),
    "lamp": (
        ("box", "black", (-2, -8, 2, 28)),
        ("box", "black", (-14, 24, 14, 30)),
        ("poly", "yellow", (-12, -32, 12, -32, 24, -6, -24, -6)),
    ),
    "letter": (("box", "sky", (-26, -16, 26, 16)), ("poly", "blue", (-26, -16, 26, -16, 0, 4))),
    "mailbox": (
        ("box", "brown", (-3, 0, 3, 38)),
        ("box", "yellow", (-24, -26, 24, 2)),
        ("box", "black", (-14, -16, 14, -11)),
    ),
    "oven": (
        ("box", "grey", (-28, -32, 28, 32)),
        ("box", "black", (-20, -10, 20, 22)),
        ("round", "red", (-18, -26, -8, -16)),
        ("round", "red", (8, -26, 18, -16)),
    ),
    "plant": (
        ("poly", "orange", (-16, 8, 16, 8, 11, 32, -11, 32)),
        ("round", "green", (-24, -22, 0, 6)),
        ("round", "green", (0, -22, 24, 6)),
        ("round", "green", (-12, -36, 12, -8)),
    ),
    "shelf": (
        ("box", "brown", (-30, -36, 30, -31)),
        ("box", "brown", (-30, -2, 30, 3)),
        ("box", "brown", (-30, 31, 30, 36)),
        ("box", "brown", (-30, -36, -26, 36)),
        ("box", "brown", (26, -36, 30, 36)),
    ),
    "sink": (
        ("box", "grey", (-28, 0, 28, 26)),
        ("box", "sky", (-22, 0, 22, 14)),
        ("box", "black", (-3, -24, 3, 0)),
        ("box", "black", (-3, -24, 14, -18)),
    ),
    "table": (
        ("box", "brown", (-38, -14, 38, -6)),
        ("box", "brown", (-34, -6, -28, 32)),
        ("box", "brown", (28, -6, 34, 32)),
    ),
    "umbrella": (
        ("poly", "purple", (-30, 0, -20, -20, 0, -30, 20, -20, 30, 0)),
        ("box", "black", (-2, 0, 2, 30)),
        ("box", "black", (-12, 26, 2, 30)),
    ),
    "watering can": (
        ("box", "green", (-16, -10, 16, 22)),
        ("poly", "green", (16, 8, 34, -16, 38, -12, 16, 20)),
        ("box", "green", (-26, -6, -16, -2)),
        ("box", "green", (-26, -6, -22, 14)),
    ),
}

ROOMS = (
    ActionTask(
        "Put the loaf of bread into the oven and bake it.",
        (*HOUSE, "Wait"),
        ("bread", "table", "oven", "fridge", "cup"),
        "[Navigation] <table>, [PickupObject] <bread>, [Navigation] <oven>",
        "[OpenObject] <oven>, [PutObject] <bread> <oven>, [CloseObject] <oven>, [ToggleObjectOn] <oven>, [Wait]",
    ),
    ActionTask(
        "Water the plant.",
        (*HOUSE, "FillObject", "PourInto"),
        ("sink", "watering can", "plant", "lamp"),
        "[Navigation] <watering can>, [PickupObject] <watering can>",
        "[Navigation] <sink>, [FillObject] <watering can> <sink>, [Navigation] <plant>, "
        "[PourInto] <watering can> <plant>",
    ),
    ActionTask(
        "Tidy up: put the ball into the basket and the book on the shelf.",
        HOUSE,
        ("ball", "basket", "book", "shelf", "lamp"),
        "[Navigation] <ball>, [PickupObject] <ball>, [Navigation] <basket>, [PutObject] <ball> <basket>",
        "[Navigation] <book>, [PickupObject] <book>, [Navigation] <shelf>, [PutObject] <book> <shelf>",
    ),
    ActionTask(
        "Leave the house: the door is locked, and it rains outside.",
        (*HOUSE, "Unlock", "Lock"),
        ("door", "key", "umbrella", "cat", "table"),
        "[Navigation] <table>, [PickupObject] <umbrella>",
        "[PickupObject] <key>, [Navigation] <door>, [Unlock] <door> <key>, [OpenObject] <door>",
    ),
    ActionTask(
        "Post the letter.",
        (*HOUSE, "Call", "Throw"),
        ("letter", "mailbox", "bin", "door"),
        "[PickupObject] <letter>, [Navigation] <door>, [OpenObject] <door>",
        "[Navigation] <mailbox>, [PutObject] <letter> <mailbox>",
    ),
    ActionTask(
        "Pour water that has boiled into the cup.",
        (*HOUSE, "FillObject", "PourInto", "Wait"),
        ("kettle", "sink", "cup", "table", "bread"),
        "[Navigation] <sink>, [FillObject] <kettle> <sink>, [ToggleObjectOn] <kettle>",
        "[Wait], [ToggleObjectOff] <kettle>, [PickupObject] <kettle>, [Navigation] <cup>, [PourInto] <kettle> <cup>",
    ),
    ActionTask(
        "Give the cat a bowl of water.",
        (*HOUSE, "FillObject", "Call"),
        ("cat", "bowl", "fridge", "sink", "box"),
        "[Navigation] <bowl>, [PickupObject] <bowl>",
        "[Navigation] <sink>, [FillObject] <bowl> <sink>, [Navigation] <cat>, [PutObject] <bowl>, [Call] <cat>",
    ),
    ActionTask(
        "Pack the book and the cup into the box and carry the box to the door.",
        (*HOUSE, "Throw"),
        ("book", "cup", "box", "door", "bin"),
        "[OpenObject] <box>, [PickupObject] <book>, [PutObject] <book> <box>",
        "[PickupObject] <cup>, [PutObject] <cup> <box>, [CloseObject] <box>, [PickupObject] <box>, "
        "[Navigation] <door>, [PutObject] <box> <door>",
    ),
)


def draw_room(things: tuple[str, ...]) -> Image.Image:
    """A picture of up to six named things in two rows."""
    picture, draw = blank((360, 270))
    for position, thing in enumerate(things):
        x, y = 65 + 115 * (position % 3), 60 + 130 * (position // 3)
        for stroke in ICONS[thing]:
            _draw_stroke(draw, stroke, (x, y))
        write(draw, (x, y + 54), thing, 17)
    return picture


def _draw_stroke(draw: ImageDraw.ImageDraw, stroke: Stroke, at: Point) -> None:
    kind, colour, where = stroke
    points = [(at[0] + x, at[1] + y) for x, y in zip(where[::2], where[1::2], strict=True)]
    {"box": draw.rectangle, "round": draw.ellipse, "poly": draw.polygon}[kind](points, fill=PALETTE[colour])


def image_entries() -> tuple[list[Entry], list[Image.Image]]:
    """The entries of image2action, and the picture of each."""
    entries: list[Entry] = [
        {
            "id": str(position),
            "image_id": f"{position}.png",
            "task description": room.description,
            "allowed actions": room.allowed,
            "already executed steps": room.done,
            "target": room.left,
        }
        for position, room in enumerate(ROOMS, 1)
    ]
    return entries, [draw_room(room.things) for room in ROOMS]
