"""Live runs: requests in flight, order, retries, limits, and runs that end early."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from capitals import CAPITALS, Project, answers
from disturbed_runs import HeldUntilStopped
from stub_server import Answer, Request
from waiting import LIMIT, wait_until

from proctor.live.rate_limiter import RateLimiter


def many_rows(project: Project, count: int) -> None:
    """Let the project have so many samples, and the server one answer."""
    project.write_rows([{"country": f"Land{number:04}", "capital": "Paris"} for number in range(count)])
    project.server.script = "[Paris]"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_requests_in_flight_reach_and_never_exceed_concurrency(project: Project, workers: str) -> None:
    many_rows(project, 60)
    project.server.latency = 0.1

    def script(_request: Request) -> str:
        wait_until(lambda: project.server.peak >= 7)
        return "[Paris]"

    project.server.script = script
    result = project.record("--concurrency", "7", "-n", workers)
    assert result.ret == 0
    assert (project.server.count, project.server.peak) == (60, 7)


def test_workers_beyond_concurrency_do_not_exceed_it(project: Project) -> None:
    many_rows(project, 12)
    project.server.latency = 0.05
    assert project.record("--concurrency", "1", "-n", "2").ret == 0
    assert project.server.peak == 1


def test_cases_are_reported_as_their_answers_land(project: Project) -> None:
    def script(request: Request) -> str:
        if "France" in request.question:
            wait_until(lambda: (project.path / "reports").exists() and len(project.rows) == 4)
        return answers(request)

    project.server.script = script
    project.record()
    assert list(project.rows)[-1] == "France"
    assert set(project.rows) == set(list(CAPITALS)[:5])


ONCE = """
import pytest

SET_UP = []

@pytest.fixture(scope="module", autouse=True)
def once():
    SET_UP.append(1)
    yield
"""


def test_module_fixtures_live_through_cases_in_any_order(project: Project) -> None:
    project.benchmark(before=ONCE, test="assert SET_UP == [1]\ncase.measure()\n")
    assert project.record().ret == 0
    assert len(project.rows) == 5


class Flaky:
    """Gives each question a number of failures before its answer."""

    def __init__(self, *failures: Answer) -> None:
        self.failures = failures
        self.asked: Counter[str] = Counter()

    def __call__(self, request: Request) -> str | Answer:
        self.asked[request.question] += 1
        tries = self.asked[request.question]
        return self.failures[tries - 1] if tries <= len(self.failures) else answers(request)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits before retries are short."""
    monkeypatch.setattr("proctor._base.http.FIRST_DELAY", 0.01)


def test_transient_failures_are_retried_and_leave_no_trace(project: Project) -> None:
    project.server.script = Flaky(
        Answer.error(500), Answer.error(503), Answer(cut=True), Answer.error(529), Answer(body=b"{not json")
    )
    assert project.record().ret == 0
    assert project.server.count == 30
    assert {row["attempts"] for row in project.rows.values()} == {6}
    assert "stub error" not in project.cassette.read_text()
    assert len(project.cassette.read_text().splitlines()) == 5


def test_a_case_that_keeps_failing_is_an_error_and_the_run_goes_on(project: Project) -> None:
    project.server.script = lambda r: Answer.error(500, "broken here") if "Peru" in r.question else answers(r)
    result = project.record()
    assert result.ret == 1
    row = project.rows["Peru"]
    assert (row["status"], row["attempts"]) == ("error", 6)
    assert row["scores"] == {"official": {}, "strict": {"accuracy": 0.0}}
    assert "500" in row["error"]
    assert project.report["tasks"][0]["status"]["scored"] == 4
    project.server.script = answers
    before = project.server.count
    assert project.record().ret == 0
    assert project.server.count == before + 1


def test_a_rejected_request_is_not_repeated(project: Project) -> None:
    project.server.script = lambda r: Answer.error(400, "too long") if "Peru" in r.question else answers(r)
    assert project.record().ret == 1
    assert (project.server.count, project.rows["Peru"]["attempts"]) == (5, 1)


def test_a_429_holds_back_every_request_of_the_run(project: Project) -> None:
    many_rows(project, 40)
    times: list[float] = []
    lock = threading.Lock()

    def script(request: Request) -> str | Answer:
        with lock:
            times.append(time.monotonic())
            return Answer.error(429, retry_after="2") if len(times) == 5 else "[Paris]"

    project.server.script = script
    project.server.latency = 0.02
    assert project.record("--concurrency", "2").ret == 0
    # Nothing comes while it holds, but for the few that the other one in flight sends before the 429 is read. A request
    # that is held alone would let the other 35 pass before it comes again.
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
    held = max(range(len(pauses)), key=pauses.__getitem__)
    assert pauses[held] > 1
    assert 4 <= held < 20
    assert project.server.count == 41


def test_requests_per_minute_space_the_requests(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.path / "models.yaml").write_text(
        "models:\n  slow-model:\n    provider: openai\n    api_id: slow\n    limits: {requests_per_minute: 600}\n"
    )
    before: list[float] = []
    after: list[float] = []
    wait = RateLimiter.wait

    def noted(limiter: RateLimiter) -> None:
        before.append(time.monotonic())
        wait(limiter)
        after.append(time.monotonic())

    monkeypatch.setattr(RateLimiter, "wait", noted)
    assert project.run("--record-mode", "once", model="slow-model").ret == 0
    assert project.server.count == len(after) == 5
    assert max(after) - min(before) > 0.35


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize(
    "failure", [Answer.error(401, "Incorrect API key"), Answer.error(404, "no such model", code="model_not_found")]
)
def test_a_failure_that_all_calls_share_stops_the_run_with_one_message(
    project: Project, failure: Answer, workers: str
) -> None:
    many_rows(project, 30)
    project.server.script = failure
    result = project.record("--concurrency", "2", "-n", workers)
    assert result.ret == 1
    assert project.server.count <= 6
    assert str(result.stdout).count("gpt-4o-mini is asked no more") >= 1
    status = project.report["tasks"][0]["status"]
    assert status["missing"] + status["error"] == 30
    assert status["missing"] >= 24


def chat(text: str) -> bytes:
    """A chat completion whose text is this JSON, escapes as they stand."""
    message = f'{{"role": "assistant", "content": "{text}"}}'
    return f'{{"choices": [{{"index": 0, "message": {message}, "finish_reason": "stop"}}]}}'.encode()


@pytest.mark.parametrize(
    ("answer", "status", "official"),
    [
        (Answer(""), "unparsed", 0.0),
        (Answer("[Paris]", finish="length"), "truncated", 1.0),
        (Answer("I will not say", finish="refusal"), "refused", 0.0),
        (Answer("[Paris]", finish="content_filter"), "refused", 1.0),
        (Answer(body=chat(r"Paris \ud83d")), "unparsed", 0.0),
        (Answer("[Paris]" + "x" * 3_000_000), "scored", 1.0),
    ],
)
def test_every_kind_of_answer_has_a_status(project: Project, answer: Answer, status: str, official: float) -> None:
    project.server.script = answer
    result = project.record("-k", "France")
    assert result.ret == 0
    row = project.rows["France"]
    assert row["status"] == status
    assert row["scores"]["official"] == {"accuracy": official}
    assert row["scores"]["strict"] == {"accuracy": 1.0 if status == "scored" else 0.0}
    project.run("-k", "France")
    assert project.rows["France"]["status"] == status


def test_a_server_that_stays_silent_is_given_up(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.live.endpoint_client.MAX_ATTEMPTS", 2)
    project.configure("proctor_timeout = 0.3")
    ended = threading.Event()
    project.server.script = lambda r: Answer(answers(r)) if "Peru" not in r.question or ended.wait(LIMIT) else Answer()
    try:
        assert project.record().ret == 1
    finally:
        ended.set()
    assert (project.rows["Peru"]["status"], project.rows["Peru"]["attempts"]) == ("error", 2)


def _started(project: Project, *args: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pytest", "--model", "gpt-4o-mini", "--record-mode", "once", *args]
    return subprocess.Popen(command, cwd=project.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def _wait_for(project: Project, requests: int) -> None:
    wait_until(lambda: project.server.count >= requests)


def test_ctrl_c_keeps_what_was_asked_and_a_second_run_asks_the_rest(project: Project) -> None:
    many_rows(project, 40)
    project.server.script = held = HeldUntilStopped(project, lambda _: "[Paris]", free=12)
    process = _started(project, "--concurrency", "4")
    _wait_for(project, 16)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=LIMIT)[0].decode()
    assert process.returncode == 2, output
    asked = project.server.count
    assert asked < 24
    assert len(project.cassette.read_text().splitlines()) == asked
    held.hold_no_more()
    assert project.record().ret == 0
    assert project.server.count == 40


def test_x_stops_new_requests_although_answers_come_fast(project: Project) -> None:
    many_rows(project, 400)
    project.server.script, project.server.latency = "[Rome]", 0.02
    assert project.record("--concurrency", "32", "-x", "--fail-on", "incorrect").ret == 1
    assert len(project.rows) == 1
    assert project.server.count <= 2 * 32  # what was in flight when the first answer landed, and what took its place


def test_x_stops_the_requests_of_all_workers_although_one_fails(project: Project) -> None:
    many_rows(project, 200)
    held = HeldUntilStopped(project, lambda _: "[x]", free=4)
    project.server.script = lambda r: Answer.error(400) if "Land0000" in r.question else held(r)
    result = project.run_apart("--record-mode", "once", "-n", "2", "--concurrency", "4", "-x")
    assert result.ret == 1
    assert "stopping after 1 failures" in result.stdout.str()
    assert project.server.count < 40
    assert len(project.cassette.read_text().splitlines()) == project.server.count - 1


def test_an_interrupt_of_the_controller_alone_stops_its_workers(project: Project) -> None:
    many_rows(project, 200)
    project.server.script = HeldUntilStopped(project, lambda _: "[Paris]", free=12)
    process = _started(project, "--concurrency", "4", "-n", "2")
    _wait_for(project, 16)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=LIMIT)[0].decode()
    assert process.returncode == 2, output
    assert project.server.count < 40
    assert len(project.cassette.read_text().splitlines()) == project.server.count


@pytest.mark.parametrize("workers", ["0", "2"])
def test_kill_9_loses_at_most_the_calls_in_flight(project: Project, workers: str) -> None:
    many_rows(project, 40)
    project.server.latency = 0.1
    process = _started(project, "--concurrency", "4", "-n", workers)
    _wait_for(project, 14)
    process.kill()
    process.communicate(
        timeout=LIMIT
    )  # until xdist's workers, too, have closed the pipe, now that their controller is gone
    recorded = len(project.cassette.read_bytes().splitlines())
    asked = project.server.count
    assert asked - recorded <= 4
    assert project.record().ret == 0
    assert project.server.count <= 40 + 4
    assert len(project.cassette.read_bytes().splitlines()) == 40


def test_two_runs_at_once_lose_and_duplicate_nothing(project: Project) -> None:
    many_rows(project, 40)
    project.server.latency = 0.02
    processes = [_started(project, "--concurrency", "4", "--shuffle", seed) for seed in ("1", "2")]
    assert [process.wait(timeout=LIMIT) for process in processes] == [0, 0]
    lines = project.cassette.read_bytes().splitlines()
    assert len(lines) == len(set(lines)) == 40
    project.server.stop()
    assert project.run().ret == 0


def test_a_run_that_sorts_the_file_meanwhile_does_not_disturb_another(project: Project) -> None:
    """Answers of many lengths: what one run read before the other put a sorted file in its place is elsewhere now."""
    many_rows(project, 40)
    project.server.latency = 0.03
    project.server.script = lambda r: "[Paris]" + "x" * (int(r.question.split("Land")[1][:4]) * 37 % 500)
    slow = _started(project, "--concurrency", "1", "--shuffle", "1")
    _wait_for(project, 6)
    quick = _started(project, "--concurrency", "2", "--limit", "12", "--shuffle", "2")
    outputs = [process.communicate(timeout=LIMIT)[0].decode() for process in (slow, quick)]
    assert [slow.returncode, quick.returncode] == [0, 0], outputs
    lines = project.cassette.read_bytes().splitlines()
    assert len(lines) == 40
    assert project.server.count <= 40 + 3


def test_many_429s_at_once_do_not_stop_the_run(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    many_rows(project, 40)
    turned_away = iter(range(25))
    project.server.script = lambda r: (
        Answer.error(429, retry_after="0.1") if next(turned_away, None) is not None else "[Paris]"
    )
    held: list[float] = []
    hold = RateLimiter.hold

    def noted(limiter: RateLimiter, seconds: float) -> None:
        held.append(seconds)
        hold(limiter, seconds)

    monkeypatch.setattr(RateLimiter, "hold", noted)
    assert project.record("--concurrency", "15").ret == 0
    assert project.server.count == 65
    assert (len(held), max(held)) == (25, 0.1)  # no more than was asked for: 2.5 s were they one after another


def test_cases_marked_skip_are_not_asked(project: Project) -> None:
    text = project.module.read_text()
    project.module.write_text(text.replace("@TASK.cases", "import pytest\n@pytest.mark.skip(reason='no')\n@TASK.cases"))
    project.record().stdout.fnmatch_lines(["*5 skipped*"])
    assert project.server.count == 0


def test_half_a_surrogate_pair_crosses_to_the_controller(project: Project) -> None:
    project.server.script = Answer(body=chat(r"[\ud83d Paris]"))
    assert project.record("-n", "2").ret == 0
    assert project.run("-n", "2").ret == 0
    assert {row["prediction"] for row in project.rows.values()} == {"\ud83d Paris"}


def test_request_ids_in_error_messages_are_hidden(project: Project) -> None:
    said = "Please include the request ID req_0123456789abcdef0123456789abcdef in your message."
    project.server.script = Answer.error(400, said)
    result = project.record("-k", "France")
    assert result.ret == 1
    assert "req_0123" not in str(result.stdout) + project.rows["France"]["error"]
