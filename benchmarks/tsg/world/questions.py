"""Question templates for SGQA, each with an evaluator that finds every right answer in a graph sequence.

A template proposes questions about some events; :func:`ask` keeps those whose evaluator gives exactly one answer. An
evaluator knows the events by description (verb and object), as a reader does: a description that fits two events gives
the answers for both, and the question falls.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.tsg.world import verbs
from benchmarks.tsg.world.action import Graph
from benchmarks.tsg.world.events import Event, held_before, read_events
from benchmarks.tsg.world.verbs import Kind

Events = Sequence[Event]


@dataclass(frozen=True)
class Question:
    """A question, its only answer, and its type."""

    text: str
    answer: str
    type: str
    template: str


@dataclass(frozen=True)
class Template:
    """A kind of question: ``parameters`` proposes fillings, ``answers`` gives every right answer to one filling."""

    name: str
    type: str
    wordings: tuple[str, ...]
    parameters: Callable[[Events], Iterable[tuple[str, ...]]]
    answers: Callable[[Events, tuple[str, ...]], set[str]]


def anchor(verb: str, dobj: str) -> str:
    """An event as a phrase: ``tightening the bolt``."""
    head, particle = verbs.gerund(verb)
    return " ".join(part for part in (head, particle, f"the {dobj}") if part)


def described(events: Events, verb: str, dobj: str) -> list[Event]:
    """The events that a description fits."""
    return [event for event in events if event.verb == verb and event.dobj == dobj]


def _anchors(events: Events) -> Iterator[tuple[str, ...]]:
    for event in events:
        if event.dobj:
            yield (event.verb, event.dobj)


def _known(values: Iterable[str | None]) -> set[str]:
    return {value for value in values if value}


def _neighbour(step: int, want: Callable[[Event], str | None]) -> Callable[[Events, tuple[str, ...]], set[str]]:
    def answers(events: Events, filling: tuple[str, ...]) -> set[str]:
        spots = [event.index + step for event in described(events, *filling)]
        if len(spots) != 1 or not 0 <= spots[0] < len(events):
            return set()
        return _known([want(events[spots[0]])])

    return answers


def _nearest_grasp(direction: int) -> Callable[[Events, tuple[str, ...]], set[str]]:
    def answers(events: Events, filling: tuple[str, ...]) -> set[str]:
        spots = described(events, *filling)
        if len(spots) != 1:
            return set()
        at = spots[0].index
        run = events[at + 1 :] if direction > 0 else list(reversed(events[:at]))
        return _known([next((event.dobj for event in run if _taken(event)), None)])

    return answers


def _taken(event: Event) -> bool:
    return event.kind is Kind.GRASP


def _between(events: Events, filling: tuple[str, ...]) -> set[str]:
    first, second = described(events, *filling[:2]), described(events, *filling[2:])
    if len(first) != 1 or len(second) != 1:
        return set()
    return _known(event.dobj for event in events[first[0].index + 1 : second[0].index] if _taken(event))


def _between_fillings(events: Events) -> Iterator[tuple[str, ...]]:
    for one in events:
        for other in events[one.index + 2 : one.index + 6]:
            if one.dobj and other.dobj and not _taken(one) and not _taken(other):
                yield (one.verb, one.dobj, other.verb, other.dobj)


def _tool_needed(events: Events, filling: tuple[str, ...]) -> set[str]:
    """The tool of the described work, if it was taken up before it."""
    uses = described(events, *filling)
    return _known(
        use.tool for use in uses if use.tool and any(_taken(e) and e.dobj == use.tool for e in events[: use.index])
    )


def _opened_for(events: Events, filling: tuple[str, ...]) -> set[str]:
    opened: set[str] = set()
    for event in events:
        if event.dobj == filling[0] and _taken(event):
            origin = event.place("from")
            if not origin or not any(e.kind is Kind.OPEN and e.dobj == origin for e in events[: event.index]):
                return set()
            opened.add(origin)
    return opened


def _freed_for(events: Events, filling: tuple[str, ...]) -> set[str]:
    """What last left the hand that then took the thing."""
    grasps = [event for event in events if _taken(event) and event.dobj == filling[0]]
    if len(grasps) != 1 or len(grasps[0].hands) != 1:
        return set()
    for event in reversed(events[: grasps[0].index]):
        if event.kind in (Kind.RELEASE, Kind.LET_GO) and event.dobj:
            if grasps[0].hands[0] in _hands_holding(events, event):
                return {event.dobj}
    return set()


def _hands_holding(events: Events, event: Event) -> set[str]:
    return {hand for hand, noun in held_before(events, event.index).items() if noun == event.dobj}


def _held_during(events: Events, filling: tuple[str, ...]) -> set[str]:
    found = described(events, *filling)
    if len(found) != 1 or found[0].kind in (Kind.GRASP, Kind.RELEASE, Kind.LET_GO):
        return set()
    held = set(held_before(events, found[0].index).values())
    return set() if filling[1] in held else held


def _ends_at(events: Events, filling: tuple[str, ...]) -> set[str]:
    """Where a thing was left for good; nothing if it, or the place that held it, was moved or emptied later."""
    last: str | None = None
    for event in events:
        if event.dobj == filling[0] and event.kind is Kind.RELEASE:
            last = event.places[0][1] if event.places else None
        elif event.dobj == filling[0] and (event.kind is Kind.GRASP or event.places):
            last = None
        elif last and (event.place("from") == last or (event.kind is Kind.GRASP and event.dobj == last)):
            if event.kind is not Kind.GRASP or event.dobj == last:
                last = None
    return _known([last])


def _left_then(events: Events, filling: tuple[str, ...]) -> set[str]:
    left = [e for e in events if e.kind in (Kind.RELEASE, Kind.LET_GO) and e.dobj == filling[0]]
    if len(left) != 1 or left[0].index + 1 >= len(events):
        return set()
    run = [event for event in events[left[0].index + 1 :] if _taken(event)]
    return _known([run[0].dobj]) if run else set()


def _most_taken(events: Events, filling: tuple[str, ...]) -> set[str]:
    taken = [event.dobj for event in events if _taken(event) and event.dobj]
    return {noun for noun in taken if taken.count(noun) > 1}


def _source(events: Events, filling: tuple[str, ...]) -> set[str]:
    return _known(e.place("from") for e in events if _taken(e) and e.dobj == filling[0])


def _from(pick: Callable[[list[str]], Iterable[str]]) -> Callable[[Events, tuple[str, ...]], set[str]]:
    def answers(events: Events, filling: tuple[str, ...]) -> set[str]:
        return set(pick([e.dobj for e in events if e.dobj and e.place("from") == filling[0]]))

    return answers


def _put(events: Events, filling: tuple[str, ...]) -> set[str]:
    edges, noun = filling
    kept = edges.split("/")
    return _known(e.dobj for e in events if e.kind is not Kind.GRASP and any((edge, noun) in e.places for edge in kept))


def _poured_into(events: Events, filling: tuple[str, ...]) -> set[str]:
    return _known(e.place("into", "onto", "over") for e in events if e.dobj == filling[0])


def _poured(events: Events) -> Iterator[tuple[str, ...]]:
    for noun in sorted({e.dobj for e in events if e.dobj and e.kind is Kind.POUR}):
        yield (noun,)


def _tool_for(events: Events, filling: tuple[str, ...]) -> set[str]:
    return _known(e.tool for e in described(events, *filling))


def _object_of_tool(events: Events, filling: tuple[str, ...]) -> set[str]:
    return _known(e.dobj for e in events if e.tool == filling[0])


def _object_of_verb(events: Events, filling: tuple[str, ...]) -> set[str]:
    return _known(e.dobj for e in events if e.verb == filling[0])


def _deed_with(events: Events, filling: tuple[str, ...]) -> set[str]:
    return {e.verb for e in events if e.tool == filling[0] and e.dobj == filling[1]}


def _both_handed(events: Events, filling: tuple[str, ...]) -> set[str]:
    return _known(e.dobj for e in events if len(e.hands) == 2 and e.verb == filling[0])


def _extreme_use(last: bool) -> Callable[[Events, tuple[str, ...]], set[str]]:
    def answers(events: Events, filling: tuple[str, ...]) -> set[str]:
        tools = [e.tool for e in events if e.tool]
        return _known(tools[-1:] if last else tools[:1])

    return answers


def _things(events: Events) -> Iterator[tuple[str, ...]]:
    for noun in sorted({e.dobj for e in events if e.dobj}):
        yield (noun,)


def _tools(events: Events) -> Iterator[tuple[str, ...]]:
    for noun in sorted({e.tool for e in events if e.tool}):
        yield (noun,)


def _origins(events: Events) -> Iterator[tuple[str, ...]]:
    for noun in sorted(_known(e.place("from") for e in events if _taken(e))):
        yield (noun,)


def _put_places(events: Events) -> Iterator[tuple[str, ...]]:
    pairs = {pair for e in events if e.kind is Kind.RELEASE for pair in e.places}
    for edge, noun in sorted(pairs):
        if edge in ("in", "into"):
            yield ("in/into", noun)
        elif edge == "on":
            yield ("on", noun)


def _verbs(kinds: tuple[Kind, ...]) -> Callable[[Events], Iterator[tuple[str, ...]]]:
    def fillings(events: Events) -> Iterator[tuple[str, ...]]:
        for verb in sorted({e.verb for e in events if e.kind in kinds}):
            yield (verb,)

    return fillings


def _deeds(events: Events) -> Iterator[tuple[str, ...]]:
    for pair in sorted({(e.tool, e.dobj) for e in events if e.tool and e.dobj}):
        yield pair


def _once(events: Events) -> Iterator[tuple[str, ...]]:
    yield ()


_WORK = (Kind.MANIPULATE, Kind.HELD, Kind.OPEN, Kind.CLOSE)

TEMPLATES: tuple[Template, ...] = (
    Template(
        "before",
        "temporal",
        (
            "What object did the person handle immediately before {a}?",
            "Which object was the direct object of the action right before {a}?",
            "Just before {a}, which object was acted on?",
        ),
        _anchors,
        _neighbour(-1, lambda e: e.dobj),
    ),
    Template(
        "after",
        "temporal",
        (
            "What object was handled immediately after {a}?",
            "Right after {a}, which object did the person act on?",
            "Which object was the direct object of the action that follows {a}?",
        ),
        _anchors,
        _neighbour(1, lambda e: e.dobj),
    ),
    Template(
        "deed-after",
        "temporal",
        ("Which action comes directly after {a}?", "What did the person do immediately after {a}? Name the action."),
        _anchors,
        _neighbour(1, lambda e: None if e.kind in (Kind.GRASP, Kind.RELEASE) else e.verb),
    ),
    Template(
        "deed-before",
        "temporal",
        ("Which action comes directly before {a}?", "What had the person just done before {a}? Name the action."),
        _anchors,
        _neighbour(-1, lambda e: None if e.kind in (Kind.GRASP, Kind.RELEASE) else e.verb),
    ),
    Template(
        "grasped-after",
        "temporal",
        (
            "What was the first object the person took hold of after {a}?",
            "After {a}, which object was taken up first?",
        ),
        _anchors,
        _nearest_grasp(1),
    ),
    Template(
        "grasped-before",
        "temporal",
        (
            "What was the last object the person took hold of before {a}?",
            "Before {a}, which object was the most recent one to be taken up?",
        ),
        _anchors,
        _nearest_grasp(-1),
    ),
    Template(
        "between",
        "temporal",
        (
            "Which object was taken up between {a} and {b}?",
            "What did the person take hold of after {a} and before {b}?",
        ),
        _between_fillings,
        _between,
    ),
    Template(
        "tool-needed",
        "causal",
        (
            "Which tool had to be taken up first to make {a} possible?",
            "What did the person need to fetch so that {a} could be done?",
            "{A} depended on a tool that was taken up earlier. Which one?",
        ),
        _anchors,
        _tool_needed,
    ),
    Template(
        "opened-for",
        "causal",
        (
            "What had to be opened before the person could take the {0}?",
            "Opening what made it possible to get the {0}?",
        ),
        _things,
        _opened_for,
    ),
    Template(
        "freed-for",
        "causal",
        (
            "The hand that took the {0} had to be free. Which object had it let go of last?",
            "Which object had the hand that took the {0} released most recently?",
        ),
        _things,
        _freed_for,
    ),
    Template(
        "held-during",
        "tracking",
        (
            "Which object was the person holding while {a}?",
            "While {a}, what did the person have in hand?",
            "What was in the person's hands during the step of {a}?",
        ),
        _anchors,
        _held_during,
    ),
    Template(
        "ends-at",
        "tracking",
        (
            "Where did the {0} end up?",
            "Where was the {0} at the end of the sequence?",
            "What is the final place of the {0}?",
        ),
        _things,
        _ends_at,
    ),
    Template(
        "left-then",
        "tracking",
        (
            "Once the person no longer held the {0}, which object was taken up next?",
            "Which object did the person take hold of next after leaving the {0} somewhere?",
        ),
        _things,
        _left_then,
    ),
    Template(
        "most-taken",
        "tracking",
        (
            "Which object was taken up more than once?",
            "Which is the only object that the person took hold of repeatedly?",
        ),
        _once,
        _most_taken,
    ),
    Template(
        "source",
        "spatial",
        ("From where was the {0} taken?", "Where was the {0} before the person took it?"),
        _things,
        _source,
    ),
    Template(
        "from-only",
        "spatial",
        ("Which object was taken from the {0}?", "What did the person take from the {0}?"),
        _origins,
        _from(lambda found: found),
    ),
    Template(
        "from-first",
        "spatial",
        ("What was the first object taken from the {0}?",),
        _origins,
        _from(lambda found: found[:1] if len(set(found)) > 1 else []),
    ),
    Template(
        "from-last",
        "spatial",
        ("What was the final object taken from the {0}?",),
        _origins,
        _from(lambda found: found[-1:] if len(set(found)) > 1 else []),
    ),
    Template(
        "put-at",
        "spatial",
        ("Which object was left {in_or_on} the {1}?", "What did the person leave {in_or_on} the {1}?"),
        _put_places,
        _put,
    ),
    Template(
        "poured-into",
        "spatial",
        ("What received the {0}?", "Where did the {0} go?"),
        _poured,
        _poured_into,
    ),
    Template(
        "tool-for",
        "action-object",
        (
            "What was used for {a}?",
            "Which tool did the person use for {a}?",
            "With which tool was the step of {a} done?",
        ),
        _anchors,
        _tool_for,
    ),
    Template(
        "object-of-tool",
        "action-object",
        ("Which object was the {0} used on?", "What did the person work on with the {0}?"),
        _tools,
        _object_of_tool,
    ),
    Template(
        "object-of-verb",
        "action-object",
        ("Which object did the person {base}?", "Which object was {participle}?"),
        _verbs(_WORK),
        _object_of_verb,
    ),
    Template(
        "deed-with",
        "action-object",
        (
            "Which action was done to the {1} with the {0}?",
            "What did the person do to the {1} using the {0}? Name the action.",
        ),
        _deeds,
        _deed_with,
    ),
    Template(
        "both-handed",
        "action-object",
        ("Which object did the person {base} with both hands?",),
        _verbs((Kind.GRASP, Kind.MANIPULATE)),
        _both_handed,
    ),
    Template(
        "first-tool",
        "action-object",
        ("What was the first tool the person used on something?", "Which tool was put to use first of all?"),
        _once,
        _extreme_use(last=False),
    ),
    Template(
        "last-tool",
        "action-object",
        ("What was the last tool the person used on something?", "Which tool was put to use last of all?"),
        _once,
        _extreme_use(last=True),
    ),
)


def wording(template: Template, text: str, filling: tuple[str, ...]) -> str:
    """``text`` with the filling put in, as a question."""
    first = anchor(*filling[:2]) if len(filling) in (2, 4) else ""
    second = anchor(*filling[2:]) if len(filling) == 4 else ""
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
            text = wording(template, rng.choice(template.wordings), filling)
            (answer,) = answers
            if not gives_away(text, answer):
                questions.append(Question(text, answer, template.type, template.name))
    rng.shuffle(questions)
    return questions
