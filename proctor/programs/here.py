"""Programs on this machine, as many at a time as it has cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proctor._base.json_values import Json
from proctor.programs.cores import one_core
from proctor.programs.engine import Engine, Ready
from proctor.tasks.program import Program


class Here(Engine):
    """Runs each program in the thread that wants it."""

    def prepare(self, machine: Program) -> Ready:
        """See `Engine`."""
        found: Any = machine()
        warning = found["warning"] if None in found["unmet"] else None
        return Ready(found["unmet"], [warning] if warning else [])

    def run(self, program: Program) -> Json:
        """See `Engine`."""
        with one_core():
            return program()

    def close(self) -> None:
        """See `Engine`; a benchmark ends what it has started."""

    @property
    def notes(self) -> Sequence[str]:
        """See `Engine`."""
        return ()
