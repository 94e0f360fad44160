"""Everything a conversation needs beside its sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from proctor._base.json_values import Json
from proctor.media.generated import FOLDER as MADE
from proctor.recordings.cassette import Cassette
from proctor.recordings.record_mode import RecordMode
from proctor.tasks.prompt import Template

if TYPE_CHECKING:
    from proctor.conversations.responses import Responses
    from proctor.live.endpoint_client import EndpointClient
    from proctor.models.registry import Model
    from proctor.recordings.computed import Computed
    from proctor.tasks.program import Program
    from proctor.tasks.task import Task


@dataclass(frozen=True)
class TaskContext:
    """Everything a conversation needs beside its sample; the same for all samples of one task and model.

    Args:
        task: The task.
        model: The model under test.
        role_models: The models in the task's other roles, by role.
        templates: The task's prompt templates by name.
        cassette: The recordings.
        computed: What is remembered of one kind of computation.
        mode: What may be asked live.
        overrides: Sampling parameters from the command line, for the model under test.
        client: Makes live calls; called only if a call has to be made.
        run_program: Runs a program, wherever that is.
        record_command: The command that records what is missing, in a record mode.
        keep_recordings: False to ask live without recording and without replaying.
        provided: The answers, where they were made elsewhere.
        images: The folder of the images that models make.
        system: The system prompt of the model under test, if the command line says so; see `call_of`.
        image_made: Told of each that is made, by the name of its file and its content.
    """

    task: Task
    model: Model
    role_models: Mapping[str, Model]
    templates: Mapping[str, Template]
    cassette: Cassette
    computed: Callable[[str], Computed]
    mode: RecordMode
    overrides: Mapping[str, Json]
    client: Callable[[Model], EndpointClient]
    run_program: Callable[[Program], Json]
    record_command: Callable[[RecordMode], str]
    keep_recordings: bool = True
    provided: Responses | None = None
    images: Path = Path(MADE)
    system: str | None = None
    image_made: Callable[[str, bytes], None] | None = None
