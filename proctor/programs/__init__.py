"""Where programs run that help to score answers: on this machine, or on the workers of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proctor.programs.engine import Engine

LOCAL = "local"


def engine_at(where: str) -> Engine:
    """What runs programs.

    Args:
        where: ``local``, ``dask-local`` or ``dask://HOST:PORT``.

    Raises:
        UsageError: If Dask is not installed.
    """
    if where == LOCAL:
        from proctor.programs.here import Here

        return Here()
    from proctor.programs.cluster import Cluster
    from proctor.programs.dask_workers import connector

    return Cluster(where, connector(where))
