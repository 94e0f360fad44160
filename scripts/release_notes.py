"""``python scripts/release_notes.py VERSION``: a version's section of CHANGELOG.md, if it is ready to be released."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def release_notes(version: str, changelog: str, declared: str) -> str:
    """The text below the version's heading, such as ``## [0.2.0]: 2026-12-01``.

    Args:
        version: The version, as the tag names it.
        changelog: The text of CHANGELOG.md.
        declared: The version that pyproject.toml declares.

    Raises:
        ValueError: If pyproject.toml declares another one, or there is no such section with a date and text.
    """
    if declared != version:
        raise ValueError(f"pyproject.toml declares version {declared}, not {version}")
    heading = rf"^## \[{re.escape(version)}\]: \d{{4}}-\d\d-\d\d$"
    found = re.search(rf"{heading}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if found is None or not found[1].strip():
        raise ValueError(f"CHANGELOG.md has no section '## [{version}]: YEAR-MONTH-DAY' with text")
    return found[1].strip() + "\n"


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    try:
        print(
            release_notes(sys.argv[1], (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), project["version"]), end=""
        )
    except ValueError as problem:
        sys.exit(f"not ready to be released: {problem}")
