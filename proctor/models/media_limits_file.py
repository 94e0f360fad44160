"""What a models.yaml says about media: what models take and make, and how it is shown to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from proctor._base.json_values import Json
from proctor._base.marked_yaml import Marked, nearest
from proctor.media.limits import AUDIO_TYPES, IMAGE_TYPES, NEEDED, STRATEGIES, Settings
from proctor.media.medium import Kind

INPUTS = ("image", "audio")
"""What a model may take beside text; one that takes pictures takes clips, as frames."""

OUTPUTS = ("image",)
"""What a model's answers may be instead of texts."""

FIELDS: Mapping[Kind, Sequence[str]] = {
    "image": ("max_edge", "max_bytes", "max_count", "types"),
    "video": ("frames", "strategy", "max_edge"),
    "audio": ("max_bytes", "types"),
}
TYPES: Mapping[Kind, Sequence[str]] = {"image": IMAGE_TYPES, "audio": AUDIO_TYPES}


def read_inputs(mark: Marked) -> frozenset[Kind]:
    """The kinds of media under ``inputs``."""
    return frozenset(cast("Kind", _one_of(item, INPUTS)) for item in mark.items())


def read_outputs(mark: Marked) -> frozenset[Kind]:
    """The kinds of media under ``outputs``."""
    return frozenset(cast("Kind", _one_of(item, OUTPUTS)) for item in mark.items())


def read_media(mark: Marked, *, whole: bool) -> Settings:
    """The settings under ``media``.

    Args:
        mark: The value.
        whole: Whether all that has no default must be there.

    Raises:
        DataError: For the first mistake, with its line.
    """
    found = mark.fields(FIELDS)
    return {
        cast("Kind", kind): {
            name: _setting(cast("Kind", kind), name, value)
            for name, value in item.fields(FIELDS[cast("Kind", kind)], NEEDED[kind] if whole else ()).items()
        }
        for kind, item in found.items()
    }


def _setting(kind: Kind, name: str, mark: Marked) -> Json:
    if name == "types":
        types = tuple(_one_of(item, TYPES[kind]) for item in mark.items())
        if not types:
            mark.fail("expected at least one type", f"of {', '.join(TYPES[kind])}")
        return types
    return _one_of(mark, STRATEGIES) if name == "strategy" else mark.count()


def _one_of(mark: Marked, known: Sequence[str]) -> str:
    word = mark.text()
    if word not in known:
        mark.fail("not known here", nearest(word, known) or f"one of {', '.join(known)}")
    return word
