"""What a machine needs to run a row's programs, found out before anything is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from benchmarks.sgi.execution import uses_sandbox
from benchmarks.sgi.interpreter import CREATE, find_interpreter, missing_modules
from benchmarks.sgi.run_settings import Settings
from benchmarks.sgi.unit_test_input import UnitTest, fixture_folder
from proctor import Sample, UsageError

OWN_MODULES = frozenset({"data_en", "main_en"})


def unmet(settings: Settings, sample: Sample) -> str | None:
    """What this machine lacks to run the programs of a sample, with the remedy; ``None`` if nothing."""
    tests: list[UnitTest] = sample.fields["tests"]
    try:
        uses_sandbox(settings)
        interpreter = find_interpreter(settings.python)
        for fixture in {test.fixture for test in tests} - {None}:
            fixture_folder(str(fixture))
        # the data programs of a row differ in their numbers, so one of them says what they import
        needed = imports([sample.fields["main_code"], tests[0].data])
        missing = missing_modules(interpreter.executable, needed)
    except UsageError as problem:
        return str(problem)
    if missing:
        return (
            f"{interpreter.executable} (Python {interpreter.python}) cannot import {', '.join(missing)}\n"
            f"  Install what is missing there, create an environment ({CREATE}), or name another with --sgi-python."
        )
    return None


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
