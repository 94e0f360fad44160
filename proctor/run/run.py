"""One run: measures the cases of one process, by what was asked for."""

from __future__ import annotations

import gc
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor._base.errors import NotAsked, UsageError
from proctor._base.files import NotKept
from proctor._base.json_values import Json
from proctor.conversations.context import TaskContext
from proctor.conversations.conversation import Conversation
from proctor.conversations.first_prompt import sent_prompt, unsent_prompt
from proctor.conversations.outcome import Outcome
from proctor.live.endpoint_client import Stopped
from proctor.models.builtin import API as BUILTIN
from proctor.models.registry import Model
from proctor.programs import engine_at
from proctor.programs.engine import Engine, EngineLost
from proctor.results.manifest import Manifest
from proctor.results.measured_row import result_row
from proctor.results.prompts import prompt_line, saved_medium
from proctor.results.row import NotNeeded, ResultRow
from proctor.run.case import Case
from proctor.run.collected import Collected
from proctor.run.contexts import TaskContexts
from proctor.run.live_calls import LiveCalls
from proctor.run.options import Options
from proctor.run.request import RunRequest
from proctor.tasks.judge import MissingRequirement
from proctor.tasks.program import Program
from proctor.tasks.sample import case_name
from proctor.tasks.task import Task

if TYPE_CHECKING:
    from proctor.recordings.carried import Carrier


class Run(RunRequest):
    """Measures the cases of one process.

    What was asked for is that of `RunRequest`; the cases are those of ``collected``, and ``live`` asks models.

    Args:
        options: What the user asked for.
        root: The project's folder.
        description: What a report says about the run (see `describe`), if another process has made it.
        share: How many of the run's requests may be in flight from this process.
        processes: How many processes ask models in this run.
        carrier: Carries recordings to the controller, in a worker whose files it cannot see.
    """

    def __init__(
        self,
        options: Options,
        root: Path,
        *,
        share: int,
        processes: int = 1,
        description: Mapping[str, Any] | None = None,
        carrier: Carrier | None = None,
    ) -> None:
        super().__init__(options, root, description=description)
        self.collected = Collected(self, self)
        self.live = LiveCalls(self, share=share, processes=processes)
        self._contexts = TaskContexts(self, self.live.client, self._run_program, carrier)
        self._engine: Engine | None = None
        self._engine_lock = threading.Lock()
        self._rows: dict[Case, ResultRow] = {}
        self._prompts: dict[Case, bytes] = {}
        self._prompts_told: set[int] = set()
        self._missing: Mapping[tuple[str, str], str] = {}
        self._manifest: Manifest | None = None
        self._fatal: str | None = None
        self._decided: str | None = None
        self._decision: Mapping[str, Any] | None = None

    @property
    def manifest(self) -> Manifest | None:
        """What is measured, once that is settled."""
        return self._manifest

    @property
    def fatal(self) -> str | None:
        """Why the run has to end, if it has to."""
        return self._fatal

    @property
    def decided(self) -> str | None:
        """With ``--stop-when-decided``, what was decided, in words; ``None`` as long as nothing is."""
        return self._decided

    @property
    def decision(self) -> Mapping[str, Any] | None:
        """The same in numbers."""
        return self._decision

    @property
    def programs(self) -> Engine:
        """What runs the programs that help to score answers."""
        with self._engine_lock:
            if self._engine is None:
                self._engine = engine_at(self.options.programs_on)
            return self._engine

    @property
    def program_notes(self) -> Sequence[str]:
        """What the user should know of the machines that ran programs."""
        return () if self._engine is None else self._engine.notes

    def end_programs(self) -> None:
        """End the programs that run; no other is started."""
        if self._engine is not None:
            self._engine.close()

    def _run_program(self, program: Program) -> Json:
        return self.programs.run(program)

    def context(self, task: Task, model: Model) -> TaskContext:
        """What the samples of *task* are asked with, for *model*."""
        return self._contexts.of(task, model)

    def conversation(self, case: Case, *, live: bool = True) -> Conversation:
        """The conversation about a case, not yet held; see `TaskContexts.conversation`."""
        return self._contexts.conversation(case, live=live)

    def set_manifest(self, manifest: Manifest, missing: Mapping[tuple[str, str], str]) -> None:
        """Say what is going to be measured, before the first case is.

        Args:
            manifest: The selected cases.
            missing: What this machine lacks for samples, by task and sample id. They are not asked.
        """
        self._manifest, self._missing = manifest, missing

    def start_ahead(self, cases: Iterable[Case]) -> None:
        """Start asking for these cases, within the run's concurrency, before their tests wait for the answers."""
        if not self.asks_live:
            return
        cases = [case for case in cases if case not in self._rows and self._can_be_answered(case)]
        if not self.live.has_begun:
            self.live.begin(self._models_to_ask(cases), self._contexts.sync)
        for case in cases:
            self.live.start(case, partial(self._answer, case))

    def _models_to_ask(self, cases: Sequence[Case]) -> Iterable[Model]:
        """The models under test that some of the cases have yet to ask."""
        for (task, model), number in Counter((case.task, case.model) for case in cases).items():
            context = self.context(task, model)
            if model.api != BUILTIN and context.provided is None and number > len(context.cassette):
                yield model

    def _answer(self, case: Case) -> Outcome:
        if (lack := self._missing.get((case.task.name, case.sample.id))) is not None:
            return Outcome(failure=MissingRequirement(lack))
        outcome = self.conversation(case).run()
        if isinstance(outcome.failure, (NotKept, EngineLost)):
            self.live.stop()
        return outcome

    def _can_be_answered(self, case: Case) -> bool:
        provided = self.context(case.task, case.model).provided
        return provided is None or case.sample.error is not None or (case.sample.id, case.epoch) in provided.replies

    def measure(self, case: Case) -> ResultRow:
        """Get the case's answer, score it, and keep the row until the test's report takes it.

        Raises:
            NotAsked: If it is not asked, for a reason that is not its own.
            UsageError: If it cannot be asked: there is no response where all were provided.
        """
        if case in self._rows:
            return self._rows[case]
        if self._decided is not None:
            self._rows[case] = self._row(case, Outcome(failure=NotNeeded(self._decided)))
            raise NotAsked(f"not needed: {self._decided}")
        if not self._can_be_answered(case):
            provided = self.context(case.task, case.model).provided
            assert provided is not None
            file, name = provided.file, case_name(case.sample.id, case.epoch)
            raise UsageError(f"no response to {name} in {self.shown(file)}")
        if self.asks_live:
            self.start_ahead([case])
            outcome = self.live.outcome(case)
        else:
            outcome = self._answer(case)
        if isinstance(outcome.failure, Stopped):
            raise NotAsked(f"not asked: {outcome.failure}")
        if isinstance(outcome.failure, NotKept):
            self._fatal = f"{outcome.failure}. Make room, then run the same command again: it asks for what is missing"
        elif isinstance(outcome.failure, EngineLost):
            self._fatal = (
                f"{outcome.failure}. The answers are recorded: the same command runs what programs are missing"
            )
        row = self._rows[case] = self._row(case, outcome)
        return row

    def _row(self, case: Case, outcome: Outcome) -> ResultRow:
        self._keep_prompt(case, outcome)
        row = result_row(
            run_id=str(self.description["id"]),
            task=case.task,
            model=case.model,
            sample=case.sample,
            epoch=case.epoch,
            outcome=outcome,
        )
        if case.task.response_media is not None and row["response_text"]:
            with suppress(Exception):  # it meets whatever a model writes
                media = case.task.response_media(case.sample, row["response_text"])
                row["response_media"] = [saved_medium(medium, self.shown) for medium in media]
        return row

    def _keep_prompt(self, case: Case, outcome: Outcome) -> None:
        """Keep the prompt that the case began with until the test's report takes it, unless one before had it."""
        sent = outcome.sent(case.task.roles)
        known = hash((case.task.name, case.sample.id, sent and sent.messages_sha256))
        if known in self._prompts_told:
            return
        self._prompts_told.add(known)
        prompt = sent_prompt(sent) if sent else unsent_prompt(self.context(case.task, case.model), case.sample)
        if prompt is not None:
            self._prompts[case] = prompt_line(case.task.name, case.sample.id, prompt, self.shown)

    def row(self, case: Case) -> ResultRow | None:
        """The row of a case that was measured, until it is taken."""
        return self._rows.get(case)

    def take_row(self, case: Case) -> ResultRow | None:
        """The same, and let go of it."""
        return self._rows.pop(case, None)

    def take_prompt(self, case: Case) -> bytes | None:
        """The prompt that such a case began with, as a line of prompts.jsonl, and let go of it; the first time only."""
        return self._prompts.pop(case, None)

    def decide(self, decided: str) -> None:
        """Ask nothing more: what the run was to decide is decided."""
        self._decided = decided
        self.live.stop()

    def note_decision(self, decision: Mapping[str, Any]) -> None:
        """Keep what a run that stops when it is decided has seen, for its report."""
        self._decision = decision

    def close(self) -> None:
        """Stop asking, wait for what is in flight, close the connections, and let go of the recordings."""
        try:
            self.end_programs()
            self.live.finish()
        finally:
            self._contexts.sync()
        gc.freeze()  # all that the run has made would be looked through for garbage now, before it is let go
        self.live.close()
        self._contexts.clear()
