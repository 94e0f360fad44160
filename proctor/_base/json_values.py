"""JSON as Proctor writes it: canonical for hashes, compact for lines, and values that many rows share."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


# One encoder for all: json.dumps builds a new one for every call that does not use its defaults.
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def sha256_of(value: Json) -> str:
    """SHA-256 (hex) of the canonical JSON of *value*: sorted keys, no spaces, UTF-8."""
    return hashlib.sha256(_canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


# One encoder for all rows: json.dumps builds a new one for every call that does not use its defaults.
_legible = json.JSONEncoder(ensure_ascii=False).encode


def encoded(value: Any, *, indent: int | None = None) -> bytes:
    """JSON in UTF-8, legible; escaped only where a model's text holds half a surrogate pair, which UTF-8 cannot."""
    try:
        if indent is None:
            return _legible(value).encode()
        # Piece by piece: the pieces of a large run's report are many times as large as their sum.
        pieces = map(str.encode, json.JSONEncoder(ensure_ascii=False, indent=indent).iterencode(value))
        return bytes(reduce(operator.iadd, pieces, bytearray()))
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()


class Shared:
    """Makes equal values of many rows one and the same object: names, statuses, scores, token counts.

    A row then takes a third of the memory. What it gives must not be changed.
    """

    MOST = 10_000
    """Values to remember. What many rows have in common comes early; the rest, such as ids, would fill the memory."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def of(self, value: Any) -> Any:
        """An object that is equal to *value*, a JSON value, in type too."""
        if isinstance(value, str):
            return self._one(value, value)
        if isinstance(value, dict):
            made = {self._one(name, name): self.of(part) for name, part in value.items()}
            # Parts are told apart by identity: equal ones are one object, and 1 is not 1.0.
            return self._one((*made, *map(id, made.values())), made)
        if isinstance(value, list):
            parts = [self.of(part) for part in value]
            return self._one((list, *map(id, parts)), parts)
        if isinstance(value, float):
            return self._one((value, float), value)
        return value

    def _one(self, name: Any, value: Any) -> Any:
        known = self._known.get(name)
        if known is None and len(self._known) < self.MOST:
            self._known[name] = value
        return value if known is None else known


def is_unicode(data: Any) -> bool:
    """Whether all text in *data*, parsed from JSON, can be written in UTF-8."""
    try:
        json.dumps(data, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True
