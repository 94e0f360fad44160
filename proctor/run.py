"""One run: what was asked for, what it needs, and what came of each case."""

from __future__ import annotations

import gc
import os
import shlex
import threading
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proctor.appending import NotKept
from proctor.builtin import API as BUILTIN
from proctor.builtin import BuiltinConversation, check_builtin, stand_in
from proctor.calls import CallFailed
from proctor.case import Case
from proctor.conversation import Conversation, Outcome, Place
from proctor.data_sets import DataSets
from proctor.errors import DataError
from proctor.judging import Unmet
from proctor.live.budget import LEDGER, Budget, PaidLine
from proctor.live.line import Dispatcher, Line, Stopped
from proctor.live.pace import HOLD_PREFIX, Pace
from proctor.live.traffic import Traffic
from proctor.measured_models import models_to_measure
from proctor.media.made import FOLDER as MADE
from proctor.models.capabilities import cannot_answer
from proctor.models.registry import Model, Registry, keys_in_environment
from proctor.models.roles import role_model
from proctor.options import DEFAULT_MODELS_FILE, Options
from proctor.provenance import describe
from proctor.recordings.cassette import Cassette
from proctor.recordings.computed import FOLDER as COMPUTED
from proctor.recordings.computed import Computed
from proctor.recordings.leaks import Detector
from proctor.results import ResultRow, result_row
from proctor.samples import choose
from proctor.selection import Selection, case_name
from proctor.task import Task

if TYPE_CHECKING:
    from proctor.responses import Responses
    from proctor.statistics.gate import Gate

RUN = pytest.StashKey["Run"]()
"""Under this key a configuration's stash has the run."""


class Run:
    """Everything that the cases of one process share.

    What a case needs and this machine lacks stands in ``unmet``, by task and sample id; the data sets are in ``data``.

    Args:
        options: What the user asked for.
        root: The project's folder.
        description: What a report says about the run (see `describe`), if another process has made it.
        share: How many of the run's requests may be in flight from this process.
        processes: How many processes ask models in this run.
    """

    def __init__(
        self,
        options: Options,
        root: Path,
        *,
        share: int,
        processes: int = 1,
        description: Mapping[str, Any] | None = None,
    ) -> None:
        self.options = options
        self.root = root
        self._description = description
        self.stop = threading.Event()
        self.traffic = Traffic()
        self.data = DataSets(options, root)
        self.rows: dict[Case, ResultRow] = {}
        self.known_tasks: set[str] = set()
        self.measured_models: set[str] = set()
        self.left_out: list[str] = []
        self.fatal: str | None = None
        self.selection: Selection | None = None
        self.unmet: dict[tuple[str, str], str] = {}
        self._share = share
        self._processes = processes
        self._places: dict[tuple[str, str], Place] = {}
        self._lines: dict[Model, Line] = {}
        self._computed: dict[Path, Computed] = {}
        self._slots = threading.BoundedSemaphore(share)
        self._lines_lock = threading.Lock()
        self._closing = ExitStack()
        self._dispatcher: Dispatcher[Outcome] | None = None

    @cached_property
    def description(self) -> Mapping[str, Any]:
        """What a report says about this run: id, start, command, git commit, versions, machine, and the shard."""
        if self._description is not None:
            return self._description
        shard = {} if self.options.shard is None else {"shard": str(self.options.shard)}
        return describe(self.options.command, self.root) | shard

    @property
    def folder(self) -> Path:
        """The folder of this run's report."""
        return self.options.reports_dir / str(self.description["id"])

    @cached_property
    def registry(self) -> Registry:
        """The model registry."""
        file = self.options.models_file
        # Only the default file may be missing; one that was named is read, and says so if it is not there.
        return Registry.load(*([file] if file.exists() or file.name != DEFAULT_MODELS_FILE else []))

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The models to measure, each once; see `models_to_measure`."""
        return models_to_measure(self.options, lambda: self.registry)

    def cases(self, task: Task) -> list[Case]:
        """The task's cases: each model with each chosen sample.

        Raises:
            UsageError: For a model, data file or row that cannot be used.
        """
        self.known_tasks.add(task.name)
        epochs = range(1, self.options.epochs + 1)
        cases: list[Case] = []
        for model in self._models_to_measure(task):
            self.measured_models.add(model.name)
            chosen = choose(self.data.samples(task, model), limit=self.options.limit, shuffle=self.options.shuffle)
            cases += [Case(self, task, model, sample, epoch) for epoch in epochs for sample in chosen]
        return cases

    def _models_to_measure(self, task: Task) -> Sequence[Model]:
        folder = self.options.responses
        if folder is None:
            return [model for model in self.models if not self._is_left_out(model, task)]
        from proctor.responses import file_of

        with_entries = [model for model in self.models if self.data.entry_files(task, model)]
        if with_entries:
            return with_entries  # the others have answered nothing of a task that is known by its answers alone
        # pytest says if there is nothing: a task that nobody has answered is not one that everybody failed.
        return self.models if any(file_of(folder, model, task).exists() for model in self.models) else ()

    def _is_left_out(self, model: Model, task: Task) -> bool:
        """Whether nobody has named the model, the project's default, and it cannot be asked the task's questions.

        A model that was named is refused instead; see `proctor.preflight`.
        """
        if not self.options.models_by_default or model.api == BUILTIN:
            return False
        problem = cannot_answer(model, task)
        if problem is not None:
            self.left_out.append(problem)
        return problem is not None

    def place(self, task: Task, model: Model) -> Place:
        """What the samples of *task* are asked with, for *model*; made once."""
        name = (task.name, model.name)
        if name not in self._places:
            self._places[name] = self._make_place(task, model)
        return self._places[name]

    def _make_place(self, task: Task, model: Model) -> Place:
        options = self.options
        if model.api == BUILTIN:
            check_builtin(task, model)
        elif options.responses is None:
            model.call([], task.parameters, options.parameters)  # says which parameter the model does not take
        return Place(
            task=task,
            model=model,
            role_models=dict.fromkeys(task.roles, stand_in()) if model.api == BUILTIN else self.role_models(task),
            templates=self.data.templates(task),
            cassette=self._cassette(task, model),
            computed=partial(self._computed_of, task),
            mode=options.record_mode,
            overrides=options.parameters,
            line=self._line,
            record_command=self._record_command(model),
            keep_recordings=options.keep_recordings,
            given=self._given(task, model),
            pictures=self._pictures(task),
        )

    def _given(self, task: Task, model: Model) -> Responses | None:
        if self.options.responses is None:
            return None
        samples, files = self.data.samples(task, model), self.data.entry_files(task, model)
        if files:
            from proctor.entries import read_entry_responses

            return read_entry_responses(files, task, samples)
        from proctor.responses import file_of, read_responses

        return read_responses(file_of(self.options.responses, model, task), task, samples)

    def _pictures(self, task: Task) -> Path:
        """Where pictures go that models make: beside the recordings that name them, or, without any, to the report."""
        kept = self.options.keep_recordings
        return (self.options.cassettes_dir / task.name if kept else self.folder) / MADE

    def _cassette(self, task: Task, model: Model) -> Cassette:
        file = self.options.cassettes_dir / task.name / f"{model.file_name}.jsonl"
        detector = None if model.api == BUILTIN else Detector(self._keys)
        try:
            return Cassette(file, repair=self.options.record_mode.records, detector=detector)
        except OSError as problem:
            raise DataError(f"recordings cannot be read: {problem.strerror}", file=file) from None

    def role_models(self, task: Task) -> Mapping[str, Model]:
        """The models in a task's other roles, by role; see `proctor.models.roles.role_model`."""
        options = self.options
        return {
            role: role_model(task.name, role, task.roles[role], self.registry, options.roles, os.environ)
            for role in task.roles
        }

    def _computed_of(self, task: Task, kind: str) -> Computed:
        file = self.options.cassettes_dir / task.name / COMPUTED / f"{kind}.jsonl"
        mode = self.options.record_mode
        with self._lines_lock:
            if file not in self._computed:
                keep = self.options.keep_recordings and mode.records
                self._computed[file] = Computed(file, keep=keep, renew=not mode.replays)
            return self._computed[file]

    def _record_command(self, model: Model) -> str:
        """The command that records what is missing: this one, with the record mode and the model named."""
        words = list(self.options.command)
        if "--record-mode" in words:
            place = words.index("--record-mode")
            del words[place : place + 2]
        words = [word for word in words if not word.startswith("--record-mode=")]
        named = any(word == "--model" or word.startswith("--model=") for word in words)
        more = ["--record-mode", "new_episodes", *([] if named else ["--model", model.name])]
        command = shlex.join(["pytest", *words, *more])
        key = model.missing_key()
        return f"{command}  (needs {key})" if key else command

    @cached_property
    def gate(self) -> Gate | None:
        """What the run must reach, if ``--gate`` or ``--baseline`` says so.

        Raises:
            UsageError: If what they name cannot be used.
        """
        options = self.options
        if options.gate_file is None and options.baseline is None:
            return None
        from proctor.statistics.gate import Gate

        return Gate.read(options.gate_file, options.baseline, options.reports_dir)

    @cached_property
    def _keys(self) -> Mapping[str, str]:
        """The API keys in the environment, by variable; none may reach a recording."""
        return keys_in_environment((*self.registry.models, *self.models))

    @cached_property
    def budget(self) -> Budget | None:
        """What ``--max-cost`` lets this run spend; ``None`` without that option."""
        if self.options.max_cost is None:
            return None
        return Budget(self.options.max_cost, ledger=self.folder / LEDGER, processes=self._processes, stop=self.stop)

    def _line(self, model: Model) -> Line:
        with self._lines_lock:
            if model not in self._lines:
                hold_file = self.folder / f"{HOLD_PREFIX}{model.file_name}" if self.folder.exists() else None
                pace = Pace(model.limits, processes=self._processes, hold_file=hold_file, stop=self.stop)
                make = Line if self.budget is None else partial(PaidLine, self.budget)
                line = make(
                    model,
                    pace=pace,
                    stop=self.stop,
                    timeout=self.options.timeout,
                    traffic=self.traffic,
                    slots=self._slots,
                    secrets=self._keys.values(),
                )
                self._closing.callback(line.close)
                self._lines[model] = line
            return self._lines[model]

    @property
    def asks_live(self) -> bool:
        """Whether any case of this run may call a model."""
        return self.options.record_mode.records or not self.options.keep_recordings

    def start_ahead(self, cases: Iterable[Case]) -> None:
        """Start asking for these cases, within the run's concurrency, before their tests wait for the answers."""
        if not self.asks_live:
            return
        cases = [case for case in cases if case not in self.rows and self._can_be_answered(case)]
        if self._dispatcher is None:
            from proctor.recordings.recorder import listening

            if self.options.keep_recordings:
                self._closing.enter_context(listening(whole_prompts=self.options.whole_prompts))
            self._connect(cases)
            self._dispatcher = Dispatcher(self._share, self.stop)
        for case in cases:
            self._dispatcher.submit(case, lambda case=case: self._answer(case))  # type: ignore[misc]

    def _connect(self, cases: Sequence[Case]) -> None:
        """Make the clients of models that some of the cases have yet to ask.

        Whichever case is first would make it, too, but among the threads of all: importing an SDK then takes longer.
        """
        for (task, model), number in Counter((case.task, case.model) for case in cases).items():
            place = self.place(task, model)
            if model.api == BUILTIN or place.given is not None or number <= len(place.cassette):
                continue
            with suppress(Exception, pytest.skip.Exception):  # each case that needs it says why it cannot be asked
                self._line(model)

    @property
    def may_send_more(self) -> bool:
        """Whether fewer requests are in flight than may be, although there is more to ask."""
        if self._dispatcher is None or self.stop.is_set():
            return False
        return self._dispatcher.waits and self.traffic.counts.in_flight < self._share

    @property
    def is_behind(self) -> bool:
        """Whether more cases are answered, and not yet reported, than two rounds of requests bring."""
        return self._dispatcher is not None and self._dispatcher.untaken > 2 * self._share

    def next_answered(self, cases: Container[Case]) -> Case:
        """Wait until one of these cases, all of them started ahead, is answered."""
        assert self._dispatcher is not None
        found = self._dispatcher.next_finished(cases)
        assert isinstance(found, Case)
        return found

    def conversation(self, case: Case, *, live: bool = True) -> Conversation:
        """The conversation about a case, not yet held; see `Conversation`."""
        place = self.place(case.task, case.model)
        kind = BuiltinConversation if case.model.api == BUILTIN else Conversation
        if place.given is not None:
            from proctor.responses import GivenAnswer

            kind = GivenAnswer
        return kind(place, case.sample, case.epoch, live=live)

    def _answer(self, case: Case) -> Outcome:
        if (unmet := self.unmet.get((case.task.name, case.sample.id))) is not None:
            return Outcome(failure=Unmet(unmet))
        outcome = self.conversation(case).run()
        if isinstance(outcome.failure, NotKept):
            self.stop.set()
        return outcome

    def _can_be_answered(self, case: Case) -> bool:
        given = self.place(case.task, case.model).given
        return given is None or (case.sample.id, case.epoch) in given.replies

    def measure(self, case: Case) -> ResultRow:
        """Get the case's answer, score it, and keep the row until the test's report takes it."""
        if case in self.rows:
            return self.rows[case]
        if not self._can_be_answered(case):
            given = self.place(case.task, case.model).given
            assert given is not None
            file, name = given.file, case_name(case.sample.id, case.epoch)
            pytest.fail(f"no response to {name} in {self.shown(file)}", pytrace=False)
        if self.asks_live:
            self.start_ahead([case])
            assert self._dispatcher is not None
            outcome = self._dispatcher.result(case)
        else:
            outcome = self._answer(case)
        if isinstance(outcome.failure, Stopped):
            pytest.skip(f"not asked: {outcome.failure}")
        if isinstance(outcome.failure, CallFailed) and outcome.failure.fatal:
            name = (outcome.failed_model or case.model).name
            self.fatal = f"{name} cannot be asked: {outcome.failure}"
        elif isinstance(outcome.failure, NotKept):
            self.fatal = f"{outcome.failure}. Make room, then run the same command again: it asks for what is missing"
        row = result_row(
            run_id=str(self.description["id"]),
            task=case.task,
            model=case.model,
            sample=case.sample,
            epoch=case.epoch,
            outcome=outcome,
        )
        self.rows[case] = row
        return row

    def close(self) -> None:
        """Stop asking, wait for what is in flight, close the connections, and let go of the recordings."""
        self.stop.set()
        if self._dispatcher is not None:
            self._dispatcher.close()
        gc.freeze()  # all that the run has made would be looked through for garbage now, before it is let go
        self._closing.close()
        self._places.clear()  # where 100,000 recordings stand takes 60 MB

    def shown(self, file: Path) -> str:
        """A path relative to the project where it lies inside, so that a report names no home folder needlessly."""
        return os.path.relpath(file, self.root)
