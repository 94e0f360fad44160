"""A computation as pure data: what a cluster's workers can run as well as this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from proctor._base.json_values import Json


class MachineFault(Exception):
    """What was to be run could not be, for a reason that is the machine's: another one may well run it."""


def never(_: Json) -> bool:
    """Of no result."""
    return False


@dataclass(frozen=True)
class Program:
    """A function and all that it is given: `proctor.tasks.ask.Ask.computed` runs it here or on a cluster's worker.

    Nothing else goes there: no key, no environment, no path but those of the folders, which are copied.

    Args:
        function: A function at the top level of a module that the workers can import: ``(data, folders) -> result``,
            which is JSON. It raises `MachineFault` or `OSError` where the machine is at fault.
        data: What it is given, as JSON.
        folders: Folders that it reads, by name; it is given the paths of copies.
        seconds: How long it takes at most, with everything. A worker that has not ended it by then counts as lost.
        doubtful: Whether a result may come of the end of its machine, as where a signal has ended the program: it is
            then run once more, and what comes of that counts.
    """

    function: Callable[[Json, Mapping[str, Path]], Json]
    data: Json
    folders: Mapping[str, Path] = field(default_factory=dict)
    seconds: float = 3600.0
    doubtful: Callable[[Json], bool] = never

    def __call__(self) -> Json:
        """The result, computed in this process."""
        return self.function(self.data, self.folders)

    @property
    def name(self) -> str:
        """How another process finds the function: ``module:name``."""
        return f"{self.function.__module__}:{self.function.__qualname__}"
