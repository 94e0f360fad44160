"""The dispatcher: what begins when, and what is given back; the work waits for events, nobody for the clock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from waiting import LIMIT, wait_until

from proctor.live.dispatcher import Dispatcher


class Works:
    """Works by number that note when they begin, and end when they are let go."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.go = threading.Semaphore(0)

    def work(self, number: int) -> Callable[[], int]:
        def hold() -> int:
            self.begun.append(number)
            assert self.go.acquire(timeout=LIMIT)
            return 10 * number

        return hold


@pytest.fixture
def works() -> Works:
    return Works()


@pytest.fixture
def dispatcher(works: Works) -> Iterator[Dispatcher[int]]:
    made: Dispatcher[int] = Dispatcher(2, threading.Event())
    yield made
    works.go.release(1000)
    made.close()


def test_as_much_as_there_are_workers_runs_at_once(dispatcher: Dispatcher[int], works: Works) -> None:
    for number in range(3):
        dispatcher.submit(number, works.work(number))
    wait_until(lambda: len(works.begun) == 2)
    assert dispatcher.waits
    works.go.release()
    wait_until(lambda: len(works.begun) == 3)
    assert not dispatcher.waits


def test_work_of_one_name_is_done_once(dispatcher: Dispatcher[int], works: Works) -> None:
    dispatcher.submit("a", works.work(1))
    dispatcher.submit("a", works.work(2))
    works.go.release(2)
    assert dispatcher.result("a") == 10
    assert works.begun == [1]
    with pytest.raises(KeyError):
        dispatcher.result("a")


def test_results_come_as_they_finish_and_each_once(dispatcher: Dispatcher[int], works: Works) -> None:
    for number in range(4):
        dispatcher.submit(number, works.work(number))
    works.go.release(4)
    assert dispatcher.next_finished([3]) == 3
    assert {dispatcher.next_finished([0, 1]), dispatcher.next_finished([0, 1])} == {0, 1}
    assert dispatcher.next_finished(range(4)) == 2
    assert dispatcher.untaken == 0


def test_in_step_no_more_is_begun_than_was_come_upon(dispatcher: Dispatcher[int], works: Works) -> None:
    dispatcher.keep_in_step(3)
    works.go.release(1000)
    for number in range(20):
        dispatcher.submit(number, works.work(number))
    wait_until(lambda: dispatcher.untaken == 3)
    assert len(works.begun) == 3
    dispatcher.next_finished(range(20))
    wait_until(lambda: dispatcher.untaken == 3)
    assert len(works.begun) == 4


def test_a_result_that_is_waited_for_comes_although_others_are_ahead(dispatcher: Dispatcher[int], works: Works) -> None:
    dispatcher.keep_in_step(1)
    works.go.release(1000)
    for number in range(5):
        dispatcher.submit(number, works.work(number))
    assert dispatcher.result(4) == 40


def test_what_waits_to_keep_in_step_does_not_outlast_the_end(dispatcher: Dispatcher[int], works: Works) -> None:
    dispatcher.keep_in_step(1)
    works.go.release(1000)
    for number in range(5):
        dispatcher.submit(number, works.work(number))
    wait_until(lambda: dispatcher.untaken == 1)
    closing = threading.Thread(target=dispatcher.close, daemon=True)
    closing.start()
    closing.join(LIMIT)
    assert not closing.is_alive()
    assert len(works.begun) <= 3  # nothing new but what the two workers had in their hands
