"""What runs programs, whatever it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from proctor._base.json_values import Json
from proctor.tasks.program import Program


class ProgramLost(Exception):
    """A program has no result, since the machines were lost that ran it."""


class EngineLost(Exception):
    """No program can be run any more: the run has to end."""


class ProgramsStopped(Exception):
    """Programs are ended, since the run is."""


class Ready(NamedTuple):
    """What was found out about the machines before the first program.

    Args:
        unmet: By need, in order: what all machines lack for it, with the remedy; ``None`` if nothing.
        warnings: What the user should know.
    """

    unmet: Sequence[str | None]
    warnings: Sequence[str]


class Engine(Protocol):
    """Runs programs, called from many threads."""

    def prepare(self, machine: Program) -> Ready:
        """Find out, before anything is asked, whether the machines can run a task's programs.

        Args:
            machine: Run on each of them; see `proctor.tasks.judge.Judged`.

        Raises:
            UsageError: If there is none.
        """

    def run(self, program: Program) -> Json:
        """Wait until there is room, run a program, and return its result.

        Raises:
            ProgramLost: If machines were lost that ran it.
            EngineLost: If none is left.
            ProgramsStopped: If the run has ended.
            Exception: What the program's function raised.
        """

    def close(self) -> None:
        """End what runs."""

    @property
    def notes(self) -> Sequence[str]:
        """What the user should know when the run has ended, such as which workers were lost."""
