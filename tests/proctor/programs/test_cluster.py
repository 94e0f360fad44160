"""What goes where in a cluster, and what becomes of programs whose workers are lost; the engine is a stand-in."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import cluster_programs
import pytest
from waiting import LIMIT, wait_until

from proctor._base.errors import UsageError
from proctor.programs import there
from proctor.programs.cluster import Cluster
from proctor.programs.engine import EngineLost, ProgramLost, ProgramsStopped
from proctor.programs.roster import Patience, Seen
from proctor.tasks.program import MachineFault, Program

QUICK = Patience(poll=0.01, silent=LIMIT, look=LIMIT, first=0.0, none_left=LIMIT, engine=0.0)
MACHINE = Program(cluster_programs.look, {"needs": [None]})


class Engine:
    """Workers that are threads of this process, and come, hang and go as a test wants it."""

    def __init__(self) -> None:
        self.there: dict[str, Seen] = {}
        self.lost: OSError | None = None
        self.started: list[tuple[str, str]] = []
        self.waiting: dict[str, list[Future[there.Fate]]] = {}
        self.environment: dict[str, dict[str, str]] = {}
        self.answers: dict[str, list[there.Fate]] = {}
        self.closed = False
        self._pool = ThreadPoolExecutor(8)

    def add(self, address: str, *, threads: int = 1, **environment: str) -> None:
        self.there[address] = Seen("one host", threads, 0.0)
        self.environment[address] = environment

    def workers(self) -> Mapping[str, Seen]:
        if self.lost is not None:
            raise self.lost
        return dict(self.there)

    def look(self, address: str, checks: str) -> Future[str]:
        future: Future[str] = Future()
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment[address].items():
                patch.setenv(name, value)
            try:
                future.set_result(there.look(checks))
            except Exception as problem:
                future.set_exception(problem)
        return future

    def executor(self, address: str) -> Executor:
        return Threads(self, address)

    def close(self) -> None:
        self.closed = True
        self._pool.shutdown()

    def submit(self, address: str, *arguments: Any) -> Future[there.Fate]:
        self.started.append((address, arguments[1]))
        future: Future[there.Fate]
        if self.answers.get(address):
            future = Future()
            future.set_result(self.answers[address].pop(0))
            return future
        if address in self.waiting:
            future = Future()
            future.set_running_or_notify_cancel()
            self.waiting[address].append(future)
            return future
        return self._pool.submit(there.run, *arguments)


class Threads(Executor):
    """The executor of one worker."""

    def __init__(self, engine: Engine, address: str) -> None:
        self._engine = engine
        self._address = address

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        assert function is there.run
        return self._engine.submit(self._address, *arguments)


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def cluster(engine: Engine) -> Iterator[Cluster]:
    made = Cluster("test", lambda: engine, QUICK)
    yield made
    made.close()


def program(text: str = "four", **more: Any) -> Program:
    return Program(cluster_programs.letters, {"text": text}, **more)


def later(cluster: Cluster, run: Program) -> Future[Any]:
    """A program that another thread waits for."""
    future: Future[Any] = Future()

    def wait() -> None:
        try:
            future.set_result(cluster.run(run))
        except Exception as problem:
            future.set_exception(problem)

    threading.Thread(target=wait, daemon=True).start()
    return future


def test_a_program_goes_there_as_data_with_copies_of_its_folders(
    cluster: Cluster, engine: Engine, tmp_path: Path
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/x.txt").write_text("content")
    engine.add("a")
    assert cluster.run(program(folders={"files": tmp_path})) == {"letters": 4, "files": {"x.txt": "content"}}
    assert engine.started == [("a", '{"function": "cluster_programs:letters", "data": {"text": "four"}}')]


def test_no_worker_gets_more_programs_than_it_has_threads(cluster: Cluster, engine: Engine) -> None:
    engine.add("a", threads=2)
    engine.waiting["a"] = []
    waiting = [later(cluster, program(str(number))) for number in range(3)]
    wait_until(lambda: len(engine.started) == 2)
    engine.waiting["a"][0].set_result(("value", "1"))
    wait_until(lambda: len(engine.started) == 3)
    for future in engine.waiting["a"][1:]:
        future.set_result(("value", "1"))
    assert [future.result(LIMIT) for future in waiting] == [1, 1, 1]


def test_what_a_lost_worker_ran_is_started_once_more_elsewhere(cluster: Cluster, engine: Engine) -> None:
    for address in ("a", "b"):
        engine.add(address)
        engine.waiting[address] = []
    waiting = later(cluster, program())
    wait_until(lambda: engine.started)
    first = engine.started[0][0]
    other = {"a": "b", "b": "a"}[first]
    del engine.there[first]
    wait_until(lambda: engine.waiting[other])
    engine.waiting[other][0].set_result(("value", '"done"'))
    assert waiting.result(LIMIT) == "done"
    assert [address for address, _ in engine.started] == [first, other]
    engine.waiting[first][0].set_result(("value", '"too late"'))  # whoever was lost comes back to nobody
    assert list(cluster.notes) == [
        f"programs: worker {first} ({socket.gethostname()}) was lost with 1 programs: it is gone",
        "programs: 1 were started once more, after a loss or a doubtful end",
    ]


def test_a_program_that_loses_two_workers_is_not_started_a_third_time(cluster: Cluster, engine: Engine) -> None:
    for address in ("a", "b", "c"):
        engine.add(address)
        engine.waiting[address] = []
    waiting = later(cluster, program())
    for number in (1, 2):
        wait_until(lambda number=number: len(engine.started) == number)  # type: ignore[misc]
        del engine.there[engine.started[-1][0]]
    with pytest.raises(ProgramLost, match=r"started 2 times, and has no result: \w .*the worker was lost; \w .*"):
        waiting.result(LIMIT)
    assert len(engine.started) == 2
    (left,) = engine.there
    del engine.waiting[left]
    assert cluster.run(program("other")) == {"letters": 5, "files": {}}


def test_a_worker_that_does_not_end_a_program_in_time_is_given_no_more(cluster: Cluster, engine: Engine) -> None:
    engine.add("a")
    engine.waiting["a"] = []
    waiting = later(cluster, program(seconds=0.05))
    wait_until(lambda: engine.started)
    engine.answers["b"] = [("value", '"done"')]  # at once: it has no more time than the first
    engine.add("b")
    assert waiting.result(LIMIT) == "done"
    assert [address for address, _ in engine.started] == ["a", "b"]
    assert "a program did not end within 0.05 s" in cluster.notes[0]


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


def test_a_worker_without_a_sign_of_life_is_lost_until_it_gives_one(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("proctor.programs.roster.time", clock)
    cluster = Cluster("test", lambda: engine, Patience(poll=0.01, silent=60.0, first=0.0))
    engine.add("a")
    engine.waiting["a"] = []
    waiting = later(cluster, program())
    wait_until(lambda: engine.started)
    clock.now = 61.0
    wait_until(lambda: cluster.notes)
    assert "no sign of life for 60 s" in cluster.notes[0]
    del engine.waiting["a"]
    engine.there["a"] = engine.there["a"]._replace(last_seen=1.0)
    assert waiting.result(LIMIT) == {"letters": 4, "files": {}}
    cluster.close()


def test_a_worker_that_was_started_again_at_its_address_runs_nothing_by_itself(
    cluster: Cluster, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.add("a")
    assert cluster.run(program())
    monkeypatch.setattr(there, "TOKEN", "another process")
    assert cluster.run(program()) == {"letters": 4, "files": {}}
    assert "the worker was started again" in cluster.notes[0]
    assert there.run("the former one", "{}", {}) == ("replaced", None)


@pytest.mark.parametrize("last", ["again", "otherwise"])
def test_a_doubtful_result_is_made_once_more_and_counts_then(cluster: Cluster, engine: Engine, last: str) -> None:
    for address in ("a", "b"):
        engine.add(address)
        engine.answers[address] = [("value", '"ended"')]
    if last == "otherwise":
        engine.answers["b"] = [("value", '"done"')]
    assert (
        cluster.run(program(doubtful=lambda result: result == "ended")) == {"again": "ended", "otherwise": "done"}[last]
    )
    assert [address for address, _ in engine.started] == ["a", "b"]


def test_a_full_disk_costs_no_program_and_two_in_a_row_the_worker(cluster: Cluster, engine: Engine) -> None:
    engine.add("a")
    engine.add("b")
    full: there.Fate = there.run(
        there.TOKEN, '{"function": "cluster_programs:fails", "data": {"fault": "machine"}}', {}
    )
    assert full == ("fault", "MachineFault: the disk is full")
    engine.answers["a"] = [full, full]
    assert [cluster.run(program()) for _ in range(3)] == [{"letters": 4, "files": {}}] * 3
    assert [address for address, _ in engine.started] == ["a", "b", "a", "b", "b"]
    assert "MachineFault: the disk is full" in cluster.notes[0]


def test_a_program_that_is_no_good_fails_as_it_does_here(cluster: Cluster, engine: Engine) -> None:
    engine.add("a")
    bad = Program(cluster_programs.fails, {"fault": "program"})
    with pytest.raises(ValueError, match="this program is no good"):
        cluster.run(bad)
    assert len(engine.started) == 1
    with pytest.raises(MachineFault):
        Program(cluster_programs.fails, {"fault": "machine"})()


def test_without_workers_or_engine_those_who_wait_are_told(engine: Engine) -> None:
    for lost, said in ((None, "no worker is left"), (ConnectionError("it ended"), "the scheduler is lost: .*it ended")):
        engine.lost = None
        engine.add("a")
        engine.waiting["a"] = []
        cluster = Cluster("test", lambda: engine, replace(QUICK, none_left=0.0))
        waiting = later(cluster, program())
        wait_until(lambda: engine.waiting["a"])
        engine.lost = lost
        if lost is None:
            engine.there.clear()
        with pytest.raises(EngineLost, match=said):
            waiting.result(LIMIT)
        with pytest.raises(EngineLost):
            cluster.run(program())
        cluster.close()


def test_the_end_of_the_run_ends_waiting(cluster: Cluster, engine: Engine) -> None:
    engine.add("a")
    engine.waiting["a"] = []
    runs, waits = later(cluster, program()), later(cluster, program())
    wait_until(lambda: engine.waiting["a"])
    cluster.close()
    for future in (runs, waits):
        with pytest.raises(ProgramsStopped):
            future.result(LIMIT)
    assert engine.closed


def test_workers_that_lack_what_another_has_are_left_out_and_what_all_lack_is_said(
    cluster: Cluster, engine: Engine
) -> None:
    engine.add("a", NUMPY="1")
    engine.add("b")
    machine = Program(cluster_programs.look, {"needs": [None, "NUMPY", "TORCH"]})
    ready = cluster.prepare(machine)
    assert ready.unmet == [None, None, "TORCH is not set\n  Set it."]
    assert list(ready.warnings) == ["worker b is left out: NUMPY is not set\n  Set it."]
    engine.add("c")  # those who come later are asked the same
    engine.add("d", NUMPY="1", TORCH="1")
    engine.waiting |= {"a": [], "d": []}
    waiting = [later(cluster, program()) for _ in range(2)]
    wait_until(lambda: engine.waiting["a"] and engine.waiting["d"])
    for address in ("a", "d"):
        engine.waiting[address][0].set_result(("value", "1"))
    assert [future.result(LIMIT) for future in waiting] == [1, 1]
    wait_until(lambda: any("worker c is left out: NUMPY" in note for note in cluster.notes))
    assert {address for address, _ in engine.started} == {"a", "d"}


def test_no_worker_at_all_is_said_before_anything_is_asked(cluster: Cluster, engine: Engine) -> None:
    with pytest.raises(UsageError, match="--programs-on test: the scheduler has no workers\n  Start some"):
        cluster.prepare(MACHINE)
    engine.add("a")
    with pytest.raises(UsageError, match="no worker can run the programs\n  a: TORCH is not set"):
        cluster.prepare(Program(cluster_programs.look, {"needs": ["TORCH"]}))


def test_several_kinds_of_machine_are_marked(cluster: Cluster, engine: Engine) -> None:
    engine.add("a", KIND="fast")
    engine.add("b", KIND="slow", threads=500)
    engine.add("c", KIND="slow", threads=500)
    kinds, threads = cluster.prepare(MACHINE).warnings
    assert kinds == "workers of 2 kinds, and run times compare within one kind only: 2 × slow; 1 × fast"
    assert "take 1001 programs at a time on" in threads


def test_other_sources_than_here_are_refused(cluster: Cluster, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.add("a")
    monkeypatch.setattr("proctor.programs.roster.sources", lambda name: "others")
    with pytest.raises(UsageError, match="a: ImportError: cluster_programs has other sources than where the run was"):
        cluster.prepare(MACHINE)
