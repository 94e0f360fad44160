"""The options of SGI-Bench: how the programs of the Dry Experiment are run."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from benchmarks.sgi.run_settings import SETTINGS, Settings, seconds_from
from benchmarks.sgi.stopping import allow_programs, stop_programs
from proctor import UsageError


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("sgi", "SGI-Bench")
    group.addoption(
        "--sgi-python",
        type=Path,
        metavar="PATH",
        help="Python that runs the programs of the Dry Experiment (default: the conda environment that SGI_CONDA_ENV "
        "names, else .venv-dryexp, else this Python)",
    )
    group.addoption(
        "--sgi-require-sandbox",
        action="store_true",
        help="run programs written by models in a bubblewrap sandbox only; without one, do not ask for them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the options and the environment.

    Raises:
        pytest.UsageError: For a Python that is not there, or a time limit that is none.
    """
    python: Path | None = config.getoption("--sgi-python")
    if python is not None and not python.is_file():
        raise pytest.UsageError(
            f"--sgi-python {python}: no such file\n  Name the interpreter, such as .venv/bin/python."
        )
    try:
        seconds = seconds_from(os.environ)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[SETTINGS] = Settings(python, config.getoption("--sgi-require-sandbox"), seconds)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop() -> Generator[None, object, object]:
    """End the programs that still run when the loop ends, as it does by Ctrl-C: the answers are recorded, and wait."""
    try:
        return (yield)
    finally:
        stop_programs()


def pytest_unconfigure() -> None:
    """Let programs start again, for whatever follows in this process."""
    allow_programs()
