"""Test modules whose cases do nothing: what pytest alone takes for as many cases of the same names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

EMPTY_CASES = '''"""Cases that do nothing."""

from pathlib import Path

import pytest

NAMES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", NAMES, ids=NAMES)
def test_{task}(name):
    """Nothing."""
'''

ONE_TEST = '''"""One test that does nothing."""


def test_nothing():
    """Nothing."""
'''


def write_empty_cases(folder: Path, names: Mapping[str, Sequence[str]]) -> Path:
    """Write a module for each task, and one with a single test.

    Args:
        folder: Where to; the modules with many cases go into ``many``, the single test into ``one``.
        names: What stands in the brackets of the node ids, by task.

    Returns:
        *folder*.
    """
    (folder / "many").mkdir(parents=True)
    (folder / "one").mkdir()
    for task, of_task in names.items():
        module = folder / "many" / f"test_{task.replace('-', '_')}.py"
        module.write_text(EMPTY_CASES.format(task=task.replace("-", "_")), encoding="utf-8")
        module.with_suffix(".txt").write_text("".join(f"{name}\n" for name in of_task), encoding="utf-8")
    (folder / "one" / "test_one.py").write_text(ONE_TEST, encoding="utf-8")
    return folder
