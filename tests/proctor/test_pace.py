"""The pace of requests: what one process asks of the others."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from proctor.live.pace import Pace
from proctor.models.registry import Limits


def pace(file: Path | None, stop: threading.Event, limits: Limits | None = None, processes: int = 1) -> Pace:
    return Pace(limits or Limits(), processes=processes, hold_file=file, stop=stop)


def seconds_to_wait(waiting: Pace) -> float:
    started = time.monotonic()
    waiting.wait()
    return time.monotonic() - started


def test_another_process_waits_for_a_hold_too(tmp_path: Path) -> None:
    stop = threading.Event()
    pace(tmp_path / "hold", stop).hold(0.3)
    assert 0.2 < seconds_to_wait(pace(tmp_path / "hold", stop)) < 0.6


def test_a_hold_is_never_seen_half_written(tmp_path: Path) -> None:
    stop = threading.Event()
    holding, other = pace(tmp_path / "hold", stop), pace(tmp_path / "hold", stop)

    def hold() -> None:
        for _ in range(300):
            (tmp_path / "hold").unlink(missing_ok=True)
            holding.hold(0.0)

    thread = threading.Thread(target=hold)
    thread.start()
    longest = 0.0
    while thread.is_alive():
        longest = max(longest, seconds_to_wait(other))
    assert longest < 0.5
    assert [file.name for file in tmp_path.iterdir()] == ["hold"]


def test_a_hold_that_cannot_be_written_holds_this_process(tmp_path: Path) -> None:
    holding = pace(tmp_path / "gone" / "hold", threading.Event())
    holding.hold(0.3)
    assert 0.2 < seconds_to_wait(holding) < 0.6


def test_the_end_of_the_run_ends_all_waiting() -> None:
    stop = threading.Event()
    waiting = pace(None, stop)
    waiting.hold(60)
    threading.Timer(0.1, stop.set).start()
    assert seconds_to_wait(waiting) < 5


def test_tokens_of_an_answer_are_waited_for_by_the_next_request() -> None:
    # 60,000 tokens a minute, shared by two processes: 300 tokens take this one 0.6 s.
    waiting = pace(None, threading.Event(), Limits(tokens_per_minute=60_000), processes=2)
    waiting.wait()
    waiting.charge(300)
    assert 0.5 < seconds_to_wait(waiting) < 1.0
