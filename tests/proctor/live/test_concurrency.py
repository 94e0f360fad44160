"""``--concurrency auto``: how many requests to a model may be in flight, and what that depends on."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import AbstractContextManager, suppress

import pytest
from capitals import Project
from stub_server import Answer, Request

from proctor.live.concurrency import FIRST, MOST, AdaptiveLimit, Concurrency
from proctor.tasks.call import CallFailed

TOO_MANY = CallFailed("429", kind="rate_limit")


class Sender:
    """Requests that are in flight as long as a test wants."""

    def __init__(self, first: int = 4, most: int = 256) -> None:
        self.stop = threading.Event()
        self.adaptive = AdaptiveLimit(first=first, most=most, stop=self.stop)
        self.in_flight: list[AbstractContextManager[None]] = []

    @property
    def limit(self) -> int:
        return self.adaptive.limit

    def fill(self) -> int:
        """Send as many requests as may be sent; how many these were."""
        sent = max(0, self.limit - len(self.in_flight))
        for _ in range(sent):
            slot = self.adaptive.slot()
            slot.__enter__()
            self.in_flight.append(slot)
        return sent

    def answer(self, count: int = 1) -> None:
        """Let the oldest requests be answered."""
        for _ in range(count):
            self.in_flight.pop(0).__exit__(None, None, None)

    def fail(self, failure: CallFailed = TOO_MANY, count: int = 1) -> None:
        """Let the newest requests fail."""
        for _ in range(count):
            with suppress(CallFailed):
                self.in_flight.pop().__exit__(type(failure), failure, None)

    def round(self, takes: int = 1000) -> int:
        """Let all that are in flight be answered, one by one, and others take their places.

        Args:
            takes: How many requests a server takes at once.

        Returns:
            How many it turned away.
        """
        turned_away = 0
        for _ in range(len(self.in_flight) or 1):
            self.answer(min(1, len(self.in_flight)))
            self.fill()
            over = max(0, len(self.in_flight) - takes)
            self.fail(count=over)
            turned_away += over
        return turned_away


def test_it_doubles_in_the_time_of_an_answer_while_all_are_answered() -> None:
    sender = Sender(first=4, most=50)
    sender.fill()
    limits = [sender.round() or sender.limit for _ in range(5)]
    assert limits == [8, 16, 32, 50, 50]


def test_requests_that_are_turned_away_together_halve_it_once() -> None:
    sender = Sender(first=64)
    sender.fill()
    sender.fail(count=24)
    assert sender.limit == 32
    assert sender.fill() == 0  # 40 are still in flight
    sender.answer(4)
    assert sender.limit == 36  # what was not turned away was not too much
    for _ in range(36):
        sender.answer()
        sender.fill()
    assert sender.limit == len(sender.in_flight) == 40


def test_beyond_what_was_once_too_many_it_grows_slowly_then_fast_again() -> None:
    sender = Sender(first=10)
    sender.fill()
    sender.fail(count=2)  # 8 were good
    assert sender.limit == 5
    limits = [sender.round() or sender.limit for _ in range(20)]
    assert limits[:4] == [8, 8, 8, 9]
    fast = next(number for number, limit in enumerate(limits) if limit > 10)  # a quarter more than was good
    assert limits[3:fast] == sorted(limits[3:fast])
    assert fast >= 5
    assert limits[fast + 1] >= 1.9 * limits[fast]


def test_a_limit_of_the_provider_is_found_and_rarely_exceeded() -> None:
    sender = Sender()
    sender.fill()
    first = [sender.round(takes=40) for _ in range(6)]
    assert first[:3] == [0, 0, 0]  # 4, 8, 16, 32 in flight
    assert sum(first) <= 3
    later, in_flight = 0, []
    for _ in range(100):
        later += sender.round(takes=40)
        in_flight.append(len(sender.in_flight))
    assert 5 <= later <= 12  # one at a time, ever more rarely: each twelfth round
    assert sum(in_flight) / 100 > 0.9 * 40


def test_more_is_found_when_a_provider_takes_more() -> None:
    sender = Sender()
    sender.fill()
    for _ in range(30):
        sender.round(takes=10)
    assert sender.limit <= 11
    for _ in range(60):
        sender.round()
    assert sender.limit == 256


def test_less_is_sent_when_a_provider_takes_less() -> None:
    sender = Sender(first=200)
    sender.fill()
    for _ in range(8):
        sender.round(takes=5)
    assert sender.limit <= 6


def test_what_is_not_used_does_not_grow() -> None:
    sender = Sender(first=8)
    for _ in range(20):
        with sender.adaptive.slot():
            pass
    assert sender.limit == 8


@pytest.mark.parametrize("kind", ["server", "timeout", "connection", "rejected"])
def test_other_failures_say_nothing_about_the_number(kind: str) -> None:
    sender = Sender(first=8)
    sender.fill()
    sender.fail(CallFailed("broken", kind=kind), count=8)
    assert sender.limit == 8


def test_a_shut_door_is_told_from_too_many_at_once() -> None:
    sender = Sender(first=8)
    sender.fill()
    sender.fail(count=8)
    assert (sender.limit, sender.adaptive.shut) == (4, 0)
    for limit, shut in ((2, 1), (1, 2), (1, 3)):
        sender.fill()
        sender.fail(count=len(sender.in_flight))
        assert (sender.limit, sender.adaptive.shut) == (limit, shut)
    sender.fill()
    sender.answer()
    assert sender.adaptive.shut == 0


def test_waiting_requests_go_when_there_is_a_place_or_the_run_stops() -> None:
    sender = Sender(first=1)
    sender.fill()
    entered = threading.Semaphore(0)

    def wait() -> None:
        with sender.adaptive.slot():
            entered.release()
            sender.stop.wait(60)

    threads = [threading.Thread(target=wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert not entered.acquire(timeout=0.2)
    sender.answer()  # which makes it two
    assert entered.acquire(timeout=60)
    assert entered.acquire(timeout=60)
    assert sender.adaptive.limit == 2
    sender.stop.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_the_option_takes_a_number_or_auto() -> None:
    assert Concurrency.parse("7") == Concurrency(7)
    assert Concurrency.parse("auto") == Concurrency(MOST, adapts=True)
    assert [str(Concurrency.parse(text)) for text in ("7", "auto")] == ["7", "auto"]


class Crowded:
    """Takes so many requests at once, and turns others away at once."""

    def __init__(self, project: Project, takes: int, **headers: str) -> None:
        self._server, self._takes, self._headers = project.server, takes, headers
        self._lock = threading.Lock()
        self._taken = self.turned_away = 0
        self.peaks: Counter[str] = Counter()

    def __call__(self, request: Request) -> str | Answer:
        with self._lock:
            self._taken += 1
            too_many = self._taken > self._takes
            model = str(request.json["model"])
            self.peaks[model] = max(self.peaks[model], self._taken)
        try:
            if too_many:
                with self._lock:
                    self.turned_away += 1
                return Answer.error(429, **self._headers)
            threading.Event().wait(0.05)
            return "[Paris]"
        finally:
            with self._lock:
                self._taken -= 1


def many_rows(project: Project, count: int) -> None:
    project.write_rows([{"country": f"Land{number:04}", "capital": "Paris"} for number in range(count)])
    project.server.script = "[Paris]"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_finds_out_what_a_provider_takes(project: Project, workers: str) -> None:
    many_rows(project, 80)
    project.server.script = crowded = Crowded(project, takes=6)
    assert project.record("--concurrency", "auto", "-n", workers).ret == 0
    assert len(project.rows) == 80
    assert {row["status"] for row in project.rows.values()} == {"scored"}
    assert 1 <= crowded.turned_away < 30
    assert project.server.count == 80 + crowded.turned_away


def test_it_begins_with_few_and_grows(project: Project) -> None:
    many_rows(project, 60)
    project.server.latency = 0.2
    seen: list[int] = []
    project.server.script = lambda _: seen.append(project.server.in_flight) or "[Paris]"  # type: ignore[func-returns-value]
    assert project.record("--concurrency", "auto").ret == 0
    assert max(seen[:FIRST]) <= FIRST
    assert project.server.peak > 2 * FIRST


def test_retry_after_holds_back_all_requests_to_a_model(project: Project) -> None:
    many_rows(project, 30)
    turned_away = iter(range(3))
    project.server.script = lambda _: (
        Answer.error(429, retry_after="0.5") if next(turned_away, None) is not None else "[Paris]"
    )
    assert project.record("--concurrency", "auto").ret == 0
    assert project.server.count == 33


def test_money_is_kept_to(project: Project) -> None:
    many_rows(project, 80)
    project.server.script = Answer("[Paris]", tokens=(100_000, 0, 25_000, 0))  # $0.03
    project.server.latency = 0.02
    result = project.record("--concurrency", "auto", "--max-cost", "0.6")
    assert result.ret == 1
    assert 20 <= project.server.count <= 21
    result.stdout.fnmatch_lines(["--max-cost 0.6 reached: *"])
