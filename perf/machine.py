"""What a measurement depends on: the machine, the versions, the commit."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("pytest", "pytest-xdist", "pytest-recording", "vcrpy", "openai")


def machine(root: Path) -> dict[str, str]:
    """Names what a reader needs to compare with another machine, and nothing that tells whose it is.

    Args:
        root: The project's folder.
    """
    return {
        "when": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "commit": commit(root),
        "cores": f"{available_cores()} ({processor()})",
        "memory": memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "packages": ", ".join(f"{package} {installed(package)}" for package in PACKAGES),
    }


def available_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """The processor's name, where the system tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def memory() -> str:
    """How much memory there is."""
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB"
    except (ValueError, OSError):
        return "unknown"


def load() -> float | None:
    """How busy the machine was in the last minute: processes that wanted a core."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def installed(package: str) -> str:
    """The version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def commit(root: Path) -> str:
    """The commit, with ``+`` if files differ from it."""
    command = ["git", "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"]
    try:
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"
