"""What Proctor uses of pytest, xdist and pytest-recording and they do not promise: whether it is still there.

Each test drives the real thing, so that it fails, and says by its name which part, when a new version changes it.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest

from proctor.pytest_plugin import internals

TESTS = """
import pytest

@pytest.mark.parametrize("case", ["of France", 7])
def test_one(case): pass

def test_bare(): pass

@pytest.mark.skip
def test_skipped(): raise AssertionError

@pytest.mark.skipif("1 + 1 == 2", reason="by a condition")
def test_condition(): raise AssertionError

@pytest.mark.skipif(False, reason="by no condition")
def test_other_condition(): pass

@pytest.mark.parametrize("number", [1, 2])
def test_records(number, vcr): pass
"""


class Looks:
    """Does something with the collected items in the place of running them."""

    def __init__(self, look: Callable[[Sequence[pytest.Item]], object]) -> None:
        self._look = look
        self.seen: object = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Look."""
        self.seen = self._look(session.items)
        return True


def look(pytester: pytest.Pytester, what: Callable[[Sequence[pytest.Item]], object]) -> Any:
    """What is to be seen of the items of `TESTS`."""
    pytester.makepyfile(TESTS)
    looks = Looks(what)
    pytester.inline_run(plugins=[looks])
    return looks.seen


def test_an_item_has_its_parameter(pytester: pytest.Pytester) -> None:
    seen = look(pytester, lambda items: [internals.parameter(item, "case") for item in items[:3]])
    assert seen == ["of France", 7, None]


def test_an_item_tells_whether_it_will_be_skipped(pytester: pytest.Pytester) -> None:
    seen = look(pytester, lambda items: [item.name for item in items if internals.is_marked_to_skip(item)])
    assert seen == ["test_skipped", "test_condition"]


def test_pytest_recording_has_the_fixtures_that_are_left_out(pytester: pytest.Pytester) -> None:
    shown = pytester.runpytest("--fixtures", "-v", "-p", "no:cacheprovider").stdout.str()
    assert [name for name in internals.RECORDING_FIXTURES if f"\n{name} " not in shown.replace("[", " [")] == []


def test_a_function_is_spared_the_fixtures_of_recordings_for_which_it_does_not_ask(pytester: pytest.Pytester) -> None:
    def names(items: Sequence[Any]) -> list[list[str]]:
        of_two = [items[0], items[-1]]
        before = [list(item.fixturenames) for item in of_two]
        for item in of_two:
            internals.leave_out_recording_fixtures(item)
        return [*before, *(list(item.fixturenames) for item in of_two)]

    one, records, one_after, records_after = look(pytester, names)
    assert "vcr" in one
    assert one_after == [name for name in one if name not in internals.RECORDING_FIXTURES]
    assert "case" in one_after
    assert records_after == records


def test_a_function_runs_without_the_fixtures_that_were_left_out(pytester: pytest.Pytester) -> None:
    class Spares:
        def pytest_itemcollected(self, item: pytest.Item) -> None:
            internals.leave_out_recording_fixtures(item)

    pytester.makepyfile("def test_names(request): assert 'vcr' not in request.fixturenames")
    pytester.inline_run(plugins=[Spares()]).assertoutcome(passed=1)


def test_the_network_can_be_blocked() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with internals.network_blocked(), pytest.raises(RuntimeError, match="disabled"):
            socket.create_connection(server.getsockname(), timeout=60)
        socket.create_connection(server.getsockname(), timeout=60).close()


@pytest.mark.parametrize(
    ("call", "exit_code", "said"),
    [
        ("end_as_failed(request.session, 'seen enough')", pytest.ExitCode.TESTS_FAILED, "seen enough"),
        ("end_after_this(request.session, 'seen enough')", pytest.ExitCode.INTERRUPTED, "seen enough"),
        ("stop_session(request.config, 'seen enough')", pytest.ExitCode.TESTS_FAILED, "seen enough"),
    ],
)
@pytest.mark.parametrize("loop", ["pytest's", "ours"])
def test_a_session_can_be_ended(
    pytester: pytest.Pytester, call: str, exit_code: pytest.ExitCode, said: str, loop: str
) -> None:
    class Loop:
        @pytest.hookimpl(tryfirst=True)
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            for item in session.items:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                internals.raise_if_ending(session)
            return True

    pytester.makepyfile(f"""
        from proctor.pytest_plugin.internals import end_after_this, end_as_failed, stop_session
        def test_first(request): {call}
        def test_second(): pass
    """)
    result = pytester.runpytest(plugins=[Loop()] if loop == "ours" else [])
    assert result.ret == exit_code
    result.assert_outcomes(passed=1)
    assert said in result.stdout.str()


def test_the_reporter_forgets_a_report_that_counts_as_nothing(pytester: pytest.Pytester) -> None:
    kept: list[list[str]] = []

    class Forgets:
        def __init__(self, *phases: str) -> None:
            self._phases = phases

        def pytest_configure(self, config: pytest.Config) -> None:
            self._config = config

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
            yield
            if report.when in self._phases:
                reporter = internals.reporter_of(self._config)
                assert reporter is not None
                internals.forget_report(reporter, report)

        def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
            kept.append([report.when for report in terminalreporter.stats.get("", [])])

    pytester.makepyfile("def test_it(): pass")
    for phases in ([], ["setup"], ["setup", "call", "teardown"]):
        pytester.inline_run(plugins=[Forgets(*phases)]).assertoutcome(passed=1)
    assert kept == [["setup", "teardown"], ["teardown"], []]


def test_there_may_be_no_reporter(pytester: pytest.Pytester) -> None:
    found: list[object] = []

    class Looks:
        @pytest.hookimpl(trylast=True)
        def pytest_sessionstart(self, session: pytest.Session) -> None:
            found.append(internals.reporter_of(session.config))

    pytester.inline_run("-p", "no:terminal", plugins=[Looks()])
    pytester.inline_run(plugins=[Looks()])
    assert found[0] is None
    assert isinstance(found[1], pytest.TerminalReporter)


def test_what_the_terminal_writer_writes_can_be_taken_and_put_back(pytester: pytest.Pytester) -> None:
    taken: list[tuple[str, dict[str, bool]]] = []

    class Takes:
        @pytest.hookimpl(trylast=True)
        def pytest_sessionstart(self, session: pytest.Session) -> None:
            def take(text: str, *, flush: bool = False, **markup: bool) -> None:
                taken.append((text, markup))
                before(text.upper(), flush=flush, **markup)

            reporter = internals.reporter_of(session.config)
            assert reporter is not None
            before = internals.replace_write(session.config, take)
            reporter.write("from the reporter", red=True)
            reporter.write_line("")
            assert internals.replace_write(session.config, before) is take
            reporter.write_line("not taken")

    result = pytester.runpytest(plugins=[Takes()])
    assert ("from the reporter", {"red": True}) in taken
    result.stdout.fnmatch_lines(["FROM THE REPORTER", "not taken"])


@pytest.mark.parametrize("by", ["reporter", "writer"])
def test_an_unfinished_line_is_finished_once(pytester: pytest.Pytester, by: str) -> None:
    class Writes:
        @pytest.hookimpl(trylast=True)
        def pytest_sessionstart(self, session: pytest.Session) -> None:
            reporter = internals.reporter_of(session.config)
            assert reporter is not None
            reporter.ensure_newline()
            if by == "reporter":
                reporter.write_fspath_result("a line", ".")
            else:
                session.config.get_terminal_writer().write("a line")  # as xdist does
            internals.finish_line(session.config, reporter)
            internals.finish_line(session.config, reporter)
            reporter.write_line("another")

    lines = pytester.runpytest(plugins=[Writes()]).outlines
    assert "line" in lines[lines.index("another") - 1]


def test_the_number_of_workers_can_be_read_and_set(pytester: pytest.Pytester) -> None:
    asked: list[object] = []

    class Caps:
        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_cmdline_main(self, config: pytest.Config) -> Generator[None, object, object]:
            asked.append(internals.asked_workers(config))
            if asked[-1] is not None:
                internals.set_workers(config, 0)
            return (yield)

    pytester.makepyfile("def test_it(worker_id): assert worker_id == 'master'")
    for arguments in ([], ["-n", "2"], ["-n", "auto"]):
        result = pytester.runpytest(*arguments, plugins=[Caps()])
        result.assert_outcomes(passed=1)
        result.stdout.no_fnmatch_line("*created:*")
    assert asked[:2] == [None, 2]
    assert asked[2] is not None


def test_controller_and_worker_tell_one_another(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import threading
        import time

        import pytest
        from xdist.scheduler import LoadScheduling

        from proctor.pytest_plugin import internals

        NODES, HEARD = [], threading.Event()

        class AllAtOnce(LoadScheduling):
            def schedule(self):
                with internals.handing_out(self, 12):
                    super().schedule()
                assert not self.pending

        class Controller:
            def pytest_configure_node(self, node):
                node.workerinput["question"] = "who?"

            def pytest_xdist_make_scheduler(self, config, log):
                return AllAtOnce(config, log)

            def pytest_testnodeready(self, node):
                NODES.append(node)

            def pytest_runtest_logreport(self, report):
                if report.when == "call" and "test_it[0]" in report.nodeid:
                    internals.send_command(NODES[0], "unknown_to_all", number=0)
                    internals.send_command(NODES[0], "known_to_us", number=7)

            def pytest_testnodedown(self, node):
                print("OUTPUT", node.workeroutput["answer"])

        class Worker:
            def __init__(self):
                self.known = [0]
                self.handed = []
                self.heard = []

            def hear(self, content):
                self.heard.append(content["number"])
                HEARD.set()

            @pytest.hookimpl(wrapper=True)
            def pytest_runtestloop(self, session):
                internals.heed_command(session.config, "known_to_us", self.hear)
                return (yield)

            @pytest.hookimpl(wrapper=True)
            def pytest_runtest_protocol(self, item, nextitem):
                deadline = time.monotonic() + 120
                while not self.handed or self.handed[-1] != 11:  # the last of the items
                    assert time.monotonic() < deadline
                    new = internals.newly_waiting(item.config, self.known)
                    self.known += new
                    self.handed += new
                    time.sleep(0.01)
                assert internals.newly_waiting(item.config, self.known) == []
                return (yield)

            @pytest.hookimpl(tryfirst=True)
            def pytest_sessionfinish(self, session):
                output = internals.worker_output(session.config)
                output["answer"] = [internals.worker_input(session.config)["question"], self.handed, self.heard]

        def pytest_configure(config):
            worker = internals.worker_input(config) is not None
            config.pluginmanager.register(Worker() if worker else Controller())

        def pytest_sessionfinish(session):
            print("DISTRIBUTED", internals.is_distributed(session.config))
    """)
    pytester.makepyfile("""
        import conftest
        import pytest

        @pytest.mark.parametrize("number", range(12))
        def test_it(number):
            assert number == 0 or conftest.HEARD.wait(120)
    """)
    result = pytester.runpytest_subprocess("-s", "-n", "1", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=12)
    # The first two items are taken up before the first test runs.
    assert f"OUTPUT ['who?', {list(range(2, 12))}, [7]]" in result.stdout.str()
    assert "DISTRIBUTED True" in result.stdout.str()


@pytest.mark.parametrize("how", ["-x", "stop_session"])
def test_the_controller_tells_when_workers_stop(pytester: pytest.Pytester, how: str) -> None:
    pytester.makeconftest(f"""
        from proctor.pytest_plugin import internals

        def pytest_runtest_logfinish(nodeid):
            config = CONFIGS[0]
            if internals.worker_input(config) is None:
                if {how == "stop_session"}:
                    internals.stop_session(config, "seen enough")
                print("STOPS", internals.workers_are_stopping(config))

        CONFIGS = []

        def pytest_configure(config):
            CONFIGS.append(config)
            assert not internals.is_distributed(config) or internals.worker_input(config) is None
    """)
    pytester.makepyfile("def test_it(): assert 'stop_session' == %r" % how)  # noqa: UP031
    result = pytester.runpytest_subprocess("-s", "-n", "1", *(["-x"] if how == "-x" else []))
    result.stdout.fnmatch_lines(["*STOPS True*"])
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)


def test_nothing_is_distributed_without_workers(pytester: pytest.Pytester) -> None:
    seen = look(
        pytester,
        lambda items: [
            internals.is_distributed(items[0].config),
            internals.workers_are_stopping(items[0].config),
            internals.worker_input(items[0].config),
        ],
    )
    assert seen == [False, False, None]
