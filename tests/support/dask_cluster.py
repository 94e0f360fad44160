"""A Dask scheduler and its workers, each a process of its own on this machine."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from waiting import LIMIT, wait_until

ROOT = Path(__file__).parents[2]
# pytester forgets what is imported while it runs pytest in this process, and it takes a second to import
distributed: Any = importlib.import_module("distributed")


class DaskCluster:
    """A scheduler, and the workers that a test adds.

    Args:
        folder: For files of the processes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        file = folder / "scheduler.json"
        self._start("scheduler", "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        wait_until(lambda: file.exists() and file.read_text().endswith("}"), otherwise=lambda: self.log("scheduler"))
        self.address = json.loads(file.read_text())["address"]

    @property
    def option(self) -> str:
        """What to say on the command line."""
        return f"--programs-on={self.address.replace('tcp', 'dask')}"

    def add(self, *names: str, **environment: str) -> None:
        """Start workers of one thread each, and wait until they are there."""
        for name in names:
            options = ["--nthreads", "1", "--no-nanny", "--name", name, "--local-directory", str(self._folder / name)]
            self._start(name, "dask_worker", self.address, *options, **environment)
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self._processes) - 1, timeout=LIMIT)

    def kill(self, name: str) -> None:
        """End a process as a machine ends it that loses its power."""
        self._processes[name].send_signal(signal.SIGKILL)

    def kill_process(self, pid: int) -> None:
        """The same, for the worker that is this process."""
        (name,) = (name for name, process in self._processes.items() if process.pid == pid)
        self.kill(name)

    def log(self, name: str) -> str:
        """What a process has printed."""
        return (self._folder / f"{name}.log").read_text()

    def _start(self, name: str, module: str, *options: str, **environment: str) -> None:
        keys = {variable for variable in os.environ if "KEY" in variable}
        path = os.pathsep.join([str(ROOT), str(ROOT / "tests/support")])
        with (self._folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *options, "--no-dashboard"],
                env={k: v for k, v in os.environ.items() if k not in keys} | {"PYTHONPATH": path} | environment,
                cwd=self._folder,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def close(self) -> None:
        """End all of it."""
        for process in self._processes.values():
            process.kill()
            process.wait()


@contextmanager
def dask_cluster(folder: Path) -> Iterator[DaskCluster]:
    """A scheduler without workers; all of it goes afterwards."""
    cluster = DaskCluster(folder)
    try:
        yield cluster
    finally:
        cluster.close()
