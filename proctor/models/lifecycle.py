"""How long a model can be asked: when its provider shuts it down, and what takes its place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from proctor._base.errors import UsageError
from proctor._base.marked_yaml import Marked

WARNING_DAYS = 30
TODAY = "PROCTOR_TODAY"
"""A variable that stands in for today's date, so that a test of a former date holds on every day."""


@dataclass(frozen=True)
class Lifecycle:
    """What a provider says about the end of a model.

    Args:
        shutdown: The first day on which it does not answer any more; ``None`` if none is announced.
        replacement: What the provider recommends instead.
        source: Where that is written.
    """

    shutdown: date | None = None
    replacement: str | None = None
    source: str | None = None

    def days_left(self, day: date) -> int | None:
        """Days from *day* until the model is shut down, 0 or less if it is; ``None`` if no end is known."""
        return None if self.shutdown is None else (self.shutdown - day).days

    def has_ended(self, day: date) -> bool:
        """Whether the model does not answer any more on *day*."""
        left = self.days_left(day)
        return left is not None and left <= 0

    @property
    def instead(self) -> str:
        """What to use instead, in words; empty if nobody said."""
        return f"; its provider names {self.replacement} instead" if self.replacement else ""


def read_lifecycle(mark: Marked) -> Lifecycle:
    """The values under ``lifecycle``."""
    found = mark.fields(("shutdown", "replacement", "source"))
    texts = {name: item.text() for name, item in found.items() if name != "shutdown"}
    return Lifecycle(shutdown=found["shutdown"].day() if "shutdown" in found else None, **texts)


def today(environ: Mapping[str, str] = os.environ) -> date:
    """Today's date, in UTC.

    Raises:
        UsageError: If the variable that stands in for it holds none.
    """
    text = environ.get(TODAY, "").strip()
    try:
        return date.fromisoformat(text) if text else datetime.now(UTC).date()
    except ValueError:
        raise UsageError(f"{TODAY} does not hold a date", remedy="such as 2026-12-31") from None
