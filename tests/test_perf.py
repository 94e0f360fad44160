"""`make perf`: the table has its shape. What it says about times is not tested."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from perf.table import HEAD, Quantity, Row, aligned

ROOT = Path(__file__).resolve().parent.parent


def test_the_smallest_part_prints_one_table_and_writes_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "perf", "--quick", "--only", "one-case", "--reports-dir", str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    (folder,) = tmp_path.iterdir()
    text = (folder / "performance.md").read_text(encoding="utf-8")
    assert text in result.stdout
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert tuple(cell.strip() for cell in lines[0].strip("|").split("|")) == HEAD
    assert {len(line) for line in lines} == {len(lines[0])}
    report = json.loads((folder / "performance.json").read_text(encoding="utf-8"))
    assert len(report["rows"]) == len(lines) - 2
    assert {"commit", "cores", "Python", "packages"} <= report["machine"].keys()
    budgeted = [row for row in report["rows"] if row["budget"]]
    assert {row["budget"] for row in budgeted} == {"≤ 1.50 ×"}
    assert {row["holds"] for row in budgeted} <= {"yes", "no"}
    assert all(len(runs) == 1 and runs[0]["wall_s"] > 0 for runs in report["runs"]["one-case"].values())


@pytest.mark.parametrize(
    ("row", "budget", "holds"),
    [
        (Row("p", "w", Quantity(3, "s"), Quantity(2, "s"), "b", most_ratio=1.5), "≤ 1.50 ×", "yes"),
        (Row("p", "w", Quantity(3.1, "s"), Quantity(2, "s"), "b", most_ratio=1.5), "≤ 1.50 ×", "no"),
        (Row("p", "w", Quantity(3.03, "s"), Quantity(3, "s"), "b", most_ratio=1.0, noise=0.02), "≤ 1.00 ×", "yes"),
        (Row("p", "w", Quantity(3.1, "s"), Quantity(3, "s"), "b", most_ratio=1.0, noise=0.02), "≤ 1.00 ×", "no"),
        (Row("p", "w", Quantity(1.2, "kB"), most=1.0), "≤ 1.00 kB", "no"),
        (Row("p", "w", "none", "openai", "b", words="none"), "none", "yes"),
        (Row("p", "w", "openai", words="none"), "none", "no"),
        (Row("p", "w", Quantity(3, "s"), Quantity(2, "s"), "b"), "", ""),
    ],
)
def test_a_budget_holds_or_not(row: Row, budget: str, holds: str) -> None:
    assert (row.budget, row.holds) == (budget, holds)


def test_a_ratio_needs_two_numbers() -> None:
    assert Row("p", "w", Quantity(3, "s"), Quantity(2, "s"), "b").ratio == 1.5
    assert Row("p", "w", Quantity(3, "s")).ratio is None
    assert Row("p", "w", Quantity(3, "s"), Quantity(0, "s"), "b").ratio is None


def test_a_bar_in_a_name_does_not_break_the_table() -> None:
    assert "a\\|b" in aligned([Row("p", "a|b", "c")])


@pytest.mark.parametrize("arguments", [["--only", "nothing"], ["--repeat", "0"], ["--repeat", "x"]])
def test_bad_usage_is_said(arguments: list[str]) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "perf", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert arguments[1] in result.stderr
