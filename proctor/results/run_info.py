"""What a run was made with: start, command, commit, versions, machine."""

from __future__ import annotations

import os
import platform
import secrets
import shlex
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NotRequired, TypedDict

VERSIONED = ("proctor", "pytest", "pytest-xdist", "pytest-recording", "vcrpy", "openai", "anthropic")


class LeftOutFields(TypedDict):
    """A task that a run could not measure, and left out since others could be.

    Args:
        task: The task's full name, ``benchmark/task``.
        model: The model that it was left out for; empty if for all.
        why: The reason.
    """

    task: str
    model: str
    why: str


class RunFields(TypedDict):
    """What a run was made with, as selection.json and report.json hold it.

    Args:
        id: The run's id; it sorts by start.
        started: When it started, ISO 8601.
        command: The command line.
        git_commit: The project's commit, with ``+`` if files differ from it; null outside a repository.
        versions: Of Python, Proctor, and what it works with.
        machine: Operating system, architecture, number of CPUs, and which Python.
        models: The models, in the order in which they are shown.
        left_out: The tasks that were selected, and not measured since something was missing.
        shard: Which part of a run it is, such as ``3/8``.
        merged: The runs that it was put together from, each with such fields.
        rescored: Where it was scored again: ``from`` which run, when it ``started``, ``git_commit`` and ``versions``.
        duration_s: Seconds, in report.json; null if not known.
    """

    id: str
    started: str
    command: str
    git_commit: str | None
    versions: dict[str, str | None]
    machine: NotRequired[dict[str, Any]]
    models: NotRequired[list[str]]
    left_out: NotRequired[list[LeftOutFields]]
    shard: NotRequired[str]
    merged: NotRequired[list[Any]]
    rescored: NotRequired[dict[str, Any]]
    duration_s: NotRequired[float | None]


def describe(command: Sequence[str], root: Path) -> dict[str, Any]:
    """What a report says about a run that starts now.

    Args:
        command: pytest's arguments.
        root: The project's folder.

    Returns:
        Id (sorts by start, and differs for runs of the same second), start, command, git commit, versions, machine.
    """
    started = datetime.now(UTC)
    return {
        "id": f"{started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}",
        "started": started.isoformat(timespec="milliseconds"),
        "command": shlex.join(["pytest", *command]),
        "git_commit": _git_commit(root),
        "versions": {"python": platform.python_version(), **{n: v for n in VERSIONED if (v := _version(n))}},
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "cpus": os.cpu_count(),
            "implementation": sys.implementation.name,
        },
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git_commit(root: Path) -> str | None:
    """The commit of the project, with ``+`` if files differ from it; ``None`` outside a repository."""
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*"],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None
