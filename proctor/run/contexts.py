"""What a run asks its samples with: each task and model's templates, recordings and models, found once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from proctor._base.errors import DataError
from proctor._base.json_values import Json
from proctor.conversations.answerer import Answerer
from proctor.conversations.builtin import Builtin, check_builtin
from proctor.conversations.context import TaskContext
from proctor.conversations.conversation import Conversation
from proctor.conversations.live import Live
from proctor.conversations.rehearsal import Rehearsal, nobody_live
from proctor.conversations.replay import Replay
from proctor.media.generated import FOLDER as MADE
from proctor.models.builtin import API as BUILTIN
from proctor.models.builtin import stand_in
from proctor.models.registry import Model
from proctor.recordings.cassette import Cassette
from proctor.recordings.computed import FOLDER as COMPUTED
from proctor.recordings.computed import Computed
from proctor.run.case import Case
from proctor.run.request import RunRequest
from proctor.tasks.task import Task

if TYPE_CHECKING:
    from proctor.conversations.responses import Responses
    from proctor.live.endpoint_client import EndpointClient
    from proctor.recordings.carried import Carrier
    from proctor.tasks.program import Program


class TaskContexts:
    """Makes what the samples of each task and model are asked with.

    Args:
        request: What was asked for.
        client: Gives the way to a model; called only if a call has to be made.
        run_program: Runs a program, wherever that is.
        carrier: Carries recordings to the controller, in a worker whose files it cannot see.
    """

    def __init__(
        self,
        request: RunRequest,
        client: Callable[[Model], EndpointClient],
        run_program: Callable[[Program], Json],
        carrier: Carrier | None = None,
    ) -> None:
        self._request = request
        self._client = client
        self._run_program = run_program
        self._carrier = carrier
        self._contexts: dict[tuple[str, str], TaskContext] = {}
        self._computed: dict[Path, Computed] = {}
        self._computed_lock = threading.Lock()

    def of(self, task: Task, model: Model) -> TaskContext:
        """What the samples of *task* are asked with, for *model*; made once.

        Raises:
            UsageError: For a template, parameter or recording that cannot be used.
        """
        name = (task.name, model.name)
        if name not in self._contexts:
            self._contexts[name] = self._made(task, model)
        return self._contexts[name]

    def conversation(self, case: Case, *, live: bool = True) -> Conversation:
        """The conversation about a case, not yet held.

        Args:
            case: The case.
            live: False to raise `NeedsLive` instead of asking live.
        """
        context = self.of(case.task, case.model)
        answerer: Answerer
        if case.model.api == BUILTIN:
            answerer = Builtin(context)
        else:
            answerer = Replay(context, Live(context).ask if live else nobody_live(context))
        if context.provided is not None:
            from proctor.conversations.provided import Provided

            answerer = Provided(context.provided, case.model, answerer)
        return Conversation(context, case.sample, case.epoch, answerer if live else Rehearsal(answerer))

    def sync(self) -> None:
        """Wait until all recordings are on the disk itself, where a loss of power leaves them."""
        for context in list(self._contexts.values()):
            context.cassette.sync()
        for computed in list(self._computed.values()):
            computed.sync()

    def clear(self) -> None:
        """Let go of the recordings: where 100,000 of them stand takes 60 MB."""
        self._contexts.clear()

    def _made(self, task: Task, model: Model) -> TaskContext:
        request, options = self._request, self._request.options
        cassette, provided = self._cassette(task, model), self._provided(task, model)
        if model.api == BUILTIN:
            check_builtin(task, model)
        elif options.responses is None:
            model.call([], task.parameters, options.parameters)  # says which parameter the model does not take
        if model.api == BUILTIN:
            role_models: Mapping[str, Model] = dict.fromkeys(task.roles, stand_in())
        else:
            # What ships was answered by models that need no key, or is provided; who judged that goes on judging it.
            role_models = request.role_models(task, cassette.models if provided or model.key_env is None else {})
        return TaskContext(
            task=task,
            model=model,
            role_models=role_models,
            templates=request.data.templates(task),
            cassette=cassette,
            computed=partial(self._computed_of, task),
            mode=options.record_mode,
            overrides=options.parameters,
            client=self._client,
            run_program=self._run_program,
            record_command=partial(request.record_command, model),
            keep_recordings=options.keep_recordings,
            provided=provided,
            images=self._images(task),
            system=options.system,
            image_made=None if self._carrier is None else partial(self._carrier.send, "picture", task.name),
        )

    def _provided(self, task: Task, model: Model) -> Responses | None:
        folder, data = self._request.options.responses, self._request.data
        if folder is None:
            return None
        if data.entry_files(task, model):
            return data.entry_responses(task, model)
        from proctor.conversations.responses import file_of, read_responses

        return read_responses(file_of(folder, model, task), task, data.samples(task, model))

    def _images(self, task: Task) -> Path:
        """Where images go that models make: beside the recordings that name them, or, without any, to the report."""
        options = self._request.options
        return (options.cassettes_dir / task.name if options.keep_recordings else self._request.folder) / MADE

    def _cassette(self, task: Task, model: Model) -> Cassette:
        options = self._request.options
        file = options.cassettes_dir / task.name / f"{model.file_name}.jsonl"
        detector = None if model.api == BUILTIN else self._request.detector()
        try:
            if self._carrier is not None and model.api != BUILTIN:
                from proctor.recordings.carried import CarriedCassette

                return CarriedCassette(file, f"{task.name}/{file.name}", self._carrier, detector=detector)
            return Cassette(file, repair=options.record_mode.records, detector=detector)
        except OSError as problem:
            raise DataError(f"recordings cannot be read: {problem.strerror}", file=file) from None

    def _computed_of(self, task: Task, kind: str) -> Computed:
        options = self._request.options
        file, mode = options.cassettes_dir / task.name / COMPUTED / f"{kind}.jsonl", options.record_mode
        with self._computed_lock:
            if file not in self._computed:
                keep = options.keep_recordings and mode.records
                name = f"{task.name}/{COMPUTED}/{file.name}"
                kept = None if self._carrier is None else partial(self._carrier.send, "computed", name)
                self._computed[file] = Computed(file, keep=keep, renew=not mode.replays, kept=kept)
            return self._computed[file]
