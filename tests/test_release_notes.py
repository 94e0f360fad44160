"""What a release is announced with, and when it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from scripts.release_notes import release_notes

ROOT = Path(__file__).parents[1]
CHANGELOG = """# Changelog

## [Unreleased]: 0.3.0

- C

## [0.2.0]: 2026-12-01

### Added

- B

## [0.1.0]: 2026-11-01

- A
"""


def test_the_notes_are_the_versions_section() -> None:
    assert release_notes("0.2.0", CHANGELOG, "0.2.0") == "### Added\n\n- B\n"
    assert release_notes("0.1.0", CHANGELOG, "0.1.0") == "- A\n"


@pytest.mark.parametrize(
    ("version", "declared", "problem"),
    [
        ("0.2.0", "0.1.0", "declares version 0.1.0, not 0.2.0"),
        ("0.3.0", "0.3.0", r"no section '## \[0.3.0\]"),
        ("0.4.0", "0.4.0", r"no section '## \[0.4.0\]"),
    ],
)
def test_what_is_not_ready_is_not_released(version: str, declared: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        release_notes(version, CHANGELOG, declared)


def test_only_the_job_that_publishes_may_ask_for_an_identity() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert not any("secrets." in str(job) for job in jobs.values())
