"""``proctor.read_runs``: runs that have ended, for notebooks and scripts."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args, overload

from proctor._base.errors import UsageError
from proctor.results.manifest import FILE_NAME, ManifestTask
from proctor.results.row import ResultRow
from proctor.results.saved_run import REPORTS, SavedRun
from proctor.statistics.aggregates import Measured, measured_cases
from proctor.statistics.tidy import (
    MetricColumns,
    ScoreColumns,
    WideColumns,
    case_rows,
    metric_rows,
    score_rows,
)

if TYPE_CHECKING:
    import pandas

TableName = Literal["metrics", "cases", "scores"]
WILDCARD = re.compile(r"[*?\[]")
Maker = Callable[[Mapping[str, Any], ManifestTask, Sequence[Measured]], Iterable[Mapping[str, Any]]]
TABLES: Mapping[TableName, tuple[Maker, Sequence[str]]] = {
    "metrics": (metric_rows, tuple(MetricColumns.__annotations__)),
    "cases": (case_rows, tuple(WideColumns.__annotations__)),
    "scores": (score_rows, tuple(ScoreColumns.__annotations__)),
}
"""For each table what makes its rows of a task, and the columns that it always has."""


class _Tables:
    """What one run, or several, can be read as."""

    _saved: Sequence[SavedRun] = ()

    def rows(self) -> Iterator[ResultRow]:
        """The lines of results.jsonl as they were written, run by run.

        Raises:
            DataError: For a line that is not a row.
        """
        for run in self._saved:
            yield from run.rows()

    def table(self, name: TableName) -> Iterator[dict[str, Any]]:
        """The rows of a table, task by task; docs/reference/fields.md says what each column holds.

        Args:
            name: ``metrics``: one metric of one case a row; ``cases``: one case a row; ``scores``: one score a row,
                with its 95 % interval.

        Raises:
            DataError: For a line of results.jsonl that is not a row.
        """
        make, _ = TABLES[name]
        for run in self._saved:
            for task, cases in zip(run.manifest.tasks, measured_cases(run.manifest, run.rows()), strict=True):
                for row in make(run.manifest.run, task, cases):
                    yield dict(row)

    def scores(self) -> list[ScoreColumns]:
        """Each score with its 95 % interval, made anew from the rows: the table ``scores``.

        Raises:
            DataError: For a line of results.jsonl that is not a row.
        """
        return cast("list[ScoreColumns]", list(self.table("scores")))

    def to_pandas(self, name: TableName = "metrics") -> pandas.DataFrame:
        """A table as a DataFrame; ``started`` and ``recorded_at`` are times.

        Args:
            name: As of `table`.

        Raises:
            UsageError: If pandas is not installed.
            DataError: For a line of results.jsonl that is not a row.
        """
        if name not in TABLES:
            raise UsageError(f"no table {name!r}", remedy=f"There are {', '.join(get_args(TableName))}.")
        if find_spec("pandas") is None:
            raise UsageError("pandas is not installed", remedy="Install it: pip install 'proctor[pandas]'")
        import pandas  # imported here: it takes half a second, and nothing else needs it

        rows = list(self.table(name))
        columns = dict.fromkeys([*TABLES[name][1], *(column for row in rows for column in row)])
        frame = pandas.DataFrame(rows, columns=list(columns))
        for column in {"started", "recorded_at"} & {*columns}:
            frame[column] = pandas.to_datetime(frame[column], utc=True, format="ISO8601")
        return frame


class ReadRun(_Tables):
    """One run.

    Args:
        saved: The run on disk.
    """

    def __init__(self, saved: SavedRun) -> None:
        self._saved = (saved,)

    @property
    def id(self) -> str:
        """The run's id."""
        return self._saved[0].id

    @property
    def folder(self) -> Path:
        """The folder that it was read from."""
        return self._saved[0].folder

    @property
    def info(self) -> Mapping[str, Any]:
        """What it was made with: start, command, commit, versions, machine, models."""
        return self._saved[0].manifest.run

    def __repr__(self) -> str:
        return f"<run {self.id}>"


class ReadRuns(_Tables, Sequence[ReadRun]):
    """Several runs, oldest first.

    Args:
        saved: The runs on disk.
    """

    def __init__(self, saved: Iterable[SavedRun]) -> None:
        self._saved = sorted(saved, key=lambda run: (run.manifest.run["started"], run.id))

    def __len__(self) -> int:
        return len(self._saved)

    @overload
    def __getitem__(self, index: int) -> ReadRun: ...
    @overload
    def __getitem__(self, index: slice) -> ReadRuns: ...
    def __getitem__(self, index: int | slice) -> ReadRun | ReadRuns:
        if isinstance(index, slice):
            return ReadRuns(self._saved[index])
        return ReadRun(self._saved[index])

    def __repr__(self) -> str:
        return f"<{len(self)} runs: {', '.join(run.id for run in self._saved)}>"


def read_runs(*names: str | Path) -> ReadRuns:
    """Read runs, each once, whatever names it: a link such as ``reports/latest`` is the run that it leads to.

    Args:
        names: Folders, ids of runs below reports/, or patterns, such as ``reports/*``, of which the folders that are
            runs are taken. All below reports/ if there is none.

    Raises:
        UsageError: If there is no such run, or none at all.
        DataError: If one cannot be read; the error names file and field.
    """
    folders: dict[Path, SavedRun] = {}
    for name in map(str, names or (REPORTS / "*",)):
        for saved in _found(name):
            folders.setdefault(saved.folder.resolve(), saved)
    return ReadRuns(folders.values())


def _found(name: str) -> Iterator[SavedRun]:
    if not WILDCARD.search(name) or Path(name).exists():
        yield SavedRun.find(name)
        return
    folders = sorted(Path(found) for found in glob.glob(name) if Path(found, FILE_NAME).is_file())  # noqa: PTH207  # may be absolute
    if not folders:
        raise UsageError(f"no run in {name}", remedy=f"A run is a folder with {FILE_NAME}; see reports/.")
    for folder in folders:
        yield SavedRun.load(folder)
