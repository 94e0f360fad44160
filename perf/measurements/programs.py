"""Programs on a cluster against programs here: what each costs beside its own time, and how much sooner all are done.

The workers are processes of this machine, and the programs wait instead of computing: as many workers as one likes are
then as fast as if each had a machine of its own, and what is measured is what lies between.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from perf.processes import CommandFailed
from perf.table import Quantity, Row
from perf.waiting_program import look, wait
from perf.workplace import Workplace
from proctor.programs import engine_at
from proctor.programs.cores import cores
from proctor.programs.engine import Engine
from proctor.tasks.program import Program

PART = "programs"
WORKERS, THREADS = 4, 4
CONVERSATIONS = 64
SECONDS = 0.1
MOST_HERE = 500  # waiting programs, of which this machine runs as many at a time as it has cores
START_SECONDS = 60.0


def programs(place: Workplace) -> Sequence[Row]:
    """Programs that do nothing, and programs that wait, on sixteen places of four Dask workers and on this machine."""
    with scheduler(place) as where, running(where) as cluster, running("local") as here:
        rows: list[Row] = []
        for number in place.scale.programs:
            there_s, here_s = wall(cluster, number, 0.0), wall(here, number, 0.0)
            what = f"{number:,} programs of 0 s, on {WORKERS * THREADS} places of Dask: each"
            per = 1000 / number
            rows.append(Row(PART, what, Quantity(there_s * per, "ms"), Quantity(here_s * per, "ms"), "this machine"))
        for number in place.scale.programs:
            took, places = wall(cluster, number, SECONDS), WORKERS * THREADS
            what = f"{number:,} programs of {SECONDS:g} s, on {places} places of Dask: wall"
            rows.append(Row(PART, what, Quantity(took, "s"), Quantity(number * SECONDS / places, "s"), "ideal"))
            if number <= MOST_HERE:
                what = f"{number:,} programs of {SECONDS:g} s, on {cores()} cores here: wall"
                rows.append(Row(PART, what, Quantity(wall(here, number, SECONDS), "s"), Quantity(took, "s"), "on Dask"))
        return rows


def wall(engine: Engine, number: int, seconds: float) -> float:
    """Seconds until so many programs are done, wanted by as many threads as conversations have."""
    jobs = [Program(wait, {"seconds": seconds, "number": n}) for n in range(number)]
    with ThreadPoolExecutor(CONVERSATIONS) as pool:
        started = time.perf_counter()
        done = list(pool.map(engine.run, jobs))
        took = time.perf_counter() - started
    if done != list(range(number)):
        raise CommandFailed("programs did not give what they should")
    return took


@contextmanager
def running(where: str) -> Iterator[Engine]:
    """What runs programs, asked what its machines are."""
    engine = engine_at(where)
    try:
        engine.prepare(Program(look, {"kind": "any"}))
        yield engine
    finally:
        engine.close()


@contextmanager
def scheduler(place: Workplace) -> Iterator[str]:
    """A Dask scheduler with its workers, in processes of their own."""
    folder = Path(place.folder, PART)
    folder.mkdir()
    file = folder / "scheduler.json"
    commands = [["dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)]]
    worker = ["dask_worker", "--scheduler-file", str(file), "--nthreads", str(THREADS), "--no-nanny"]
    commands += [[*worker, "--local-directory", str(folder / str(number))] for number in range(WORKERS)]
    with ExitStack() as leaving:
        for command in commands:
            process = subprocess.Popen(
                [sys.executable, "-m", *(f"distributed.cli.{command[0]}", *command[1:]), "--no-dashboard"],
                env=place.environment,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            leaving.callback(process.wait)
            leaving.callback(process.kill)
        yield json.loads(_written(file))["address"].replace("tcp://", "dask://")


def _written(file: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while not (file.exists() and (text := file.read_text()).endswith("}")):
        if time.monotonic() > deadline:
            raise CommandFailed("the Dask scheduler does not start; is distributed installed?")
        time.sleep(0.05)
    return text
