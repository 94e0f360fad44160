"""One run of one program: started through the supervisor, in a sandbox or as a plain process."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.sgi.sandbox import bubblewrap, supervisor
from benchmarks.sgi.sandbox.limits import Limits
from benchmarks.sgi.stopping import stoppable

GRACE_SECONDS = 60.0  # beyond a program's own limit, before the supervisor counts as lost
GUARD_LOST = "guard"
SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
SHORTEST_SECRET = 16  # characters; a shorter value may be a word of any text


class SandboxFailed(Exception):
    """The program could not be run, for a reason that is not the program's."""


@dataclass(frozen=True)
class Finished:
    """What came of running a program.

    Args:
        exit_code: 0 if it succeeded; 128 + n if signal n ended it.
        seconds: How long it ran; the limit if that stopped it.
        stopped: The limit that it was stopped at (``time``, ``output``, ``memory``, ``processes``, ``disk``, or
            ``guard`` if it put the process out of action that watched it), or ``None``.
        stdout: What it printed.
        stderr: What it printed as errors.
    """

    exit_code: int
    seconds: float
    stopped: str | None
    stdout: str
    stderr: str


def run_program(
    python: Path,
    script: str,
    *,
    folder: Path,
    visible: Iterable[Path],
    limits: Limits,
    sandboxed: bool,
    keeps_files: bool = False,
) -> Finished:
    """Run the Python program *script* in *folder*.

    It gets no argument, no input, and no environment but what Python needs: no key, no home. Paths in what it prints
    are given as seen from its folder, so that the same program prints the same anywhere.

    Args:
        python: The interpreter.
        script: The program's file name in the folder.
        folder: The folder; a sandboxed program sees nothing else that can be written.
        visible: The interpreter's own folders.
        limits: What it may use.
        sandboxed: Whether to use bubblewrap; otherwise it runs as a process of this user.
        keeps_files: Whether what it writes is wanted. A sandboxed program otherwise writes into memory.

    Raises:
        SandboxFailed: If it could not be started.
    """
    arguments = ["-s", "-B", "-X", "utf8", script]
    used, files = supervisor.disk_use(str(folder))
    if sandboxed:
        size = None if keeps_files else used + limits.disk
        command = bubblewrap.wrapped(python, arguments, folder=folder, visible=visible, size=size)
    else:
        command = [str(python), *arguments]
    home = bubblewrap.FOLDER if sandboxed else str(folder)
    job = {
        "command": command,
        "folder": str(folder),
        "environment": environment(home),
        "folder_bytes": used + limits.disk,
        "folder_files": files + limits.files,
        "in_memory": bubblewrap.in_memory(own_folder=not keeps_files) if sandboxed else [],
        **asdict(limits),
    }
    started = time.monotonic()
    outcome = supervised(job)
    if outcome is None:
        seconds = min(round(time.monotonic() - started, 3), limits.seconds)
        return Finished(exit_code=137, seconds=seconds, stopped=GUARD_LOST, stdout="", stderr="")
    stdout, stderr = (shareable(outcome[name], home, visible) for name in ("stdout", "stderr"))
    if sandboxed and outcome["stopped"] is None and '"exit-code"' not in outcome["status"]:
        raise SandboxFailed(f"bubblewrap could not start the program: {stderr.strip()}")
    return Finished(outcome["exit_code"], round(outcome["seconds"], 3), outcome["stopped"], stdout, stderr)


def environment(home: str) -> dict[str, str]:
    """The whole environment of a program. What it prints is to depend on nothing but the program."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "Agg",
        **one_thread,
    }


def supervised(job: dict[str, Any]) -> dict[str, Any] | None:
    """Let the supervisor run a job; ``None`` if something killed or stopped it, which only the program can want.

    Raises:
        SandboxFailed: If the supervisor could not do its work, or programs are stopped.
    """
    with (
        subprocess.Popen(
            [sys.executable, "-I", "-S", supervisor.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},
            start_new_session=True,
        ) as process,
        stoppable(process),
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        overdue = threading.Timer(job["seconds"] + GRACE_SECONDS, process.kill)
        overdue.daemon = True  # an interrupted run is not to wait for it
        overdue.start()
        try:
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
            printed, said = process.stdout.read(), process.stderr.read()
        except (BrokenPipeError, ValueError):  # it has ended, or programs were stopped and its input closed
            printed, said = b"", process.stderr.read()
        finally:
            overdue.cancel()
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        exit_code = process.wait()
    if exit_code < 0:
        return None
    try:
        outcome: dict[str, Any] = json.loads(printed)
    except (ValueError, RecursionError):
        detail = said.decode("utf-8", "replace").strip().splitlines()
        raise SandboxFailed(f"the program could not be run: {detail[-1] if detail else exit_code}") from None
    return outcome


def shareable(encoded: str, home: str, visible: Iterable[Path]) -> str:
    """What a program printed, without the paths of this machine, and without keys, should it have got hold of one."""
    text = without_path(base64.b64decode(encoded).decode("utf-8", "replace"), home, "")
    for folder in visible:
        text = without_path(text, str(folder), "<python>/")
    for name, value in os.environ.items():
        if SECRET_NAME.search(name) and len(value) >= SHORTEST_SECRET:
            text = text.replace(value, f"<{name}>")
    return text


def without_path(text: str, folder: str, instead: str) -> str:
    """*text* with *instead* for a folder and its slash, where a path begins with them: ``a/opt/b`` is another path."""
    return re.sub(rf"(?<![\w./-]){re.escape(folder)}/", lambda _: instead, text)
