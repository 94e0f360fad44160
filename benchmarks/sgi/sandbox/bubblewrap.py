"""Programs in a bubblewrap sandbox: no network, a read-only system, and nothing of the user's.

What a program sees is Python and the system's libraries, read-only, and its own folder; and of the system's settings
what a library may look up: fonts, time zone, and an account and a host that exist nowhere. It runs in namespaces of its
own for processes, network, users, mounts, IPC and host name, without capabilities and without a terminal. Its folder,
its home and ``/tmp`` are file systems in memory with a limited size, so that nothing it writes reaches the disk.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from benchmarks.sgi.sandbox.limits import MEGABYTE
from benchmarks.sgi.sandbox.supervisor.watching import STATUS, STDERR

FOLDER = "/unit-test-folder"
"""Where a program finds its folder: a path that no program prints for another reason."""

HOME = "/home/user"
GIVEN, GIVEN_HOME = "/given", "/given-home"
SCRATCH = ("/dev/shm", "/tmp", HOME)  # noqa: S108  (the sandbox has its own)
SCRATCH_BYTES = 64 * MEGABYTE  # of each; multiprocessing needs /dev/shm
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"),
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/var/cache/fontconfig", "/etc/localtime"),
    *("/etc/timezone", "/etc/os-release", "/etc/mime.types", "/etc/protocols", "/etc/services"),
)
OWN_SETTINGS = Path(__file__).with_name("etc")
"""The files of /etc that tell of an account and a host: made for the sandbox, the same on every machine."""

ACCOUNT = "1000"  # as in OWN_SETTINGS
PROBE_SECONDS = 20


def wrapped(
    python: Path,
    arguments: Iterable[str],
    *,
    folder: Path,
    visible: Iterable[Path],
    size: int | None,
    home: Path | None = None,
) -> list[str]:
    """The command that runs Python in the sandbox.

    Args:
        python: The interpreter.
        arguments: Its arguments.
        folder: The folder to run in.
        visible: Further folders and files to show, read-only: the interpreter's.
        size: Bytes that the program's copy of the folder may hold, in memory; ``None`` to let it write in the folder
            itself.
        home: A folder whose contents the program is to find in its home.
    """
    executable = shutil.which("bwrap") or "bwrap"
    command = [executable, "--unshare-user", "--unshare-all", "--disable-userns", "--cap-drop", "ALL"]
    command += ["--die-with-parent", "--new-session", "--json-status-fd", STATUS, "--hostname", "sandbox"]
    command += ["--uid", ACCOUNT, "--gid", ACCOUNT]
    for path in SYSTEM:
        if Path(path).is_symlink():
            command += ["--symlink", str(Path(path).readlink()), path]
        elif Path(path).exists():
            command += ["--ro-bind", path, path]
    for settings in sorted(OWN_SETTINGS.iterdir()):
        command += ["--ro-bind", str(settings), f"/etc/{settings.name}"]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for place in SCRATCH:
        command += ["--size", str(SCRATCH_BYTES), "--tmpfs", place]
    shown = [str(path) for path in visible]
    for path in shown:
        command += ["--ro-bind", path, path]
    for path, target in links(python):
        if not any(Path(path).is_relative_to(folder) for folder in (*SYSTEM, *shown)):
            command += ["--symlink", target, path]
    copies = {}
    if size is None:
        command += ["--bind", str(folder), FOLDER]
    else:
        command += ["--ro-bind", str(folder), GIVEN, "--size", str(size), "--tmpfs", FOLDER]
        copies[GIVEN] = FOLDER
    if home is not None:
        command += ["--ro-bind", str(home), GIVEN_HOME]
        copies[GIVEN_HOME] = HOME
    # The superuser's programs could otherwise set the kernel's own parameters, in /proc/sys, without any capability.
    for place in ("/proc", "/dev", "/"):
        command += ["--remount-ro", place]
    start = [str(python), "-I", "-S", "-c", starting(copies), STDERR]
    return [*command, "--chdir", FOLDER, "--", *start, str(python), *arguments]


def starting(copies: Mapping[str, str]) -> str:
    """The program that starts another one in the sandbox; it is given the number of a file descriptor, and a command.

    It copies folders as they were given into file systems in memory, where the program may write. From then on what is
    written as an error goes to that descriptor: before that it is the sandbox's, and not the program's.
    """
    copying = (
        f"shutil.copytree({given!r}, {place!r}, symlinks=True, dirs_exist_ok=True)" for given, place in copies.items()
    )
    return "\n".join(
        (
            "import os, shutil, sys",
            *copying,
            "errors, command = int(sys.argv[1]), sys.argv[2:]",
            "os.dup2(errors, 2)",
            "os.close(errors)",
            "os.execv(command[0], command)",
        )
    )


def links(path: Path) -> Iterator[tuple[str, str]]:
    """The links by which a path leads to its file, each with its target."""
    while path.is_symlink():
        target = path.readlink()
        yield str(path), str(target)
        path = Path(os.path.normpath(path.parent / target))


def in_memory(*, own_folder: bool) -> list[str]:
    """Where the sandbox has file systems in memory.

    Args:
        own_folder: Whether the program's folder is one of them.
    """
    return [*SCRATCH, FOLDER] if own_folder else list(SCRATCH)


@functools.cache
def problem() -> str | None:
    """Why bubblewrap cannot be used on this machine; ``None`` if it can."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    visible = [Path(sys.base_prefix), Path(sys.prefix)]  # an environment may have a copy of the interpreter
    python = Path(os.path.realpath(sys.executable))
    command = wrapped(python, ["-I", "-S", "-c", ""], folder=Path(__file__).parent, visible=visible, size=MEGABYTE)
    try:
        # standard output stands in for the status, and standard error for the program's errors
        run = subprocess.run(
            [{STATUS: "1", STDERR: "2"}.get(part, part) for part in command],
            check=False,
            capture_output=True,
            timeout=PROBE_SECONDS,
            env={},
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        return f"bubblewrap does not start: {failure}"
    if run.returncode:
        lines = run.stderr.decode("utf-8", "replace").strip().splitlines()
        said = [line for line in lines if not line.startswith("{")]  # but for the status
        return f"bubblewrap does not work here: {said[-1] if said else f'exit code {run.returncode}'}"
    return None
