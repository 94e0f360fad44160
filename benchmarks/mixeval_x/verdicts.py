"""Asking a judge until its reply can be read: the same question anew, or to continue; and reading verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from proctor import Ask, JudgeFailed, Media, Placeholders, Question, Reply

ROUNDS = 10
SHOWN = 60  # characters of a reply
CONTINUE = "judge_continue"
CONTINUE_PLACEHOLDERS = Placeholders()

# The double brackets go before the single ones, wherever they stand. Digits have a limit, since a number without one
# may be infinite.
NUMBER = r"([0-9]{1,6}(?:\.[0-9]{0,6})?)"
LETTER = r"([A-Z])"

T = TypeVar("T")
Verdict = dict[str, Any]
"""``value``: what was read out of the last reply, ``None`` if nothing; ``reply``: its text, ``None`` if there was none;
``rounds``: how often the judge was asked; ``failure``: why a request failed, ``None`` if none did. It is evidence."""


def in_brackets(pattern: str, reply: str) -> str | None:
    """What stands in the first ``[[…]]`` that holds nothing but *pattern*, else in the first such ``[…]``."""
    found = re.search(rf"\[\[{pattern}\]\]", reply) or re.search(rf"\[{pattern}\]", reply)
    return found[1] if found else None


def number_in_brackets(reply: str) -> float | None:
    """The number that a reply gives in brackets."""
    text = in_brackets(NUMBER, reply)
    return None if text is None else float(text)


def share_in_brackets(reply: str) -> float | None:
    """The number from 0 to 1 that a reply gives in brackets."""
    number = number_in_brackets(reply)
    return number if number is not None and number <= 1 else None


def letter_in_brackets(reply: str) -> str | None:
    """The letter that a reply gives in brackets."""
    return in_brackets(LETTER, reply)


def asked_anew(ask: Ask, template: str, read: Callable[[str], T | None], **values: str) -> Verdict:
    """Ask the judge the same until its reply can be read, in at most `ROUNDS` rounds.

    Args:
        ask: Asks.
        template: The prompt.
        read: Reads a reply; ``None`` if it holds no verdict.
        **values: What the prompt is filled with.
    """
    reply = value = None
    for rounds in range(1, ROUNDS + 1):
        try:
            reply = ask(template, role="judge", **values).text
        except JudgeFailed as failure:
            return told(None, reply, rounds, str(failure))
        if (value := read(reply)) is not None:
            break
    return told(value, reply, rounds)


def asked_on(ask: Ask, template: str, role: str = "judge", **values: str | Media) -> Verdict:
    """Ask the judge for a score, and up to `ROUNDS` times more to continue, until its reply holds a number in brackets.

    As published, the conversation that goes on lacks the judge's first reply; it has the later ones.

    Args:
        ask: Asks.
        template: The prompt.
        role: Whose turn it is.
        **values: What the prompt is filled with.
    """
    said: list[Question | Reply] = []
    text = value = None
    for rounds in range(1, ROUNDS + 2):
        try:
            reply = ask(CONTINUE, *said, role=role) if said else ask(template, role=role, **values)
        except JudgeFailed as failure:
            return told(None, text, rounds, str(failure))
        text = reply.text
        if (value := number_in_brackets(text)) is not None:
            break
        said += [Question(CONTINUE, {}), reply] if said else [Question(template, values)]
    return told(value, text, rounds)


def told(value: Any, reply: str | None, rounds: int, failure: str | None = None) -> Verdict:
    """A verdict."""
    return {"value": value, "reply": reply, "rounds": rounds, "failure": failure}


def problem_of(verdict: Mapping[str, Any], worst: float = float("-inf"), best: float = float("inf")) -> str:
    """Why a verdict does not count in the strict family; empty if it does.

    Args:
        verdict: A `Verdict`.
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


def retries(verdict: Mapping[str, Any]) -> float:
    """How often the judge was asked again."""
    return float(max(0, verdict["rounds"] - 1))
