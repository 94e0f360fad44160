"""One action of the person and its scene graph."""

from __future__ import annotations

from dataclasses import dataclass

Triplet = list[str]
Graph = list[Triplet]

HANDS = ("hand1", "hand2")


@dataclass(frozen=True)
class Action:
    """What the person did in one step, with the hands the world assigned.

    ``hands_follow`` says whether the hands can be told from what is held already, so that a sentence need not name
    them; ``hands_were_empty`` says whether nothing was held before the step.
    """

    verb: str
    dobj: str | None
    tool: str | None
    places: tuple[tuple[str, str], ...]
    hands: tuple[str, ...]
    relations: tuple[tuple[str, str, str], ...] = ()
    hands_follow: bool = True
    hands_were_empty: bool = False

    @property
    def both_hands(self) -> bool:
        """Whether the step takes both hands."""
        return len(self.hands) == len(HANDS)

    def place(self, edge: str) -> str | None:
        """The place at ``edge`` (``from``, ``on`` …), or None."""
        return next((noun for prep, noun in self.places if prep == edge), None)

    def graph(self) -> Graph:
        """The gold scene graph: the verb first, then object, tool, hands, places and relations."""
        triplets: Graph = [["person", "verb", self.verb]]
        if self.dobj:
            triplets.append([self.verb, "dobj", self.dobj])
        if self.tool:
            triplets.append([self.verb, "with", self.tool])
        triplets.extend([self.verb, "with", hand] for hand in self.hands)
        triplets.extend([self.verb, prep, noun] for prep, noun in self.places)
        triplets.extend(list(relation) for relation in self.relations)
        return triplets
