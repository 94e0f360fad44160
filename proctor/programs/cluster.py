"""Programs on the workers of a cluster, whichever engine starts and connects these.

The engine is asked which workers there are, and to run a function on one of them; what goes where is decided here. So a
program is known to have been started once, or twice at most, and where. A worker that is lost or hangs costs nothing
but the time of the programs that it had.
"""

from __future__ import annotations

import functools
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError, wait
from contextlib import suppress
from typing import Any

from proctor._base.errors import UsageError
from proctor._base.json_values import Json
from proctor.programs import there
from proctor.programs.engine import Engine, ProgramLost, ProgramsStopped, Ready
from proctor.programs.roster import Check, Connection, Patience, Roster, Seen, Worker, encoded, in_words
from proctor.tasks.program import Program

STARTS = 2
"""How often a program is started at most."""

FAULTS = 2
"""A machine that could not run so many programs in a row is not used any more."""


class Cluster(Engine):
    """Runs programs on workers, as many at a time on each as it has threads.

    Args:
        name: What the user calls it.
        connect: Makes the way to it; called once, when it is first needed.
        patience: How long to wait for what.
    """

    def __init__(self, name: str, connect: Callable[[], Connection], patience: Patience | None = None) -> None:
        self._name = name
        self._connect = connect
        self._patience = patience or Patience()
        self._connecting = threading.Lock()
        self._known: Roster | None = None
        self._started_again = 0
        self._closed = False
        self._counting = threading.Lock()
        self._packed = functools.cache(there.pack)

    @property
    def _roster(self) -> Roster:
        with self._connecting:
            if self._known is None:
                self._known = Roster(self._connect(), self._patience)
                self._first_workers(self._known)
                self._known.watch()
            return self._known

    def _first_workers(self, roster: Roster) -> None:
        deadline = time.monotonic() + self._patience.first
        while not roster.seen():
            if time.monotonic() > deadline:
                roster.close()
                raise UsageError(
                    f"--programs-on {self._name}: the scheduler has no workers",
                    remedy="Start some, such as: dask worker HOST:PORT --nthreads 4",
                )
            time.sleep(self._patience.poll)

    def prepare(self, machine: Program) -> Ready:
        """See `Engine`. Workers that lack what another has are left out; what all of them lack is unmet."""
        try:
            return self._prepared(machine)
        except OSError as problem:
            raise UsageError(
                f"--programs-on {self._name}: the scheduler is lost: {in_words(problem)}", remedy="Start it again."
            ) from None

    def _prepared(self, machine: Program) -> Ready:
        roster = self._roster
        with roster.asking():
            seen = roster.seen()
            answers = self._answers(roster, machine, seen)
            found = {address: answer["results"][0] for address, answer in answers.items()}
            met = {address: frozenset(_met(each)) for address, each in found.items()}
            best = max(met.values(), key=len, default=frozenset())
            check = Check(machine, best)
            roster.require(check, answers, seen)
        if not best:
            lacks = roster.left_out | {address: each["unmet"][0] for address, each in found.items()}
            raise UsageError(
                f"--programs-on {self._name}: no worker can run the programs"
                + "".join(f"\n  {address}: {lack}" for address, lack in lacks.items()),
                remedy="Workers need what the programs import, and Proctor and the benchmarks (PYTHONPATH) as here.",
            )
        one = found[next(address for address in found if met[address] == best)]
        return Ready(one["unmet"], list(_warnings(roster, one["warning"])))

    def _answers(self, roster: Roster, machine: Program, seen: Mapping[str, Seen]) -> dict[str, Any]:
        """What the workers say about their machines; those that say nothing are left out."""
        checks = encoded([machine])
        asked = {roster.connection.look(address, checks): address for address in seen}
        deadline = time.monotonic() + self._patience.look
        waiting = set(asked)
        while waiting and time.monotonic() < deadline:
            waiting = wait(waiting, self._patience.poll).not_done
            there_now = roster.connection.workers() if waiting else {}
            waiting = {future for future in waiting if asked[future] in there_now}
        answers = {}
        for future, address in asked.items():
            try:
                answers[address] = json.loads(future.result(0))
            except TimeoutError:
                roster.left_out[address] = f"it did not answer within {self._patience.look:g} s, or has gone"
            except (Exception, CancelledError) as problem:
                roster.left_out[address] = in_words(problem)
        return answers

    def run(self, program: Program) -> Json:
        """See `Engine`."""
        roster = self._roster
        text = json.dumps({"function": program.name, "data": program.data})
        folders = {name: self._packed(folder) for name, folder in program.folders.items()}
        problems: list[str] = []
        avoided: str | None = None
        for start in range(1, STARTS + 1):
            with roster.slot(avoided) as worker:
                if start > 1:
                    with self._counting:
                        self._started_again += 1
                kind, came = self._started(roster, worker, program, text, folders)
            avoided = worker.address
            if kind == "raised":
                raise came
            if kind == "value":
                value: Json = json.loads(came)
                if start == STARTS or not program.doubtful(value):
                    return value
            problems.append(f"{worker}: {came}")
        raise ProgramLost(f"a program was started {STARTS} times, and has no result: {'; '.join(problems)}")

    def _started(
        self, roster: Roster, worker: Worker, program: Program, text: str, folders: Mapping[str, bytes]
    ) -> there.Fate:
        """Start a program on a worker, and say what became of it."""
        answer: Future[there.Fate] = Future()
        roster.expect(worker, answer)
        theirs: Future[there.Fate] | None = None
        try:
            if not answer.cancelled():
                theirs = worker.executor.submit(there.run, worker.token, text, folders)
                theirs.add_done_callback(functools.partial(_pass_on, answer))
            kind, came = answer.result(program.seconds)
        except TimeoutError:
            kind, came = "replaced", f"a program did not end within {program.seconds:g} s"
            roster.lose(worker, came, for_good=True)
        except (Exception, CancelledError) as problem:
            kind, came = "replaced", "the worker was lost" if answer.cancelled() else in_words(problem)
            roster.look()  # has the worker gone, or all of them?
        else:
            if kind == "replaced":
                came = "the worker was started again"
                roster.lose(worker, came)
            worker.faults = worker.faults + 1 if kind == "fault" else 0
            if worker.faults == FAULTS:
                roster.lose(worker, came, for_good=True)
        worker.running.discard(answer)
        if theirs is not None and not theirs.done():  # it may take as long as the engine is silent
            threading.Thread(target=_cancel, args=(theirs,), daemon=True).start()
        return kind, came

    def close(self) -> None:
        """See `Engine`."""
        with self._connecting:
            if self._known is not None and not self._closed:
                self._closed = True
                self._known.end(ProgramsStopped, "programs are ended, since the run is")
                self._known.close()

    @property
    def notes(self) -> Sequence[str]:
        """See `Engine`."""
        notes = [] if self._known is None else list(self._known.notes)
        if self._started_again:
            notes.append(f"programs: {self._started_again} were started once more, after a loss or a doubtful end")
        return notes


def _met(found: Mapping[str, Any]) -> Iterator[int]:
    """The needs that a machine meets, by number."""
    return (number for number, lack in enumerate(found["unmet"]) if lack is None)


def _warnings(roster: Roster, warning: str | None) -> Iterator[str]:
    """What the user should know of the workers."""
    if warning:
        yield warning
    yield from (f"worker {address} is left out: {why}" for address, why in roster.left_out.items())
    workers = list(roster.workers.values())
    kinds = Counter(json.dumps(worker.kind) for worker in workers)
    if len(kinds) > 1:
        listed = (f"{n} × {', '.join(map(str, json.loads(kind).values()))}" for kind, n in kinds.most_common())
        yield f"workers of {len(kinds)} kinds, and run times compare within one kind only: {'; '.join(listed)}"
    for host in sorted({worker.host for worker in workers}):
        here = [worker for worker in workers if worker.host == host]
        threads, cores = sum(worker.threads for worker in here), len(frozenset().union(*(w.cores for w in here)))
        if threads > cores:
            yield f"workers on {host} take {threads} programs at a time on {cores} cores: they run longer there"


def _pass_on(answer: Future[there.Fate], theirs: Future[there.Fate]) -> None:
    """Give to those who wait what the engine has, unless they have given up."""
    with suppress(InvalidStateError):
        if theirs.cancelled():
            answer.set_exception(ConnectionError("the engine gave it up"))
        elif (problem := theirs.exception()) is not None:
            answer.set_exception(problem)
        else:
            answer.set_result(theirs.result())


def _cancel(theirs: Future[there.Fate]) -> None:
    with suppress(Exception):
        theirs.cancel()
