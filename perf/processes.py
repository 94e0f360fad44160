"""Runs a command and says what it cost: wall, CPU and memory of all its processes."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

POLL_S = 0.05
PROC = Path("/proc")
SHOWN_OUTPUT = 2000  # characters of a failed command's output


class CommandFailed(Exception):
    """A command to be measured did not do its work, so that its cost says nothing."""


@dataclass(frozen=True)
class Cost:
    """What one run of a command took.

    Args:
        wall_s: Seconds from start to end.
        cpu_s: Seconds of CPU, user and system, of the command and all processes it started.
        largest_mb: Most resident memory that any single process had.
        tree_mb: Most resident memory that all processes had together; memory they share counts once for each.
        started: When it started, as `time.time`.
        memory: ``(time.time, MB)`` of the command's own process, every 50 ms.
    """

    wall_s: float
    cpu_s: float
    largest_mb: float
    tree_mb: float
    started: float
    memory: tuple[tuple[float, float], ...] = ()

    def numbers(self) -> dict[str, float]:
        """The cost as it goes into the JSON report."""
        return {name: round(getattr(self, name), 4) for name in ("wall_s", "cpu_s", "largest_mb", "tree_mb")}


@dataclass(frozen=True)
class Costs:
    """The costs of several runs of one command."""

    runs: tuple[Cost, ...]

    @property
    def wall_s(self) -> float:
        """Median of the wall seconds."""
        return median(run.wall_s for run in self.runs)

    @property
    def wall_noise(self) -> float:
        """Half of what lies between the fastest and the slowest run in wall seconds, as a part of the median."""
        walls = [run.wall_s for run in self.runs]
        return (max(walls) - min(walls)) / 2 / self.wall_s

    @property
    def cpu_s(self) -> float:
        """Median of the CPU seconds."""
        return median(run.cpu_s for run in self.runs)

    @property
    def largest_mb(self) -> float:
        """Median of the largest process's memory."""
        return median(run.largest_mb for run in self.runs)

    @property
    def tree_mb(self) -> float:
        """Median of all processes' memory."""
        return median(run.tree_mb for run in self.runs)


def interleaved(commands: Mapping[str, Callable[[], Cost]], repeat: int) -> dict[str, Costs]:
    """Run all commands in turn, *repeat* times, so that whatever else the machine does meets all of them alike."""
    runs: dict[str, list[Cost]] = {name: [] for name in commands}
    for turn in range(repeat):
        for name, run in commands.items():
            print(f"  {turn + 1}/{repeat} {name}", file=sys.stderr, flush=True)
            runs[name].append(run())
    return {name: Costs(tuple(costs)) for name, costs in runs.items()}


def measured(command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> Cost:
    """Run a command to its end.

    Args:
        command: Program and arguments.
        folder: Where it runs.
        environment: Its whole environment.

    Raises:
        CommandFailed: If it ends with another exit code than 0; with the end of what it printed.
    """
    with tempfile.TemporaryFile() as output:
        wall_clock, started = time.time(), time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        watch = _MemoryWatch(process.pid)
        try:
            watch.start()
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            watch.stop()
        if process.returncode != 0:
            output.seek(0)
            said = output.read().decode("utf-8", "replace")[-SHOWN_OUTPUT:]
            raise CommandFailed(f"{' '.join(command)}\nended with exit code {process.returncode}:\n{said}")
    return Cost(
        wall_s=wall,
        cpu_s=usage.ru_utime + usage.ru_stime,
        largest_mb=watch.largest_mb or _peak_mb(usage),
        tree_mb=watch.tree_mb,
        started=wall_clock,
        memory=tuple(watch.root),
    )


def _peak_mb(usage: resource.struct_rusage) -> float:
    """For systems without /proc. The kernel counts in bytes on macOS, in kB elsewhere."""
    return usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


class _MemoryWatch(threading.Thread):
    """Looks at the memory of a process and its descendants until it is stopped; without /proc it sees nothing."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._end = threading.Event()
        self.largest_mb = 0.0
        self.tree_mb = 0.0
        self.root: list[tuple[float, float]] = []

    def run(self) -> None:
        looks = 0
        family = {self._pid}
        while not self._end.wait(POLL_S):
            if looks % 5 == 0:
                family = _family(self._pid)
            looks += 1
            total = 0.0
            for pid in family:
                now, peak = _memory_mb(pid)
                total += now
                self.largest_mb = max(self.largest_mb, peak)
                if pid == self._pid and now:
                    self.root.append((time.time(), now))
            self.tree_mb = max(self.tree_mb, total)

    def stop(self) -> None:
        self._end.set()
        if self.ident is not None:
            self.join()


def _family(root: int) -> set[int]:
    """The process and all its descendants."""
    children: dict[int, list[int]] = {}
    for folder in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            # The command's name stands in parentheses and may hold anything; the parent is the second field after it.
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            children.setdefault(int(parent), []).append(int(folder.name))
    family, waiting = {root}, [root]
    while waiting:
        found = children.get(waiting.pop(), [])
        family.update(found)
        waiting += found
    return family


def _memory_mb(pid: int) -> tuple[float, float]:
    """Resident memory of a process, now and at its peak; zeros once it has ended."""
    now = peak = 0.0
    with contextlib.suppress(OSError):
        for line in (PROC / str(pid) / "status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                now = int(line.split()[1]) * 1024 / 1e6
            elif line.startswith("VmHWM:"):
                peak = int(line.split()[1]) * 1024 / 1e6
    return now, peak
