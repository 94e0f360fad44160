"""``--stop-when-decided``: no more is asked than a comparison with the baseline needs."""

from __future__ import annotations

import re
import threading
import time
from typing import Any

import numpy as np
import pytest
from capitals import Project
from stub_server import Answer, Request

from proctor.gates.sequential import Unit, look_numbers, seeded_order
from proctor.gates.spending import ErrorSpending

LANDS = 200
PRICEY = (100_000, 0, 25_000, 0)
"""Tokens that cost $0.03 with gpt-4o-mini."""


def land(request: Request) -> int:
    found = re.search(r"Land(\d+)", request.question)
    assert found is not None
    return int(found[1])


@pytest.fixture
def lands(project: Project) -> Project:
    """Two hundred samples, a baseline that got all of them, and a server that does too."""
    project.write_rows([{"country": f"Land{number:03}", "capital": "Paris"} for number in range(LANDS)])
    project.server.script = lambda _: "[Paris]"
    assert project.run(model="oracle").ret == 0
    return project


def decide(project: Project, *more: str, model: str = "gpt-4o-mini") -> pytest.RunResult:
    baseline = str(project.folders[0])
    return project.run("--stop-when-decided", "--baseline", baseline, *more, model=model)


def decision(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = project.report["gate"]["decision"]
    return found


def statuses(project: Project) -> dict[str, int]:
    (task,) = project.report["tasks"]
    return {status: number for status, number in task["status"].items() if number}


LIVE = ("--record-mode", "once", "--concurrency", "8")


def test_a_run_that_is_worse_stops_early_and_fails_live_and_replayed(lands: Project) -> None:
    lands.server.script = lambda r: "[Rome]" if land(r) % 2 else "[Paris]"
    result = decide(lands, *LIVE)
    assert result.ret == 10
    found, asked = decision(lands), lands.server.count
    counted = found["counted"]
    assert found["verdict"] == "worse"
    assert found["interval"][1] < 0
    assert 30 <= counted < 80
    # What is in flight when it is decided is paid for and recorded, but does not count.
    assert counted <= asked <= counted + 4 + 2 * 8 + 8
    assert statuses(lands) == {"scored": counted, "not_needed": LANDS - counted}
    assert lands.report["tasks"][0]["metrics"]["accuracy"]["strict"]["n"] == counted
    assert lands.report["tasks"][0]["failures"] == {}
    result.stdout.fnmatch_lines(
        [
            "gate: NOT HELD (0 floors, 1 comparison with *)",
            f"  worse by the first {counted} of 200 cases: mean -0.* each end holds with 95 % over all looks",
            f"  {LANDS - counted} of 200 cases not needed; none was asked but those in flight by then",
            f"*{LANDS - counted} not needed*",
        ]
    )
    lands.server.stop()
    assert decide(lands).ret == 10
    assert decision(lands) == found
    assert statuses(lands) == {"scored": counted, "not_needed": LANDS - counted}


def test_a_run_that_is_no_worse_stops_early_and_holds(lands: Project) -> None:
    assert decide(lands, *LIVE, "--margin", "0.1").ret == 0
    found = decision(lands)
    assert (found["verdict"], found["margin"], lands.report["gate"]["holds"]) == ("no worse", 0.1, True)
    assert found["interval"][0] > -0.1
    assert found["not_needed"] == LANDS - found["counted"] > 0
    assert lands.server.count < LANDS


def test_what_is_not_decided_asks_all_and_fails_only_on_request(lands: Project) -> None:
    lands.server.script = lambda r: "[Rome]" if land(r) in (1, 2) else "[Paris]"
    assert decide(lands, *LIVE, "--margin", "0.005").ret == 0
    assert (decision(lands)["verdict"], decision(lands)["counted"], statuses(lands)) == (
        "undecided",
        LANDS,
        {"scored": LANDS},
    )
    assert lands.report["gate"]["holds"] is None
    assert decide(lands, "--margin", "0.005", "--gate-undecided", "fail").ret == 10


def test_only_the_finished_beginning_of_the_order_counts(lands: Project) -> None:
    """Right answers come at once and wrong ones late: what has finished first looks better than it is."""
    late = threading.Lock()

    def script(request: Request) -> Answer:
        if land(request) % 3:
            return Answer("[Paris]")
        with late:  # one after another
            time.sleep(0.02)
        return Answer("[Rome]")

    lands.server.script = script
    assert decide(lands, "--record-mode", "once", "--concurrency", "16").ret == 10
    found = decision(lands)
    lands.server.stop()
    assert decide(lands).ret == 10
    assert decision(lands) == found


def test_the_order_depends_on_the_seed_and_not_on_the_file(lands: Project) -> None:
    def first() -> set[str]:
        return {row["sample_id"] for row in lands.rows.values() if row["status"] == "scored"}

    lands.server.script = lambda _: "[Rome]"
    decide(lands, *LIVE)
    before = first()
    lands.write_rows([{"country": f"Land{number:03}", "capital": "Paris"} for number in reversed(range(LANDS))])
    decide(lands, *LIVE)
    assert first() == before
    assert decide(lands, "--shuffle", "7", *LIVE).ret == 10
    assert first() != before
    assert decision(lands)["seed"] == 7


def test_a_case_that_cannot_be_measured_leaves_the_gate_open(lands: Project) -> None:
    lands.server.script = lambda r: Answer.error(400, "no") if land(r) % 20 == 0 else "[Rome]"
    result = decide(lands, *LIVE)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["gate: not decided, * could not be measured *"])


def test_when_the_money_is_spent_what_has_come_beside_the_order_decides_nothing(lands: Project) -> None:
    lands.server.script = lambda _: Answer("[Rome]", tokens=PRICEY)
    result = decide(lands, *LIVE, "--max-cost", "0.3")
    assert result.ret == 1
    assert "missing" in statuses(lands)
    assert decision(lands)["verdict"] == "undecided"


def test_afterwards_cases_that_were_not_needed_stay_so(lands: Project, capsys: pytest.CaptureFixture[str]) -> None:
    lands.server.script = lambda r: "[Rome]" if land(r) % 2 else "[Paris]"
    decide(lands, *LIVE, "--junitxml=junit.xml")
    counted, run = decision(lands)["counted"], str(lands.folders[-1])
    assert lands.command("report", run) == 0
    assert statuses(lands) == {"scored": counted, "not_needed": LANDS - counted}
    assert lands.command("rescore", run) == 0
    assert lands.command("export", run, "--output", "exported") == 0
    assert lands.command("compare", str(lands.folders[0]), run) == 0
    assert f"n {counted}, clusters {counted}" in capsys.readouterr().out
    assert "not needed" in (lands.path / "junit.xml").read_text()
    page = (lands.folders[-1] / "report.md").read_text()
    assert "| not_needed |" in page
    assert f"**NOT HELD (0 floors, 1 comparison with {lands.folders[0].name})**" in page


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--limit", "5"), "--stop-when-decided and --limit exclude each other"),
        (("--shard", "1/2"), "--stop-when-decided and --shard exclude each other"),
        (("-n", "2"), "--stop-when-decided looks at the answers of one process"),
    ],
)
def test_what_it_cannot_be_combined_with_is_bad_usage(lands: Project, more: tuple[str, ...], message: str) -> None:
    result = decide(lands, *more, model="oracle")
    assert result.ret == 4
    assert message in str(result.stderr) + str(result.stdout)


def test_it_needs_a_baseline(lands: Project) -> None:
    result = lands.run("--stop-when-decided", model="oracle")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --stop-when-decided needs a former run to compare with"])


# ---- the order and the bounds


def test_tasks_come_in_proportion_models_side_by_side_and_what_cannot_be_compared_last() -> None:
    units = [
        Unit(task, f"s{number}", model, 2, comparable=task != "b/none")
        for task, size in (("b/large", 300), ("b/small", 100), ("b/none", 10))
        for model in "mn"
        for number in range(size)
    ]
    order = seeded_order(units, 3)
    assert set(order[-20:]) == {unit for unit in units if unit.task == "b/none"}
    for end in (80, 400, 600):
        first = order[:end]
        assert sum(unit.task == "b/large" for unit in first) == pytest.approx(0.75 * end, abs=4)
        assert abs(sum(unit.model == "m" for unit in first) - end / 2) <= 2
    large = [[unit.sample for unit in order if unit.task == "b/large" and unit.model == model] for model in "mn"]
    assert large[0] == large[1] != sorted(large[0])
    numbers = look_numbers(order)
    assert numbers == sorted(numbers)
    assert [numbers.count(look) for look in (1, 2, 50, 51)] == [16, 16, 16, 20]
    assert seeded_order(units, 4) != order == seeded_order(reversed(units), 3)


@pytest.mark.parametrize("fractions", [[1.0], [0.02 * look for look in range(1, 51)], [0.3, 0.35, 0.9]])
def test_all_looks_together_err_as_often_as_they_may(fractions: list[float]) -> None:
    spending = ErrorSpending(0.05)
    bounds = np.array([spending.bound(fraction) for fraction in fractions])
    steps = np.diff([0.0, *fractions]) ** 0.5
    generator = np.random.default_rng(8)
    paths = np.cumsum(generator.standard_normal((100_000, len(fractions))) * steps, axis=1) / np.sqrt(fractions)
    crossed = (paths > bounds).any(axis=1).mean()
    assert crossed == pytest.approx(0.05 * fractions[-1] ** 2, abs=0.003)
    if fractions == [1.0]:
        assert bounds[0] == pytest.approx(1.644854, abs=1e-5)
