"""SIGTERM, by which CI services cancel a job, ends a run as Ctrl-C does; neither waits long for what is in flight."""

from __future__ import annotations

import signal
import time

import pytest
from capitals import Project
from disturbed_runs import CASES, IN_FLIGHT, HeldUntilStopped, answer, assert_second_run_completes, recorded, start
from stub_server import Answer
from waiting import LIMIT, wait_until


@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_is_in_flight_lands_and_the_report_is_written(disturbed: Project, workers: str) -> None:
    disturbed.server.script = HeldUntilStopped(disturbed, answer, free=IN_FLIGHT)
    process = start(disturbed, "-n", workers)
    wait_until(lambda: disturbed.server.count >= 2 * IN_FLIGHT)
    process.send_signal(signal.SIGTERM)
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 2, output
    assert disturbed.server.count < CASES
    assert len(recorded(disturbed)) == disturbed.server.count
    assert disturbed.report["tasks"][0]["status"]["missing"] > 0
    assert_second_run_completes(disturbed, lost=0)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("fault", [Answer(drip=0.05), Answer(delay=500)], ids=["drips", "silent"])
def test_an_answer_that_does_not_come_is_not_waited_for(
    disturbed: Project, sent: signal.Signals, fault: Answer
) -> None:
    disturbed.server.script = fault
    process = start(disturbed)
    wait_until(lambda: disturbed.server.count >= IN_FLIGHT)
    process.send_signal(sent)
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 2, output
    assert disturbed.report["tasks"][0]["status"]["missing"] == CASES
    assert_second_run_completes(disturbed, lost=IN_FLIGHT)


def test_a_second_one_ends_at_once(disturbed: Project) -> None:
    disturbed.server.script = Answer(drip=0.05)
    process = start(disturbed)
    wait_until(lambda: disturbed.server.count >= IN_FLIGHT)
    while process.poll() is None:  # two that come before it looks are one
        process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
    process.communicate(timeout=LIMIT)
    assert process.returncode == -signal.SIGTERM
