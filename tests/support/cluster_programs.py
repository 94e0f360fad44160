"""Programs that workers of a cluster run in tests: importable there, and told by their data what to do."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from waiting import wait_until

from proctor import MachineFault


def look(data: Any, _: Mapping[str, Path]) -> dict[str, Any]:
    """Each need is a variable of the worker's environment; the kind of machine is one, too."""
    unmet = [None if need is None or need in os.environ else f"{need} is not set\n  Set it." for need in data["needs"]]
    return {"unmet": unmet, "warning": data.get("warning"), "kind": {"processor": os.environ.get("KIND", "usual")}}


def letters(data: Any, folders: Mapping[str, Path]) -> dict[str, Any]:
    """The length of a text, and what the folder's files hold.

    ``held``: a folder: the first to run there leaves its process id, and ends only when it is ended.
    """
    if (held := data.get("held")) is not None:
        try:
            with Path(held, "first").open("x") as mark:
                mark.write(f"{os.getpid()}\n")
        except FileExistsError:
            pass
        else:
            wait_until(lambda: False)
    files = {f.name: f.read_text() for folder in folders.values() for f in sorted(folder.rglob("*.txt"))}
    return {"letters": len(data["text"]), "files": files}


def fails(data: Any, _: Mapping[str, Path]) -> dict[str, Any]:
    """Raises what it is told to."""
    raise {"machine": MachineFault("the disk is full"), "program": ValueError("this program is no good")}[data["fault"]]
