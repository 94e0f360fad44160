"""Asking a judge until its reply can be read: the same question anew, or to continue; and reading verdicts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from proctor import Ask, JudgeFailed, Media, Placeholders, Question, Reply

ROUNDS = 10
SHOWN = 60  # characters of a reply
CONTINUE = "judge_continue"
CONTINUE_PLACEHOLDERS = Placeholders()
BLOCKED = "rejected"
"""The kind of failure of a request that a provider turns down for what it holds."""

# As published: the double brackets go before the single ones, wherever they stand, and \d takes digits of any script.
# Nothing is tried twice, since a reply may be nothing but digits.
NUMBER = r"(\d++(?:\.\d*+)?)"
LETTER = r"([A-Z])"
NOT_PYTHON = re.compile(r"0\d*[1-9]\d*")
"""Digits that the published grader, which evaluates them as Python does, crashes at."""

T = TypeVar("T")
JudgeRecord = dict[str, Any]
"""``value``: what was read out of the last reply, ``None`` if nothing; ``reply``: its text, ``None`` if there was none;
``first_reply``: the text of the first; ``rounds``: how often the judge was asked; ``failure``: why a request failed,
``None`` if none did; ``blocked``: whether it was turned down for what it holds. It is evidence."""


def in_brackets(pattern: str, reply: str) -> str | None:
    """What stands in the first ``[[…]]`` that holds nothing but *pattern*, else in the first such ``[…]``."""
    found = re.search(rf"\[\[{pattern}\]\]", reply) or re.search(rf"\[{pattern}\]", reply)
    return found[1] if found else None


def number_in_brackets(reply: str) -> float | None:
    """The number that a reply gives in brackets; ``None`` without one, or for one that the published grader crashes at.

    It crashes at digits that are not ASCII, at a whole number that begins with 0, such as 07, and at one that no float
    can hold.
    """
    text = in_brackets(NUMBER, reply)
    if text is None or not text.isascii() or NOT_PYTHON.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def share_in_brackets(reply: str) -> float | None:
    """The number from 0 to 1 that a reply gives in brackets."""
    number = number_in_brackets(reply)
    return number if number is not None and number <= 1 else None


def letter_in_brackets(reply: str) -> str | None:
    """The letter that a reply gives in brackets."""
    return in_brackets(LETTER, reply)


def asked_anew(ask: Ask, template: str, read: Callable[[str], T | None], **values: str) -> JudgeRecord:
    """Ask the judge the same until its reply can be read, in at most `ROUNDS` rounds that are not recorded.

    Args:
        ask: Asks.
        template: The prompt.
        read: Reads a reply; ``None`` if it holds no verdict.
        **values: What the prompt is filled with.
    """
    replies: list[str] = []
    while True:
        try:
            replies.append(ask(template, role="judge", **values).text)
        except JudgeFailed as failure:
            return told(None, replies, failure)
        if (value := read(replies[-1])) is not None or not ask.again("judge", ROUNDS):
            return told(value, replies)


def asked_on(ask: Ask, template: str, role: str = "judge", **values: str | Media | tuple[Media, ...]) -> JudgeRecord:
    """Ask the judge for a score, and up to `ROUNDS` times more to continue, until its reply holds a number in brackets.

    What goes on is one conversation of three turns: the prompt, the judge's last reply, and that it should continue.

    Args:
        ask: Asks.
        template: The prompt.
        role: Whose turn it is.
        **values: What the prompt is filled with.
    """
    replies: list[str] = []
    said: tuple[Question | Reply, ...] = ()
    while True:
        try:
            reply = ask(CONTINUE, *said, role=role) if said else ask(template, role=role, **values)
        except JudgeFailed as failure:
            return told(None, replies, failure)
        replies.append(reply.text)
        if (value := number_in_brackets(reply.text)) is not None or not ask.again(role, ROUNDS + 1):
            return told(value, replies)
        said = (Question(template, values), reply)


def told(value: Any, replies: Sequence[str], failure: JudgeFailed | None = None) -> JudgeRecord:
    """A verdict.

    Args:
        value: What was read out of the last reply.
        replies: The texts of all replies.
        failure: Why there is no reply to the last question.
    """
    return {
        "value": value,
        "reply": replies[-1] if replies else None,
        "first_reply": replies[0] if replies else None,
        "rounds": len(replies) + (failure is not None),
        "failure": None if failure is None else str(failure),
        "blocked": failure is not None and failure.kind == BLOCKED,
    }


def not_asked(why: str) -> JudgeRecord:
    """The verdict of a judge that is not asked, since there is nothing to show it."""
    return told(None, ()) | {"failure": why}


def problem_of(verdict: Mapping[str, Any], worst: float = float("-inf"), best: float = float("inf")) -> str:
    """Why a verdict does not count in the strict family; empty if it does.

    Args:
        verdict: A `JudgeRecord`.
        worst: The lowest grade there is, if the verdict is one that was not checked when it was read.
        best: The highest one.
    """
    value, reply = verdict["value"], verdict["reply"] or ""
    if verdict["failure"]:
        return str(verdict["failure"])
    if value is None:
        shown = reply if len(reply) <= SHOWN else f"{reply[:SHOWN]}…"
        return f"the judge gave no verdict that can be read, asked {verdict['rounds']} times; last reply: {shown!r}"
    if isinstance(value, float) and not worst <= value <= best:
        return f"the judge gave {value:g}, which is not from {worst:g} to {best:g}"
    return ""


def request_failed(verdict: Mapping[str, Any]) -> bool:
    """Whether the judge was asked, and did not answer; not so where a picture is missing about which to ask."""
    return bool(verdict["failure"] and verdict["rounds"])


def retries(verdict: Mapping[str, Any]) -> float:
    """How often the judge was asked again."""
    return float(max(0, verdict["rounds"] - 1))
