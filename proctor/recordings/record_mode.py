"""pytest-recording's record modes, at the level of a call."""

from __future__ import annotations

import enum


class RecordMode(enum.Enum):
    """pytest-recording's record modes, at the level of a call."""

    NONE = "none"
    ONCE = "once"
    NEW_EPISODES = "new_episodes"
    ALL = "all"
    REWRITE = "rewrite"

    @property
    def replays(self) -> bool:
        """Whether a recording of exactly this call is used."""
        return self not in (RecordMode.ALL, RecordMode.REWRITE)

    @property
    def records(self) -> bool:
        """Whether anything may be asked live."""
        return self is not RecordMode.NONE
