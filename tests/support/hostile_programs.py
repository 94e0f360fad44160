"""Runs programs that misbehave, for the tests of what contains them."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.sgi.interpreter import described
from benchmarks.sgi.sandbox import Finished, Limits, bubblewrap, run_program

MEGABYTE = 1 << 20
SMALL = Limits(seconds=30, memory=256 * MEGABYTE, processes=16, disk=8 * MEGABYTE, files=50, output=MEGABYTE)
OWN = described(Path(sys.executable))
NO_SANDBOX = bubblewrap.problem()
MODES = [
    pytest.param(True, id="bubblewrap", marks=pytest.mark.skipif(NO_SANDBOX is not None, reason=str(NO_SANDBOX))),
    pytest.param(False, id="plain"),
]
IN_SANDBOX = pytest.mark.skipif(NO_SANDBOX is not None, reason=str(NO_SANDBOX))
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

Run = Callable[..., Finished]


@pytest.fixture(params=MODES)
def sandboxed(request: pytest.FixtureRequest) -> bool:
    value: bool = request.param
    return value


@pytest.fixture
def run(tmp_path: Path, sandboxed: bool) -> Run:
    """Runs a program's text in a folder of its own."""

    def run(text: str, limits: Limits = SMALL, **others: bool) -> Finished:
        return run_text(tmp_path, text, limits, sandboxed=sandboxed, **others)

    return run


def run_text(
    folder: Path, text: str, limits: Limits = SMALL, *, sandboxed: bool, keeps_files: bool = False
) -> Finished:
    script = script_in(folder)
    script.write_text(textwrap.dedent(text))
    return run_program(
        OWN.executable,
        script.name,
        folder=folder,
        visible=OWN.prefixes,
        limits=limits,
        sandboxed=sandboxed,
        keeps_files=keeps_files,
    )


def script_in(folder: Path) -> Path:
    """A script whose name no process of another test, or of another run of all tests, has in its command line."""
    return folder / f"{'_'.join(folder.parts[-3:])}.py"


def processes_of(folder: Path) -> list[int]:
    """The processes that run, or watch, the script in that folder."""
    name = script_in(folder).name.encode()
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                if name in (process / "cmdline").read_bytes():
                    found.append(int(process.name))
    return found
