"""Which row of a case counts when runs are merged, and which shards are missing: by rows written by hand."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from measured_runs import Outcome, write_run

from proctor._base.errors import UsageError
from proctor.postprocess.merge import merge, missing_shards
from proctor.results.saved_run import SavedRun

# The runs have started at the same moment, so that the one whose id comes later in the alphabet counts as the later.
RUNS: dict[str, dict[str, Outcome]] = {
    "run-a": {"x-1": 0.25, "x-2": 1.0, "y-1": "missing", "y-2": "error", "z-1": "missing"},
    "run-b": {"x-1": 0.75, "x-2": "error", "y-1": "judge_failed", "y-2": "error", "z-1": "missing"},
    "run-c": {"x-1": "missing", "x-2": "judge_failed", "y-1": 0.5, "y-2": "judge_failed", "z-1": "missing"},
}


@pytest.fixture
def runs(tmp_path: Path) -> list[SavedRun]:
    return [SavedRun.load(write_run(tmp_path / name, {"m": outcomes})) for name, outcomes in RUNS.items()]


def test_what_says_something_of_the_model_counts_first_and_then_what_is_later(runs: list[SavedRun]) -> None:
    counted = {row["sample_id"]: (row["run_id"], row["status"]) for row in merge(runs).rows}
    assert counted == {
        "x-1": ("run-b", "scored"),  # two have measured it
        "x-2": ("run-a", "scored"),  # the others could not
        "y-1": ("run-c", "scored"),
        "y-2": ("run-c", "judge_failed"),  # none could
    }


def test_the_order_of_runs_and_their_copies_make_no_difference(runs: list[SavedRun]) -> None:
    wanted = merge(runs)
    for order in permutations(runs):
        found = merge([*order, order[0]])
        assert (found.manifest, found.rows) == (wanted.manifest, wanted.rows)


def test_runs_on_other_data_are_refused(runs: list[SavedRun], tmp_path: Path) -> None:
    other = SavedRun.load(write_run(tmp_path / "run-d", {"m": {"x-1": 1.0}}, data_sha256="1"))
    with pytest.raises(UsageError, match=r"b/t, m: data_sha256 of .*run-a is '0', that of .*run-d '1'"):
        merge([*runs, other])


@pytest.mark.parametrize(
    ("shards", "missing"),
    [
        ([], []),
        ([None, "1/1"], []),
        (["3/3", "1/3"], ["2/3"]),
        (["1/2", "1/2", "2/3"], ["2/2", "1/3", "3/3"]),
        (["1/1000"], [*(f"{number}/1000" for number in range(2, 102)), "899 more of 1000"]),
    ],
)
def test_shards_that_are_missing_are_named(shards: list[str | None], missing: list[str]) -> None:
    assert missing_shards([{} if shard is None else {"shard": shard} for shard in shards]) == missing
