"""A played episode told as a text: which actions share a sentence, what is implied, what becomes *it*."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from benchmarks.tsg.datagen import verbs
from benchmarks.tsg.datagen.action import Action
from benchmarks.tsg.datagen.english import (
    Voice,
    Wording,
    clause,
    joined,
    passive_predicate,
    passive_subject,
    predicate,
    sentence,
)
from benchmarks.tsg.datagen.nouns import words
from benchmarks.tsg.datagen.scenario import Episode
from benchmarks.tsg.datagen.verbs import KINDS, Kind

CONNECTIVES = ("", "", "", "Then ", "Next, ", "After that, ", "Now ")
PAST_CONNECTIVES = ("", "", "", "Then ", "Next, ", "After that, ", "Soon after, ")


@dataclass(frozen=True)
class Sentence:
    """One sentence and the actions it covers, ``start`` counted from 0 in the episode."""

    text: str
    start: int
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class _Unit:
    """What one clause tells: an action to say, and how many actions that covers."""

    said: Action
    covers: tuple[Action, ...]
    origins: tuple[tuple[str, str], ...] = ()
    tail: str = ""


def tell(episode: Episode, voice: Voice, sizes: tuple[int, ...], rng: random.Random) -> list[Sentence]:
    """Tell ``episode`` in ``voice``.

    Args:
        episode: what happened.
        voice: who tells.
        sizes: the numbers of actions a sentence may cover; each sentence draws one.
        rng: decides the sizes and the wording.

    Returns:
        The sentences in order; together they cover every action once.
    """
    sentences: list[Sentence] = []
    focus: str | None = None
    vocabulary = frozenset(episode.vocabulary["verb"])
    start = 0
    while start < len(episode.actions):
        size = rng.choice(sizes)
        actions = episode.actions[start : start + size]
        if actions[0].hands_were_empty:
            focus = None
        units = _units(actions, rng)
        text, focus = _Teller(voice, vocabulary, rng).tell(units, focus, first=not sentences)
        sentences.append(Sentence(text, start, actions))
        start += len(actions)
    return sentences


def _units(actions: tuple[Action, ...], rng: random.Random) -> list[_Unit]:
    """Group ``actions`` into clauses; a group of several tells only one of them and implies the others."""
    units, rest = [], list(actions)
    while rest:
        unit = _implied(rest) if len(rest) > 1 and rng.random() < 0.6 else None
        unit = unit or _Unit(rest[0], (rest[0],))
        units.append(unit)
        del rest[: len(unit.covers)]
    return units


def _implied(rest: list[Action]) -> _Unit | None:
    """One clause for the first two of ``rest``, if ordinary language has one."""
    first, second = rest[:2]
    origin = first.place("from")
    opens = KINDS[first.verb] is Kind.OPEN and second.place("from") == first.dobj
    if opens and KINDS[second.verb] is Kind.GRASP and not second.both_hands:
        return _Unit(first, (first, second), tail=f"for the {words(second.dobj or '')}")
    if KINDS[first.verb] is not Kind.GRASP or not origin or first.verb == "hold":
        return None
    # With both hands at work, the clause could not say whether they were both there at the taking.
    if second.tool == first.dobj and second.dobj != origin and not first.both_hands and not second.both_hands:
        return _Unit(second, (first, second), origins=((first.dobj or "", origin),))
    said = replace(second, hands_follow=not second.both_hands)
    if second.verb == "carry" and second.dobj == first.dobj:
        return _Unit(replace(said, places=(("from", origin), *said.places)), (first, second))
    if KINDS[second.verb] is Kind.RELEASE and second.dobj == first.dobj and second.places[0][1] != origin:
        return _Unit(said, (first, second), tail=f"straight from the {words(origin)}")
    return None


class _Teller:
    """Words one sentence."""

    def __init__(self, voice: Voice, vocabulary: frozenset[str], rng: random.Random) -> None:
        self._voice = voice
        self._vocabulary = vocabulary
        self._rng = rng

    def tell(self, units: list[_Unit], focus: str | None, *, first: bool) -> tuple[str, str | None]:
        """The sentence, and the noun that a pronoun may stand for in the next one."""
        worded: list[tuple[Action, Wording]] = []
        last_tool = None
        for number, unit in enumerate(units):
            worded.append((unit.said, self._wording(unit, focus, last_tool, inside=number > 0)))
            focus = unit.said.dobj if not unit.tail.startswith("for ") else unit.covers[-1].dobj
            last_tool = unit.said.tool
        opener = "" if first else self._rng.choice(CONNECTIVES if self._voice.mood != "past" else PAST_CONNECTIVES)
        text = self._body(worded)
        if text.startswith(("after ", "once ")):
            opener = ""
        return sentence(opener + text), focus

    def _wording(self, unit: _Unit, focus: str | None, last_tool: str | None, *, inside: bool) -> Wording:
        said = unit.said
        mentioned = {said.dobj, said.tool, *(noun for _, noun in said.places)}
        origins = tuple(pair for pair in unit.origins if pair[0] in mentioned)
        can_be_pronoun = focus in (said.dobj, said.tool) and focus not in dict(origins)
        pronoun = focus if can_be_pronoun and (inside or self._rng.random() < 0.7) else None
        synonyms = [word for word in verbs.SYNONYMS.get(said.verb, ()) if word.split()[0] not in self._vocabulary]
        synonym = self._rng.choice(synonyms) if synonyms and self._rng.random() < 0.3 else None
        adverb = "carefully" if not inside and said.dobj and self._rng.random() < 0.06 else ""
        same = bool(said.tool) and said.tool == last_tool
        return Wording(pronoun, origins, synonym, None, adverb, same and self._rng.random() < 0.5, unit.tail)

    def _body(self, worded: list[tuple[Action, Wording]]) -> str:
        if len(worded) > 1 and self._rng.random() < 0.35:
            return self._after(worded)
        return self._passive(worded) if self._voice.mood == "passive" else self._active(worded)

    def _active(self, worded: list[tuple[Action, Wording]]) -> str:
        form = verbs.past if self._voice.mood == "past" else verbs.base
        text = joined([predicate(action, form, wording) for action, wording in worded])
        return f"{self._voice.subject} {text}".strip()

    def _passive(self, worded: list[tuple[Action, Wording]]) -> str:
        clauses: list[list[str]] = []
        before: str | None = None
        for action, wording in worded:
            if before and action.dobj == before:
                clauses[-1].append(passive_predicate(action, wording, auxiliary=""))
            else:
                clauses.append([clause(action, self._voice, wording)])
            before = action.dobj
        texts = [joined(parts) for parts in clauses]
        if len(texts) == 1:
            return texts[0]
        return ", ".join(texts[:-1]) + f", and {texts[-1]}"

    def _after(self, worded: list[tuple[Action, Wording]]) -> str:
        """``After picking up the cup, I rinsed it``: the first clause goes under the others."""
        (action, wording), others = worded[0], worded[1:]
        if self._voice.mood != "passive":
            return f"after {predicate(action, verbs.gerund, wording)}, {self._active(others)}"
        if not action.dobj:
            return self._passive(worded)
        under = f"{passive_subject(action, wording)} {passive_predicate(action, wording, auxiliary='had been')}"
        return f"once {under}, {self._passive(others)}"
