"""The side of a worker: what runs in its process, given nothing but pure data."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import io
import json
import os
import secrets
import socket
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from proctor.programs.cores import core_numbers
from proctor.tasks.program import MachineFault

TOKEN = secrets.token_hex(8)
"""Made anew in each process, so that one which has been started again is told from the one before it."""

Fate = tuple[Literal["value", "raised", "fault", "replaced"], Any]
"""What became of a program: its result as JSON; an exception; what is wrong with the machine; or it was not run."""

_unpacked: dict[str, tempfile.TemporaryDirectory[str]] = {}


def look(checks: str, scratch: str | None = None) -> str:
    """What this process is, and what it says about its machine.

    Args:
        checks: JSON: a list of programs that tell; see `proctor.tasks.judge.Judged`.
        scratch: The folder for temporary files that this worker was given, if any.

    Raises:
        ImportError: If a program's function is not to be found here.
        Exception: What a program raised.
    """
    if scratch is not None:
        tempfile.tempdir = scratch
    results = []
    for check in json.loads(checks):
        found = _function(check["function"])
        if sources(check["function"]) != check["sources"]:
            raise ImportError(f"{_package(check['function'])} has other sources than where the run was started")
        results.append(found(check["data"], {}))
    return json.dumps(
        {
            "token": TOKEN,
            "host": socket.gethostname(),
            "cores": core_numbers(),
            "python": sys.version.split()[0],
            "results": results,
        }
    )


def run(token: str, program: str, folders: Mapping[str, bytes]) -> Fate:
    """Run a program, unless this is another process than was meant: an engine may have sent it here by itself.

    Args:
        token: The process that is meant.
        program: JSON: the function's name, and its data.
        folders: Its folders, packed.
    """
    if token != TOKEN:
        return "replaced", None
    fields = json.loads(program)
    try:
        unpacked = {name: _unpack(content) for name, content in folders.items()}
        return "value", json.dumps(_function(fields["function"])(fields["data"], unpacked))
    except (MachineFault, OSError, MemoryError) as problem:
        return "fault", f"{type(problem).__name__}: {problem}"
    except Exception as failure:
        return "raised", failure


def sources(name: str) -> str:
    """The hash of the Python files of the package that a function is in, and of those that run it."""
    return _sources(_package(name))


@functools.cache
def _sources(package: str) -> str:
    digest = hashlib.sha256()
    for each in (__package__, package):
        for file in _python_files(each):
            digest.update(f"{file.name}\n".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _python_files(package: str) -> Iterator[Path]:
    found = importlib.util.find_spec(package)
    if found is None:
        raise ModuleNotFoundError(f"No module named {package!r}")
    if found.submodule_search_locations is None:
        yield Path(str(found.origin))
        return
    for location in found.submodule_search_locations:
        yield from sorted(Path(location).rglob("*.py"))


def _package(name: str) -> str:
    """The package of a function's module, or the module itself if it is in none."""
    module = name.partition(":")[0]
    return module.rpartition(".")[0] or module


def _function(name: str) -> Any:
    module, _, inside = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in inside.split("."):
        found = getattr(found, part)
    return found


def pack(folder: Path) -> bytes:
    """A folder's files, as `run` takes them; the same for the same files."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", dereference=True) as archive:
        for file in sorted(folder.rglob("*")):
            entry = archive.gettarinfo(str(file), arcname=str(file.relative_to(folder)))
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = 0, os.getuid(), os.getgid(), "", ""
            if entry.isfile():
                with file.open("rb") as handle:
                    archive.addfile(entry, handle)
            else:
                archive.addfile(entry)
    return content.getvalue()


def _unpack(content: bytes) -> Path:
    name = hashlib.sha256(content).hexdigest()
    if name not in _unpacked:
        folder = tempfile.TemporaryDirectory(prefix="proctor-files-")
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            archive.extractall(folder.name, filter="data")
        _unpacked.setdefault(name, folder)
    return Path(_unpacked[name].name)
