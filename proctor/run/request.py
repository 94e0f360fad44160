"""What a run was asked for: its options, and the models, data and gate that they name."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.models.endpoint import keys_in_environment
from proctor.models.registry import Model, Registry
from proctor.models.roles import role_model
from proctor.recordings.leak_detector import Detector
from proctor.recordings.record_mode import RecordMode
from proctor.results.run_info import describe
from proctor.run.data import DataSets
from proctor.run.model_selection import models_to_measure
from proctor.run.options import DEFAULT_MODELS_FILE, Options
from proctor.tasks.task import Task

if TYPE_CHECKING:
    from proctor.gates.gate import Gate


class RunRequest:
    """What was asked for. Nothing in it changes while the run goes on; what is read from files is read once.

    Args:
        options: What the user asked for.
        root: The project's folder.
        description: What a report says about the run (see `describe`), if another process has made it.
    """

    def __init__(self, options: Options, root: Path, *, description: Mapping[str, Any] | None = None) -> None:
        self.options = options
        self.root = root
        self.data = DataSets(options, root)
        self._description = description

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

    @cached_property
    def gate(self) -> Gate | None:
        """What the run must reach, if ``--gate`` or ``--baseline`` says so.

        Raises:
            UsageError: If what they name cannot be used.
        """
        options = self.options
        if options.gate_file is None and options.baseline is None:
            return None
        from proctor.gates.gate import Gate

        return Gate.read(options.gate_file, options.baseline, options.reports_dir, options.margin)

    @property
    def asks_live(self) -> bool:
        """Whether any case of this run may call a model."""
        return self.options.record_mode.records or not self.options.keep_recordings

    def role_models(self, task: Task, recorded: Mapping[str, str]) -> Mapping[str, Model]:
        """The models in a task's other roles, by role; see `proctor.models.roles.role_model`."""
        options = self.options
        return {
            name: role_model(
                task.name, name, role, self.registry, options.roles, os.environ, recorded=recorded.get(name)
            )
            for name, role in task.roles.items()
        }

    def record_command(self, model: Model, mode: RecordMode) -> str:
        """The command that records what is missing: this one, with the record mode and the model named.

        Args:
            model: Whom the calls ask.
            mode: ``once`` for what has no recording; ``new_episodes`` asks anew for what has changed since, too.
        """
        words = list(self.options.command)
        if "--record-mode" in words:
            position = words.index("--record-mode")
            del words[position : position + 2]
        words = [word for word in words if not word.startswith("--record-mode=")]
        named = any(word == "--model" or word.startswith("--model=") for word in words)
        more = ["--record-mode", mode.value, *([] if named else ["--model", model.name])]
        command = shlex.join(["pytest", *words, *more])
        key = model.missing_key()
        return f"{command}  (needs {key})" if key else command

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The API keys in the environment, by variable; none may reach a recording."""
        return keys_in_environment((*self.registry.models, *self.models))

    def detector(self) -> Detector:
        """Finds the secrets of this process's environment, none of which may reach a recording."""
        return Detector(self.keys)

    def shown(self, file: Path) -> str:
        """A path relative to the project where it lies inside, so that a report names no home folder needlessly."""
        return os.path.relpath(file, self.root)
