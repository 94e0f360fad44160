"""What a machine needs to run rows' programs, found out before anything is asked."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.sgi.execution import check_room, kind_of_machine, uses_sandbox, warning_without_sandbox
from benchmarks.sgi.interpreter import CREATE, find_interpreter, missing_modules
from benchmarks.sgi.run_settings import Settings
from benchmarks.sgi.unit_test_input import UnitTest, fixture_folder
from proctor import MachineFault, Program, Sample, UsageError

OWN_MODULES = frozenset({"data_en", "main_en"})
SECONDS = 300.0  # starting interpreters, on a file system that many read at the time


def machine(settings: Settings, samples: Sequence[Sample]) -> Program:
    """Tells whether a machine can run the programs of these samples; see `proctor.Judged`."""
    return Program(look, settings.for_machines() | {"needs": [need(sample) for sample in samples]}, seconds=SECONDS)


def need(sample: Sample) -> dict[str, Any]:
    """What a sample's programs import, and which files it lacks here, from where they would be sent."""
    tests: list[UnitTest] = sample.fields["tests"]
    lack = None
    try:
        for fixture in {test.fixture for test in tests} - {None}:
            fixture_folder(str(fixture))
    except UsageError as problem:
        lack = str(problem)
    # the data programs of a row differ in their numbers, so one of them says what they import
    return {"imports": sorted(imports([sample.fields["main_code"], tests[0].data])), "lack": lack}


def look(data: Any, _: Mapping[str, Path]) -> dict[str, Any]:
    """What this machine lacks for each need, what the user should know of it, and what kind it is."""
    settings, needs = Settings.of_machines(data), data["needs"]
    try:
        check_room(Path(tempfile.gettempdir()))
        sandboxed = uses_sandbox(settings)
        interpreter = find_interpreter(settings.python)
        absent = frozenset(missing_modules(interpreter.executable, frozenset().union(*(n["imports"] for n in needs))))
    except (MachineFault, UsageError) as problem:
        return {"unmet": [str(problem)] * len(needs), "warning": None, "kind": {}}

    def unmet(need: Mapping[str, Any]) -> str | None:
        missing = sorted(absent.intersection(need["imports"]))
        if not missing:
            return None if need["lack"] is None else str(need["lack"])
        return (
            f"{interpreter.executable} (Python {interpreter.python}) cannot import {', '.join(missing)}\n"
            f"  Install what is missing there, create an environment ({CREATE}), or name another with --sgi-python."
        )

    return {
        "unmet": list(map(unmet, needs)),
        "warning": warning_without_sandbox(settings),
        "kind": kind_of_machine(interpreter, sandboxed=sandboxed),
    }


def imports(programs: Iterable[str]) -> frozenset[str]:
    """The top-level modules that programs cannot do without: those imported outside functions and ``try``."""
    names: set[str] = set()
    for program in programs:
        try:
            statements = ast.parse(program).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for statement in statements:
            if isinstance(statement, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in statement.names)
            elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
                names.add(statement.module.partition(".")[0])
    return frozenset(names - OWN_MODULES)
