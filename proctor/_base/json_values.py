"""JSON as Proctor writes it: canonical for hashes, compact for lines, and values that many rows share."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from marshal import dumps
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
    """JSON in UTF-8, legible; escaped only where a model's text holds half a surrogate pair, which UTF-8 cannot.

    Args:
        value: What is to be written.
        indent: Blanks by which each level is indented; ``None`` for all in one line.
    """
    try:
        if indent is None:
            return _legible(value).encode()
        # Piece by piece: the pieces of a large run's report are many times as large as their sum.
        pieces = map(str.encode, json.JSONEncoder(ensure_ascii=False, indent=indent).iterencode(value))
        return bytes(reduce(operator.iadd, pieces, bytearray()))
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()


NO_REFERENCES = 2
"""The version of Python's own format that is the same for equal values, whatever they share."""


class Shared:
    """Makes equal values of many rows one and the same object: names, statuses, scores, token counts.

    A row then takes a fifth of the memory. The values that it gives must not be changed.
    """

    MOST = 10_000
    """Values to remember. What many rows have in common comes early; the rest, such as ids, would fill the memory."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}
        self._row = type("_Row", (), {})

    def row(self, row: Mapping[str, Any], names: Iterable[str], *, later: Iterable[str] = ()) -> dict[str, Any]:
        """The fields of a row with these names, ``None`` where there is none, with shared values.

        Args:
            row: The row.
            names: The names.
            later: Fields that may be set later, and are ``None`` until then.
        """
        # CPython keeps the names of attributes once for all objects of a class, up to 30 that the first of them has,
        # and so those in their dicts. A name that comes later would have the dict take five times the memory.
        one = self._row()
        for name in names:
            setattr(one, name, self.of(row.get(name)))
        for name in later:
            setattr(one, name, None)
        kept: dict[str, Any] = vars(one)
        return kept

    def of(self, value: Any) -> Any:
        """An object that is equal to *value*, a JSON value, in type too."""
        if isinstance(value, str):
            return self._one(value, value)
        if isinstance(value, (dict, list)):
            name = dumps(value, NO_REFERENCES)  # which tells 1 from 1.0, too
            known = self._known.get(name)
            if known is not None:
                return known
            if isinstance(value, dict):
                return self._one(name, {self.of(key): self.of(part) for key, part in value.items()})
            return self._one(name, [self.of(part) for part in value])
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
