"""What a JSON value from anywhere must look like before anything is done with it.

A shape is called with a value, and raises `Wrong` for one that it is not the shape of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError

Shape = Callable[[Any], None]
DEEPEST = 200
"""Objects and lists within one another. Programs that look at a value, part by part, come to their end at 500."""
LARGEST = 1e100
"""The sum of the squares of as many such numbers as a run has is still a number."""
MOST = 10**15
"""No run counts farther."""
HALF_A_PAIR = re.compile("[\ud800-\udfff]")


class Wrong(ValueError):
    """A value that has another shape.

    Args:
        problem: What is wrong with it.
        value: The value; leave out where there is none.
    """

    def __init__(self, problem: str, value: object = DataError.NO_VALUE) -> None:
        super().__init__(problem)
        self.value = value
        self._path: list[str] = []

    def within(self, name: str) -> Wrong:
        """The same, seen from the object or list whose part *name* it is about."""
        self._path.insert(0, name)
        return self

    def in_file(self, file: Path, line: int | None = None) -> DataError:
        """The error to raise for the file that the value stands in."""
        return DataError(str(self), file=file, line=line, field=".".join(self._path) or None, value=self.value)


def text(value: Any) -> None:
    """Any text."""
    if not isinstance(value, str):
        raise Wrong("must be a string", value)


def name(value: Any) -> None:
    """A text that is part of what is printed, and of files in UTF-8: no half of a surrogate pair."""
    text(value)
    if HALF_A_PAIR.search(value):
        raise Wrong("holds half of a surrogate pair, which is no character", value)


def like(pattern: re.Pattern[str], what: str) -> Shape:
    """A text of this pattern, called *what*."""

    def check(value: Any) -> None:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise Wrong(f"is not {what}", value)

    return check


def one_of(values: Collection[str]) -> Shape:
    """One of these texts."""

    def check(value: Any) -> None:
        if not isinstance(value, str) or value not in values:
            raise Wrong(f"must be one of {', '.join(values)}", value)

    return check


def number(value: Any) -> None:
    """A finite number that can be computed with."""
    if not isinstance(value, (int, float)) or not abs(value) <= LARGEST:
        raise Wrong("must be a number, and not an absurd one", value)


def count(value: Any) -> None:
    """A whole number from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
        raise Wrong("must be a whole number from 0, and not an absurd one", value)


def flag(value: Any) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise Wrong("must be true or false", value)


def anything(value: Any) -> None:
    """Any JSON value; how deep it may be, `parsed` has looked at."""


def optional(shape: Shape) -> Shape:
    """That, or null."""

    def check(value: Any) -> None:
        if value is not None:
            shape(value)

    return check


def either(one: Shape, other: Shape) -> Shape:
    """One shape, or the other one."""

    def check(value: Any) -> None:
        try:
            one(value)
        except Wrong:
            other(value)

    return check


def list_of(shape: Shape, *, least: int = 0) -> Shape:
    """A list of such values.

    Args:
        shape: What each value has to be.
        least: How many there have to be.
    """

    def check(value: Any) -> None:
        if not isinstance(value, list) or len(value) < least:
            raise Wrong("must be a list" + (" that is not empty" if least else ""), value)
        for index, part in enumerate(value):
            try:
                shape(part)
            except Wrong as wrong:
                raise wrong.within(str(index)) from None

    return check


def map_of(shape: Shape, *, least: int = 0) -> Shape:
    """An object with such values under any names.

    Args:
        shape: What each value has to be.
        least: How many there have to be.
    """

    def check(value: Any) -> None:
        if not isinstance(value, dict) or len(value) < least:
            raise Wrong("must be an object" + (" that is not empty" if least else ""), value)
        for key, part in value.items():
            name(key)
            try:
                shape(part)
            except Wrong as wrong:
                raise wrong.within(key) from None

    return check


def fields(needed: Mapping[str, Shape], more: Mapping[str, Shape] | None = None, *, closed: bool = False) -> Shape:
    """An object with these fields.

    Args:
        needed: The fields that it must have.
        more: Those that it may have.
        closed: Whether there may be no other ones.
    """
    known = {**needed, **(more or {})}

    def check(value: Any) -> None:
        if not isinstance(value, dict):
            raise Wrong("must be an object", value)
        for key, shape in known.items():
            if key in value:
                try:
                    shape(value[key])
                except Wrong as wrong:
                    raise wrong.within(key) from None
            elif key in needed:
                raise Wrong("is missing").within(key)
        if closed and not value.keys() <= known.keys():
            raise Wrong("is not known").within(min(value.keys() - known.keys()))

    vars(check)["known"] = frozenset(known)  # for tests of what is documented
    return check


def parsed(content: bytes) -> Any:
    """A JSON value that is not too deep.

    Raises:
        Wrong: If the content is not JSON, or too deep.
    """
    try:
        value = json.loads(content, parse_constant=_refuse)
    except RecursionError:
        raise Wrong("is nested too deeply") from None
    except ValueError as problem:
        raise Wrong(f"is not JSON: {problem}") from None
    if content.count(b"[") + content.count(b"{") > DEEPEST and _depth(value) > DEEPEST:
        raise Wrong("is nested too deeply")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"it has no {constant}")


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [part for one in level if isinstance(one, (list, dict)) for part in _parts(one)]:
        depth += 1
    return depth


def _parts(value: list[Any] | dict[str, Any]) -> Collection[Any]:
    return value.values() if isinstance(value, dict) else value
