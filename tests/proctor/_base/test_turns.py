"""Turns of threads: one at a time, none while it waits for a server, and none that all wait for."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import pytest
from waiting import LIMIT, wait_until

from proctor._base.turns import MOST_WAITING, in_turn, out_of_turn
from proctor.providers.http_client import Client
from proctor.providers.patience import Patience
from proctor.tasks.call import CallFailed


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(MOST_WAITING + 5) as made:
        yield made


class Held:
    """Turns that are held until they are let go."""

    def __init__(self) -> None:
        self.inside: list[int] = []
        self.go = threading.Event()

    def hold(self, number: int) -> None:
        with in_turn():
            self.inside.append(number)
            assert self.go.wait(LIMIT)
            self.inside.remove(number)


@pytest.fixture
def held(pool: ThreadPoolExecutor) -> Iterator[Held]:
    made = Held()
    pool.submit(made.hold, 0)
    wait_until(lambda: made.inside == [0])
    yield made
    made.go.set()


def taken(pool: ThreadPoolExecutor, before: Callable[[], object] = lambda: None) -> Future[str]:
    def take() -> str:
        before()
        with in_turn():
            return "taken"

    return pool.submit(take)


def test_a_turn_waits_for_the_one_before(pool: ThreadPoolExecutor, held: Held) -> None:
    waiting = threading.Event()
    second = taken(pool, waiting.set)
    assert waiting.wait(LIMIT)
    with pytest.raises(TimeoutError):
        second.result(timeout=0.2)
    held.go.set()
    assert second.result(LIMIT) == "taken"


def test_who_finds_many_waiting_goes_on_without(pool: ThreadPoolExecutor, held: Held) -> None:
    for number in range(1, MOST_WAITING + 3):
        pool.submit(held.hold, number)
    wait_until(lambda: len(held.inside) == 3)  # the first, whose turn it is, and two for whom the queue was too long
    assert taken(pool).result(LIMIT) == "taken"
    held.go.set()
    wait_until(lambda: not held.inside)
    assert taken(pool).result(LIMIT) == "taken"


def test_a_turn_that_ends_in_an_error_is_over(pool: ThreadPoolExecutor) -> None:
    def fail() -> None:
        with in_turn(), out_of_turn():
            raise OSError("over")

    for _ in range(2):
        with pytest.raises(OSError, match="over"):
            pool.submit(fail).result(LIMIT)
    assert taken(pool).result(LIMIT) == "taken"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_others_have_their_turns_while_one_waits_for_a_silent_server(pool: ThreadPoolExecutor, scheme: str) -> None:
    """Over https it is silent when the encryption is to be agreed upon, over http when the answer is due."""
    given_up = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"{scheme}://127.0.0.1:{silent.getsockname()[1]}"
        client = Client(url, Patience(total=LIMIT, silence=LIMIT, given_up=given_up))

        def ask() -> None:
            with in_turn(), suppress(CallFailed, OSError):
                client.post(url, content=b"x" * 10_000_000)  # more than the connection takes before it is read

        asking = pool.submit(ask)
        connection, _ = silent.accept()
        with connection:
            assert connection.recv(1)
            assert taken(pool).result(LIMIT) == "taken"
            assert not asking.done()
            given_up.set()
    with suppress(Exception):
        asking.result(LIMIT)
    client.close()
