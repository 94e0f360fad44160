"""What one benchmark needs and others do not: files in its own formats, tables of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from proctor._base.json_values import Json
from proctor.tasks.row import Row

ADDED = ("response", "finish_reason", "usage")
"""What a line of a file of responses adds to the row of data that it answers."""


ArtifactRow = Mapping[str, Any]
"""A result row with the sample's ``fields``; see `proctor.report.artifacts`."""


@dataclass(frozen=True)
class Artifact:
    """Files in the format of a benchmark's own tools, written into the report folder.

    Args:
        files: ``(start of the run, result rows by the model's name) -> contents by path``. A row says what was asked
            and what came of it, and has the sample's ``fields`` too; how it was run is left out. A path is relative,
            with slashes; a content is JSON, for a path that ends in ``.jsonl`` a list of it, or a file to be copied.
        on_request: Whether the files are written by ``proctor export`` alone, and not by every run.
    """

    files: Callable[[datetime, Mapping[str, Sequence[ArtifactRow]]], Mapping[str, Json | Path]]
    on_request: bool = False


@dataclass(frozen=True)
class ResponseFiles:
    """A benchmark's own files of responses, whose entries are whole rows of data with the response in them.

    A model's files are ``<folder>/<task>/<model>/<model>_<suffix>.jsonl``, or without the folder of the task, where the
    folder itself has the task's name or the first entry is recognised.

    Args:
        suffixes: What tells a model's files apart; one that does not exist holds nothing.
        fields: The fields of an entry that hold the response.
        response: Reads the response text out of an entry. It raises what `proctor.tasks.row.Row.error` gives.
        recognises: Whether an entry is of this task, where no folder of a task's name says so. The row tells the
            file that it stands in.
        end: Reads why the response ended out of an entry, in the words of whoever wrote it; ``None`` if it is not told.
        tasks: The short names of the benchmark's tasks with such files. A folder that is called so holds that task's
            files, whatever their first entries look like.
    """

    suffixes: Sequence[str]
    fields: Sequence[str]
    response: Callable[[Row], str]
    recognises: Callable[[Row], bool]
    end: Callable[[Row], object] = lambda row: row.data.get("finish_reason")
    tasks: Sequence[str] = ()


@dataclass(frozen=True)
class Table:
    """A table in the report's section of a task.

    Args:
        title: What it shows.
        columns: The heads of its columns.
        rows: Its cells; a number with a fraction is shown as scores are, ``None`` as a dash.
        note: What a reader should know about it; empty if nothing.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float | None]]
    note: str = ""
