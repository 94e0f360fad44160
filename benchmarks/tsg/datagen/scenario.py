"""Scenarios written as short scripts, and the episodes that come of playing them.

A script is text. ``# domain / title`` opens it; ``name = a | b`` declares a slot, ``x, y = a | b | c`` two slots
with different fillings; every other line is a step: ``verb[!] [object] [edge noun]...`` where ``!`` takes both hands,
GET and PUT stand for one verb of taking and one of putting per episode, and a leading ``?`` marks a line of an optional
part (neighbouring ``?`` lines come or stay away together).
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from benchmarks.tsg.datagen.action import Action
from benchmarks.tsg.datagen.simulation import ImpossibleActionError, Step, World
from benchmarks.tsg.datagen.verbs import KINDS

PREPOSITIONS = frozenset(
    [
        "from",
        "into",
        "in",
        "on",
        "onto",
        "under",
        "over",
        "to",
        "against",
        "around",
        "through",
        "at",
        "beside",
        "behind",
        "inside",
        "across",
    ]
)
GET_VERBS = ("pick-up", "take", "grab")
PUT_VERBS = ("put", "place", "put-down")
# "put down X into Y" is no English: the choice of verb must suit every line that uses it.
_PUT_DOWN_EDGES = frozenset({"on", "beside", "in"})


@dataclass(frozen=True)
class Scenario:
    """One script: its domain, title, slots (names that must differ, with their fillings) and lines."""

    domain: str
    title: str
    slots: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Episode:
    """One playing of one or more scenarios of a domain."""

    domain: str
    scenario: str
    actions: tuple[Action, ...] = field(repr=False)

    @property
    def vocabulary(self) -> dict[str, list[str]]:
        """Every verb, edge and object of the episode, sorted, as ``mandatory_space``."""
        verbs = {action.verb for action in self.actions}
        edges = {triplet[1] for action in self.actions for triplet in action.graph()}
        nodes = {node for action in self.actions for triplet in action.graph() for node in (triplet[0], triplet[2])}
        return {
            "verb": sorted(verbs),
            "relationship": sorted(edges | {"with"}),
            "object": sorted((nodes - verbs) | {"person", "hand1", "hand2"}),
        }


def parse_scenarios(text: str) -> tuple[Scenario, ...]:
    """Read scripts.

    Args:
        text: any number of scripts, each opened by ``# domain / title``.

    Returns:
        The scenarios in order.

    Raises:
        ValueError: a line stands before the first heading, or a heading is not ``# domain / title``.
    """
    scenarios = []
    for part in re.split(r"(?m)^# ", text.strip())[1:]:
        heading, *body = [line.strip() for line in part.splitlines() if line.strip()]
        domain, slash, title = heading.partition(" / ")
        if not slash:
            raise ValueError(f"heading {heading!r} is not '# domain / title'")
        slots, lines = [], []
        for line in body:
            names, equals, fillings = line.partition(" = ")
            if equals:
                slots.append(
                    (tuple(n.strip() for n in names.split(",")), tuple(f.strip() for f in fillings.split("|")))
                )
            else:
                lines.append(line)
        scenarios.append(Scenario(domain, title, tuple(slots), tuple(lines)))
    return tuple(scenarios)


def parse_step(line: str) -> Step:
    """Read one line whose slots are filled.

    Args:
        line: for example ``sweep! floor with broom``.

    Returns:
        The step.

    Raises:
        ValueError: an unknown verb or a word where an edge was expected.
    """
    verb, *rest = line.split()
    both = verb.endswith("!")
    verb = verb.rstrip("!")
    if verb not in KINDS:
        raise ValueError(f"unknown verb {verb!r} in {line!r}")
    dobj = rest.pop(0) if rest and rest[0] not in PREPOSITIONS | {"with"} else None
    tool, places = None, []
    while rest:
        edge, noun, *rest = rest
        if edge == "with":
            tool = noun
        elif edge in PREPOSITIONS:
            places.append((edge, noun))
        else:
            raise ValueError(f"unknown edge {edge!r} in {line!r}")
    return Step(verb, dobj, tool, tuple(places), both)


def fill(scenario: Scenario, rng: random.Random) -> list[str]:
    """The lines of one variant of ``scenario``: slots filled, optional parts decided, GET and PUT chosen."""
    values: dict[str, str] = {}
    for names, fillings in scenario.slots:
        values.update(zip(names, rng.sample(fillings, len(names)), strict=True))
    puts = [line.split() for line in scenario.lines if line.lstrip("? ").startswith("PUT")]
    get, put = rng.choice(GET_VERBS), rng.choice(PUT_VERBS)
    if put == "put-down" and any(words[-2] not in _PUT_DOWN_EDGES for words in puts):
        put = rng.choice(PUT_VERBS[:2])
    lines, in_option, keep = [], False, True
    for line in scenario.lines:
        optional = line.startswith("?")
        if optional and not in_option:
            keep = rng.random() < 0.5
        in_option = optional
        if optional and not keep:
            continue
        chosen = line.lstrip("? ").replace("GET", get).replace("PUT", put)
        lines.append(re.sub(r"\{(\w+)\}", lambda slot: values[slot[1]], chosen))
    return lines


def play(scenario: Scenario, rng: random.Random) -> list[Action]:
    """Play one variant of ``scenario`` from empty hands to empty hands.

    Args:
        scenario: the script.
        rng: decides the variant.

    Returns:
        The actions.

    Raises:
        ImpossibleActionError: the script breaks the rules of the world, or ends with something in hand.
    """
    world = World()
    actions = []
    for line in fill(scenario, rng):
        try:
            actions.append(world.do(parse_step(line)))
        except ImpossibleActionError as error:
            raise ImpossibleActionError(f"{scenario.domain} / {scenario.title}: {line!r}: {error}") from error
    if not world.hands_empty:
        raise ImpossibleActionError(f"{scenario.domain} / {scenario.title} ends with something in hand")
    return actions


def episode(scenarios: list[Scenario], rng: random.Random) -> Episode:
    """Play ``scenarios`` (of one domain) one after the other, each in a scene of its own.

    Args:
        scenarios: at least one.
        rng: decides the variants.

    Returns:
        The episode, its title the titles joined by " + ".

    Raises:
        ImpossibleActionError: a script breaks the rules of the world.
    """
    actions = [action for scenario in scenarios for action in play(scenario, rng)]
    return Episode(scenarios[0].domain, " + ".join(scenario.title for scenario in scenarios), tuple(actions))
