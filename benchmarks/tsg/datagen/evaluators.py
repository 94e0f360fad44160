"""What a question asks, computed from the events of a graph sequence: fillings to propose, and every right answer.

An evaluator knows an event by its description (verb and object), as a reader does: a description that fits two events
gives the answers for both, so that the question falls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from benchmarks.tsg.datagen.events import Event, held_before
from benchmarks.tsg.datagen.verbs import Kind

Events = Sequence[Event]
Filling = tuple[str, ...]
Fillings = Callable[[Events], Iterable[Filling]]
Evaluator = Callable[[Events, Filling], set[str]]


def described(events: Events, verb: str, dobj: str) -> list[Event]:
    """The events that a description fits."""
    return [event for event in events if event.verb == verb and event.dobj == dobj]


def anchors(events: Events) -> Iterator[Filling]:
    """Every event that has an object, as its description."""
    for event in events:
        if event.dobj:
            yield (event.verb, event.dobj)


def known(values: Iterable[str | None]) -> set[str]:
    """``values`` as a set, without None."""
    return {value for value in values if value}


def neighbour(step: int, want: Callable[[Event], str | None]) -> Evaluator:
    """What ``want`` says of the event ``step`` places from the described one."""

    def answers(events: Events, filling: Filling) -> set[str]:
        spots = [event.index + step for event in described(events, *filling)]
        if len(spots) != 1 or not 0 <= spots[0] < len(events):
            return set()
        return known([want(events[spots[0]])])

    return answers


def nearest_grasp(direction: int) -> Evaluator:
    """The object first grasped after (``direction`` 1) or last grasped before (-1) the described event."""

    def answers(events: Events, filling: Filling) -> set[str]:
        spots = described(events, *filling)
        if len(spots) != 1:
            return set()
        at = spots[0].index
        run = events[at + 1 :] if direction > 0 else list(reversed(events[:at]))
        return known([next((event.dobj for event in run if is_grasp(event)), None)])

    return answers


def is_grasp(event: Event) -> bool:
    """Whether something is taken in hand."""
    return event.kind is Kind.GRASP


def between(events: Events, filling: Filling) -> set[str]:
    """Everything grasped between two described events."""
    first, second = described(events, *filling[:2]), described(events, *filling[2:])
    if len(first) != 1 or len(second) != 1:
        return set()
    return known(event.dobj for event in events[first[0].index + 1 : second[0].index] if is_grasp(event))


def between_fillings(events: Events) -> Iterator[Filling]:
    """Pairs of events two to five steps apart, neither of them a grasp."""
    for one in events:
        for other in events[one.index + 2 : one.index + 6]:
            if one.dobj and other.dobj and not is_grasp(one) and not is_grasp(other):
                yield (one.verb, one.dobj, other.verb, other.dobj)


def tool_needed(events: Events, filling: Filling) -> set[str]:
    """The tool of the described work, if it was taken up before it."""
    uses = described(events, *filling)
    return known(
        use.tool for use in uses if use.tool and any(is_grasp(e) and e.dobj == use.tool for e in events[: use.index])
    )


def opened_for(events: Events, filling: Filling) -> set[str]:
    """The container that was opened so that the thing could be taken out of it."""
    opened: set[str] = set()
    for event in events:
        if event.dobj == filling[0] and is_grasp(event):
            origin = event.place("from")
            if not origin or not any(e.kind is Kind.OPEN and e.dobj == origin for e in events[: event.index]):
                return set()
            opened.add(origin)
    return opened


def freed_for(events: Events, filling: Filling) -> set[str]:
    """What last left the hand that then took the thing."""
    grasps = [event for event in events if is_grasp(event) and event.dobj == filling[0]]
    if len(grasps) != 1 or len(grasps[0].hands) != 1:
        return set()
    for event in reversed(events[: grasps[0].index]):
        let_go = event.kind in (Kind.RELEASE, Kind.LET_GO)
        if let_go and event.dobj and grasps[0].hands[0] in hands_holding(events, event):
            return {event.dobj}
    return set()


def hands_holding(events: Events, event: Event) -> set[str]:
    """The hands that hold the object of ``event`` before it."""
    return {hand for hand, noun in held_before(events, event.index).items() if noun == event.dobj}


def held_during(events: Events, filling: Filling) -> set[str]:
    """What is in hand during the described event, if it does not change what is held."""
    found = described(events, *filling)
    if len(found) != 1 or found[0].kind in (Kind.GRASP, Kind.RELEASE, Kind.LET_GO):
        return set()
    held = set(held_before(events, found[0].index).values())
    return set() if filling[1] in held else held


def ends_at(events: Events, filling: Filling) -> set[str]:
    """Where a thing was left for good; nothing if it, or the place that held it, was moved or emptied later."""
    last: str | None = None
    for event in events:
        if event.dobj == filling[0] and event.kind is Kind.RELEASE:
            last = event.places[0][1] if event.places else None
        elif (
            (event.dobj == filling[0] and (event.kind is Kind.GRASP or event.places))
            or (last and event.dobj == last and event.kind is Kind.GRASP)
            or (last and event.place("from") == last and event.kind is not Kind.GRASP)
        ):
            last = None
    return known([last])


def left_then(events: Events, filling: Filling) -> set[str]:
    """What is grasped next after the thing is no longer held, if that happens once."""
    left = [e for e in events if e.kind in (Kind.RELEASE, Kind.LET_GO) and e.dobj == filling[0]]
    if len(left) != 1 or left[0].index + 1 >= len(events):
        return set()
    run = [event for event in events[left[0].index + 1 :] if is_grasp(event)]
    return known([run[0].dobj]) if run else set()


def most_taken(events: Events, _filling: Filling) -> set[str]:
    """Everything grasped more than once."""
    taken = [event.dobj for event in events if is_grasp(event) and event.dobj]
    return {noun for noun in taken if taken.count(noun) > 1}


def source(events: Events, filling: Filling) -> set[str]:
    """Every place the thing is grasped from."""
    return known(e.place("from") for e in events if is_grasp(e) and e.dobj == filling[0])


def taken_from(pick: Callable[[list[str]], Iterable[str]]) -> Evaluator:
    """``pick`` of all that comes from the place, in order."""

    def answers(events: Events, filling: Filling) -> set[str]:
        return set(pick([e.dobj for e in events if e.dobj and e.place("from") == filling[0]]))

    return answers


def put(events: Events, filling: Filling) -> set[str]:
    """Everything that goes to the place."""
    edges, noun = filling
    kept = edges.split("/")
    return known(e.dobj for e in events if e.kind is not Kind.GRASP and any((edge, noun) in e.places for edge in kept))


def poured_into(events: Events, filling: Filling) -> set[str]:
    """Everything that receives the stuff."""
    return known(e.place("into", "onto", "over") for e in events if e.dobj == filling[0])


def poured(events: Events) -> Iterator[Filling]:
    """Everything that is poured."""
    for noun in sorted({e.dobj for e in events if e.dobj and e.kind is Kind.POUR}):
        yield (noun,)


def tool_for(events: Events, filling: Filling) -> set[str]:
    """Every tool of the described events."""
    return known(e.tool for e in described(events, *filling))


def object_of_tool(events: Events, filling: Filling) -> set[str]:
    """Everything the tool is used on."""
    return known(e.dobj for e in events if e.tool == filling[0])


def object_of_verb(events: Events, filling: Filling) -> set[str]:
    """Everything the verb is done to."""
    return known(e.dobj for e in events if e.verb == filling[0])


def deed_with(events: Events, filling: Filling) -> set[str]:
    """Everything that is done to the thing with the tool."""
    return {e.verb for e in events if e.tool == filling[0] and e.dobj == filling[1]}


def both_handed(events: Events, filling: Filling) -> set[str]:
    """Everything the verb is done to with both hands."""
    return known(e.dobj for e in events if len(e.hands) == 2 and e.verb == filling[0])


def extreme_use(last: bool) -> Evaluator:
    """The first or the last tool used."""

    def answers(events: Events, _filling: Filling) -> set[str]:
        tools = [e.tool for e in events if e.tool]
        return known(tools[-1:] if last else tools[:1])

    return answers


def things(events: Events) -> Iterator[Filling]:
    """Every object of an action."""
    for noun in sorted({e.dobj for e in events if e.dobj}):
        yield (noun,)


def tools(events: Events) -> Iterator[Filling]:
    """Every tool."""
    for noun in sorted({e.tool for e in events if e.tool}):
        yield (noun,)


def origins(events: Events) -> Iterator[Filling]:
    """Every place something is grasped from."""
    for noun in sorted(known(e.place("from") for e in events if is_grasp(e))):
        yield (noun,)


def put_places(events: Events) -> Iterator[Filling]:
    """Every place something is left at, with the edges that count as being there."""
    pairs = {pair for e in events if e.kind is Kind.RELEASE for pair in e.places}
    for edge, noun in sorted(pairs):
        if edge in ("in", "into"):
            yield ("in/into", noun)
        elif edge == "on":
            yield ("on", noun)


def verbs(kinds: tuple[Kind, ...]) -> Callable[[Events], Iterator[Filling]]:
    """Every verb of ``kinds``."""

    def fillings(events: Events) -> Iterator[Filling]:
        for verb in sorted({e.verb for e in events if e.kind in kinds}):
            yield (verb,)

    return fillings


def deeds(events: Events) -> Iterator[Filling]:
    """Every tool with each object it is used on."""
    yield from sorted({(e.tool, e.dobj) for e in events if e.tool and e.dobj})


def once(_events: Events) -> Iterator[Filling]:
    """A single, empty filling."""
    yield ()
