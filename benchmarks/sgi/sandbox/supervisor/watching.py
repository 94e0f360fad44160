"""Runs one program within limits, and ends everything it started: a script for a process of its own.

It is started with nothing but the standard library. On the first line of its input it gets a job, which is a JSON
object; when the program has ended it prints the outcome, another one. If its input ends, whoever asked for the outcome
is gone, and the program is ended at once.

On Linux it adopts what the program leaves behind, so that a process that detaches itself is still found: every
process below this one in the process tree belongs to the program. Elsewhere only the program's process group is ended.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

# Relative: in the process that this is started in, the package has another name.
from .usage import (
    descendants,
    disk_passed,
    files_in_memory,
    memory_files,
    proportional,
    resident,
    tasks_on_this_machine,
    threads,
    written,
)

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
POLL_SECONDS = 0.025
REST = 4  # times as long as the last look took, so that looking takes a fifth of a core at most
DISK_EVERY = 5  # polls: looking at the files costs more than looking at the processes
LAST_WORDS_SECONDS = 1.0  # for what stands in the pipes when all processes have ended
CHUNK = 1 << 16
# These stand in a command for the number of a file descriptor, to which it writes its own status, and the program's
# errors. A command without the latter is the program itself, which writes its errors where they belong.
STATUS, STDERR = "{status}", "{stderr}"


def main() -> None:
    """Run the job, and print the outcome."""
    job = json.loads(sys.stdin.buffer.readline())
    become_subreaper()
    go_first()
    print(json.dumps(run(job)), flush=True)


def become_subreaper() -> None:
    """Ask the kernel to hand over processes whose parents have ended."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def prctl(option: int, value: int) -> None:
    """Ask the kernel of Linux for something that concerns this process."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def go_first() -> None:
    """Let this process run whenever it wants to, however many others want to as well.

    The kernel's limit on processes does not hold for the superuser: a program that forks without end is then stopped
    by this process alone, which must not have to wait behind the program's.
    """
    with contextlib.suppress(AttributeError, OSError):  # only the superuser may, and only on Linux
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Start the program of a job and watch it until all its processes have ended.

    Args:
        job: ``command``, ``folder`` (where it runs), ``environment``, ``folder_bytes`` and ``folder_files`` (what may
            be in the folder), ``in_memory`` (paths of a sandbox's file systems in memory), and the limits that
            `benchmarks.sgi.sandbox.limits.Limits` describes.

    Returns:
        ``exit_code`` (that of the program, 128 + n for signal n), ``seconds``, ``stopped`` (the limit that was passed,
        or null), ``stdout`` and ``stderr`` (in base 64), ``status``, what the command wrote as its status, and
        ``said``, what it wrote as errors of its own.
    """
    pipes = {part: os.pipe() for part in (STATUS, STDERR) if part in job["command"]}
    started = time.monotonic()
    with subprocess.Popen(
        [str(pipes[part][1]) if part in pipes else part for part in job["command"]],
        cwd=job["folder"],
        env=job["environment"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=[writing for _, writing in pipes.values()],
        preexec_fn=lambda: confine(job),  # safe, as this process has one thread
    ) as program:
        for _, writing in pipes.values():
            os.close(writing)
        watched = Watched(program, job, started, pipes[STDERR][0] if STDERR in pipes else None)
        try:
            stopped = watched.watch()
        finally:
            end_all(program)
    exit_code = program.returncode
    return {
        "exit_code": exit_code if exit_code >= 0 else 128 - exit_code,
        "seconds": watched.seconds,
        "stopped": stopped,
        "status": os.read(pipes[STATUS][0], CHUNK).decode("utf-8", "replace") if STATUS in pipes else "",
        "said": watched.said.decode("utf-8", "replace"),
        "stdout": base64.b64encode(watched.stdout).decode(),
        "stderr": base64.b64encode(watched.stderr).decode(),
    }


def confine(job: dict[str, Any]) -> None:
    """Set what the kernel holds the program to; runs in its process, before it does."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # should this process be killed, the program itself does not outlive it
    if STATUS not in job["command"]:  # bubblewrap sees to it, and may be installed to run as the superuser
        prctl(PR_SET_NO_NEW_PRIVS, 1)  # no sudo: what runs as another user could not be ended
    with contextlib.suppress(OSError):
        # Should memory run out before the limit is seen to be passed, the kernel ends this program and no other.
        Path("/proc/self/oom_score_adj").write_text("1000")
    set_limits(job)


def set_limits(job: dict[str, Any]) -> None:
    """Set the kernel's limits for this process and all that it starts."""
    limits = {
        resource.RLIMIT_AS: job["address_space"],
        resource.RLIMIT_CPU: (int(job["seconds"]) + 1) * (os.cpu_count() or 1),
        resource.RLIMIT_FSIZE: job["disk"],
        resource.RLIMIT_NPROC: job["processes"] + tasks_on_this_machine(),
        resource.RLIMIT_NOFILE: job["open_files"],
        resource.RLIMIT_CORE: 0,
    }
    for kind, limit in limits.items():
        hard = resource.getrlimit(kind)[1]
        value = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        with contextlib.suppress(ValueError, OSError):  # a system that cannot limit this
            resource.setrlimit(kind, (value, value))


class Watched:
    """A program that runs, and what it printed so far.

    Args:
        program: The program, in a session of its own.
        job: The job.
        started: When it was started, by the monotonic clock.
        errors: The file descriptor of its errors, if these are not the command's.
    """

    def __init__(
        self, program: subprocess.Popen[bytes], job: dict[str, Any], started: float, errors: int | None
    ) -> None:
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.said = bytearray()
        self._errors = errors
        self.seconds = 0.0
        self._written: dict[int, int] = {}
        self._program = program
        self._job = job
        self._started = started
        self._selector = selectors.DefaultSelector()

    def watch(self) -> str | None:
        """Read what the program prints until it has ended, or has passed a limit, and all its processes have ended.

        Returns:
            The limit that it passed; ``None`` if it ended by itself.
        """
        program, job = self._program, self._job
        assert program.stdout is not None
        assert program.stderr is not None
        with self._selector:
            own = program.stderr.fileno()
            pipes = {program.stdout.fileno(): self.stdout, own: self.stderr}
            if self._errors is not None:
                pipes |= {self._errors: self.stderr, own: self.said}
            for pipe, collected in pipes.items():
                os.set_blocking(pipe, False)
                self._selector.register(pipe, selectors.EVENT_READ, collected)
            self._selector.register(sys.stdin, selectors.EVENT_READ)
            with ended_signal(program) as ended:
                if ended is not None:
                    self._selector.register(ended, selectors.EVENT_READ)
                stopped = self._watch_running()
                self.seconds = job["seconds"] if stopped == "time" else time.monotonic() - self._started
                if ended is not None:
                    self._selector.unregister(ended)
            end_all(program)
            stopped = self._read_rest() or stopped
        return stopped or ("disk" if disk_passed(job) else None)

    def _watch_running(self) -> str | None:
        polls = 0
        next_look = time.monotonic()
        while True:
            self._read(POLL_SECONDS)
            if has_ended(self._program):
                return None
            now = time.monotonic()
            if now - self._started > self._job["seconds"]:
                return "time"
            if self._printed_too_much():
                return "output"
            if now >= next_look:
                passed = self._resources_passed(look_at_folder=polls % DISK_EVERY == 0)
                if passed:
                    return passed
                polls += 1
                now, looked = time.monotonic(), time.monotonic() - now
                next_look = now + max(POLL_SECONDS, REST * looked)

    def _resources_passed(self, *, look_at_folder: bool) -> str | None:
        """The limit on processes, memory or disk that the program has passed, if any."""
        job, below = self._job, descendants()
        if len(below) > job["processes"] or sum(map(threads, below)) > job["threads"]:
            return "processes"
        # What processes share is resident in each of them; to find out its share of each takes longer.
        if sum(map(resident, below)) > job["memory"] and sum(map(proportional, below)) > job["memory"]:
            return "memory"
        # What was deleted while it is open, or stands elsewhere, is not found in the folder: so count the writing, too.
        self._written.update({pid: written(pid) for pid in below})
        if sum(self._written.values()) > job["disk"]:
            return "disk"
        if look_at_folder:
            if memory_files(below) > job["memory"]:
                return "memory"
            in_memory = max((files_in_memory(pid, job) for pid in below), default=0)
            if in_memory > job["folder_files"] or disk_passed(job):
                return "disk"
        return None

    def _read_rest(self) -> str | None:
        """Read what stands in the pipes after all processes have ended; "output" if it is too much."""
        deadline = time.monotonic() + LAST_WORDS_SECONDS
        while len(self._selector.get_map()) > 1 and time.monotonic() < deadline:
            self._read(0.0)
            if self._printed_too_much():
                return "output"
        return None

    def _printed_too_much(self) -> bool:
        return bool(sum(map(len, (self.stdout, self.stderr, self.said))) > self._job["output"])

    def _read(self, timeout: float) -> None:
        for key, _ in self._selector.select(timeout):
            if key.fileobj is sys.stdin:
                if not os.read(key.fd, CHUNK):
                    end_all(self._program)
                    sys.exit("whoever wanted the outcome has ended")
            elif key.data is not None:
                chunk = os.read(key.fd, CHUNK)
                key.data.extend(chunk)
                if not chunk:
                    self._selector.unregister(key.fileobj)


@contextlib.contextmanager
def ended_signal(program: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """A file descriptor that can be read as soon as the program has ended, where the system has such."""
    try:
        descriptor = os.pidfd_open(program.pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def has_ended(program: subprocess.Popen[bytes]) -> bool:
    """Whether the program itself has ended; adopted processes that have are taken out of the process table."""
    reap_adopted(program.pid)
    return program.poll() is not None


def end_all(program: subprocess.Popen[bytes]) -> None:
    """End every process of the program, also those that fork faster than they can be counted.

    The kernel ends the program's process group at once, and with bubblewrap, which leads it, the whole sandbox. What
    left the group of a plain program is looked for, round after round.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
    while below := descendants():
        send(signal.SIGKILL, below)
        reap_adopted(program.pid)
        program.poll()
        time.sleep(0.001)
    program.wait()


def send(number: signal.Signals, pids: Iterable[int]) -> None:
    """Signal these processes, as far as they still exist."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def reap_adopted(but: int) -> None:
    """Take the adopted processes that have ended out of the process table; the program itself is left to `Popen`."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid != but:
            os.waitpid(ended.si_pid, 0)
