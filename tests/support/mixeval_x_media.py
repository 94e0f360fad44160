"""The shipped MixEval-X entries and media, read back from their pixels and samples."""

from __future__ import annotations

import json
import wave
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

SHIPPED = Path(__file__).parents[2] / "data/mixeval_x"
MEDIA_FIELDS = {"image2text": "image_id", "video2text": "video_id", "audio2text": "audio_id"}
COLOURS = {"red": (214, 40, 40), "blue": (29, 78, 216), "green": (22, 148, 60), "yellow": (245, 205, 20)}
Entry = dict[str, Any]
Pixels = NDArray[np.int16]
Mask = NDArray[np.bool_]
Sound = NDArray[np.float64]


def entries_of(task: str) -> list[Entry]:
    return [json.loads(line) for line in (SHIPPED / f"{task}.jsonl").read_text("utf-8").splitlines()]


def entry(task: str, asked: str) -> Entry:
    """The one entry of a task whose question has some words in it."""
    (found,) = (entry for entry in entries_of(task) if asked in entry["prompt"])
    return found


def right_option(found: Entry) -> str:
    (index,) = found["target"]
    option: str = found["options"][index]
    return option


def picture(path: Path) -> Pixels:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).astype(np.int16)


def clip(path: Path) -> Pixels:
    with av.open(str(path)) as container:
        return np.array([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]).astype(np.int16)


def sound(path: Path) -> Sound:
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767


def shown(found: Entry, task: str) -> Path:
    (name,) = (found[field] for field in MEDIA_FIELDS.values() if field in found)
    return SHIPPED / "media" / task / str(name)


def of_colour(pixels: Pixels, colour: str) -> Mask:
    """Where a picture or a clip has a colour, or nearly so, since clips lose some of it."""
    near: Mask = np.abs(pixels - np.array(COLOURS[colour])).max(axis=-1) < 45
    return near


def blobs(mask: Mask) -> list[tuple[int, tuple[slice, ...]]]:
    """Area and bounding box of every connected part."""
    labels, _ = ndimage.label(mask)
    boxes = ndimage.find_objects(labels)
    return [(int((labels[box] == number).sum()), box) for number, box in enumerate(boxes, 1)]


def middle(mask: Mask) -> tuple[float, float]:
    """Column and row of the middle of all pixels in a mask."""
    rows, columns = np.nonzero(mask)
    return float(columns.mean()), float(rows.mean())
