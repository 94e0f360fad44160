"""The options of MixEval-X: who reads answers, and where media are."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.mixeval_x.run_settings import MEDIA, SETTINGS, Settings


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("mixeval-x", "MixEval-X")
    group.addoption(
        "--parser",
        choices=["judge", "rule"],
        default="judge",
        help="who reads answers to free-form and multiple-choice questions: a judge (default), or rules, without "
        "a call",
    )
    group.addoption(
        "--media-dir",
        metavar="DIR",
        help="where pictures, clips and sounds are, as DIR/<task>/<file> or DIR/<file> (default: "
        "data/mixeval_x/media); also where pictures of response files are looked for",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the options.

    Raises:
        pytest.UsageError: For a folder of media that is not there, or options that exclude each other.
    """
    if config.getoption("--parser") == "rule" and config.getoption("--proctor-prune", False):
        raise pytest.UsageError(
            "--parser rule and --prune exclude each other: the verdicts of judges would pass for unused\n"
            "  Prune under the judge."
        )
    here = config.invocation_params.dir
    project = config.inipath.parent if config.inipath else config.rootpath
    chosen: str | None = config.getoption("--media-dir")
    media = here / chosen if chosen else project / str(config.getini("proctor_data")) / MEDIA.relative_to("data")
    if chosen and not media.is_dir():
        raise pytest.UsageError(f"--media-dir {chosen}: no such folder")
    made_in = []
    for name in ("cassettes", "reports"):
        given = config.getoption(f"--proctor-{name}-dir")
        made_in.append(here / given if given else project / str(config.getini(f"proctor_{name}")))
    config.stash[SETTINGS] = Settings(config.getoption("--parser"), media, tuple(map(Path, made_in)))
