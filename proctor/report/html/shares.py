"""Room in a page, shared fairly: no model has its texts left out because another's came first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping


class FairShares:
    """Decides which records a page has room for.

    Each group has room in proportion to its records. What all of them seem to leave free, by the mean size so far, goes
    to whoever comes.

    Args:
        room: How much there is, in the unit that sizes are given in.
        records: How many records each group may come with.
    """

    def __init__(self, room: float, records: Mapping[Hashable, int]) -> None:
        self._room = room
        self._records = records
        self._total = sum(records.values()) or 1
        self._taken: defaultdict[Hashable, float] = defaultdict(float)
        self._seen = 0
        self._offered = 0.0

    def may_have_room(self, group: Hashable) -> bool:
        """Whether a record of the mean size might be added."""
        if not self._seen:
            return True
        mean = self._offered / self._seen
        share = self._room * self._records[group] / self._total
        return self._taken[group] + mean <= share or mean * self._total <= self._room

    def has_room(self, group: Hashable, size: float) -> bool:
        """Whether a record of this size may be added; if so, its room is taken."""
        self._seen += 1
        self._offered += size
        share = self._room * self._records[group] / self._total
        expected = self._offered / self._seen * self._total
        if self._taken[group] + size <= share or expected <= self._room:
            self._taken[group] += size
            return True
        return False
