"""Moments as the project's files write them."""

from __future__ import annotations

from datetime import datetime


def time_stamp(moment: datetime, timespec: str = "milliseconds") -> str:
    """A moment of UTC in ISO 8601, such as ``2026-11-22T14:05:09.250Z``: as texts they sort by time.

    Args:
        moment: The moment, with the time zone UTC.
        timespec: How exact; as `datetime.isoformat` takes it.
    """
    return moment.isoformat(timespec=timespec).replace("+00:00", "Z")
