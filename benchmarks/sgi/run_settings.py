"""How the programs of the Dry Experiment are run in this process: what the options and the environment say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from proctor.errors import UsageError

SECONDS_VARIABLE = "SGI_EXECUTION_TIMEOUT"
SECONDS_FOR_PROGRAM = 300.0


@dataclass(frozen=True)
class Settings:
    """How programs are run in this process.

    Args:
        python: The interpreter that ``--sgi-python`` names.
        require_sandbox: Whether programs may run in a sandbox only.
        seconds: What the completed program may take.
    """

    python: Path | None = None
    require_sandbox: bool = False
    seconds: float = SECONDS_FOR_PROGRAM


_settings = Settings()


def configure(chosen: Settings) -> None:
    """Say how programs are run from now on in this process."""
    global _settings
    _settings = chosen


def settings() -> Settings:
    """How programs are run in this process."""
    return _settings


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
