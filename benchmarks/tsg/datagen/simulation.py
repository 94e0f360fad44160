"""The world that plays a script: two hands, known places, doors, switches. It refuses what cannot be done."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.tsg.datagen.action import HANDS, Action
from benchmarks.tsg.datagen.nouns import LIDDED
from benchmarks.tsg.datagen.verbs import KINDS, Kind


class ImpossibleActionError(ValueError):
    """A script asks for something that its own earlier steps rule out."""


@dataclass(frozen=True)
class Step:
    """One line of a script, with nothing decided about hands but whether it takes both."""

    verb: str
    dobj: str | None
    tool: str | None
    places: tuple[tuple[str, str], ...]
    both: bool = False


_INSIDE = frozenset({"in", "into", "inside", "from", "to"})


class World:
    """The state of one scene. :meth:`do` plays a step and answers with the action, hands included."""

    def __init__(self) -> None:
        self._held: dict[str, str] = {}  # hand -> object; a heavy object stands in both
        self._place: dict[str, str] = {}
        self._open: dict[str, bool] = {}
        self._on: dict[str, bool] = {}

    @property
    def hands_empty(self) -> bool:
        """Whether nothing is held."""
        return not self._held

    def do(self, step: Step) -> Action:
        """Play ``step``.

        Args:
            step: what to do.

        Returns:
            The action with its hands and relations.

        Raises:
            ImpossibleActionError: a precondition does not hold (nothing free, not held, closed, elsewhere …).
        """
        if step.verb not in KINDS:
            raise ImpossibleActionError(f"unknown verb {step.verb!r}")
        kind = KINDS[step.verb]
        were_empty = self.hands_empty
        self._check_lids(step)
        if step.tool and not self._hands_of(step.tool):
            raise ImpossibleActionError(f"{step.verb} {step.dobj}: the {step.tool} is not held")
        hands, follow = self._hands_for(step, kind)
        relations = self._relations(step, hands)
        self._take_effect(step, kind, hands)
        return Action(step.verb, step.dobj, step.tool, step.places, hands, relations, follow, were_empty)

    def _hands_of(self, noun: str | None) -> tuple[str, ...]:
        return tuple(hand for hand in HANDS if self._held.get(hand) == noun) if noun else ()

    def _free(self, step: Step) -> tuple[str, ...]:
        free = tuple(hand for hand in HANDS if hand not in self._held)
        if not free or (step.both and len(free) < len(HANDS)):
            raise ImpossibleActionError(f"{step.verb} {step.dobj}: no free hand, holding {sorted(self._held.values())}")
        return free if step.both else free[:1]

    def _hands_for(self, step: Step, kind: Kind) -> tuple[tuple[str, ...], bool]:
        """The hands of a step, and whether they follow from what is held without being told."""
        holding = self._hands_of(step.dobj)
        if kind is Kind.MOVE:
            return (), True
        if kind is Kind.GRASP:
            if holding:
                raise ImpossibleActionError(f"{step.verb} {step.dobj}: already held")
            return self._free(step), not step.both
        if kind is Kind.POUR:
            holding = self._hands_of(step.dobj) or self._hands_of(dict(step.places).get("from"))
        if kind in (Kind.RELEASE, Kind.HELD, Kind.POUR, Kind.LET_GO) and not holding:
            raise ImpossibleActionError(f"{step.verb} {step.dobj}: not held")
        user = self._hands_of(step.tool) or holding
        if not user:
            return self._free(step), not step.both
        if step.both and len(user) < len(HANDS):
            other = next(hand for hand in HANDS if hand not in user)
            if other in self._held and self._held[other] != step.dobj:
                raise ImpossibleActionError(f"{step.verb} {step.dobj}: the other hand holds {self._held[other]}")
            return HANDS, False
        return user, True

    def _relations(self, step: Step, hands: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
        """A tool at work on something in the other hand: say where that thing is."""
        if not step.tool or not step.dobj:
            return ()
        return tuple((step.dobj, "in", hand) for hand in self._hands_of(step.dobj) if hand not in hands)

    def _check_lids(self, step: Step) -> None:
        for prep, noun in step.places:
            if prep in _INSIDE and not self._open.get(noun, noun not in LIDDED):
                raise ImpossibleActionError(f"{step.verb} {step.dobj} {prep} {noun}: the {noun} is closed")

    def _take_effect(self, step: Step, kind: Kind, hands: tuple[str, ...]) -> None:
        noun = step.dobj or ""
        if kind is Kind.GRASP:
            origin = dict(step.places).get("from")
            if origin and self._place.get(noun, origin) != origin:
                raise ImpossibleActionError(f"{step.verb} {noun} from {origin}: it is at {self._place[noun]}")
            self._place.pop(noun, None)
            self._held.update(dict.fromkeys(hands, noun))
        elif kind in (Kind.RELEASE, Kind.LET_GO):
            if kind is Kind.RELEASE and not step.places:
                raise ImpossibleActionError(f"{step.verb} {noun}: nowhere to leave it")
            self._held = {hand: held for hand, held in self._held.items() if held != noun}
            if step.places:
                self._place[noun] = step.places[0][1]
        elif kind in (Kind.OPEN, Kind.CLOSE):
            self._flip(self._open, noun, step.verb, kind is Kind.OPEN)
        elif kind in (Kind.SWITCH_ON, Kind.SWITCH_OFF):
            self._flip(self._on, noun, step.verb, kind is Kind.SWITCH_ON)

    def _flip(self, state: dict[str, bool], noun: str, verb: str, wanted: bool) -> None:
        if state.get(noun, not wanted) == wanted:
            raise ImpossibleActionError(f"{verb} {noun}: it is so already")
        state[noun] = wanted
