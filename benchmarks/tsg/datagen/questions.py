"""Questions for SGQA: those templates whose evaluator finds exactly one answer in the graphs."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.tsg.datagen import verbs
from benchmarks.tsg.datagen.action import Graph
from benchmarks.tsg.datagen.evaluators import Filling, described
from benchmarks.tsg.datagen.events import Event, read_events
from benchmarks.tsg.datagen.templates import TEMPLATES, Template

# "Putting the cup" is no English; these verbs say where.
_NEEDS_PLACE = frozenset({"put", "place", "lay", "drop", "hang", "stick", "fit", "store", "return", "attach", "insert"})


@dataclass(frozen=True)
class Question:
    """A question, its only answer, and its type."""

    text: str
    answer: str
    type: str
    template: str


def anchor(verb: str, dobj: str, events: Sequence[Event]) -> str:
    """An event as a phrase: ``tightening the bolt``; a verb that needs a place gets it."""
    head, particle = verbs.gerund(verb)
    phrase = " ".join(part for part in (head, particle, f"the {dobj}") if part)
    places = next((event.places for event in described(events, verb, dobj)), ())
    if verb in _NEEDS_PLACE and places:
        phrase += " {} the {}".format(*places[0])
    return phrase


def wording(template: Template, text: str, filling: Filling, events: Sequence[Event]) -> str:
    """``text`` with the filling put in, as a question about ``events``."""
    first = anchor(filling[0], filling[1], events) if len(filling) in (2, 4) else ""
    second = anchor(filling[2], filling[3], events) if len(filling) == 4 else ""
    verb = filling[0] if filling and template.name in ("object-of-verb", "both-handed") else "do"
    edges = {"in/into": "in", "on": "on"}
    return text.format(
        *filling,
        a=first,
        A=first[:1].upper() + first[1:],
        b=second,
        base=" ".join(verbs.base(verb)).strip(),
        participle=" ".join(verbs.participle(verb)).strip(),
        in_or_on=edges.get(filling[0], "") if filling else "",
    )


def gives_away(text: str, answer: str) -> bool:
    """Whether the answer stands in the question, in whatever inflection of its words."""
    said = re.findall(r"[a-z]+", text.lower())
    forms = [verbs.base(answer), verbs.past(answer), verbs.gerund(answer), verbs.participle(answer)]
    heads = {form[0] for form in forms} | set(re.findall(r"[a-z]+", answer))
    return any(word in said for word in heads if len(word) > 2)


def ask(graphs: Sequence[Graph], rng: random.Random) -> list[Question]:
    """Every sound question about ``graphs``, shuffled.

    Args:
        graphs: the scene graphs in order.
        rng: decides wordings and order.

    Returns:
        Questions that have exactly one answer, which does not stand in the question.
    """
    events = read_events(graphs)
    questions = []
    for template in TEMPLATES:
        for filling in sorted(set(template.parameters(events))):
            answers = template.answers(events, filling)
            if len(answers) != 1:
                continue
            text = wording(template, rng.choice(template.wordings), filling, events)
            (answer,) = answers
            if not gives_away(text, answer):
                questions.append(Question(text, answer, template.type, template.name))
    rng.shuffle(questions)
    return questions
