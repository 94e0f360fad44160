"""A model whose calls all fail alike is asked no more; the others are, and the same command goes on where it ended."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from capitals import Project, answers
from judged_project import judged
from stub_server import Answer, Request, StubServer

from proctor.live.breaker import ALIKE, MAX_TURNED_AWAY, Breaker
from proctor.live.rate_limiter import RateLimiter
from proctor.models.registry import Registry
from proctor.tasks.call import CallFailed

__all__ = ["judged"]

REGISTRY = Registry.load()
KEY_REFUSED = Answer.error(401, "Incorrect API key")
MALFORMED = Answer.error(400, "'messages' must contain the word 'json'")
BUSY = [Answer.error(429), Answer.error(500), Answer.error(503), Answer(cut=True)]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits before retries are short."""
    monkeypatch.setattr("proctor._base.http.FIRST_DELAY", 0.01)


class Told:
    """A breaker, and what it said."""

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.stop = threading.Event()
        self.breaker = Breaker(
            REGISTRY.resolve("gpt-4o-mini"), stop=self.stop, note=lambda _, reason: self.reasons.append(reason)
        )

    def fail(self, times: int, kind: str, said: str = "", status: int | None = None) -> bool:
        for _ in range(times):
            self.breaker.note_failure(CallFailed(said or kind, kind=kind, status=status))
        return self.breaker.has_tripped


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.mark.parametrize("kind", ["server", "timeout", "connection", "malformed", "unfinished"])
def test_a_provider_that_is_slow_or_breaks_off_is_asked_for_ever(told: Told, kind: str) -> None:
    assert not told.fail(1000, kind)
    assert told.reasons == []


@pytest.mark.parametrize(("kind", "status"), [("authentication", 401), ("unknown_model", 404), ("quota", 402)])
def test_the_first_failure_of_all_calls_is_enough(told: Told, kind: str, status: int) -> None:
    assert told.fail(1, kind, status=status)


@pytest.mark.parametrize(
    ("kind", "status"), [("authentication", 401), ("authentication", 403), ("unknown_model", 404), ("rejected", 400)]
)
def test_after_an_answer_it_takes_several_in_a_row(told: Told, kind: str, status: int) -> None:
    told.breaker.note_answer()
    assert not told.fail(ALIKE - 1, kind, status=status)
    told.breaker.note_answer()
    assert not told.fail(ALIKE - 1, kind, status=status)
    assert not told.fail(1, "server")
    assert not told.fail(ALIKE - 1, kind, status=status)
    assert told.fail(1, kind, status=status)
    assert len(told.reasons) == 1


def test_what_a_firewall_refuses_at_first_may_be_about_one_prompt(told: Told) -> None:
    assert not told.fail(ALIKE - 1, "authentication", status=403)
    assert told.fail(1, "authentication", status=403)


@pytest.mark.parametrize(
    "said", ["400: prompt is too long", "400: content_filter", "400: maximum context length is 8192 tokens"]
)
def test_what_is_about_one_prompt_says_nothing_of_the_others(told: Told, said: str) -> None:
    assert not told.fail(100, "rejected", said)


def test_requests_that_are_refused_for_different_reasons_are_not_alike(told: Told) -> None:
    for number in range(100):
        assert not told.fail(1, "rejected", f"400: wrong value {number}")


def test_many_calls_at_a_closed_port_in_one_moment_are_tried_again(told: Told) -> None:
    together = threading.Barrier(50)

    def call() -> None:
        told.fail(ALIKE - 1, "unreachable")
        together.wait()  # all are there: each is a thread, and so a call, of its own

    threads = [threading.Thread(target=call) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not told.breaker.has_tripped
    assert not told.fail(ALIKE - 1, "unreachable")
    assert told.fail(1, "unreachable")


def test_waiting_ends_with_the_run_and_with_the_model(told: Told) -> None:
    told.fail(1, "quota")
    told.breaker.wait(1e9)
    other = Told()
    other.stop.set()
    other.breaker.wait(1e9)


def many_rows(project: Project, count: int = 40) -> None:
    project.write_rows([{"country": f"Land{number:04}", "capital": "Paris"} for number in range(count)])
    project.server.script = "[Paris]"


def statuses(project: Project) -> dict[str, dict[str, int]]:
    return {task["model"]: {s: n for s, n in task["status"].items() if n} for task in project.report["tasks"]}


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize("failure", [MALFORMED, KEY_REFUSED], ids=["400", "401"])
def test_calls_that_fail_alike_end_the_asking_and_the_same_command_goes_on(
    project: Project, failure: Answer, workers: str
) -> None:
    many_rows(project)
    served = iter(range(8))
    project.server.script = lambda _: "[Paris]" if next(served, None) is not None else failure
    result = project.record("--concurrency", "2", "-n", workers)
    assert result.ret == 1
    assert 8 + ALIKE <= project.server.count <= 8 + 2 * ALIKE + 2  # each of two workers finds it out
    status = statuses(project)["gpt-4o-mini"]
    assert status["scored"] == 8
    assert status["error"] + status["missing"] == 32
    result.stdout.fnmatch_lines(["*gpt-4o-mini is asked no more: 40*The same command again asks for what is missing."])
    before, project.server.script = project.server.count, "[Paris]"
    assert project.record("-n", workers).ret == 0
    assert project.server.count == before + 32


def test_a_server_that_goes_away_is_given_up_after_few_requests(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_rows(project, 200)
    with StubServer() as server:
        served = iter(range(10))

        def script(_: Request) -> str:
            if next(served, None) is None:
                server.stop()
            return "[Paris]"

        server.script = script
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        result = project.record("--concurrency", "4")
    assert result.ret == 1
    status = statuses(project)["gpt-4o-mini"]
    assert status["missing"] >= 180
    assert status.get("error", 0) <= 4
    line = next(line for line in result.outlines if "is asked no more" in line)
    assert "no connection to http://127.0.0.1" in line
    monkeypatch.setenv("OPENAI_BASE_URL", project.server.openai_url)
    assert project.record().ret == 0
    assert project.server.count == 200 - status["scored"]


def test_other_models_go_on(project: Project) -> None:
    many_rows(project)
    project.server.script = lambda r: KEY_REFUSED if "4o-mini" in r.json["model"] else "[Paris]"
    assert project.record("--model", "gpt-4.1-mini", "--concurrency", "4").ret == 1
    assert statuses(project)["gpt-4.1-mini"] == {"scored": 40}
    asked = Counter(request.json["model"] for request in project.server.requests)
    assert asked["gpt-4.1-mini"] == 40
    assert asked.total() <= 44


def test_when_a_judge_breaks_no_more_answers_are_paid_for(judged: Project) -> None:
    many = [{"country": f"Land{number:04}", "capital": "Paris"} for number in range(60)]
    judged.write_rows(many)
    judged.server.script = lambda r: KEY_REFUSED if "Judge" in r.question else "Paris"
    result = judged.record("--concurrency", "2")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*o4-mini is asked no more: 401: Incorrect API key*"])
    assert judged.server.count <= 10
    assert statuses(judged)["gpt-4o-mini"]["missing"] >= 55
    answered = Counter(r.question for r in judged.server.requests if "Judge" not in r.question)
    judged.server.requests.clear()
    judged.server.script = lambda r: "yes" if "Judge" in r.question else "Paris"
    assert judged.record().ret == 0
    again = Counter(r.question for r in judged.server.requests if "Judge" not in r.question)
    assert again.total() == 60 - answered.total()
    assert not again & answered


def test_a_busy_provider_is_waited_for(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.live.endpoint_client.MAX_ATTEMPTS", 100)
    monkeypatch.setattr("proctor._base.http.LONGEST_DELAY", 0.3)
    many_rows(project, 10)
    turns = iter(range(60))
    project.server.script = lambda _: (
        "[Paris]"
        if (turn := next(turns, None)) is None
        else [Answer.error(429, retry_after="0.01"), *BUSY[1:3]][turn % 3]
    )
    assert project.record("--concurrency", "4").ret == 0
    assert project.server.count == 70


def test_one_that_turns_everybody_away_for_good_is_given_up(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor._base.http.LONGEST_DELAY", 0.01)
    many_rows(project, 40)
    answered = iter(range(10))
    away = Answer.error(429, "the quota of today is used up", retry_after="0.001")
    project.server.script = lambda _: away if next(answered, None) is None else "[Paris]"
    result = project.record("--concurrency", "4")
    assert result.ret == 1
    assert project.server.count <= 10 + 4 * MAX_TURNED_AWAY
    found = statuses(project)["gpt-4o-mini"]
    assert found["scored"] == 10
    assert 1 <= found["error"] <= 4
    result.stdout.fnmatch_lines(
        ["gpt-4o-mini is asked no more: it has answered nobody while it turned one call away 30 times: 429: the quota*"]
    )
    project.server.requests.clear()
    project.server.script = "[Paris]"
    assert project.record().ret == 0
    assert project.server.count == 30


def test_one_that_asks_to_wait_in_vain_is_asked_ever_less_often(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[float] = []
    monkeypatch.setattr(RateLimiter, "hold", lambda _, seconds: held.append(seconds))
    monkeypatch.setattr("proctor._base.http.FIRST_DELAY", 0.5)
    monkeypatch.setattr("random.uniform", lambda *_: 1.0)
    many_rows(project, 1)
    project.server.script = Answer.error(429, retry_after="3")
    assert project.record().ret == 1
    # twice as long each time, from half a second to a minute, and never less than it asked for
    assert held == [3] * 10 + [3, 3, 3, 4, 8, 16, 32] + [60] * 12


def test_an_answer_in_between_begins_the_count_of_those_turned_away_anew(told: Told) -> None:
    for _ in range(3):
        assert not told.fail(MAX_TURNED_AWAY - 1, "rate_limit")
        told.breaker.note_answer()
    assert told.fail(MAX_TURNED_AWAY, "rate_limit")


def test_one_that_is_refused_now_and_then_is_an_error_of_its_own(project: Project) -> None:
    project.server.script = lambda r: KEY_REFUSED if "Peru" in r.question else answers(r)
    assert project.record("--concurrency", "1").ret == 1
    assert statuses(project)["gpt-4o-mini"] == {"scored": 4, "error": 1}
