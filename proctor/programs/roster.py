"""Which of a cluster's workers may be given programs, and for how long."""

from __future__ import annotations

import functools
import json
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from proctor.programs.engine import EngineLost
from proctor.programs.there import Fate, sources
from proctor.tasks.program import Program


@dataclass(frozen=True)
class Patience:
    """How long to wait for what, in seconds.

    Args:
        poll: Between two looks at who is there.
        silent: For a sign of life from a worker.
        look: For what a worker says about its machine.
        first: For the first worker.
        none_left: For another worker when all are lost.
        engine: For an engine that does not answer.
    """

    poll: float = 1.0
    silent: float = 60.0
    look: float = 120.0
    first: float = 60.0
    none_left: float = 60.0
    engine: float = 30.0


class Seen(NamedTuple):
    """A worker, as the engine has it.

    Args:
        host: Its machine.
        threads: How many programs it takes at a time.
        last_seen: When the engine last had a sign of life, by a clock of its own.
    """

    host: str
    threads: int
    last_seen: float


class Connection(Protocol):
    """The way to an engine's workers; safe for threads."""

    def workers(self) -> Mapping[str, Seen]:
        """Those that are there now, by address.

        Raises:
            ConnectionError: If the engine is lost, and what ran there with it.
            OSError: If it does not answer just now.
        """

    def executor(self, address: str) -> Executor:
        """What runs functions on that worker and no other."""

    def look(self, address: str, checks: str) -> Future[str]:
        """`proctor.programs.there.look`, run on that worker."""

    def close(self) -> None:
        """Let go of the workers, and end those that were started for this run."""


@dataclass(eq=False)
class Worker:
    """A worker that may be given programs.

    Args:
        address: Its address.
        host: Its machine.
        threads: How many programs it takes at a time.
        executor: Runs functions on it.
        token: Tells its process; see `proctor.programs.there.TOKEN`.
        cores: The cores of its machine that it may use, by number.
        kind: What run times on it depend on.
        busy: How many of its slots are taken.
        running: What waits for its programs.
        faults: How many programs in a row its machine could not run.
    """

    address: str
    host: str
    threads: int
    executor: Executor
    token: str
    cores: frozenset[int]
    kind: Mapping[str, Any]
    busy: int = 0
    running: set[Future[Fate]] = field(default_factory=set)
    faults: int = 0

    def __str__(self) -> str:
        return f"{self.address} ({self.host})"


class Check(NamedTuple):
    """What workers have to be able to run: a program that tells, and the needs that are to be met, by number."""

    program: Program
    needs: Collection[int]

    def lack(self, found: Mapping[str, Any]) -> str | None:
        """What a machine lacks by what the program found there."""
        return next((found["unmet"][need] for need in sorted(self.needs) if found["unmet"][need] is not None), None)


class Roster:
    """The workers that may be given programs; kept up to date by a thread of its own.

    Args:
        connection: The way to the workers.
        patience: How long to wait for what.
    """

    def __init__(self, connection: Connection, patience: Patience) -> None:
        self.connection = connection
        self.notes: list[str] = []
        self.left_out: dict[str, str] = {}
        self.workers: dict[str, Worker] = {}
        self._patience = patience
        self._changed = threading.Condition()
        self._looking = threading.RLock()
        self._checks: list[Check] = []
        self._asked: dict[str, tuple[float, Future[str]]] = {}
        self._signs: dict[str, tuple[float, float]] = {}  # the last of each worker: by the engine's clock, and by ours
        self._silent: set[str] = set()
        self._none_since = time.monotonic()
        self._no_answer_since: float | None = None
        self._over: type[Exception] | None = None
        self._why = ""

    def watch(self) -> None:
        """From now on keep an eye on the workers."""
        threading.Thread(target=self._watch, name="proctor-workers", daemon=True).start()

    def _watch(self) -> None:
        while self._over is None:
            self.look()
            with self._changed:
                self._changed.wait_for(lambda: self._over is not None, self._patience.poll)

    def end(self, reason: type[Exception], why: str) -> None:
        """Let nobody wait for a program any more."""
        with self._changed:
            if self._over is None:
                self._over, self._why = reason, why
            for worker in list(self.workers.values()):
                self._drop(worker)
            self._changed.notify_all()

    @contextmanager
    def slot(self, avoided: str | None) -> Iterator[Worker]:
        """Wait for a slot on a worker; on that of the address to be avoided only where there is no other worker.

        Raises:
            EngineLost: If there is no worker any more.
            Exception: What `end` was given.
        """
        with self._changed:
            while (worker := self._free(avoided)) is None:
                self._changed.wait()
            worker.busy += 1
        try:
            yield worker
        finally:
            with self._changed:
                worker.busy -= 1
                self._changed.notify_all()

    def _free(self, avoided: str | None) -> Worker | None:
        if self._over is not None:
            raise self._over(self._why)
        others = [worker for worker in self.workers.values() if worker.address != avoided]
        free = [worker for worker in others or self.workers.values() if worker.busy < worker.threads]
        return min(free, key=lambda worker: worker.busy / worker.threads, default=None)

    def expect(self, worker: Worker, answer: Future[Fate]) -> None:
        """Let an answer be cancelled should the worker be lost, as it may be already."""
        with self._changed:
            worker.running.add(answer)
            if self.workers.get(worker.address) is not worker:
                answer.cancel()

    def lose(self, worker: Worker, why: str, *, for_good: bool = False) -> None:
        """Give a worker no more programs, and wait for none that it has.

        Args:
            worker: The worker.
            why: For the user.
            for_good: Whether to leave out what has this address, until it goes.
        """
        with self._changed:
            if self.workers.get(worker.address) is not worker:
                return
            if for_good:
                self.left_out[worker.address] = why
            self.notes.append(f"programs: worker {worker} was lost with {len(worker.running)} programs: {why}")
            self._drop(worker)
            if not self.workers:
                self._none_since = time.monotonic()

    def _drop(self, worker: Worker) -> None:
        del self.workers[worker.address]
        for answer in worker.running:
            answer.cancel()
        self._changed.notify_all()

    def seen(self) -> dict[str, Seen]:
        """The workers that are there and not left out, by address; see `Connection.workers`."""
        found = self.connection.workers().items()
        return {address: worker for address, worker in found if worker.threads and address not in self.left_out}

    def require(self, check: Check, answers: Mapping[str, Mapping[str, Any]], seen: Mapping[str, Seen]) -> None:
        """Take the workers that meet a check, and leave out the others and, later, all that do not.

        Args:
            check: The check.
            answers: What workers have said to it alone, by address.
            seen: The workers.
        """
        with self._changed:
            self._checks.append(check)
            for address, answer in answers.items():
                lack = check.lack(answer["results"][0])
                if lack is not None and address in self.workers:
                    self.lose(self.workers[address], lack, for_good=True)
                elif lack is not None:
                    self.left_out[address] = lack
                elif address in self.workers:
                    self.workers[address].kind = answer["results"][0]["kind"]
                else:
                    self._admit(address, seen[address], answer)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While it is entered, no others are asked than by whoever entered it."""
        with self._looking:
            yield

    def _admit(self, address: str, seen: Seen, answer: Mapping[str, Any]) -> None:
        self.workers[address] = Worker(
            address,
            answer["host"],
            seen.threads,
            self.connection.executor(address),
            answer["token"],
            frozenset(answer["cores"]),
            answer["results"][-1]["kind"] if answer["results"] else {},
        )
        self._changed.notify_all()

    def look(self) -> None:
        """Find out who is there. Workers that have come are asked what they are; those that have gone are lost."""
        with self._looking:
            if self._over is not None:
                return
            now = time.monotonic()
            try:
                seen = self.connection.workers()
            except OSError as problem:
                if self._no_answer_since is None:
                    self._no_answer_since = now
                if isinstance(problem, ConnectionError) or now - self._no_answer_since > self._patience.engine:
                    self.end(EngineLost, f"the scheduler is lost: {in_words(problem)}")
                return
            self._no_answer_since = None
            with self._changed:
                self._compare(seen, now)

    def _compare(self, seen: Mapping[str, Seen], now: float) -> None:
        for worker in list(self.workers.values()):
            if worker.address not in seen:
                self.lose(worker, "it is gone")
        for address in self.left_out.keys() - seen.keys():
            del self.left_out[address]
        for address, found in seen.items():
            self._heed(address, found, now)
            if found.threads and not any(address in known for known in (self.workers, self.left_out, self._asked)):
                asked = self.connection.look(address, encoded([check.program for check in self._checks]))
                self._asked[address] = (now, asked)
                asked.add_done_callback(functools.partial(self._came, address, found))
        for address, (since, _) in list(self._asked.items()):
            if now - since > self._patience.look:
                del self._asked[address]
                self._refuse(address, f"it did not answer within {self._patience.look:g} s")
        if not self.workers and not self._asked and now - self._none_since > self._patience.none_left:
            self.end(EngineLost, "no worker is left" + "".join(f"; {a}: {why}" for a, why in self.left_out.items()))

    def _heed(self, address: str, found: Seen, now: float) -> None:
        """Note a sign of life, or that there has been none for too long."""
        sign, since = self._signs.get(address, (None, now))
        if sign != found.last_seen:
            self._signs[address] = (found.last_seen, now)
            if address in self._silent:
                self._silent.discard(address)
                self.left_out.pop(address, None)
        elif now - since > self._patience.silent and address in self.workers:
            self._silent.add(address)
            why = f"no sign of life for {self._patience.silent:g} s"
            self.lose(self.workers[address], why, for_good=True)

    def _came(self, address: str, seen: Seen, asked: Future[str]) -> None:
        """Take in a worker that has said what it is."""
        with self._changed:
            if self._over is not None or self._asked.pop(address, (0, None))[1] is not asked:
                return
            try:
                answer = json.loads(asked.result())
            except (Exception, CancelledError) as problem:
                self._refuse(address, in_words(problem))
                return
            for check, found in zip(self._checks, answer["results"], strict=True):
                if (lack := check.lack(found)) is not None:
                    self._refuse(address, lack)
                    return
            self._admit(address, seen, answer)

    def _refuse(self, address: str, why: str) -> None:
        self.left_out[address] = why
        self.notes.append(f"programs: worker {address} is left out: {why}")

    def close(self) -> None:
        """Let go of the workers."""
        with suppress(Exception):  # such as a scheduler that is gone
            self.connection.close()


def encoded(checks: Sequence[Program]) -> str:
    """Programs, as `proctor.programs.there.look` takes them."""
    return json.dumps([{"function": c.name, "data": c.data, "sources": sources(c.name)} for c in checks])


def in_words(problem: BaseException) -> str:
    """An exception on one line."""
    said = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {said}" if said else type(problem).__name__
