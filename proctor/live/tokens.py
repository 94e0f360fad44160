"""How many tokens a text has, where no provider has counted them: an approximation by its length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proctor._base.json_values import Json
from proctor.tasks.call import Call

CHARACTERS_PER_TOKEN = 3.5
"""Between prose (about 4) and lists of triplets (about 3); docs/how-to/costs.md compares."""


def approximate_tokens(characters: int, per_token: float = CHARACTERS_PER_TOKEN) -> int:
    """The tokens of a text of so many characters, rounded up."""
    return int(-(-characters // per_token))


def text_of(call: Call) -> str:
    """All text that a call sends; images and other media have none."""
    return "".join(_text(message.get("content")) for message in call.messages)


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text(content.get("text"))
    if isinstance(content, Sequence):
        return "".join(map(_text, content))
    return ""


def common_prefix(one: str, other: str) -> int:
    """How many characters two texts share at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        # Only the part that is not known to be equal is compared, so that the whole takes linear time.
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
