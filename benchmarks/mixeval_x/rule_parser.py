"""Reading answers by rules, without a judge, as the published grader offers it beside its judge."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.mixeval_x.entries import letters

WORDS_FOR_TEXT = 5
"""A response of more words than this may pick an option by its text."""

TRIMMED = ",.!?;:'"
"""Marks that are taken off both ends of a response, one kind after the other."""

PUBLISHED_LETTER = (
    r"[ \n]({known})(?=\.?[ \n])"  # between blanks, also with a point behind it
    r"| ({known})(?=\.?\*\*)"
    r"|\(({known})\)"
    r"|\*\*({known})(?=\.? )"
)
"""The settings of a letter that the published rules know."""

INDICATORS = re.compile(r"(?:\b(?:could be|is|are|was|so|thus|therefore|final|answer|result)\b|=)[\s:*]*")
"""Behind these words an answer begins."""

NUMBER = re.compile(r"-?(?:[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?|\.[0-9]+)")
SENTENCE_ENDS = re.compile(r"\n|[.!?](?:\s|$)")
EDGES = " \t\"'`*.,:;!?"
FIRST_EDGES = re.compile(r"(?:[ \t\"'`*,:;!?]|\.(?![0-9]))*")
"""`EDGES`, but for the point of a number such as .5."""


def option_letter(response: str, options: Sequence[str]) -> str | None:
    """The letter of the option that a response picks, whichever comes first; ``None`` if it picks none.

    Where the published rules read a letter, so do these: one between blanks, with a point or bold marks behind it, or
    in round brackets; or, where there is none and the response has more than five words, an option whose text is part
    of the response, in any case of letters, the earlier one of two that begin together. Where the published rules throw
    dice, a letter that stands alone in any other punctuation is read.
    """
    known = letters(options)
    trimmed = response
    for mark in TRIMMED:
        trimmed = trimmed.strip(mark)
    trimmed = f" {trimmed} "
    found = re.search(PUBLISHED_LETTER.format(known=f"[{re.escape(known)}]"), trimmed)
    if found is not None:
        return next(letter for letter in found.groups() if letter)
    if len(trimmed.split()) > WORDS_FOR_TEXT:
        folded = trimmed.lower()
        places = [
            (place, number)
            for number, option in enumerate(options)
            if option.strip() and (place := folded.find(option.lower())) >= 0
        ]
        if places:
            return known[min(places)[1]]
    alone = re.search(rf"(?<!\w)(?<!\w['’])[{re.escape(known)}](?!['’]?\w)", response)
    return alone[0] if alone is not None else None


def free_form_score(response: str, targets: Sequence[str]) -> float:
    """1 if an answer in the response is, or holds, one of the gold answers, else 0.

    Args:
        response: The response. Its answers are the tails of its sentences behind words such as "is", "answer" and
            "therefore", or all of it where there is no such word.
        targets: The gold answers. A number is looked for among the numbers of an answer, both to 2 places; anything
            else must be part of an answer, in any case of letters; a single character as a word of its own.
    """
    answers = _answers(response.lower())
    numbers = {number for answer in answers for number in map(_number, NUMBER.findall(answer)) if number is not None}
    return float(any(_holds(answers, numbers, _trimmed(target.lower())) for target in targets))


def _answers(response: str) -> list[str]:
    tails = []
    for sentence in SENTENCE_ENDS.split(response):
        found = INDICATORS.split(sentence)
        if len(found) > 1 and (tail := _trimmed(found[-1])):
            tails.append(tail)
    return tails or [_trimmed(response)]


def _trimmed(text: str) -> str:
    return FIRST_EDGES.sub("", text, count=1).rstrip(EDGES)


def _holds(answers: Sequence[str], numbers: set[float], target: str) -> bool:
    if NUMBER.fullmatch(target):
        return _number(target) in numbers
    if len(target) == 1:
        return any(target in answer.split() for answer in answers)
    return bool(target) and any(target in answer for answer in answers)


def _number(text: str) -> float | None:
    number = float(text.replace(",", ""))
    return None if number in (float("inf"), float("-inf")) else round(number, 2)
