"""The Python that runs the programs of the Dry Experiment, and what it can import."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor import UsageError

CONDA_VARIABLE = "SGI_CONDA_ENV"
DEFAULT_ENVIRONMENT = Path(__file__).parents[2] / ".venv-dryexp"
"""Where ``python -m benchmarks.sgi.environment create`` makes the environment, and where it is looked for."""

CREATE = "python -m benchmarks.sgi.environment create"
PROBE_SECONDS = 60
SYSTEM = "/usr"  # visible to every program anyway
DESCRIBE = """
import importlib.metadata, json, platform, sys
try:
    numpy = importlib.metadata.version("numpy")
except importlib.metadata.PackageNotFoundError:
    numpy = None
print(json.dumps({
    "executable": sys.executable,
    "prefixes": [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix],
    "python": platform.python_version(),
    "numpy": numpy,
}))
"""
FIND = """
import importlib.util, json, sys
print(json.dumps([name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]))
"""

_warming = threading.Lock()


@dataclass(frozen=True)
class Interpreter:
    """A Python that can run programs.

    Args:
        executable: Its path.
        prefixes: The folders it is installed in, and its file should it lie elsewhere.
        python: Its version.
        numpy: The version of NumPy it has, if any.
    """

    executable: Path
    prefixes: tuple[Path, ...]
    python: str
    numpy: str | None


def find_interpreter(given: Path | None) -> Interpreter:
    """The interpreter to use: the one given, that of the conda environment, the created one, or this process's own.

    Args:
        given: Path from ``--sgi-python``.

    Raises:
        UsageError: If the one that is named does not exist or does not start, or none is named and this process's own
            has no NumPy.
    """
    if given is not None:
        return described(given)
    name = os.environ.get(CONDA_VARIABLE, "").strip()
    if name:
        return described(conda_python(name))
    created = python_in(DEFAULT_ENVIRONMENT)
    if created.exists():
        return described(created)
    own = described(Path(sys.executable))
    if own.numpy is None:
        raise UsageError(
            "there is no Python with NumPy to run the programs of the Dry Experiment",
            remedy=f"Create one: {CREATE}; or name one with --sgi-python or {CONDA_VARIABLE}.",
        )
    return own


def python_in(environment: Path) -> Path:
    """Where an environment's interpreter is."""
    return environment / "bin" / "python"


def conda_python(name: str) -> Path:
    """The interpreter of the conda environment *name*, which may also be its path.

    Looked for where conda, mamba and their relatives keep environments, without starting them.

    Raises:
        UsageError: If there is no such environment.
    """
    if os.sep in name:
        candidates = [Path(name).expanduser()]
    else:
        folders = [Path(folder) for folder in os.environ.get("CONDA_ENVS_PATH", "").split(os.pathsep) if folder]
        root = os.environ.get("MAMBA_ROOT_PREFIX")
        folders += [Path(root) / "envs"] if root else []
        conda = os.environ.get("CONDA_EXE")
        folders += [Path(conda).parents[1] / "envs"] if conda else []
        homes = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda")
        folders += [Path.home() / home / "envs" for home in homes]
        folders += [Path("/opt") / home / "envs" for home in ("conda", *homes)]
        candidates = [folder / name for folder in folders]
    for candidate in candidates:
        if python_in(candidate).exists():
            return python_in(candidate)
    raise UsageError(
        f"{CONDA_VARIABLE}={name}: there is no conda environment of that name "
        f"(looked in {', '.join(sorted({str(candidate.parent) for candidate in candidates}))})",
        remedy=f"Create it: conda create -n {name} python=3.10; or give its path, or another Python with --sgi-python.",
    )


@functools.cache
def described(executable: Path) -> Interpreter:
    """What an interpreter says about itself.

    Raises:
        UsageError: If it does not start.
    """
    said = _asked(executable.absolute(), DESCRIBE)
    # Links are kept as they are: a virtual environment is known by the path that it was started by. What starts another
    # interpreter, as pyenv's scripts do, needs more than that one.
    own = Path(said["executable"] or executable.absolute())
    folders = {Path(prefix) for prefix in said["prefixes"]} | {Path(os.path.realpath(own))}
    outside = [folder for folder in sorted(folders) if not folder.is_relative_to(SYSTEM)]
    prefixes = tuple(folder for folder in outside if not any(folder.is_relative_to(o) for o in outside if o != folder))
    return Interpreter(own, prefixes, said["python"], said["numpy"])


def warm_home(executable: Path) -> Path | None:
    """A home in which matplotlib finds the list of fonts that it otherwise makes at its first import.

    That takes seconds, and it says so as an error, which would be part of every program's output. Made once in this
    process; it goes with it.

    Returns:
        The home; ``None`` if the interpreter has no matplotlib.
    """
    with _warming:
        return _warm_home(executable)


@functools.cache
def _warm_home(executable: Path) -> Path | None:
    if missing_modules(executable, frozenset({"matplotlib"})):
        return None
    folder = tempfile.TemporaryDirectory(prefix="proctor-warm-")
    atexit.register(folder.cleanup)
    command = [str(executable), "-I", "-B", "-c", "import matplotlib.font_manager"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):  # then each program makes it
        environment = {"HOME": folder.name, "MPLBACKEND": "Agg", "PATH": "/usr/bin:/bin"}
        subprocess.run(command, check=True, capture_output=True, timeout=PROBE_SECONDS, env=environment)
    return Path(folder.name)


@functools.cache
def missing_modules(executable: Path, names: frozenset[str]) -> tuple[str, ...]:
    """Those of these top-level modules that the interpreter cannot import."""
    return tuple(_asked(executable, FIND, *sorted(names)))


def _asked(executable: Path, program: str, *arguments: str) -> Any:
    try:
        run = subprocess.run(
            [executable, "-I", "-c", program, *arguments],
            check=True,
            capture_output=True,
            encoding="utf-8",
            timeout=PROBE_SECONDS,
            env={},
        )
        return json.loads(run.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as failure:
        said = str(getattr(failure, "stderr", None) or "").strip()
        detail = said.splitlines()[-1] if said else str(failure)
        raise UsageError(
            f"{executable} cannot be used as a Python: {detail}",
            remedy="Name another one with --sgi-python, or leave it out.",
        ) from None
