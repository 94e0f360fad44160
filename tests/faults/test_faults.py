"""What goes wrong around a live run: nothing that was paid for is lost, and a second run asks only for the rest.

Each test disturbs a run, repeats the same command undisturbed, and compares with the run that nothing disturbed: the
same scores, one recording a case, and no more requests at the server than the disturbance explains.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from capitals import Project
from disturbed_runs import (
    CASES,
    IN_FLIGHT,
    LIVE,
    HeldUntilStopped,
    answer,
    assert_second_run_completes,
    recorded,
    start,
)
from stub_server import Answer, Request
from waiting import LIMIT, wait_until


@pytest.mark.parametrize("seed", range(3))
def test_kill_9_at_a_random_moment(disturbed: Project, seed: int) -> None:
    moment = random.Random(seed).uniform(0.0, 0.5)
    process = start(disturbed, start_new_session=True)
    wait_until(lambda: disturbed.server.count >= 1)
    time.sleep(moment)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert disturbed.server.count - len(recorded(disturbed)) <= IN_FLIGHT
    assert_second_run_completes(disturbed, lost=IN_FLIGHT)


ONE_CASE_UNTIL_ONE_IS_KILLED = """
import os, pathlib, time
begun = pathlib.Path(f"pid-{os.getpid()}")
while begun.exists() and not pathlib.Path("killed").exists():
    time.sleep(0.01)
case.measure()
begun.touch()
"""


def test_kill_9_of_one_worker(disturbed: Project) -> None:
    disturbed.benchmark(test=ONE_CASE_UNTIL_ONE_IS_KILLED)
    process = start(disturbed, "-n", "2")
    wait_until(lambda: len(list(disturbed.path.glob("pid-*"))) == 2)
    victim = int(next(disturbed.path.glob("pid-*")).name.removeprefix("pid-"))
    os.kill(victim, signal.SIGKILL)
    (disturbed.path / "killed").touch()
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 1, output
    status = disturbed.report["tasks"][0]["status"]
    assert status["scored"] + status["missing"] == CASES
    assert status["missing"] <= 1
    # Another worker takes over the dead one's cases, and asks again only for its calls in flight.
    assert disturbed.server.count <= CASES + IN_FLIGHT
    assert_second_run_completes(disturbed, lost=IN_FLIGHT)


def test_ctrl_c(disturbed: Project) -> None:
    disturbed.server.script = HeldUntilStopped(disturbed, answer, free=8)
    process = start(disturbed)
    wait_until(lambda: disturbed.server.count >= 8 + IN_FLIGHT)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 2, output
    assert disturbed.server.count < CASES
    assert len(recorded(disturbed)) == disturbed.server.count
    assert disturbed.report["tasks"][0]["status"]["missing"] > 0
    assert_second_run_completes(disturbed, lost=0)


def limit_file_size(size: int) -> Callable[[], None]:
    """Let no file of a process grow beyond *size* bytes: what a full disk or a quota does, without a disk to fill."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def test_a_disk_that_is_full_for_recordings(disturbed: Project) -> None:
    # With long prompts, which recordings hold and results do not, the limit meets recordings first.
    disturbed.prompt.write_text(f"What is the capital of {{country}}?\n{'Think. ' * 150}\n")
    process = start(disturbed, "--record-prompts", preexec_fn=limit_file_size(20_000))
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 1, output
    assert "an answer could not be written to" in output
    assert "run the same command again" in output
    kept = recorded(disturbed)
    assert 0 < len(kept) < CASES
    assert disturbed.cassette.read_bytes().endswith(b"\n")
    assert disturbed.server.count - len(kept) <= IN_FLIGHT
    assert_second_run_completes(disturbed, lost=IN_FLIGHT)


MOUNTED_APART = ("unshare", "--user", "--map-root-user", "--mount")
"""A command is run with mounts of its own, which nobody else sees, and which end with it."""

ON_A_SMALL_DISK = """
mount -t tmpfs -o size=16k tmpfs cassettes || exit 99
"$@"
code=$?
cp -R cassettes saved
exit $code
"""


def test_a_small_disk_that_is_full_for_recordings(disturbed: Project) -> None:
    folder = disturbed.path / "cassettes"
    folder.mkdir()
    command = [*MOUNTED_APART, "sh", "-c", ON_A_SMALL_DISK, "sh", sys.executable, "-m", "pytest", *LIVE]
    try:
        run = subprocess.run(
            [*command, "--model", "gpt-4o-mini"], cwd=disturbed.path, capture_output=True, text=True, timeout=LIMIT
        )
    except FileNotFoundError:
        pytest.skip("there is no unshare to mount a small disk with")
    if not (disturbed.path / "saved").exists():
        pytest.skip(f"a small disk cannot be mounted without privileges: {run.stderr.strip()}")
    assert run.returncode == 1, run.stdout
    assert "an answer could not be written to" in run.stdout
    assert "No space left on device" in run.stdout
    folder.rmdir()
    (disturbed.path / "saved").rename(folder)
    assert list(folder.rglob(".*.tmp")) == []
    kept = recorded(disturbed)
    assert 0 < len(kept) < CASES
    assert disturbed.cassette.read_bytes().endswith(b"\n")
    assert disturbed.server.count - len(kept) <= IN_FLIGHT
    assert_second_run_completes(disturbed, lost=IN_FLIGHT)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_disk_that_is_full_for_results(disturbed: Project, workers: str) -> None:
    disturbed.server.latency = 0.0
    start(disturbed).communicate(timeout=LIMIT)
    size = disturbed.cassette.stat().st_size
    rows = (disturbed.folders[-1] / "results.jsonl").stat().st_size
    limit = rows // 2
    assert limit > (disturbed.folders[-1] / "selection.json").stat().st_size
    process = start(disturbed, "-n", workers, preexec_fn=limit_file_size(limit))
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 1, output
    assert "a result could not be written to" in output
    assert "run the same command again" in output
    assert disturbed.cassette.stat().st_size == size
    assert 0 < len(disturbed.rows) < CASES
    assert_second_run_completes(disturbed, lost=0)


@pytest.mark.parametrize("option", ["--reports-dir", "--cassettes-dir"])
def test_a_folder_that_cannot_be_written_is_said_before_the_first_call(disturbed: Project, option: str) -> None:
    (disturbed.path / "blocked").write_text("a file where a folder should be")
    process = start(disturbed, f"{option}=blocked/inside")
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 4, output
    assert "cannot be written to" in output
    assert option in output.split("cannot be written to")[1]
    assert disturbed.server.count == 0


CLOCK_JUMPS = """
import time
real = time.time
jumps = iter([3600.0, -7200.0] * 100_000)
time.time = lambda: real() + next(jumps)
"""


def test_a_clock_that_jumps(disturbed: Project) -> None:
    (disturbed.path / "conftest.py").write_text(CLOCK_JUMPS)
    first = [Answer.error(429, retry_after="0.2"), Answer.error(500)]
    disturbed.server.script = lambda request: first.pop() if first else answer(request)
    process = start(disturbed)
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 0, output
    assert 0 < disturbed.report["run"]["duration_s"] < 1800
    assert all(0 <= row["latency_s"] < 1800 for row in disturbed.rows.values())
    assert disturbed.server.count == CASES + 2
    assert_second_run_completes(disturbed, lost=2)


@pytest.mark.parametrize(
    "fault",
    [
        Answer.error(429, retry_after="0"),
        Answer.error(500),
        Answer.error(503),
        Answer(cut=True),
        Answer(body=b"{not json"),
        Answer(body=b'{"choices": "\xff\xfe"}'),
        Answer(body=b""),
        Answer(body=b'{"choices": ["' + b"x" * 50_000_000 + b'"]}'),
        Answer(body=b"[" * 200_000),
        Answer(status=500, body=b"[" * 200_000),
    ],
    ids=["429", "500", "503", "cut", "not-json", "not-utf-8", "empty", "50-MB", "deep", "deep-500"],
)
def test_a_server_fault_that_passes_changes_nothing(disturbed: Project, fault: Answer) -> None:
    faults = [fault, fault]
    disturbed.server.script = lambda request: faults.pop() if faults else answer(request)
    disturbed.server.latency = 0.0
    process = start(disturbed)
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 0, output
    assert disturbed.server.count == CASES + 2
    assert disturbed.cassette.stat().st_size < 100_000
    assert [file for file in disturbed.folders[-1].iterdir() if file.name.startswith(".")] == []
    assert_second_run_completes(disturbed, lost=2)


def test_five_permanently_broken_answers_among_transient_faults_are_told_from_wrong_answers(disturbed: Project) -> None:
    """The last column of the design's comparison, in small."""
    broken = {f"Land{number:04}" for number in range(0, 10, 2)}
    generator = random.Random(1)
    seen: set[str] = set()

    def script(request: Request) -> str | Answer:
        name = request.question.split("of ")[1][:8]
        if name in broken:
            return Answer.error(400, "this prompt breaks the server")
        if name not in seen and generator.random() < 0.06:
            seen.add(name)
            return Answer.error(503)
        return answer(request)

    disturbed.server.script = script
    process = start(disturbed)
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 1, output
    task = disturbed.report["tasks"][0]
    assert sorted(task["failures"]["error"]) == sorted(broken)
    strict = task["metrics"]["accuracy"]["strict"]
    assert (strict["value"], strict["n"], strict["clusters"]) == (15 / 40, 40, 40)
    assert strict["ci95"] == pytest.approx([0.2422, 0.5297], abs=1e-4)  # Wilson's interval
    assert task["metrics"]["accuracy"]["official"]["n"] == 35
    assert_second_run_completes(disturbed, lost=len(broken) + len(seen))


def test_a_selection_that_cannot_be_written_leaves_no_part_of_it(disturbed: Project) -> None:
    # Some versions of pytest end with a traceback where their own cache cannot be written.
    process = start(disturbed, "-p", "no:cacheprovider", preexec_fn=limit_file_size(2_000))
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 4, output
    assert "the report cannot be written to" in output
    assert [file for file in (disturbed.path / "reports").rglob("*") if file.is_file()] == []
    assert disturbed.server.count == 0
