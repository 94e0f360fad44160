"""Asking a judge or parser until its reply can be read, and reading JSON out of a reply. Nothing is ever evaluated."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from proctor import Ask, JudgeFailed

TRIES = 5
"""How often a judge or parser is asked the same, until a reply can be read."""

LONGEST_TO_REPAIR, MOST_BRACKETS = 20_000, 200
"""Beyond these a reply is not worth the time, which grows with the cube of brackets that are never closed."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Verdict(Generic[T]):
    """What a judge or parser said.

    Args:
        value: What was read out of its reply; ``None`` if there was no reply, or none that could be read.
        tries: How often it was asked.
    """

    value: T | None
    tries: int


def verdict(ask: Ask, template: str, read: Callable[[str], T | None], *, role: str, **values: str) -> Verdict[T]:
    """Ask until a reply can be read, at most `TRIES` times.

    Args:
        ask: Asks.
        template: The prompt.
        read: Reads a reply; ``None`` if it does not follow the format.
        role: Who is asked.
        values: What the prompt is filled with.
    """
    for tries in range(1, TRIES + 1):
        try:
            reply = ask(template, role=role, **values)
        except JudgeFailed:
            return Verdict(None, tries)
        if (value := read(reply.text)) is not None:
            return Verdict(value, tries)
    return Verdict(None, TRIES)


def json_list(text: str) -> list[Any] | None:
    """The first JSON list in *text*, repaired where it breaks the rules of JSON; ``None`` if there is none."""
    value = _json_at(text, "[")
    return value if isinstance(value, list) else None


def json_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in *text*, repaired where it breaks the rules of JSON; ``None`` if there is none."""
    value = _json_at(text, "{")
    return value if isinstance(value, dict) else None


def _json_at(text: str, bracket: str) -> Any:
    """The JSON value that starts at the first *bracket*, whatever stands before and behind it."""
    start = text.find(bracket)
    if start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        pass
    broken = text[start:]
    if len(broken) > LONGEST_TO_REPAIR or sum(map(broken.count, "[{")) > MOST_BRACKETS:
        return None
    import json_repair  # imported here since most replies need no repair

    try:
        return json_repair.loads(broken)
    except (ValueError, RecursionError):
        return None
