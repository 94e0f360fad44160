"""Scene graphs read back as events. Questions are judged from these alone, never from the world that made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.tsg.datagen.action import HANDS, Graph
from benchmarks.tsg.datagen.verbs import KINDS, Kind


@dataclass(frozen=True)
class Event:
    """One graph, read: position, verb, object, tool, hands and (edge, noun) places."""

    index: int
    verb: str
    dobj: str | None
    tool: str | None
    hands: tuple[str, ...]
    places: tuple[tuple[str, str], ...]

    @property
    def kind(self) -> Kind:
        """What the verb does to the hands."""
        return KINDS[self.verb]

    @property
    def nouns(self) -> frozenset[str]:
        """Every object and place of the event."""
        return frozenset({self.dobj, self.tool, *(noun for _, noun in self.places)} - {None})  # type: ignore[arg-type]

    def place(self, *edges: str) -> str | None:
        """The first place at one of ``edges``, or None."""
        return next((noun for edge, noun in self.places if edge in edges), None)


def read_events(graphs: Sequence[Graph]) -> list[Event]:
    """Read ``graphs`` in order.

    Args:
        graphs: scene graphs with one ``person verb ACTION`` triplet each.

    Returns:
        One event a graph.

    Raises:
        ValueError: a graph has no verb.
    """
    events = []
    for index, graph in enumerate(graphs):
        verb = next((node for subject, edge, node in graph if subject == "person" and edge == "verb"), None)
        if verb is None:
            raise ValueError(f"graph {index} has no 'person verb ACTION' triplet: {graph}")
        own = [(edge, node) for subject, edge, node in graph if subject == verb]
        tools = [node for edge, node in own if edge == "with" and node not in HANDS]
        events.append(
            Event(
                index,
                verb,
                next((node for edge, node in own if edge == "dobj"), None),
                tools[0] if tools else None,
                tuple(node for edge, node in own if edge == "with" and node in HANDS),
                tuple((edge, node) for edge, node in own if edge not in ("with", "dobj")),
            )
        )
    return events


def held_before(events: Sequence[Event], index: int) -> dict[str, str]:
    """What each hand holds just before event ``index``, told from the graphs of the events before it."""
    held: dict[str, str] = {}
    for event in events[:index]:
        if event.kind is Kind.GRASP and event.dobj:
            held.update(dict.fromkeys(event.hands, event.dobj))
        elif event.kind in (Kind.RELEASE, Kind.LET_GO):
            held = {hand: noun for hand, noun in held.items() if noun != event.dobj}
    return held
