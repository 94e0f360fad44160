"""The project's own code and data, for commands that look at a run after it has ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from proctor.official.catalogue import BENCHMARKS
from proctor.postprocess.rebuild import save_reports
from proctor.report.artifacts import ARTIFACT_FIELDS, TaskRows, rows_by_task
from proctor.report.published import add_published
from proctor.report.tables import add_tables
from proctor.report.write import save_artifacts
from proctor.results.manifest import ManifestTask
from proctor.results.prompts import SavedPrompts
from proctor.run.data import Unavailable
from proctor.run.run import Run
from proctor.tasks.row import Row, read_rows
from proctor.tasks.sample import Sample
from proctor.tasks.task import Task

if TYPE_CHECKING:
    from proctor.results.saved_run import SavedRun

T = TypeVar("T")


class Tasks(Protocol):
    """Finds the tasks of a project."""

    def find(self, name: str, /) -> Task:
        """The task that is called ``benchmark/task``; raises `LookupError` if there is none."""

    def of_benchmark(self, benchmark: str, /) -> list[Task]:
        """The tasks of a benchmark."""


class Project:
    """The project in whose folder a command is given, as pytest sees it.

    Args:
        run: A run in the project, of which nothing is measured.
        tasks: The project's tasks.
        runs: The folders of the runs that are looked at. They may come from anywhere, and are data.
    """

    def __init__(self, run: Run, tasks: Tasks, runs: Sequence[Path]) -> None:
        self.run = run
        self.root = run.root
        self._tasks = tasks
        reports = run.options.reports_dir
        self._runs_are_ours = all(run.resolve().is_relative_to(reports.resolve()) for run in runs)

    def task(self, selected: ManifestTask) -> Task:
        """The task of that name, as the project defines it today.

        Raises:
            Unavailable: If it does not.
        """
        try:
            return self._tasks.find(selected.name)
        except LookupError as problem:
            raise Unavailable(str(problem)) from None

    def tasks_of(self, benchmark: str) -> list[Task]:
        """The tasks of a benchmark, as the project defines them today."""
        return self._tasks.of_benchmark(benchmark)

    def samples(self, selected: ManifestTask, task: Task) -> Sequence[Sample]:
        """The samples of what a task was run on, all of them, in the order of its files.

        Raises:
            Unavailable: If that is not there, has changed since, or is not what the task reads today.
        """
        self._check_files(selected)
        return self.run.data.samples_of_run(selected, task)

    def rows(self, selected: ManifestTask, task: Task) -> Iterator[Row]:
        """The rows of data that a task was run on, in the order of their files, without responses in them.

        Raises:
            Unavailable: As `samples`.
        """
        self.samples(selected, task)
        for file in selected.entry_files or (selected.data_file,):
            for row in read_rows(self.root / file):
                yield row.without(*task.response_fields)

    def prompts(self, runs: Sequence[Path]) -> SavedPrompts:
        """Gives the prompts that saved runs have kept."""
        return SavedPrompts(runs, self.root, anywhere=self._runs_are_ours)

    def save_reports(self, run: SavedRun, report: dict[str, Any], sources: Sequence[Path]) -> list[str]:
        """Write a saved run's reports, and the files that its tasks make.

        Args:
            run: The run, in the folder that is written to.
            report: The content of report.json; takes up what tasks say in tables of their own, and published figures.
            sources: The folders of the runs that it was made from.

        Returns:
            Which tables and files could not be made, and why.

        Raises:
            OSError: If they cannot be written.
        """
        by_task = self._rows_by_task(run)
        notes = add_tables(report, by_task)
        add_published(report, run.manifest, self.root)
        save_reports(run.folder, run.manifest, report, self.prompts(sources), self.run.shown)
        made = save_artifacts(run.folder, by_task, started=run.manifest.run["started"])
        return notes + [one for one in made if isinstance(one, str)]

    def save_artifacts(self, run: SavedRun, folder: Path) -> Iterator[Path | str]:
        """Write all files that a saved run's tasks make; see `proctor.report.write.save_artifacts`."""
        return save_artifacts(folder, self._rows_by_task(run), started=run.manifest.run["started"], on_request=True)

    def _rows_by_task(self, run: SavedRun) -> list[TaskRows]:
        return rows_by_task(run.manifest, run.rows(only=ARTIFACT_FIELDS), self.task, self.samples)

    def _check_files(self, selected: ManifestTask) -> None:
        """Raise unless a run from elsewhere names files of this project alone.

        A run in the project's own folder of reports may have been given others, with ``--dataset`` or ``--responses``.
        """
        for name in () if self._runs_are_ours else (selected.data_file, *selected.entry_files):
            if not (self.root / name).resolve().is_relative_to(self.root.resolve()):
                raise Unavailable(
                    f"{name} lies outside of this project, {self.root}, and the run that names it outside of "
                    f"{self.run.options.reports_dir.name}/"
                )


def brought_along(runs: Sequence[Path], root: Path) -> Iterator[Path]:
    """The folders that came with runs: theirs, and those around them up to where the project's own begin."""
    for run in runs:
        yield run
        around = run.resolve().parent
        if around not in (root, root / BENCHMARKS) and not root.is_relative_to(around):
            yield around
