"""A run of TSG-Bench that tests look at in the browser."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from report_page import MODELS, ReportPage, report_page

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of TSG-Bench with the shipped recordings of three models."""
    reports = tmp_path_factory.mktemp("reports")
    command = [sys.executable, "-m", "pytest", "benchmarks/tsg", "-p", "no:cacheprovider", f"--reports-dir={reports}"]
    command += [f"--model={model}" for model in MODELS]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (folder,) = reports.glob("*Z-*")
    return folder


@pytest.fixture
def shown(browser: Browser, run_folder: Path) -> Iterator[ReportPage]:
    with report_page(browser, run_folder / "report.html") as page:
        yield page
