"""Asking a judge or parser until its reply can be read, and reading JSON out of a reply. Nothing is ever evaluated."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any, Generic, TypeVar

from proctor import Ask, JudgeFailed, Reply

TRIES = 5
"""How often one run asks a judge or parser the same, until a reply can be read."""

SHOWN = 200  # characters of a reply that could not be read
ENDINGS = {"refusal": ", which declines", "length": ", cut at its limit of tokens"}

LONGEST_TO_REPAIR, MOST_BRACKETS = 20_000, 200
"""Beyond these a reply is not worth the time, which grows with the cube of brackets that are never closed."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JudgeReply(Generic[T]):
    """What a judge or parser said.

    Args:
        value: What was read out of its reply; ``None`` if there was no reply, or none that could be read.
        tries: How often it was asked.
        problem: Why there is no value; empty if there is one.
    """

    value: T | None
    tries: int
    problem: str = ""


def verdict(ask: Ask, template: str, read: Callable[[str], T | None], *, role: str, **values: Any) -> JudgeReply[T]:
    """Ask until a reply can be read, or nothing more is recorded and this run has asked `TRIES` times.

    Args:
        ask: Asks.
        template: The prompt.
        read: Reads a reply; ``None`` if it does not follow the format.
        role: Who is asked.
        values: What the prompt is filled with.
    """
    tries = 0
    while True:
        tries += 1
        try:
            reply = ask(template, role=role, **values)
        except JudgeFailed as failure:
            return JudgeReply(None, tries, str(failure))
        if (value := read(reply.text)) is not None:
            return JudgeReply(value, tries)
        if not ask.again(role, TRIES):
            return JudgeReply(None, tries, unreadable(role, reply, tries))


def unreadable(role: str, reply: Reply, tries: int) -> str:
    """What is wrong with the last reply that could not be read."""
    shown = reply.text if len(reply.text) <= SHOWN else f"{reply.text[:SHOWN]}…"
    ending = ENDINGS.get(reply.finish_reason, "")
    return f"the {role} gave no reply that can be read, asked {tries} times; last reply{ending}: {shown!r}"


def json_list(text: str) -> list[Any] | None:
    """The first JSON list in *text*, repaired where it breaks the rules of JSON; ``None`` if there is none."""
    value = _json_at(text, "[")
    return value if isinstance(value, list) else None


def json_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in *text*, repaired where it breaks the rules of JSON; ``None`` if there is none."""
    value = _json_at(text, "{")
    return value if isinstance(value, dict) else None


def published_value(text: str, brackets: str) -> Any:
    """The value from the first opening to the last closing bracket, as the published graders take it; else ``None``.

    They evaluate the repaired JSON as Python, where ``null``, ``true`` and ``false`` are unknown names, so a value with
    one of them is lost. Here nothing is evaluated.

    Args:
        text: A reply.
        brackets: The opening and the closing one.
    """
    start, end = text.find(brackets[0]), text.rfind(brackets[1]) + 1
    if start < 0 or end <= start:
        return None
    value = _repaired(text[start:end])
    return None if _has_constant(value) else value


def _has_constant(value: Any) -> bool:
    """Whether null, true, false or a float that is no number stands in a value."""
    if isinstance(value, dict | list):
        return any(map(_has_constant, value.values() if isinstance(value, dict) else value))
    return value is None or isinstance(value, bool) or (isinstance(value, float) and not isfinite(value))


def _json_at(text: str, bracket: str) -> Any:
    """The JSON value that starts at the first *bracket*, whatever stands before and behind it."""
    start = text.find(bracket)
    if start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return _repaired(text[start:])


def _repaired(text: str) -> Any:
    """What JSON says, repaired where it breaks the rules; ``None`` if that takes too long or leads to nothing."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > LONGEST_TO_REPAIR or sum(map(text.count, "[{")) > MOST_BRACKETS:
        return None
    import json_repair  # imported here since most replies need no repair

    try:
        return json_repair.loads(text)
    except Exception:  # the library fails on some texts, as with an AssertionError; so do the published graders
        return None
