"""Make the environment of the Dry Experiment's programs: ``python -m benchmarks.sgi.environment create``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.sgi.interpreter import DEFAULT_ENVIRONMENT, python_in

REQUIREMENTS = Path(__file__).with_name("requirements-dry.txt")


def create(folder: Path, requirements: Path, python: Path) -> Path:
    """Make a virtual environment with pinned packages; one that is there is brought up to date.

    Args:
        folder: Where to make it.
        requirements: What to install, in pip's format.
        python: The interpreter to make it with.

    Returns:
        Its interpreter.

    Raises:
        subprocess.CalledProcessError: If it cannot be made, or a package cannot be installed.
    """
    if not python_in(folder).exists():
        subprocess.run([python, "-m", "venv", folder], check=True)
    pip = [str(python_in(folder)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", str(requirements)], check=True)
    return python_in(folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sgi.environment", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    creating = commands.add_parser("create", help="make the environment, or bring it up to date")
    creating.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=DEFAULT_ENVIRONMENT,
        help="where (default: .venv-dryexp, found by itself)",
    )
    creating.add_argument("--requirements", type=Path, default=REQUIREMENTS, help="packages to install, pinned")
    creating.add_argument("--python", type=Path, default=Path(sys.executable), help="Python to make it with")
    chosen = parser.parse_args(arguments)
    if not chosen.requirements.is_file():
        parser.error(f"--requirements {chosen.requirements}: no such file")
    try:
        made = create(chosen.folder, chosen.requirements, chosen.python)
    except (OSError, subprocess.CalledProcessError) as failure:
        print(f"the environment could not be made: {failure}", file=sys.stderr)
        return 1
    where = "found by itself" if chosen.folder == DEFAULT_ENVIRONMENT else f"name it with --sgi-python {made}"
    print(f"{made}: {where}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
