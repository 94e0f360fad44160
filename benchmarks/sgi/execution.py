"""The unit tests of the Dry Experiment, run: the input written, then the completed program started on it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.sgi.cores import one_core
from benchmarks.sgi.interpreter import find_interpreter, warm_home
from benchmarks.sgi.run_settings import Settings
from benchmarks.sgi.sandbox import Limits, bubblewrap, run_program
from benchmarks.sgi.unit_test_input import UnitTest, inputs_made, write_script
from proctor import UsageError

PROGRAM_SCRIPT = "main_en.py"
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


def execute(settings: Settings, test: UnitTest, program: str) -> dict[str, Any]:
    """Run one unit test in a fresh folder.

    Returns:
        ``exit_code``, ``seconds``, ``stopped``, ``stdout``, ``stderr`` as `Finished` describes them, long outputs
        cut in the middle; an output that is no UTF-8 is a failure of -1 seconds; ``sha256`` of what counts where one
        was cut (see `fingerprints`); ``environment``: versions and sandbox it ran with.

    Raises:
        UsageError: If this machine lacks what it takes.
        DataProgramFailed: If the input could not be made.
        SandboxFailed: If the program could not be started.
    """
    interpreter, sandboxed = find_interpreter(settings.python), uses_sandbox(settings)
    with one_core(), fresh_folder() as fresh:
        folder = fresh / "test"
        inputs_made().put(test, folder, interpreter, sandboxed=sandboxed)
        write_script(folder / PROGRAM_SCRIPT, program)
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
        "environment": {
            "python": interpreter.python,
            "numpy": interpreter.numpy,
            "sandbox": "bubblewrap" if sandboxed else "none",
        },
    }


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
