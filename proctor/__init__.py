"""Proctor: LLM benchmarks as pytest tests.

What is named here is imported when it is first used: pytest loads Proctor's plugin in every project of an environment.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proctor._base.errors import DataError, UsageError
    from proctor.media.files import type_of as media_type_of
    from proctor.media.generated import store_image
    from proctor.media.medium import Media
    from proctor.models.registry import safe_file_name
    from proctor.postprocess.read_runs import ReadRun, ReadRuns, read_runs
    from proctor.run.case import Case
    from proctor.tasks.ask import Ask
    from proctor.tasks.call import Reply
    from proctor.tasks.extensions import Artifact, ResponseFiles, Table
    from proctor.tasks.judge import Judged, JudgeFailed, Role
    from proctor.tasks.program import MachineFault, Program
    from proctor.tasks.prompt import Placeholders, Question
    from proctor.tasks.row import Row
    from proctor.tasks.sample import ROW_ID, Sample
    from proctor.tasks.score import Score
    from proctor.tasks.task import Task

__all__ = [
    "ROW_ID",
    "Artifact",
    "Ask",
    "Case",
    "DataError",
    "JudgeFailed",
    "Judged",
    "MachineFault",
    "Media",
    "Placeholders",
    "Program",
    "Question",
    "ReadRun",
    "ReadRuns",
    "Reply",
    "ResponseFiles",
    "Role",
    "Row",
    "Sample",
    "Score",
    "Table",
    "Task",
    "UsageError",
    "media_type_of",
    "read_runs",
    "safe_file_name",
    "store_image",
]

_HOMES = {
    "Artifact": "proctor.tasks.extensions:Artifact",
    "Ask": "proctor.tasks.ask:Ask",
    "Case": "proctor.run.case:Case",
    "DataError": "proctor._base.errors:DataError",
    "JudgeFailed": "proctor.tasks.judge:JudgeFailed",
    "Judged": "proctor.tasks.judge:Judged",
    "MachineFault": "proctor.tasks.program:MachineFault",
    "Media": "proctor.media.medium:Media",
    "Placeholders": "proctor.tasks.prompt:Placeholders",
    "Program": "proctor.tasks.program:Program",
    "Question": "proctor.tasks.prompt:Question",
    "ROW_ID": "proctor.tasks.sample:ROW_ID",
    "ReadRun": "proctor.postprocess.read_runs:ReadRun",
    "ReadRuns": "proctor.postprocess.read_runs:ReadRuns",
    "Reply": "proctor.tasks.call:Reply",
    "ResponseFiles": "proctor.tasks.extensions:ResponseFiles",
    "Role": "proctor.tasks.judge:Role",
    "Row": "proctor.tasks.row:Row",
    "Sample": "proctor.tasks.sample:Sample",
    "Score": "proctor.tasks.score:Score",
    "Table": "proctor.tasks.extensions:Table",
    "Task": "proctor.tasks.task:Task",
    "UsageError": "proctor._base.errors:UsageError",
    "media_type_of": "proctor.media.files:type_of",
    "read_runs": "proctor.postprocess.read_runs:read_runs",
    "safe_file_name": "proctor.models.registry:safe_file_name",
    "store_image": "proctor.media.generated:store_image",
}


def __getattr__(name: str) -> object:
    """Import a public name where it is defined."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, inside = _HOMES[name].partition(":")
    value = globals()[name] = getattr(import_module(module), inside)
    return value


def __dir__() -> list[str]:
    return __all__
