"""One run: what was asked for, what it needs, and what came of each case."""

from __future__ import annotations

import hashlib
import os
import shlex
import threading
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from proctor.budget import LEDGER, Budget, PaidLine
from proctor.builtin import API as BUILTIN
from proctor.builtin import builtin_model, builtin_outcome, check_builtin
from proctor.calls import CallFailed
from proctor.case import Case, grouped
from proctor.cassette import Cassette
from proctor.conversation import Conversation, NotKept, Outcome, Place
from proctor.errors import DataError, UsageError
from proctor.leaks import Detector
from proctor.live import Dispatcher, Line
from proctor.models import Model, Registry, keys_in_environment
from proctor.options import DEFAULT_MODELS_FILE, Options
from proctor.pace import Pace
from proctor.prompts import Template
from proctor.provenance import describe
from proctor.results import ResultRow, result_row
from proctor.samples import Sample, choose, read_samples
from proctor.selection import SelectedCase, SelectedTask
from proctor.task import Task
from proctor.traffic import Traffic


class Run:
    """Everything that the cases of one process share.

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
        self.rows: dict[Case, ResultRow] = {}
        self.known_tasks: set[str] = set()
        self.fatal: str | None = None
        self._share = share
        self._processes = processes
        self._samples: dict[str, list[Sample]] = {}
        self._places: dict[tuple[str, str], Place] = {}
        self._lines: dict[str, Line] = {}
        self._lines_lock = threading.Lock()
        self._closing = ExitStack()
        self._dispatcher: Dispatcher[Outcome] | None = None

    @cached_property
    def description(self) -> Mapping[str, Any]:
        """What a report says about this run: id, start, command, git commit, versions, machine."""
        return self._description or describe(self.options.command, self.root)

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
        """The models to ask, each once, in the order given.

        Raises:
            UsageError: If none is given, or one is not known.
        """
        if not self.options.models:
            raise UsageError(
                "no model to ask",
                remedy="Give --model NAME (try --model oracle), or set proctor_model in pytest.ini.",
            )
        found = [builtin_model(name) or self.registry.resolve(name) for name in self.options.models]
        return tuple({model.name: model for model in found}.values())

    def data_file(self, task: Task) -> Path:
        """The task's data file."""
        return self.options.datasets.get(task.name) or self.options.data_dir / f"{task.name}.jsonl"

    def samples(self, task: Task) -> list[Sample]:
        """All samples of the task's data file, read once."""
        if task.name not in self._samples:
            self._samples[task.name] = read_samples(self.data_file(task), task.samples_of)
        return self._samples[task.name]

    def cases(self, task: Task) -> list[Case]:
        """The task's cases: each model with each chosen sample.

        Raises:
            UsageError: For a model, data file or row that cannot be used.
        """
        self.known_tasks.add(task.name)
        models = self.models
        chosen = choose(self.samples(task), limit=self.options.limit, shuffle=self.options.shuffle)
        epochs = range(1, self.options.epochs + 1)
        return [Case(self, task, model, sample, epoch) for model in models for epoch in epochs for sample in chosen]

    def place(self, task: Task, model: Model) -> Place:
        """What the samples of *task* are asked with, for *model*; made once."""
        name = (task.name, model.name)
        if name not in self._places:
            self._places[name] = self._make_place(task, model)
        return self._places[name]

    def _make_place(self, task: Task, model: Model) -> Place:
        options = self.options
        folder = options.prompts_dir / task.benchmark
        if model.api == BUILTIN:
            check_builtin(task, model)
        else:
            model.call([], task.parameters, options.parameters)  # says which parameter the model does not take
        return Place(
            task=task,
            model=model,
            templates={n: Template.load(folder / f"{n}.txt", holders) for n, holders in task.prompts.items()},
            cassette=self._cassette(task, model),
            mode=options.record_mode,
            overrides=options.parameters,
            line=self._line,
            record_command=self._record_command(model),
            keep_recordings=options.keep_recordings,
        )

    def _cassette(self, task: Task, model: Model) -> Cassette:
        file = self.options.cassettes_dir / task.name / f"{model.file_name}.jsonl"
        detector = None if model.api == BUILTIN else Detector(self._keys)
        try:
            return Cassette(file, repair=self.options.record_mode.records, detector=detector)
        except OSError as problem:
            raise DataError(f"recordings cannot be read: {problem.strerror}", file=file) from None

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
            if model.name not in self._lines:
                hold_file = self.folder / f".hold-{model.file_name}" if self.folder.exists() else None
                pace = Pace(model.limits, processes=self._processes, hold_file=hold_file, stop=self.stop)
                make = Line if self.budget is None else partial(PaidLine, self.budget)
                line = make(
                    model,
                    pace=pace,
                    stop=self.stop,
                    timeout=self.options.timeout,
                    traffic=self.traffic,
                    secrets=self._keys.values(),
                )
                self._closing.callback(line.close)
                self._lines[model.name] = line
            return self._lines[model.name]

    @property
    def asks_live(self) -> bool:
        """Whether any case of this run may call a model."""
        return self.options.record_mode.records or not self.options.keep_recordings

    def start_ahead(self, cases: Iterable[Case]) -> None:
        """Start asking for these cases, within the run's concurrency, before their tests wait for the answers."""
        if not self.asks_live:
            return
        if self._dispatcher is None:
            from proctor.recorder import listening

            if self.options.keep_recordings:
                self._closing.enter_context(listening(whole_prompts=self.options.whole_prompts))
            self._dispatcher = Dispatcher(self._share, self.stop)
        for case in cases:
            if case not in self.rows:
                self._dispatcher.submit(case, lambda case=case: self._answer(case))  # type: ignore[misc]

    def next_answered(self, cases: Container[Case]) -> Case:
        """Wait until one of these cases, all of them started ahead, is answered."""
        assert self._dispatcher is not None
        found = self._dispatcher.next_finished(cases)
        assert isinstance(found, Case)
        return found

    def _answer(self, case: Case) -> Outcome:
        if case.model.api == BUILTIN:
            seed = self.options.parameters.get("seed", 0)
            return builtin_outcome(case.task, case.model, case.sample, case.epoch, seed)
        outcome = Conversation(self.place(case.task, case.model), case.sample, case.epoch).run()
        if isinstance(outcome.failure, NotKept):
            self.stop.set()
        return outcome

    def measure(self, case: Case) -> ResultRow:
        """Get the case's answer, score it, and keep the row until the test's report takes it."""
        if case in self.rows:
            return self.rows[case]
        if self.asks_live:
            self.start_ahead([case])
            assert self._dispatcher is not None
            outcome = self._dispatcher.result(case)
        else:
            outcome = self._answer(case)
        if isinstance(outcome.failure, CallFailed) and outcome.failure.fatal:
            self.fatal = f"{case.model.name} cannot be asked: {outcome.failure}"
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
        """Stop asking, wait for what is in flight, and close the connections."""
        self.stop.set()
        if self._dispatcher is not None:
            self._dispatcher.close()
        self._closing.close()

    def selected(self, cases: Sequence[Case], modules: Mapping[str, Path]) -> tuple[SelectedTask, ...]:
        """What is about to be measured, for `proctor.selection.Selection`."""
        return tuple(
            SelectedTask(
                benchmark=task.benchmark,
                task=task.short_name,
                model=model.name,
                model_api_id=model.api_id,
                metrics=dict(task.metrics),
                data_file=self.shown(self.data_file(task)),
                data_sha256=hashlib.sha256(self.data_file(task).read_bytes()).hexdigest(),
                cassette_file=None if model.api == BUILTIN else self.shown(self.place(task, model).cassette.file),
                prompt_sha256={name: t.sha256 for name, t in self.place(task, model).templates.items()},
                module=self.shown(modules[task.name]),
                has_artifact=task.artifact is not None,
                samples_in_data=len(self.samples(task)),
                cases=tuple(
                    SelectedCase(c.sample.id, c.sample.index, c.epoch, c.sample.cluster, c.sample.tags) for c in group
                ),
            )
            for task, model, group in grouped(cases)
        )

    def shown(self, file: Path) -> str:
        """A path relative to the project where it lies inside, so that a report names no home folder needlessly."""
        return os.path.relpath(file, self.root)
