"""The code that scores a task's answers, as a hash: runs with another one are not compared unsaid."""

from __future__ import annotations

import hashlib
import inspect
import sys
from pathlib import Path
from types import ModuleType

from proctor.tasks.judge import Judged
from proctor.tasks.task import Task


def scorer_sha256(task: Task) -> str:
    """SHA-256 of the files whose code scores a task's answers; empty where there are none to be found.

    These are the file in which the scorer is defined, and those of the same package that it imports, however far: a
    change of any may change scores. A change of Proctor itself, or of a library, does not show in it.

    Args:
        task: The task.
    """
    score = task.score
    functions = [score.score, score.examine] if isinstance(score, Judged) else [score]
    found: dict[str, Path] = {}
    waiting = {_home(function) for function in functions}
    while waiting:
        called = waiting.pop()
        module = sys.modules.get(called)
        file = getattr(module, "__file__", None)
        if module is None or file is None or called in found:
            continue
        found[called] = Path(file)
        package = called.partition(".")[0]
        waiting |= {home for value in vars(module).values() if (home := _home(value)).partition(".")[0] == package}
    digest = hashlib.sha256()
    for called in sorted(found):
        try:
            digest.update(called.encode() + b"\0" + found[called].read_bytes() + b"\0")
        except OSError:  # a module out of an archive, say
            return ""
    return digest.hexdigest() if found else ""


def _home(value: object) -> str:
    """The name of the module that a function, a class or a module is, or comes from; empty of anything else."""
    while (inner := getattr(value, "func", None)) is not None and callable(inner) and not inspect.isroutine(value):
        value = inner  # of a functools.partial
    if isinstance(value, ModuleType):
        return value.__name__
    name = getattr(value, "__module__", None) if callable(value) else None
    return name if isinstance(name, str) else ""
