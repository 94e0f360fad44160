"""Running under pytest-xdist: which process is which, and what they tell one another."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from proctor.pytest_plugin.internals import asked_workers, newly_waiting, set_workers, worker_input, worker_output
from proctor.pytest_plugin.options_reader import concurrency_of

if TYPE_CHECKING:
    from proctor.recordings.carried import Carrier

USAGE_ERROR = "proctor_usage_error"
RUN_DESCRIPTION = "proctor_run"
APART = "proctor_apart"
RECORDINGS = "proctor_recordings"
"""Names under which controller and workers tell one another something."""

CAPPED = pytest.StashKey[str]()
"""Under this key a configuration's stash says that there are fewer workers than asked for."""


def cap_workers(config: pytest.Config) -> None:
    """Let ``-n N`` start no more workers than bring anything.

    The ini option ``proctor_max_workers`` sets a limit: a worker is an interpreter that imports and collects
    everything anew, which costs more than it brings where it gets no core of its own. A case of a benchmark takes less
    time to replay than to hand to a worker, so with ``auto`` benchmarks run in this process. What ``-n`` is used for
    with live models, many requests at once, does not depend on it: those are sent from threads, ``--concurrency`` of
    them. In a live run with workers ``--concurrency`` is a limit as well, since each has at least one request in
    flight.
    """
    if worker_input(config) is not None:
        return
    asked = asked_workers(config)
    if config.option.proctor_estimate:  # no case is run
        set_workers(config, 0)
        return
    ini = str(config.getini("proctor_max_workers")).strip()
    if ini not in ("", "auto") and not (ini.isdecimal() and int(ini) > 0):
        raise pytest.UsageError(f"the ini option proctor_max_workers takes a number or 'auto', not {ini!r}")
    if ini == "auto" and asked and only_benchmarks(config):
        set_workers(config, 0)
        config.stash[CAPPED] = (
            f"proctor: one process instead of -n {asked}, which is faster (proctor_max_workers = auto)"
        )
        return
    if not isinstance(asked, int):
        return
    limits = {asked: ""}
    if ini:
        limits[available_cores() if ini == "auto" else int(ini)] = f"proctor_max_workers = {ini}"
    if may_ask(config):
        concurrency = concurrency_of(config)
        limits[concurrency.most] = f"--concurrency {concurrency}"
    most = min(limits)
    if most < asked:
        set_workers(config, most)
        config.stash[CAPPED] = (
            f"proctor: {most} workers instead of {asked} ({limits[most]}); requests in flight: {concurrency_of(config)}"
        )


def may_ask(config: pytest.Config) -> bool:
    """Whether pytest-recording's options allow requests."""
    return config.getoption("--record-mode", None) not in (None, "none") or config.getoption(
        "--disable-recording", False
    )


def only_benchmarks(config: pytest.Config) -> bool:
    """Whether all that pytest was told to collect lies in the folders that ``proctor_benchmarks`` names."""
    folders = [folder.resolve() for folder in config.getini("proctor_benchmarks")]
    if config.option.pyargs:
        return False
    here = config.invocation_params.dir
    asked = [(here / argument.partition("::")[0]).resolve() for argument in config.args]
    return all(any(path.is_relative_to(folder) for folder in folders) for path in asked)


def is_apart(spec: Any) -> bool:
    """Whether a worker may have another file system than the controller, or another folder in it.

    Args:
        spec: The execnet specification of the worker, such as that of ``--tx ssh=…``.
    """
    return not spec.popen or bool(spec.chdir)


def available_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """This process's place among the processes of a run.

    Args:
        config: pytest's configuration; xdist gives that of a worker the attributes ``workerinput`` and
            ``workeroutput``.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._input: Mapping[str, Any] | None = worker_input(config)
        self._known: set[int] = set()

    @property
    def description(self) -> Mapping[str, Any] | None:
        """What the controller said about the run; ``None`` in a process that is no worker."""
        return self._input[RUN_DESCRIPTION] if self._input else None

    def share(self, concurrency: int) -> int:
        """How many of the run's *concurrency* requests in flight are this process's: its fair part, or all."""
        if self._input is None:
            return concurrency
        workers = int(self._input["workercount"])
        number = int(self._input["workerid"].removeprefix("gw")) % workers
        return max(1, concurrency * (number + 1) // workers - concurrency * number // workers)

    @property
    def count(self) -> int:
        """How many processes run cases."""
        return int(self._input["workercount"]) if self._input else 1

    @property
    def id(self) -> str:
        """The name that xdist gave this worker; empty in a process that is none."""
        return str(self._input["workerid"]) if self._input else ""

    @property
    def is_worker(self) -> bool:
        """Whether this process is a worker of a controller elsewhere."""
        return self._input is not None

    @property
    def first(self) -> bool:
        """Whether this is the process that writes what all workers know alike."""
        return self._input is None or self._input["workerid"] == "gw0"

    @property
    def is_apart(self) -> bool:
        """Whether this is a worker whose files the controller cannot see; see `is_apart`."""
        return self._input is not None and bool(self._input[APART])

    @property
    def carrier(self) -> Carrier | None:
        """What carries recordings to the controller, if it has asked for them."""
        channel = self._input and self._input.get(RECORDINGS)
        if channel is None:
            return None
        from proctor.recordings.carried import Carrier

        return Carrier(channel)

    def tell_controller(self, usage_error: str) -> bool:
        """Pass a usage error on to the controller, which says it once for all workers; False if there is none."""
        if self._input is None:
            return False
        worker_output(self._config)[USAGE_ERROR] = usage_error
        return True

    def newly_waiting_items(self, session: pytest.Session) -> list[pytest.Item]:
        """The items that this worker has been handed since the last time, and has not started, in their order."""
        new = newly_waiting(self._config, self._known)
        self._known.update(new)
        return [session.items[index] for index in new]
