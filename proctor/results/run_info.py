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
from typing import Any

VERSIONED = ("proctor", "pytest", "pytest-xdist", "pytest-recording", "vcrpy", "openai", "anthropic")


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
