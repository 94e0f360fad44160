"""What this plugin uses of pytest, pytest-xdist and pytest-recording that they do not promise to keep.

A function for each such part, so that there is one place to mend when one of them changes; the tests of this module
look at the real objects and say which part has changed.
"""

from __future__ import annotations

from argparse import Action
from collections.abc import Callable, Container, Iterator, Mapping, MutableMapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import pytest

RECORDING_FIXTURES = frozenset(
    {"vcr", "block_network", "vcr_markers", "vcr_cassette_dir", "disable_recording", "record_mode"}
)
"""The fixtures of pytest-recording."""


# pytest: options


def options_by_name(parser: pytest.Parser) -> MutableMapping[str, Action]:
    """All options that are declared, by name; one that is taken out is declared no more.

    This is private to argparse, which has no other way to take back an option's name.
    """
    return parser.optparser._option_string_actions


# pytest: items


def parameter(item: pytest.Item, name: str) -> object:
    """The value of a test item's parameter; ``None`` if it has none of that name."""
    callspec: Any = getattr(item, "callspec", None)
    return callspec.params.get(name) if callspec is not None else None


def is_marked_to_skip(item: pytest.Item) -> bool:
    """Whether a ``skip`` or ``skipif`` mark will keep an item from being run."""
    if next(item.iter_markers("skip"), None) is not None:
        return True
    if next(item.iter_markers("skipif"), None) is None:
        return False
    from _pytest.skipping import evaluate_skip_marks

    return evaluate_skip_marks(item) is not None


def leave_out_recording_fixtures(item: Any) -> None:
    """Spare a case pytest-recording's autouse fixtures, which take a third of the time of an empty test.

    A case has recordings of its own; the fixtures stay if the test function asks for one. The list of names is shared
    by all cases of a function, so this does something for the first of them only.
    """
    names: list[str] = item.fixturenames
    if "vcr" in names and not RECORDING_FIXTURES.intersection(item._fixtureinfo.argnames):
        names[:] = [name for name in names if name not in RECORDING_FIXTURES]


def network_blocked() -> AbstractContextManager[None]:
    """Inside, nothing can connect, as where pytest-recording's mark ``block_network`` is set."""
    from pytest_recording import network

    blocked: AbstractContextManager[None] = network.blocking_context()
    return blocked


# pytest-repeat, pytest-rerunfailures


def repetitions(metafunc: pytest.Metafunc) -> int:
    """How often pytest-repeat is going to run a test function: ``--count``, or its mark; 1 without that plugin."""
    if not any(map(metafunc.config.pluginmanager.has_plugin, ("repeat", "pytest_repeat"))):
        return 1
    marker = metafunc.definition.get_closest_marker("repeat")
    return int(marker.args[0] if marker is not None and marker.args else metafunc.config.getoption("count", 1))


def is_run_again(report: pytest.TestReport) -> bool:
    """Whether pytest-rerunfailures runs the test of this report once more."""
    outcome: str = report.outcome  # another one than those of pytest
    return outcome == "rerun"


# pytest: the session


def end_as_failed(session: pytest.Session, reason: str) -> None:
    """Let the session end as failed after the test that runs now."""
    session.shouldfail = reason


def end_after_this(session: pytest.Session, reason: str) -> None:
    """Let the session end as interrupted after the test that runs now."""
    session.shouldstop = reason


def raise_if_ending(session: pytest.Session) -> None:
    """Leave the test loop, as pytest's own does after each test, if the session is to end.

    Raises:
        pytest.Session.Failed: If it has failed.
        pytest.Session.Interrupted: If it was stopped, as by ``-x``.
    """
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)


def stop_session(config: pytest.Config, reason: str) -> None:
    """Let the session end as failed after the cases that run now, in this process or in all workers.

    Args:
        config: pytest's.
        reason: What the user is told.
    """
    session: pytest.Session | None = config.pluginmanager.get_plugin("session")
    assert session is not None  # it runs
    end_as_failed(session, reason)
    if is_distributed(config):
        _distributed(config).shouldstop = reason


# pytest: the terminal


class Writer(Protocol):
    """How pytest's terminal writer is called to write; with ``red=True`` and the like for colours."""

    def __call__(self, text: str, *, flush: bool = False, **markup: bool) -> None:
        """Write a text, which need not end a line."""


def reporter_of(config: pytest.Config) -> pytest.TerminalReporter | None:
    """What writes to the terminal; ``None`` with ``-p no:terminal``, and in workers."""
    reporter: pytest.TerminalReporter | None = config.pluginmanager.get_plugin("terminalreporter")
    return reporter


def forget_report(reporter: pytest.TerminalReporter, report: pytest.TestReport) -> None:
    """Do not keep to the end of the session the last of the reports that count as nothing, if it is this one."""
    kept: list[Any] = reporter.stats.get("", [])
    if kept and kept[-1] is report:
        kept.pop()


def finish_line(config: pytest.Config, reporter: pytest.TerminalReporter) -> None:
    """End the line that stands on the terminal unfinished, if there is one."""
    reporter.ensure_newline()
    writer = config.get_terminal_writer()
    if writer.width_of_current_line:  # the reporter does not know of a line of xdist's that is not finished
        writer.line()


def replace_write(config: pytest.Config, write: Writer) -> Writer:
    """Let something else write what pytest's terminal writer is to write, as pytest's own pastebin plugin does.

    Args:
        config: pytest's configuration.
        write: What is to write.

    Returns:
        What has written so far, to write with, and to be put back.
    """
    writer: Any = config.get_terminal_writer()
    before: Writer = writer.write
    writer.write = write
    return before


# pytest-xdist: both sides


def asked_workers(config: pytest.Config) -> int | str | None:
    """What ``-n`` says: a number, or ``auto`` or ``logical`` before xdist has replaced it; ``None`` without."""
    asked: int | str | None = getattr(config.option, "numprocesses", None)
    return asked


def set_workers(config: pytest.Config, number: int) -> None:
    """Let xdist start so many workers, whatever ``-n`` says. Has to be done before xdist looks.

    Args:
        config: pytest's.
        number: How many.
    """
    config.option.numprocesses = number


# pytest-xdist: the controller


def is_distributed(config: pytest.Config) -> bool:
    """Whether this process hands its tests to workers."""
    return config.pluginmanager.has_plugin("dsession")


def workers_are_stopping(config: pytest.Config) -> bool:
    """Whether this process hands its tests to workers and has a reason to stop, such as ``-x``."""
    return is_distributed(config) and bool(_distributed(config).shouldstop)


def _distributed(config: pytest.Config) -> Any:
    return config.pluginmanager.get_plugin("dsession")


def send_command(node: Any, name: str, **content: object) -> None:
    """Send a worker a message; xdist's own part there takes no notice of a name that it does not know."""
    node.sendcommand(name, **content)


@contextmanager
def handing_out(scheduler: Any, number: int) -> Iterator[None]:
    """Let one of xdist's schedulers give each worker that it gives tests at least so many, in one message."""
    send = scheduler._send_tests
    scheduler._send_tests = lambda node, count: send(node, max(count, number))
    try:
        yield
    finally:
        del scheduler._send_tests


# pytest-xdist: a worker


def worker_input(config: pytest.Config) -> Mapping[str, Any] | None:
    """What the controller has told this worker; ``None`` in a process that is none."""
    told: Mapping[str, Any] | None = getattr(config, "workerinput", None)
    return told


def worker_output(config: pytest.Config) -> MutableMapping[str, Any]:
    """What this worker tells the controller when it ends."""
    output: MutableMapping[str, Any] = config.workeroutput  # type: ignore[attr-defined]
    return output


def newly_waiting(config: pytest.Config, known: Container[int]) -> list[int]:
    """The indices of the items that a worker was handed behind those that are known, and has not taken up, in order."""
    new: list[int] = []
    with _interactor(config).torun.lock() as waiting:
        for index in reversed(waiting):  # xdist appends; what stands before something known is known
            if index in known:
                break
            if isinstance(index, int):  # else a signal to end
                new.append(index)
    return new[::-1]


def heed_command(config: pytest.Config, name: str, heed: Callable[[Mapping[str, Any]], None]) -> None:
    """Let a worker heed messages that the controller sends with `send_command`.

    Args:
        config: The worker's configuration.
        name: The name of the message.
        heed: What to do, given the message's content; it is called in another thread than the tests'.
    """
    interactor = _interactor(config)
    handle = interactor.handle_command

    def handle_or_heed(command: Any) -> None:
        if isinstance(command, tuple) and command[0] == name:
            heed(command[1])
        else:
            handle(command)

    interactor.handle_command = handle_or_heed


def _interactor(config: pytest.Config) -> Any:
    return next(plugin for plugin in config.pluginmanager.get_plugins() if hasattr(plugin, "torun"))
