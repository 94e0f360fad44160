"""The pytest plugin: options, hooks and the fixture. Each hook is a call into a module of its own."""

from __future__ import annotations

import atexit
import gc
import sys
import warnings
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from proctor.case import Case, case_of, cases_to_ask
from proctor.distributed.shards import ShardFilter
from proctor.distributed.workers import CAPPED, Workers, cap_workers
from proctor.errors import UsageError
from proctor.node_ids import named_cases
from proctor.options import add_options, read_options
from proctor.preflight import check, check_responses, unmet_needs, unread_responses
from proctor.report.junit import score_properties
from proctor.results import NOT_MEASURED, ResultRow, encoded, verdict
from proctor.run import RUN, Run
from proctor.selecting import selected_tasks
from proctor.selection import Selection
from proctor.task import MARKER

RECORDING_FIXTURES = frozenset(
    {"vcr", "block_network", "vcr_markers", "vcr_cassette_dir", "disable_recording", "record_mode"}
)
VERDICTS = {
    "correct": (".", "CORRECT", "green"),
    "partial": ("p", "PARTIAL", "yellow"),
    "incorrect": ("i", "INCORRECT", "yellow"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the options and, in the process that writes the report, set that up."""
    config.addinivalue_line("markers", f"{MARKER}(task): the cases of an LLM benchmark; set by Task.cases")
    # The Anthropic SDK warns at every call of an older model; under -W error that would look like a failed call.
    # pytest has filters of its own while a test runs; live calls are also made between tests.
    config.addinivalue_line("filterwarnings", "ignore:The model '.*' is deprecated:DeprecationWarning")
    warnings.filterwarnings("ignore", "The model '.*' is deprecated", DeprecationWarning)
    config.add_cleanup(gc.unfreeze)  # of what is frozen for the test loop; cleanups run last registered first
    with ending_pytest():
        options = read_options(config)
    workers = Workers(config)
    run = Run(
        options,
        config.rootpath,
        share=workers.share(options.concurrency),
        processes=workers.count,
        description=workers.description,
    )
    config.stash[RUN] = run
    config.pluginmanager.register(BenchmarkSession(config, run, workers), "proctor-session")
    if options.shard is not None:
        config.pluginmanager.register(ShardFilter(options.shard, run), "proctor-shard")
    if options.estimate:
        from proctor.estimates.estimate import Estimator

        config.pluginmanager.register(Estimator(run), "proctor-estimator")
    elif not workers.is_worker:
        from proctor.controller import Controller

        config.pluginmanager.register(Controller(config, run), "proctor-controller")
        with ending_pytest():
            run.gate  # noqa: B018  # what it names is looked for at once
    if run.asks_live:
        from proctor.live.progress import show_progress

        show_progress(config, run, workers)
        from proctor.distributed.stopping import StopsWhenTold, StopsWorkers

        stopping = StopsWhenTold(run.stop) if workers.is_worker else StopsWorkers(config)
        config.pluginmanager.register(stopping, "proctor-stopping")


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    """Before xdist starts workers, cap their number where the project says so."""
    cap_workers(config)
    return (yield)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say that there are fewer workers than asked for, and why."""
    return config.stash.get(CAPPED, None)


@pytest.fixture
def case() -> Case:
    """One sample asked of one model; `proctor.Task.cases` supplies it."""
    raise pytest.UsageError("the fixture 'case' is for test functions decorated with @TASK.cases")


@contextmanager
def ending_pytest() -> Iterator[None]:
    """Let a `UsageError` of ours end pytest as one of its own: message, no traceback, exit code 4."""
    try:
        yield
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None


def leave_out_recording_fixtures(item: Any) -> None:
    """Spare a case pytest-recording's autouse fixtures, which take a third of the time of an empty test.

    A case has recordings of its own; the fixtures stay if the test function asks for one. The list of names is shared
    by all cases of a function, so this does something for the first of them only.
    """
    names: list[str] = item.fixturenames
    if "vcr" in names and not RECORDING_FIXTURES.intersection(item._fixtureinfo.argnames):
        names[:] = [name for name in names if name not in RECORDING_FIXTURES]


class BenchmarkSession:
    """Collects and runs the cases of one process: the only one, or an xdist worker.

    Args:
        config: pytest's configuration.
        run: The run.
        workers: This process's place under xdist.
    """

    def __init__(self, config: pytest.Config, run: Run, workers: Workers) -> None:
        self._config = config
        self._run = run
        self._usage_errors: list[str] = []
        self._workers = workers
        self._measures = False
        self._selection: bytes | None = None  # until it is handed to a controller that cannot see our files

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make one case per sample and model. Mistakes are kept until all tests are collected, to be said once."""
        marker = metafunc.definition.get_closest_marker(MARKER)
        if marker is None:
            return
        cases: Sequence[Case] = []
        try:
            cases = named_cases(self._config, metafunc.definition, self._run.cases(marker.args[0]))
        except UsageError as error:
            if str(error) not in self._usage_errors:
                self._usage_errors.append(str(error))
        metafunc.parametrize("case", cases, ids=[case.id for case in cases])

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Let ``-k`` select by what a sample is about."""
        case = case_of(item)
        if case is not None:
            if self._config.option.keyword:
                item.extra_keyword_matches.update(case.keywords)
            leave_out_recording_fixtures(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Check everything that can be checked before the first call, and write down what is going to be measured."""
        cases = [case for item in session.items if (case := case_of(item)) is not None]
        option = self._config.option
        to_run = not (option.collectonly or option.setuponly or option.setupplan or self._run.options.estimate)
        self._measures = bool(cases) and to_run
        if to_run and not self._usage_errors:
            try:
                self._tell(unread_responses(self._run))
                check_responses(self._run)
                if self._measures:
                    self._prepare(session.items, cases)
            except UsageError as error:
                self._usage_errors.append(str(error))
        if self._usage_errors:
            message = "\nERROR: ".join(self._usage_errors)
            if not self._workers.tell_controller(message):
                raise pytest.UsageError(message)
            session.items.clear()

    def _prepare(self, items: list[pytest.Item], cases: list[Case]) -> None:
        check(self._run, cases)
        self._tell(f"left out: {problem}; name a model with --model" for problem in self._run.left_out)
        self._tell(unmet_needs(self._run))
        self._announce(items, cases)

    def _tell(self, needs: Iterable[str]) -> None:
        """Say before the first case what some of them lack; once, though all workers find it."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        for need in needs if self._workers.first else ():
            if reporter is not None:
                reporter.write_line(f"WARNING: {need}", yellow=True)
            else:  # a worker, whose stderr is the controller's
                print(f"WARNING: {need}", file=sys.__stderr__)

    def _announce(self, items: list[pytest.Item], cases: list[Case]) -> None:
        modules: dict[str, Path] = {c.task.name: item.path for item in items if (c := case_of(item)) is not None}
        if self._run.asks_live and not self._workers.is_worker:
            from proctor.live.loop import LiveLoop

            self._config.pluginmanager.register(LiveLoop(self._run), "proctor-live-loop")
        selection = Selection(self._run.description, selected_tasks(self._run, cases, modules))
        self._run.selection = selection
        if self._workers.is_apart:
            self._selection = selection.encoded()
            return
        try:
            # All workers try, though one file is enough: they must come to the same end.
            self._run.folder.mkdir(parents=True, exist_ok=True)
            selection.save(self._run.folder, keep=self._workers.first)
        except OSError as problem:
            raise UsageError(
                f"the report cannot be written to {self._run.folder}: {problem.strerror}",
                remedy="Make it writable, or name another folder with --reports-dir.",
            ) from None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Stop asking when the loop ends, however it ends."""
        if self._measures:
            # Everything that is here now stays to the end of the session; looking through it for garbage again and
            # again would take as long as a tenth of a replay, and longer still when the report is made.
            gc.freeze()
            # Nor is what is left when the interpreter ends: half a second after a live run.
            atexit.unregister(gc.freeze)
            atexit.register(gc.freeze)
        try:
            return (yield)
        finally:
            self._run.close()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """In a worker, ask ahead for the cases that the controller has handed it so far."""
        if self._workers.is_worker and self._run.asks_live:
            # xdist has taken the next item out of the queue already.
            coming = [item, *([nextitem] if nextitem else []), *self._workers.newly_waiting_items(item.session)]
            self._run.start_ahead(cases_to_ask(coming))
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Block the network while a case replays; afterwards, let a case fail that could not be measured."""
        case = case_of(item)
        if case is None:
            return (yield)
        if self._run.asks_live:
            yield
        else:
            from pytest_recording import network

            with network.blocking_context():
                yield
        row = self._run.rows.get(case)
        if row is None:
            pytest.fail("the test did not call case.measure()", pytrace=False)
        self._fail_if_asked(item.session, case, row)

    def _fail_if_asked(self, session: pytest.Session, case: Case, row: ResultRow) -> None:
        if self._run.fatal is not None:
            session.shouldfail = self._run.fatal
        if row["status"] in NOT_MEASURED:
            pytest.fail(f"{row['status']}: {row['error']}", pytrace=False)
        found = verdict(row, case.task.headline, case.task.scale)
        fail_on = self._run.options.fail_on
        if (found == "incorrect" and fail_on) or (found == "partial" and fail_on == "partial"):
            pytest.fail(
                f"{found} ({row['status']}): predicted {row['prediction']!r}, expected {row['target']!r}", pytrace=False
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Hand the row to the report, which takes it to the controller."""
        report = yield
        if self._selection is not None:
            report.proctor_selection = self._selection  # type: ignore[attr-defined]
            self._selection = None
        case = case_of(item)
        if case is not None and call.when == "call":
            row = self._run.rows.pop(case, None)
            if row is not None:
                # xdist sends text as UTF-8, which half a surrogate pair in an answer is not: JSON escapes it.
                carried = encoded(row) if self._workers.is_worker else row
                report.proctor_row = carried  # type: ignore[attr-defined]  # reports carry plugins' own attributes
                found = verdict(row, case.task.headline, case.task.scale)
                report.proctor_verdict = found  # type: ignore[attr-defined]
                if getattr(self._config.option, "xmlpath", None):
                    item.user_properties += score_properties(row, found)
        return report

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        """Show a measured case as correct, partial or incorrect."""
        found = getattr(report, "proctor_verdict", None)
        if found is None or not report.passed:
            return None
        letter, word, colour = VERDICTS[found]
        return found, letter, (word, {colour: True})
