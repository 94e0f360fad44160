"""The workers of Dask distributed. This is the one module that imports Dask, and only where it is asked for."""

from __future__ import annotations

import importlib
import importlib.util
import os
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from typing import Any, cast

from proctor._base.errors import UsageError
from proctor.programs import there
from proctor.programs.roster import Connection, Seen

CONNECT_SECONDS = 15.0  # as long may a scheduler take to answer that is far away or has much to do
ANSWER_SECONDS = 10.0


def connector(where: str) -> Callable[[], Connection]:
    """What makes the way to the workers.

    Args:
        where: ``dask://HOST:PORT`` of a scheduler, or ``dask-local`` to start workers here.

    Raises:
        UsageError: If Dask is not installed.
    """
    if importlib.util.find_spec("distributed") is None:
        raise UsageError(
            f"--programs-on {where} needs Dask distributed, which is not installed",
            remedy="Install it: pip install 'proctor[dask]'.",
        )
    return lambda: DaskWorkers(where)


class DaskWorkers(Connection):
    """The workers of a scheduler.

    Args:
        where: As `connector` takes it.

    Raises:
        UsageError: If nobody answers there.
    """

    def __init__(self, where: str) -> None:
        distributed: Any = importlib.import_module("distributed")  # it has no types worth the name
        self._cluster: Any = None
        address: Any = where.removeprefix("dask://")  # a scheme, such as TLS, and certificates are Dask's configuration
        remedy = "Start it (dask scheduler), or correct the address. Where it wants TLS, configure Dask."
        if where == "dask-local":
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            # One process: programs are processes of their own, and its threads only wait for them.
            address = self._cluster = distributed.LocalCluster(
                n_workers=1, threads_per_worker=cores, host="127.0.0.1", dashboard_address=None
            )
            # Or Dask closes it once more when the interpreter ends, and complains that a worker is not at rest.
            self._cluster.shutdown_on_close = False
        else:
            _reach(where, remedy)
        try:
            self._client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as problem:
            raise UsageError(
                f"--programs-on {where}: no scheduler answers there: {' '.join(str(problem).split())}",
                remedy=remedy,
            ) from None

    def workers(self) -> Mapping[str, Seen]:
        """See `Connection`."""
        if self._client.status != "running":
            raise ConnectionError("the connection has ended")
        try:
            found = self._client.sync(self._client.scheduler.identity, callback_timeout=ANSWER_SECONDS)
        except OSError as problem:  # also what Dask calls a closed connection, and a wait that was too long
            raise OSError(str(problem) or type(problem).__name__) from None
        return {
            address: Seen(worker["host"], worker["nthreads"], worker["last_seen"])
            for address, worker in found["workers"].items()
        }

    def executor(self, address: str) -> Executor:
        """See `Connection`. Dask starts no task again by itself: it may run on that worker alone."""
        executor = self._client.get_executor(workers=[address], allow_other_workers=False, pure=False, retries=0)
        return cast("Executor", executor)

    def look(self, address: str, checks: str) -> Future[str]:
        """See `Connection`."""
        return self.executor(address).submit(look, checks)

    def close(self) -> None:
        """See `Connection`."""
        self._client.close(timeout=CONNECT_SECONDS)
        if self._cluster is not None:
            self._cluster.close(timeout=CONNECT_SECONDS)


def _reach(where: str, remedy: str) -> None:
    """Raise a `UsageError` at once if nobody listens there: Dask would try for as long as it may take."""
    host, _, port = where.removeprefix("dask://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as problem:
        raise UsageError(f"--programs-on {where}: no scheduler answers there: {problem}", remedy=remedy) from None


def look(checks: str) -> str:
    """`proctor.programs.there.look` in a worker of Dask, whose own folder is for temporary files: it clears it away."""
    distributed: Any = importlib.import_module("distributed")
    return there.look(checks, distributed.get_worker().local_directory)
