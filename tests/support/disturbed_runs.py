"""A live run that something disturbs, in a process of its own, and the run after it, which nothing does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

import pytest
from capitals import Project
from stub_server import Answer, Request
from waiting import LIMIT, wait_until

CASES = 40
IN_FLIGHT = 4
LIVE = ("--record-mode", "once", "--concurrency", str(IN_FLIGHT))


def answer(request: Request) -> str:
    """Right for even numbers, wrong for odd ones, so that scores tell cases apart."""
    number = int(request.question.split("Land")[1][:4])
    return "[Paris]" if number % 2 == 0 else "[Rome]"


@pytest.fixture
def disturbed(project: Project) -> Project:
    """The project with 40 cases, of which the model gets 20 right, and a server that takes 50 ms to answer."""
    project.write_rows([{"country": f"Land{number:04}", "capital": "Paris"} for number in range(CASES)])
    project.server.script = answer
    project.server.latency = 0.05
    return project


def start(project: Project, *args: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pytest", "--model", "gpt-4o-mini", *LIVE, *args]
    return subprocess.Popen(
        command, cwd=project.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )


TELLS_WHEN_IT_STOPS = """
import os, pathlib, threading, time
from proctor.live.rate_limiter import RateLimiter
from proctor.pytest_plugin import interruption

interruption.AFTER_CTRL_C = interruption.AFTER_SIGTERM = 300.0  # all in flight lands, however slow the machine
begin = RateLimiter.__init__

def begin_and_tell(self, *args, stop, **options):
    begin(self, *args, stop=stop, **options)
    asks = pathlib.Path(__file__).with_name(f"asks-{os.getpid()}")
    asks.touch()
    def tell():
        while not stop.is_set():
            time.sleep(0.01)
        asks.with_name(f"stops-{os.getpid()}").touch()
    threading.Thread(target=tell, daemon=True).start()

RateLimiter.__init__ = begin_and_tell
"""
"""A conftest.py: each process says in a file that it may ask, and in another that it sends no new requests."""


class HeldUntilStopped:
    """A script of the server: the first requests are answered, the others only when no process sends new ones.

    However late a run hears that it is to stop, it has then asked no more than it may have in flight.

    Args:
        project: The project, in which runs are started in processes of their own.
        script: The answers.
        free: How many requests are answered at once.
    """

    def __init__(self, project: Project, script: Callable[[Request], str | Answer], *, free: int) -> None:
        self._folder = project.path
        self._script = script
        self._free: Iterator[int] = iter(range(free))
        (project.path / "conftest.py").write_text(TELLS_WHEN_IT_STOPS)

    def __call__(self, request: Request) -> str | Answer:
        if next(self._free, None) is None:
            wait_until(lambda: self._processes("asks") == self._processes("stops"))
        return self._script(request)

    def hold_no_more(self) -> None:
        """Answer all requests of the runs that follow, which tell nothing."""
        self._free = repeat(0)
        (self._folder / "conftest.py").unlink()

    def _processes(self, what: str) -> set[str]:
        return {file.name.partition("-")[2] for file in self._folder.glob(f"{what}-*")}


def recorded(project: Project) -> list[str]:
    """The samples of whole lines in the cassette."""
    if not project.cassette.exists():
        return []
    lines = project.cassette.read_bytes().split(b"\n")[:-1]
    return [json.loads(line)["sample"] for line in lines]


def assert_second_run_completes(project: Project, *, lost: int) -> None:
    """The same command again asks for what is missing, and everything is as if nothing had happened."""
    project.server.latency = 0.0
    project.server.script = answer
    before, have = project.server.count, set(recorded(project))
    process = start(project)
    output = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 0, output
    assert project.server.count - before == CASES - len(have)
    assert project.server.count <= CASES + lost
    assert len(recorded(project)) == len(set(recorded(project))) == CASES
    assert project.report["tasks"][0]["metrics"]["accuracy"]["strict"]["value"] == 0.5
    assert project.report["tasks"][0]["status"]["scored"] == CASES
