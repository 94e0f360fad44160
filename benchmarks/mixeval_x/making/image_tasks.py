"""Tasks of text2image: a picture to make, and a change to make in it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.mixeval_x.making.entries import Entry

FIRST_PICTURE = "<generated_image_1>"


@dataclass(frozen=True)
class ImageTask:
    """A picture, described by its parts, one of which the second turn changes.

    Attributes:
        verb: how the first prompt begins, such as ``Draw``.
        parts: what is seen in the first picture, in the order of the description.
        place: which part is changed, from 0.
        request: the second prompt.
        new: the part that takes its place; empty if nothing does.
    """

    verb: str
    parts: tuple[str, ...]
    place: int
    request: str
    new: str


TASKS = (
    ImageTask(
        "Draw",
        ("a wooden table", "three red apples in a row on it", "a blue mug to the right of the apples"),
        1,
        "Turn the apples green.",
        "three green apples in a row on it",
    ),
    ImageTask(
        "Paint a watercolour of",
        ("a lighthouse on a cliff", "a calm sea", "two sailing boats near the horizon"),
        1,
        "Make the sea stormy, with high waves.",
        "a stormy sea with high waves",
    ),
    ImageTask(
        "Design",
        ("a round badge with a dark green background", "a white owl in the middle", 'the word "LIBRARY" below the owl'),
        2,
        "Replace the word by READING CLUB.",
        'the words "READING CLUB" below the owl',
    ),
    ImageTask(
        "Draw a cartoon of",
        ("a street in the rain", "a girl with a yellow umbrella", "a small brown dog beside her"),
        2,
        "Take the dog away.",
        "",
    ),
    ImageTask(
        "Make a flat icon with",
        ("a light grey background", "an orange bicycle seen from the side", "a wicker basket on its handlebar"),
        2,
        "Fill the basket with flowers.",
        "a wicker basket full of flowers on its handlebar",
    ),
    ImageTask(
        "Make a photo-like picture of",
        ("a mountain lake at noon", "a red canoe on the shore", "pine trees behind it"),
        0,
        "Let it be night, with a full moon.",
        "a mountain lake at night under a full moon",
    ),
    ImageTask(
        "Draw with a few black lines",
        ("a sleeping cat on a cushion", "a window behind it", "a plant on the window sill"),
        0,
        "Wake the cat: let it sit upright and look out of the window.",
        "a cat that sits upright on a cushion and looks out of the window",
    ),
    ImageTask(
        "Lay out a poster with",
        ('the heading "SUMMER FAIR" in large letters', "a hot-air balloon with stripes below it", "a white background"),
        2,
        "Change the background to light blue and put clouds on it.",
        "a light blue background with clouds",
    ),
)


def image_task_entries() -> list[Entry]:
    """The entries of text2image."""
    entries: list[Entry] = []
    for position, task in enumerate(TASKS, 1):
        second = (*task.parts[: task.place], task.new, *task.parts[task.place + 1 :])
        entries.append(
            {
                "id": str(position),
                "first_turn_user_prompt": f"{task.verb} {listed(task.parts)}.",
                "first_turn_caption": _sentence(task.parts),
                "second_turn_user_prompt": f"{FIRST_PICTURE} {task.request}",
                "second_turn_caption": _sentence(tuple(part for part in second if part)),
            }
        )
    return entries


def listed(parts: tuple[str, ...]) -> str:
    """The parts as a list in a sentence."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _sentence(parts: tuple[str, ...]) -> str:
    text = listed(parts)
    return f"{text[0].upper()}{text[1:]}."
