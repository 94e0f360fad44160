"""How hard a model thinks: which levels it knows, how each is said to it, and what it refuses while it thinks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from proctor._base.json_values import Json
from proctor._base.marked_yaml import Marked, nearest
from proctor.models.option_values import LEVELS

PARAMETER = "effort"
"""The neutral parameter; what it is on the wire says `Effort.wire`."""

NONE = "none"
PLACEHOLDER = "LEVEL"
RAW = ("reasoning_effort",)
"""Parameters by which a level may be given past the neutral one."""


@dataclass(frozen=True)
class Effort:
    """What an api, a provider, a family or a model says about levels of effort; what is ``None`` it leaves open.

    Args:
        levels: The levels that are accepted; none of them for a model that does not reason.
        default: The level of a request that asks for none.
        send: The fields of a request that ask for a level, with ``LEVEL`` where it stands.
        special: The fields for single levels, in the place of *send*.
        refuses: Parameters that are refused at every level but ``none``.
    """

    levels: tuple[str, ...] | None = None
    default: str | None = None
    send: Mapping[str, Json] | None = None
    special: Mapping[str, Mapping[str, Json]] | None = None
    refuses: frozenset[str] = field(default_factory=frozenset)

    def over(self, base: Effort) -> Effort:
        """What this says, and what *base* says where this leaves it open."""
        return Effort(
            levels=base.levels if self.levels is None else self.levels,
            default=self.default or base.default,
            send=base.send if self.send is None else self.send,
            # Levels said in a way of their own belong to the way that the others are said.
            special=self.special if self.special is not None else base.special if self.send is None else None,
            refuses=self.refuses | base.refuses,
        )

    def takes(self, level: Json) -> bool:
        """Whether a level is accepted, as far as is known."""
        return level in (LEVELS if self.levels is None else self.levels)

    def refused(self, parameters: Mapping[str, Json]) -> frozenset[str]:
        """What is refused beside *parameters*, for the level that they ask for."""
        level = next((parameters[name] for name in (PARAMETER, *RAW) if name in parameters), self.default)
        return frozenset() if level in (None, NONE) else self.refuses

    def wire(self, level: str) -> dict[str, Json]:
        """The fields of a request that ask for a level."""
        if self.special is not None and level in self.special:
            return dict(self.special[level])
        return {name: _filled(value, level) for name, value in (self.send or {}).items()}


def _filled(value: Json, level: str) -> Json:
    if isinstance(value, Mapping):
        return {name: _filled(part, level) for name, part in value.items()}
    return level if value == PLACEHOLDER else value


def read_effort(mark: Marked) -> Effort:
    """The values under ``effort``.

    Raises:
        DataError: For the first mistake, with its line.
    """
    found = mark.fields(("levels", "default", "send", "special", "refuses"))
    send = {name: item.json() for name, item in found["send"].mapping().items()} if "send" in found else None
    special = None
    if "special" in found:
        special = {}
        for level, item in found["special"].mapping().items():
            if level not in LEVELS:
                item.fail_key("unknown level", _known(level))
            special[level] = {name: part.json() for name, part in item.mapping().items()}
    return Effort(
        levels=tuple(_level(item) for item in found["levels"].items()) if "levels" in found else None,
        default=_level(found["default"]) if "default" in found else None,
        send=send,
        special=special,
        refuses=frozenset(found["refuses"].words()) if "refuses" in found else frozenset(),
    )


def _level(mark: Marked) -> str:
    level = mark.text()
    if level not in LEVELS:
        mark.fail("unknown level", _known(level))
    return level


def _known(level: str) -> str:
    return nearest(level, LEVELS) or f"one of {', '.join(LEVELS)}"
