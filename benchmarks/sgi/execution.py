"""The unit tests of the Dry Experiment, run: the input written, then the completed program started on it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.sgi.interpreter import Interpreter, find_interpreter, warm_home
from benchmarks.sgi.run_settings import Settings
from benchmarks.sgi.sandbox import Limits, bubblewrap, run_program
from benchmarks.sgi.sandbox.limits import MEGABYTE
from benchmarks.sgi.sandbox.running import GRACE_SECONDS, GUARD_LOST
from benchmarks.sgi.unit_test_input import (
    SECONDS_FOR_DATA,
    DataProgramFailed,
    UnitTest,
    given_fixture,
    inputs_made,
    write_script,
)
from proctor import MachineFault, Program, UsageError

PROGRAM_SCRIPT = "main_en.py"
FIXTURE = "fixture"
SPARE_BYTES = 16 * MEGABYTE
ENDED_BY_SIGNAL = {128 + number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)}
KEPT = 20_000  # characters of each output that are remembered
INSTALL_SANDBOX = "Install bubblewrap, for instance: apt-get install bubblewrap."
UNCONFINED = (
    "programs written by a model run as plain processes of this user. Limits on time, memory, processes, files and "
    "output hold, and they get no environment variables; but they can use the network, read and write every file that "
    "you can, and see and end your processes."
)


def inputs(settings: Settings, test: UnitTest, program: str) -> dict[str, Any]:
    """What the result of an execution is remembered under: what runs, not where.

    The interpreter and the sandbox are part of the result instead, so that a machine with others finds it.
    """
    return {
        "data": test.data,
        "fixture": test.fixture,
        "program": program,
        "seconds": settings.seconds,
    }


def execution(settings: Settings, test: UnitTest, program: str) -> Program:
    """One run of one unit test, for whichever machine it is run on."""
    data = inputs(settings, test, program) | settings.for_machines()
    files = given_fixture(test.fixture)
    folders = {} if files is None else {FIXTURE: files}
    seconds = settings.seconds + SECONDS_FOR_DATA + 2 * GRACE_SECONDS
    return Program(execute, data, folders, seconds=seconds, doubtful=may_be_ended_from_outside)


def execute(data: Any, folders: Mapping[str, Path]) -> dict[str, Any]:
    """Run one unit test in a fresh folder.

    Args:
        data: What `execution` gives.
        folders: The files that the row needs, if any.

    Returns:
        ``exit_code``, ``seconds``, ``stopped``, ``stdout``, ``stderr`` as `Finished` describes them, long outputs
        cut in the middle; an output that is no UTF-8 is a failure of -1 seconds; ``sha256`` of what counts where one
        was cut (see `fingerprints`); ``environment``: processor, versions and sandbox it ran with.

    Raises:
        UsageError: If this machine lacks what it takes.
        DataProgramFailed: If the input could not be made.
        SandboxFailed: If the program could not be started.
        MachineFault: If the disk is full: what the program did then says nothing about it.
    """
    settings, test = Settings.of_machines(data), UnitTest(data["data"], data["fixture"])
    interpreter, sandboxed = find_interpreter(settings.python), uses_sandbox(settings)
    with fresh_folder() as fresh, room_on_disk(fresh):
        folder = fresh / "test"
        inputs_made().put(test, folder, interpreter, sandboxed=sandboxed, files=folders.get(FIXTURE))
        write_script(folder / PROGRAM_SCRIPT, data["program"])
        finished = run_program(
            interpreter.executable,
            PROGRAM_SCRIPT,
            folder=folder,
            visible=interpreter.prefixes,
            limits=Limits(settings.seconds),
            sandboxed=sandboxed,
            home=warm_home(interpreter.executable),
        )
    if not finished.is_text:  # the published runner fails to read it, and knows neither exit code nor time then
        finished = replace(finished, exit_code=finished.exit_code or 1, seconds=-1.0)
    stdout, stderr = cut(finished.stdout), cut(finished.stderr)
    whole = (stdout, stderr) == (finished.stdout, finished.stderr)
    return {
        "exit_code": finished.exit_code,
        "seconds": finished.seconds,
        "stopped": finished.stopped,
        "stdout": stdout,
        "stderr": stderr,
        "sha256": None if whole else fingerprints(finished.stdout, finished.stderr),
        "environment": kind_of_machine(interpreter, sandboxed=sandboxed),
    }


def kind_of_machine(interpreter: Interpreter, *, sandboxed: bool) -> dict[str, str | None]:
    """What this machine's run times depend on, as far as it can be told."""
    return {
        "python": interpreter.python,
        "numpy": interpreter.numpy,
        "sandbox": "bubblewrap" if sandboxed else "none",
        "processor": processor(),
    }


@functools.cache
def processor() -> str:
    """The model of this machine's processor."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine()


def may_be_ended_from_outside(result: Any) -> bool:
    """Whether a signal has ended the program, or what watched it: a machine that is shut down sends such, too."""
    return result["stopped"] == GUARD_LOST or (result["stopped"] is None and result["exit_code"] in ENDED_BY_SIGNAL)


@contextlib.contextmanager
def room_on_disk(folder: Path) -> Iterator[None]:
    """Let nothing count that ran on a full disk: where there is no room for a file, a program fails in its own way.

    Raises:
        MachineFault: If there is no room, before or after.
    """
    check_room(folder)
    try:
        yield
    except DataProgramFailed:
        check_room(folder)
        raise
    check_room(folder)


def check_room(folder: Path) -> None:
    """Raise `MachineFault` if the disk that holds *folder* is full."""
    free = shutil.disk_usage(folder).free
    if free < SPARE_BYTES:
        raise MachineFault(f"the disk that holds {folder} is full: {free >> 20} MB are left")


@contextlib.contextmanager
def fresh_folder() -> Iterator[Path]:
    """A folder that goes afterwards, also if a program has put folder into folder a thousand times."""
    folder = tempfile.TemporaryDirectory(prefix="proctor-dry-")
    try:
        yield Path(folder.name)
    finally:
        try:
            folder.cleanup()
        except RecursionError:
            remove_deep(folder.name)


def remove_deep(folder: str) -> None:
    """Remove a folder whose depth is too much for `shutil.rmtree`: the folders in it are moved out one by one."""
    waiting = [folder]
    moved = 0
    while waiting:
        place = waiting.pop()
        with os.scandir(place) as found:
            entries = list(found)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                moved += 1
                waiting.append(f"{folder}-{moved}")
                Path(entry.path).rename(waiting[-1])
            else:
                Path(entry.path).unlink()
        Path(place).rmdir()


def fingerprints(stdout: str, stderr: str) -> dict[str, str]:
    """Hashes of a program's output as each score family compares it: ``official`` and ``strict``."""
    return {"official": fingerprint(official_output(stdout, stderr)), "strict": fingerprint(stdout.strip())}


def fingerprint(text: str) -> str:
    """The hash of an output."""
    return hashlib.sha256(text.encode()).hexdigest()


def official_output(stdout: str, stderr: str) -> str:
    """What the published grader compares: errors, then output."""
    return f"{stderr}\n{stdout}".strip()


def cut(text: str, limit: int = KEPT) -> str:
    """*text* with so much left out of its middle that about *limit* characters stay; it says how many went."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"


def uses_sandbox(settings: Settings) -> bool:
    """Whether programs run in a sandbox here.

    Raises:
        UsageError: If the sandbox is demanded and cannot be used.
    """
    problem = bubblewrap.problem()
    if problem and settings.require_sandbox:
        raise UsageError(f"--sgi-require-sandbox: {problem}", remedy=INSTALL_SANDBOX)
    return problem is None


def warning_without_sandbox(settings: Settings) -> str | None:
    """What a user should know before programs run unconfined here that a model wrote; ``None`` if none do."""
    if uses_sandbox(settings):
        return None
    return f"{bubblewrap.problem()}: {UNCONFINED} {INSTALL_SANDBOX} --sgi-require-sandbox refuses to run without it."
