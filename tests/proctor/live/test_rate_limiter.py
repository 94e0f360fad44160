"""The rate limiter: who waits for how long, by a clock that stands still but for those who wait."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from frozen_time import FrozenTime
from waiting import LIMIT

from proctor._base.http import LONGEST_BACKOFF
from proctor.live.rate_limiter import BACKOFF_JITTER, LOOK_AGAIN, RateLimiter
from proctor.models.registry import RateLimits


def limiter(
    time: FrozenTime, file: Path | None = None, limits: RateLimits | None = None, processes: int = 1
) -> RateLimiter:
    return RateLimiter(limits or RateLimits(), processes=processes, backoff_file=file, stop=time, clock=time.now)


def seconds_to_wait(waiting: RateLimiter, time: FrozenTime) -> float:
    started = time.now()
    waiting.wait()
    return time.now() - started


def test_requests_per_minute_space_the_requests_of_each_process() -> None:
    time = FrozenTime()
    waiting = limiter(time, limits=RateLimits(requests_per_minute=600), processes=2)
    assert [seconds_to_wait(waiting, time) for _ in range(4)] == pytest.approx([0, 0.2, 0.2, 0.2])


def test_time_that_passed_otherwise_is_not_waited_again() -> None:
    time = FrozenTime()
    waiting = limiter(time, limits=RateLimits(requests_per_minute=60))
    waiting.wait()
    time.wait(0.75)
    assert seconds_to_wait(waiting, time) == pytest.approx(0.25)
    time.wait(10)
    assert seconds_to_wait(waiting, time) == 0


def test_another_process_waits_for_a_hold_too(tmp_path: Path) -> None:
    time = FrozenTime()
    limiter(time, tmp_path / "hold").hold(0.3)
    assert 0.3 <= seconds_to_wait(limiter(time, tmp_path / "hold"), time) <= 0.3 * (1 + BACKOFF_JITTER) + 0.001


def test_a_hold_that_became_longer_meanwhile_is_waited_for_whole(tmp_path: Path) -> None:
    time = FrozenTime()
    holding = limiter(time, tmp_path / "hold")
    holding.hold(5)
    holding.hold(2)
    assert 5 <= seconds_to_wait(limiter(time, tmp_path / "hold"), time) <= 5 + LOOK_AGAIN
    assert seconds_to_wait(holding, time) == 0


def test_no_hold_lasts_longer_than_the_longest(tmp_path: Path) -> None:
    time = FrozenTime()
    waiting = limiter(time, tmp_path / "hold")
    waiting.hold(86_400)
    assert LONGEST_BACKOFF <= seconds_to_wait(waiting, time) <= LONGEST_BACKOFF + LOOK_AGAIN


def test_a_hold_is_never_seen_half_written(tmp_path: Path) -> None:
    """A file that was just made would have the time of day, and hold everybody for as long as may be."""
    holding, other_time = limiter(FrozenTime(), tmp_path / "hold"), FrozenTime()
    other = limiter(other_time, tmp_path / "hold")

    def hold() -> None:
        for _ in range(300):
            (tmp_path / "hold").unlink(missing_ok=True)
            holding.hold(0.0)

    thread = threading.Thread(target=hold)
    thread.start()
    longest = 0.0
    while thread.is_alive():
        longest = max(longest, seconds_to_wait(other, other_time))
    thread.join(LIMIT)
    assert longest < 0.5
    assert [file.name for file in tmp_path.iterdir()] == ["hold"]


def test_a_hold_that_cannot_be_written_holds_this_process(tmp_path: Path) -> None:
    time = FrozenTime()
    holding = limiter(time, tmp_path / "gone" / "hold")
    holding.hold(0.3)
    assert 0.3 <= seconds_to_wait(holding, time) <= 0.3 * (1 + BACKOFF_JITTER) + 0.001


def test_the_end_of_the_run_ends_all_waiting() -> None:
    stop = threading.Event()
    waiting = RateLimiter(RateLimits(requests_per_minute=1), processes=1, backoff_file=None, stop=stop, clock=lambda: 0)
    waiting.wait()
    waiting.hold(60)
    thread = threading.Thread(target=waiting.wait, daemon=True)  # a clock that stands still: it would wait for ever
    thread.start()
    stop.set()
    thread.join(LIMIT)
    assert not thread.is_alive()


def test_tokens_of_an_answer_are_waited_for_by_the_next_request() -> None:
    # 60,000 tokens a minute, shared by two processes: 300 tokens take this one 0.6 s.
    time = FrozenTime()
    waiting = limiter(time, limits=RateLimits(tokens_per_minute=60_000), processes=2)
    waiting.wait()
    waiting.charge(300)
    assert seconds_to_wait(waiting, time) == pytest.approx(0.6)
