"""What the values of options are, for argparse: each function reads one, or says what it must be."""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING

# Imported where an option is read: every start of pytest declares them, in any project.
if TYPE_CHECKING:
    from proctor.live.concurrency import Concurrency
    from proctor.run.shard import Shard


def concurrency(text: str) -> Concurrency:
    """The value of ``--concurrency``."""
    from proctor.live.concurrency import Concurrency

    return Concurrency.parse(text)


def shard(text: str) -> Shard:
    """The value of ``--shard``."""
    from proctor.run.shard import Shard

    return Shard.parse(text)


def programs_on(text: str) -> str:
    """The value of ``--programs-on``."""
    if text not in ("local", "dask-local") and not re.fullmatch(r"dask://[^/\s]+:\d+", text):
        raise argparse.ArgumentTypeError(f"must be local, dask-local or dask://HOST:PORT, not {text!r}")
    return text


def positive(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return int(text)


def from_zero(text: str) -> float:
    """A finite number from 0."""
    value = number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"must be a number from 0, not {text!r}")
    return value


def dollars(text: str) -> float:
    """Dollars from 0."""
    value = number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"must be dollars from 0, not {text!r}")
    return value


def number(text: str) -> float:
    """The finite number written in *text*, else NaN, which fails every comparison."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
