"""The hooks that collect and run the cases of one process."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from proctor._base.errors import UsageError
from proctor.programs import LOCAL
from proctor.pytest_plugin.internals import (
    end_as_failed,
    is_distributed,
    leave_out_recording_fixtures,
    network_blocked,
    repetitions,
    reporter_of,
)
from proctor.pytest_plugin.interruption import Sigterm
from proctor.pytest_plugin.items import case_of, cases_to_ask
from proctor.pytest_plugin.junit import score_properties
from proctor.pytest_plugin.node_ids import named_cases
from proctor.pytest_plugin.other_plugins import ALLURE, tell_allure
from proctor.pytest_plugin.workers import Workers
from proctor.results.manifest import Manifest, in_order
from proctor.results.row import NOT_MEASURED, NOT_NEEDED, Correctness, ResultRow, correctness, encoded_row
from proctor.results.run_info import LeftOutFields
from proctor.run.case import Case
from proctor.run.left_out import left_out_fields
from proctor.run.manifest_builder import manifest_tasks
from proctor.run.option_checks import (
    check_datasets,
    check_responses,
    check_skipped,
    skipped_models,
    tasks_not_pulled,
    unread_responses,
)
from proctor.run.preflight import check
from proctor.run.run import Run
from proctor.tasks.marker import MARKER
from proctor.tasks.task import Task

VERDICTS = {
    "correct": (".", "CORRECT", "green"),
    "partial": ("p", "PARTIAL", "yellow"),
    "incorrect": ("i", "INCORRECT", "yellow"),
    NOT_NEEDED: ("-", "NOT NEEDED", "yellow"),
}


class BenchmarkSession:
    """Collects and runs the cases of one process: the only one, or an xdist worker.

    Args:
        config: pytest's configuration.
        run: The run.
        workers: This process's place under xdist.
        sigterm: Lets SIGTERM end the run as Ctrl-C does.
    """

    def __init__(self, config: pytest.Config, run: Run, workers: Workers, sigterm: Sigterm) -> None:
        self._config = config
        self._run = run
        self._usage_errors: list[str] = []
        self._workers = workers
        self._sigterm = sigterm
        self._verdicts: dict[Case, Correctness] = {}  # of cases whose reports are still to be made
        self._properties: dict[Case, list[tuple[str, str | float]]] = {}  # the same
        self._measures = False
        self._tasks: dict[Task, Task] = {}  # as test modules give them -> as the options of this run say
        self._selection: bytes | None = None  # until it is handed to a controller that cannot see our files

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make one case per sample and model. Mistakes are kept until all tests are collected, to be said once."""
        marker = metafunc.definition.get_closest_marker(MARKER)
        if marker is None:
            return
        cases: Sequence[Case] = []
        try:
            self._check_repetitions(metafunc)
            named = self._is_named(metafunc.definition.path)
            cases = named_cases(
                self._config, metafunc.definition, self._run.collected.cases(self._task(marker), named=named)
            )
        except UsageError as error:
            if str(error) not in self._usage_errors:
                self._usage_errors.append(str(error))
        metafunc.parametrize("case", cases, ids=[case.id for case in cases])

    @staticmethod
    def _check_repetitions(metafunc: pytest.Metafunc) -> None:
        """Raise a `UsageError` where another plugin would measure each case several times, under one name."""
        if (times := repetitions(metafunc)) > 1:
            raise UsageError(
                f"pytest-repeat would measure each case {times} times, which no report can tell apart",
                remedy=f"Write --epochs {times} instead: each repetition is then a case with an answer of its own.",
            )

    def _task(self, marker: pytest.Mark) -> Task:
        defined: Task = marker.args[0]
        if defined not in self._tasks:
            self._tasks[defined] = defined.for_run(self._config)
        return self._tasks[defined]

    def _is_named(self, module: Path) -> bool:
        """Whether the command line names a test module, or something in it."""
        here = self._config.invocation_params.dir
        return any((here / argument.partition("::")[0]).resolve() == module for argument in self._config.args)

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
                collected = self._run.collected
                check_datasets(self._run.options, collected.tasks, collected.not_pulled)
                self._tell(tasks_not_pulled(collected.not_pulled))
                self._tell(unread_responses(self._run))
                check_responses(self._run)
                check_skipped(self._run, cases)
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
        where = self._run.options.programs_on
        if where != LOCAL and self._workers.is_worker and self._run.asks_live:
            raise UsageError(
                f"--programs-on {where} and -n exclude each other: conversations are held in one process",
                remedy="Leave out -n; --concurrency says how many cases are asked at a time.",
            )
        named = {case.task.name for item in items if (case := case_of(item)) and self._is_named(item.path)}
        found = check(self._run, cases, named=named | self._run.options.datasets.keys())
        if found.left_out:
            left_out = [item for item in items if (case := case_of(item)) and not found.left_out.keeps(case)]
            items[:] = [item for item in items if not (case := case_of(item)) or found.left_out.keeps(case)]
            cases[:] = filter(found.left_out.keeps, cases)
            self._config.hook.pytest_deselected(items=left_out)
        self._tell(skipped_models(self._run))
        self._tell(found.warnings)
        self._tell(found.asks, "")
        self._announce(items, cases, found.missing, left_out_fields(found.left_out, self._run))

    def _tell(self, lines: Iterable[str], mark: str = "WARNING: ") -> None:
        """Say something before the first case, such as what cases lack; once, though all workers find it."""
        reporter = reporter_of(self._config)
        for line in lines if self._workers.first else ():
            if reporter is not None:
                reporter.write_line(f"{mark}{line}", yellow=bool(mark))
            else:  # a worker, whose stderr is the controller's
                print(f"{mark}{line}", file=sys.__stderr__)

    def _announce(
        self,
        items: list[pytest.Item],
        cases: list[Case],
        missing: Mapping[tuple[str, str], str],
        left_out: Sequence[LeftOutFields],
    ) -> None:
        found = {c.task.name: item for item in items if (c := case_of(item)) is not None}
        modules = {name: item.path for name, item in found.items()}
        tests = {name: item.nodeid.partition("[")[0].partition("::")[2] for name, item in found.items()}
        models = [model.name for model in self._run.models]
        tasks = manifest_tasks(self._run, cases, modules, tests)
        description = {**self._run.description, "models": models, **({"left_out": left_out} if left_out else {})}
        manifest = Manifest(description, in_order(tasks, models))
        self._run.set_manifest(manifest, missing)
        if self._run.options.stop_when_decided:
            if self._workers.is_worker:
                raise UsageError("--stop-when-decided looks at the answers of one process", remedy="Leave out -n.")
            from proctor.pytest_plugin.live_loop import DecidingLoop

            self._config.pluginmanager.register(DecidingLoop(self._run), "proctor-deciding-loop")
        elif self._run.asks_live and not self._workers.is_worker:
            from proctor.pytest_plugin.live_loop import LiveLoop

            self._config.pluginmanager.register(LiveLoop(self._run), "proctor-live-loop")
        if self._workers.is_apart:
            self._selection = manifest.encoded()
            return
        try:
            # All workers write the same, though once is enough: they must come to the same end.
            self._run.folder.mkdir(parents=True, exist_ok=True)
            manifest.save(self._run.folder)
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
        heeds = self._measures or is_distributed(self._config)
        with self._sigterm.as_interrupt() if heeds else nullcontext():
            try:
                return (yield)
            except KeyboardInterrupt:
                self._run.live.give_up_after(self._sigterm.grace)
                raise
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
            with network_blocked():
                yield
        row = self._run.row(case)
        if row is None:
            pytest.fail("the test did not call case.measure()", pytrace=False)
        self._fail_if_asked(item.session, case, row)

    def _fail_if_asked(self, session: pytest.Session, case: Case, row: ResultRow) -> None:
        if self._run.fatal is not None:
            end_as_failed(session, self._run.fatal)
        if row["status"] in NOT_MEASURED:
            pytest.fail(f"{row['status']}: {row['error']}", pytrace=False)
        found = self._verdict(case, row)
        fail_on = self._run.options.fail_on
        if (found == "incorrect" and fail_on) or (found == "partial" and fail_on == "partial"):
            pytest.fail(
                f"{found} ({row['status']}): predicted {row['prediction']!r}, expected {row['target']!r}", pytrace=False
            )

    def _verdict(self, case: Case, row: ResultRow) -> Correctness:
        if case not in self._verdicts:
            self._verdicts[case] = correctness(row, case.task)
        return self._verdicts[case]

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
        if case is not None and call.when == "teardown":  # some plugins look at this report, others at the call's
            report.user_properties = [*report.user_properties, *self._properties.pop(case, ())]
        if case is not None and call.when == "call":
            row = self._run.take_row(case)
            if row is not None:
                prompt = self._run.take_prompt(case)
                if prompt is not None:
                    report.proctor_prompt = prompt  # type: ignore[attr-defined]
                # A worker's row is the line that the controller writes.
                carried = encoded_row(row) if self._workers.is_worker else row
                report.proctor_row = carried  # type: ignore[attr-defined]  # reports carry plugins' own attributes
                if row["status"] == NOT_NEEDED:
                    report.proctor_verdict = NOT_NEEDED  # type: ignore[attr-defined]
                    return report
                found = self._verdict(case, row)
                del self._verdicts[case]
                report.proctor_verdict = found  # type: ignore[attr-defined]
                properties = list(score_properties(row, found))
                report.user_properties = [*report.user_properties, *properties]
                self._properties[case] = properties
                if self._config.pluginmanager.hasplugin(ALLURE) and self._config.option.allure_report_dir:
                    tell_allure(properties)
        return report

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        """Show a measured case as correct, partial or incorrect."""
        found = getattr(report, "proctor_verdict", None)
        if found is None or not (report.passed or found == NOT_NEEDED):
            return None
        letter, word, colour = VERDICTS[found]
        return found.replace("_", " "), letter, (word, {colour: True})
