"""The shipped Dry Experiment rows: what they hold, and that the reference programs print what the rows say."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sgi.build_dry_experiment import EXPERIMENTS, TESTS, build, output_of
from benchmarks.sgi.program import functions
from benchmarks.sgi.test_dry_experiment import samples_of
from proctor._base.errors import DataError
from proctor.tasks.row import Row
from proctor.tasks.samples import read_samples

FILE = Path(__file__).parents[3] / "data/sgi/dry_experiment.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
FIELDS = [
    *("idx", "question", "incomplete_functions", "incomplete_main_code", "main_code"),
    *(f"unit_test_{number}_{kind}" for kind in ("data", "output") for number in TESTS),
    *("function_type", "discipline"),
]


def test_the_file_is_what_the_reference_programs_print() -> None:
    assert FILE.read_text("utf-8") == build()


def test_ten_rows_of_ten_disciplines_follow_the_official_schema() -> None:
    samples = read_samples(FILE, samples_of)
    assert len(samples) == len({sample.tags["discipline"] for sample in samples}) == 10
    assert all(sorted(row) == sorted(FIELDS) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["idx"])
def test_the_five_tests_of_a_row_differ(row: dict[str, Any]) -> None:
    outputs = [row[f"unit_test_{number}_output"] for number in TESTS]
    assert all(output.strip() == output != "" for output in outputs)
    assert len(set(outputs)) == 5


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["idx"])
def test_the_question_shows_the_incomplete_program_and_nothing_of_the_reference(row: dict[str, Any]) -> None:
    assert row["incomplete_main_code"].strip() in row["question"]
    whole, incomplete = functions(row["main_code"]), functions(row["incomplete_main_code"])
    assert whole.keys() == incomplete.keys() >= set(row["incomplete_functions"])
    given = set(row["incomplete_main_code"].splitlines())
    left_out = [line for line in row["main_code"].splitlines() if line not in given]
    assert left_out
    assert not set(left_out) & set(row["question"].splitlines())


@pytest.mark.parametrize("row", [ROWS[0], ROWS[5]], ids=lambda row: row["idx"])
def test_the_incomplete_program_does_not_pass(row: dict[str, Any]) -> None:
    try:
        printed = output_of(row["unit_test_0_data"], row["incomplete_main_code"])
    except subprocess.CalledProcessError:
        return
    assert printed != row["unit_test_0_output"]


def test_every_experiment_leaves_one_or_two_functions() -> None:
    assert {len(experiment.functions) for experiment in EXPERIMENTS} == {1, 2}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"incomplete_main_code": 3}, "field 'incomplete_main_code': must be a string"),
        ({"unit_test_4_data": None}, "field 'unit_test_4_data': must be a string"),
        ({"question": None}, "field 'question': must be a string"),
    ],
)
def test_a_row_that_cannot_be_run_is_named_by_field(change: dict[str, Any], problem: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=problem):
        list(samples_of(Row(ROWS[0] | change, tmp_path / "x.jsonl", 1)))


@pytest.mark.parametrize(
    ("change", "odd"),
    [
        ({"incomplete_functions": []}, ["incomplete_functions"]),
        ({"incomplete_functions": ["f", 3]}, []),
        ({"unit_test_4_output": 12}, ["unit_test_4_output"]),
        ({"idx": ""}, ["idx"]),
        ({"function_type": None, "discipline": 7}, []),
        ({"main_code": None}, ["main_code"]),
    ],
)
def test_what_the_published_code_accepts_is_scored(change: dict[str, Any], odd: list[str], tmp_path: Path) -> None:
    row = Row(ROWS[0] | change, tmp_path / "x.jsonl", 1)
    (one,) = samples_of(row)
    assert [oddity.field for oddity in row.oddities] == odd
    assert one.id == (row.content_id if change.get("idx") == "" else ROWS[0]["idx"])
