"""How the programs of the Dry Experiment are run: what options and environment say, and the task is made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from proctor import UsageError

SECONDS_VARIABLE = "SGI_EXECUTION_TIMEOUT"
SECONDS_FOR_PROGRAM = 300.0


@dataclass(frozen=True)
class Settings:
    """How programs are run.

    Args:
        python: The interpreter that ``--sgi-python`` names.
        require_sandbox: Whether programs may run in a sandbox only.
        seconds: What the completed program may take.
    """

    python: Path | None = None
    require_sandbox: bool = False
    seconds: float = SECONDS_FOR_PROGRAM

    def for_machines(self) -> dict[str, Any]:
        """The same as JSON, for a machine that runs programs."""
        python = None if self.python is None else str(self.python)
        return {"python": python, "require_sandbox": self.require_sandbox, "seconds": self.seconds}

    @classmethod
    def of_machines(cls, fields: Mapping[str, Any]) -> Settings:
        """What `for_machines` gave, among other fields."""
        python = fields["python"]
        return cls(None if python is None else Path(python), fields["require_sandbox"], fields["seconds"])


DEFAULT = Settings()
SETTINGS = pytest.StashKey[Settings]()
"""Under this key pytest's configuration has them, where the benchmark's plugin has read them."""


def settings_of(config: pytest.Config) -> Settings:
    """What the options of a run and the environment say."""
    return config.stash.get(SETTINGS, DEFAULT)


def seconds_from(environ: Mapping[str, str]) -> float:
    """What the completed program may take, by the environment.

    Raises:
        UsageError: If the variable is no number of seconds above 0.
    """
    text = environ.get(SECONDS_VARIABLE, "").strip()
    try:
        seconds = float(text) if text else SECONDS_FOR_PROGRAM
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise UsageError(
            f"{SECONDS_VARIABLE}={text}: not a number of seconds above 0",
            remedy=f"Unset it for the official {SECONDS_FOR_PROGRAM:g} seconds.",
        )
    return seconds
