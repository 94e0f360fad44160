"""Wrong descriptions for SGDS: the same sentence with one slot changed, so that it contradicts the scene graph."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from benchmarks.tsg.datagen import nouns, verbs
from benchmarks.tsg.datagen.action import Action
from benchmarks.tsg.datagen.activities import SCENARIOS
from benchmarks.tsg.datagen.english import Voice, Wording, clause, sentence
from benchmarks.tsg.datagen.scenario import GET_VERBS, PUT_VERBS, Scenario, parse_step
from benchmarks.tsg.datagen.simulation import Step
from benchmarks.tsg.datagen.verbs import KINDS, Kind

_OTHER_EDGE = {
    "on": ("under", "behind"),
    "in": ("under", "behind"),
    "into": ("behind",),
    "onto": ("behind",),
    "over": ("under",),
    "under": ("over",),
    "to": ("from",),
    "beside": ("under",),
}


@dataclass(frozen=True)
class Contradiction:
    """A wrong sentence and the kind of its single contradiction."""

    kind: str
    text: str


@cache
def _steps() -> tuple[tuple[str, Step], ...]:
    """Every step that any variant of any scenario can contain, with its domain."""
    return tuple((scenario.domain, step) for scenario in SCENARIOS for step in _all_steps(scenario))


def _all_steps(scenario: Scenario) -> list[Step]:
    steps = []
    fillings = {name: choices for names, choices in scenario.slots for name in names}
    for line in scenario.lines:
        bare = line.lstrip("? ")
        forms = [bare]
        for word, choices in (("GET", GET_VERBS), ("PUT", PUT_VERBS)):
            if bare.startswith(word):
                forms = [bare.replace(word, choice) for choice in choices]
        used = re.findall(r"\{(\w+)\}", bare)
        for form in forms:
            for number in range(max((len(fillings[name]) for name in used), default=1)):
                choice = {name: fillings[name][number % len(fillings[name])] for name in used}
                steps.append(parse_step(form.format(**choice)))
    return steps


def _spread(pools: Iterable[Iterable[str | None]], action: Action, original: str, rng: random.Random) -> list[str]:
    """Candidates of several pools, nearest pool first, each shuffled; nothing like ``original`` or in ``action``."""
    taken = {action.dobj, action.tool, *(noun for _, noun in action.places)}
    found: list[str] = []
    for pool in pools:
        fresh = sorted(
            {
                noun
                for noun in pool
                if noun and noun not in taken and noun not in found and not nouns.near(noun, original)
            }
        )
        rng.shuffle(fresh)
        found.extend(fresh)
    return found


def _other_objects(action: Action, domain: str, rng: random.Random) -> list[Action]:
    if not action.dobj:
        return []
    kind = KINDS[action.verb]
    same_kind = [(where, step) for where, step in _steps() if KINDS[step.verb] is kind]
    pools = (
        (step.dobj for where, step in same_kind if where == domain and step.verb == action.verb),
        (step.dobj for where, step in same_kind if step.verb == action.verb and kind is Kind.MANIPULATE),
        (step.dobj for where, step in same_kind if where == domain and kind is not Kind.MANIPULATE),
        (step.dobj for where, step in same_kind if kind is Kind.POUR),
    )
    return [replace(action, dobj=noun) for noun in _spread(pools, action, action.dobj, rng)]


def _other_tools(action: Action, domain: str, rng: random.Random) -> list[Action]:
    if not action.tool:
        return []
    pools = (
        (step.tool for where, step in _steps() if where == domain and step.verb == action.verb),
        (step.tool for where, step in _steps() if where == domain),
    )
    return [replace(action, tool=noun) for noun in _spread(pools, action, action.tool, rng)]


def _other_places(action: Action, domain: str, rng: random.Random) -> list[Action]:
    if not action.places:
        return []
    edge, noun = action.places[-1]
    kind = KINDS[action.verb]
    steps = [(where, step) for where, step in _steps() if KINDS[step.verb] is kind and edge in dict(step.places)]
    pools = (
        (dict(step.places)[edge] for where, step in steps if where == domain),
        (dict(step.places)[edge] for where, step in steps if step.verb == action.verb and kind is Kind.MANIPULATE),
    )
    before = action.places[:-1]
    return [replace(action, places=(*before, (edge, other))) for other in _spread(pools, action, noun, rng)]


def _other_edges(action: Action, rng: random.Random) -> list[Action]:
    if not action.places or KINDS[action.verb] not in (Kind.RELEASE, Kind.MOVE, Kind.HELD, Kind.POUR):
        return []
    edge, noun = action.places[-1]
    if action.verb in ("dip", "rinse", "insert", "throw", "return", "attach"):
        return []
    others = list(_OTHER_EDGE.get(edge, ()))
    rng.shuffle(others)
    return [replace(action, places=(*action.places[:-1], (other, noun))) for other in others]


def _other_verbs(action: Action, domain: str, rng: random.Random) -> list[Action]:
    kind = KINDS[action.verb]
    if action.verb in verbs.CONTRARY:
        pool = list(verbs.CONTRARY[action.verb])
    elif kind is Kind.GRASP:
        pool = list(verbs.GRASP_CONTRARY)
    elif verbs.MOVING_EDGES & {edge for edge, _ in action.places}:
        pool = list(verbs.MOVING_CONTRARY)
    elif kind is Kind.RELEASE:
        pool = list(verbs.RELEASE_CONTRARY)
    else:
        same = {
            s.verb
            for where, s in _steps()
            if where == domain and KINDS[s.verb] is kind and bool(s.tool) == bool(action.tool)
        }
        near = {verb for group in verbs.NEAR_VERBS if action.verb in group for verb in group} | {action.verb}
        pool = [*verbs.MANIPULATE_CONTRARY, *(sorted(same) if not action.places else ())]
        pool = [verb for verb in pool if verb not in near]
    rng.shuffle(pool)
    return [replace(action, verb=verb) for verb in pool if verb not in (action.dobj, action.tool)]


def contradict(action: Action, domain: str, voice: Voice, rng: random.Random) -> tuple[str, list[Contradiction]] | None:
    """The right sentence for ``action`` and four wrong ones.

    Args:
        action: what the target graph shows.
        domain: where wrong objects, tools and places come from.
        voice: who tells.
        rng: decides which slots are changed.

    Returns:
        The sentence and its contradictions, or None if the action has too few slots to change.
    """
    told = None
    if action.hands and (action.both_hands or rng.random() < 0.4):
        told = "both hands" if action.both_hands else "one hand"
    wording = Wording(hands=told)

    def say(other: Action) -> str:
        return sentence(clause(other, voice, wording))

    right = say(action)
    pools: dict[str, list[str]] = {
        "object": [say(other) for other in _other_objects(action, domain, rng)[:5]],
        "action": [say(other) for other in _other_verbs(action, domain, rng)[:3]],
        "place": [say(other) for other in _other_places(action, domain, rng)[:5]],
        "tool": [say(other) for other in _other_tools(action, domain, rng)[:5]],
        "direction": [say(other) for other in _other_edges(action, rng)[:2]],
        "negation": [sentence(clause(action, voice, wording, negated=True))],
    }
    if told:
        other_hands = Wording(hands="one hand" if told == "both hands" else "both hands")
        pools["hand-use"] = [sentence(clause(action, voice, other_hands))]
    wrong = _choose({kind: texts for kind, texts in pools.items() if texts}, rng)
    if wrong is None or len({right, *(each.text for each in wrong)}) != 5:
        return None
    return right, wrong


def _choose(pools: dict[str, list[str]], rng: random.Random) -> list[Contradiction] | None:
    """Four contradictions, in two rows of five all of one slot: then a vote over the sentences tells nothing."""
    full = sorted(kind for kind, texts in pools.items() if len(texts) >= 4)
    if full and rng.random() < 0.4:
        kind = rng.choice(full)
        return [Contradiction(kind, text) for text in pools[kind][:4]]
    if rng.random() < 0.6:
        pools.pop("negation", None)
    chosen: list[Contradiction] = []
    for _ in range(2):
        kinds = sorted(kind for kind, texts in pools.items() if texts)
        rng.shuffle(kinds)
        chosen.extend(Contradiction(kind, pools[kind].pop(0)) for kind in kinds)
    return chosen[:4] if len(chosen) >= 4 else None
