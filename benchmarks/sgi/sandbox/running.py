"""One run of one program: started through the supervisor, in a sandbox or as a plain process."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.sgi.sandbox import bubblewrap
from benchmarks.sgi.sandbox.limits import Limits
from benchmarks.sgi.sandbox.supervisor import COMMAND
from benchmarks.sgi.sandbox.supervisor.usage import disk_use
from benchmarks.sgi.stopping import stoppable
from proctor import MachineFault

GRACE_SECONDS = 60.0  # beyond a program's own limit, before the supervisor counts as lost
GUARD_LOST = "guard"
SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
SHORTEST_SECRET = 16  # characters; a shorter value may be a word of any text


class SandboxFailed(MachineFault):
    """The program could not be run, for a reason that is not the program's."""


@dataclass(frozen=True)
class Finished:
    """What came of running a program.

    Args:
        exit_code: 0 if it succeeded; 128 + n if signal n ended it.
        seconds: How long it ran; the limit if that stopped it.
        stopped: The limit that it was stopped at (``time``, ``output``, ``memory``, ``processes``, ``disk``, or
            ``guard`` if it put the process out of action that watched it), or ``None``.
        stdout: What it printed, as a file in text mode gives it: every end of a line is a line feed.
        stderr: What it printed as errors, likewise.
        is_text: Whether both are UTF-8; what is not is replaced.
    """

    exit_code: int
    seconds: float
    stopped: str | None
    stdout: str
    stderr: str
    is_text: bool = True


def run_program(
    python: Path,
    script: str,
    *,
    folder: Path,
    visible: Iterable[Path],
    limits: Limits,
    sandboxed: bool,
    keeps_files: bool = False,
    home: Path | None = None,
) -> Finished:
    """Run the Python program *script* in *folder*.

    It gets no argument, no input, and no environment but what Python needs: no key, and a home of its own. Paths in
    what it prints are given as seen from its folder, so that the same program prints the same anywhere.

    Args:
        python: The interpreter.
        script: The program's file name in the folder.
        folder: The folder; a sandboxed program sees nothing else that can be written.
        visible: The interpreter's own folders.
        limits: What it may use.
        sandboxed: Whether to use bubblewrap; otherwise it runs as a process of this user.
        keeps_files: Whether what it writes is wanted. A sandboxed program otherwise writes into memory.
        home: A folder whose contents it is to find in its home.

    Raises:
        SandboxFailed: If it could not be started.
    """
    arguments = ["-s", "-B", "-X", "utf8", script]
    used, files = disk_use(str(folder))
    job = {
        "folder": str(folder),
        "folder_bytes": used + limits.disk,
        "folder_files": files + limits.files,
        "in_memory": bubblewrap.in_memory(own_folder=not keeps_files) if sandboxed else [],
        **asdict(limits),
    }
    with contextlib.ExitStack() as leaving:
        if sandboxed:
            size = None if keeps_files else used + limits.disk
            command = bubblewrap.wrapped(python, arguments, folder=folder, visible=visible, size=size, home=home)
            job |= {"command": command, "environment": environment(bubblewrap.HOME)}
            seen = {f"{bubblewrap.FOLDER}/": ""}
        else:
            own_home = leaving.enter_context(plain_home(home))
            job |= {"command": [str(python), *arguments], "environment": environment(own_home) | {"TMPDIR": own_home}}
            seen = {f"{folder}/": "", own_home: bubblewrap.HOME}
        started = time.monotonic()
        outcome = supervised(job)
    if outcome is None:
        seconds = min(round(time.monotonic() - started, 3), limits.seconds)
        return Finished(exit_code=137, seconds=seconds, stopped=GUARD_LOST, stdout="", stderr="")
    if sandboxed and outcome["stopped"] is None and '"exit-code"' not in outcome["status"]:
        raise SandboxFailed(f"bubblewrap could not start the program: {outcome['said'].strip()}")
    seen |= {f"{path}/": "<python>/" for path in visible}
    printed = [base64.b64decode(outcome[name]) for name in ("stdout", "stderr")]
    stdout, stderr = (shareable(in_text_mode(text.decode("utf-8", "replace")), seen) for text in printed)
    seconds = round(outcome["seconds"], 3)
    return Finished(outcome["exit_code"], seconds, outcome["stopped"], stdout, stderr, all(map(is_utf_8, printed)))


@contextlib.contextmanager
def plain_home(contents: Path | None) -> Iterator[str]:
    """A home for one program that runs without a sandbox, with a copy of these contents; it goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="proctor-home-", ignore_cleanup_errors=True) as home:
        if contents is not None:
            shutil.copytree(contents, home, symlinks=True, dirs_exist_ok=True)
        yield home


def environment(home: str) -> dict[str, str]:
    """The whole environment of a program. What it prints is to depend on nothing but the program."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "USER": "user",
        "LOGNAME": "user",
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
            COMMAND,
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


def in_text_mode(text: str) -> str:
    """*text* as Python reads it from a file in text mode, with one kind of line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_utf_8(printed: bytes) -> bool:
    """Whether it can be decoded."""
    try:
        printed.decode()
    except UnicodeDecodeError:
        return False
    return True


def shareable(text: str, seen: Mapping[str, str]) -> str:
    """What a program printed, without the paths of this machine, and without keys, should it have got hold of one.

    Args:
        text: What it printed.
        seen: What stands for each path of this machine; one that ends in a slash is any in that folder.
    """
    for path, instead in seen.items():
        text = without_path(text, path, instead)
    for name, value in os.environ.items():
        if SECRET_NAME.search(name) and len(value) >= SHORTEST_SECRET:
            text = text.replace(value, f"<{name}>")
    return text


def without_path(text: str, path: str, instead: str) -> str:
    """*text* with *instead* for the beginning of a path, where a path begins with it: ``a/opt/b`` is another one."""
    return re.sub(rf"(?<![\w./-]){re.escape(path)}", lambda _: instead, text)
