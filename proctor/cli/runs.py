"""The commands about runs that have ended: ``proctor report`` and ``proctor rescore``."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.cli.arguments import RUN_HELP

if TYPE_CHECKING:
    from proctor.postprocess.project import Project
    from proctor.postprocess.rescore import Rescored
    from proctor.results.saved_run import SavedRun

SHOWN_CASES = 5


def declare_report(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor report``."""
    parser = commands.add_parser(
        "report",
        help="rebuild a run's report, or merge several runs into one",
        description="Make report.json, report.md and report.html anew from a run's rows. Several runs (shards, "
        "retries, other models, other machines) are merged into one: all cases that any of them selected, and for each "
        "the row of the latest run that could measure it. The order of the runs does not matter.",
        epilog="Exit code: 0; 1 if a case is missing or could not be measured, or a shard is missing; 4 for bad usage, "
        "such as runs on different data.",
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help=RUN_HELP)
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="where the report goes, with the rows it is made from; default: the run's own folder, or for several runs "
        "a folder below reports/ that is named after them",
    )
    parser.add_argument(
        "--github",
        action="store_true",
        help="also write comment.md, the body of a comment on a pull request, and print annotations for GitHub",
    )
    parser.set_defaults(run=_report)


def declare_rescore(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor rescore``."""
    parser = commands.add_parser(
        "rescore",
        help="compute a run's scores once more from its rows",
        description="Score all rows of a run with today's scorers, without any call, and list what changed. The run "
        "itself stays as it is. Give the command in the project's folder; the data must be what the run was made with.",
        epilog="Exit code: 0 if nothing changed; 1 if something did, or rows could not be scored; 4 for bad usage.",
    )
    parser.add_argument("name", metavar="RUN", help=RUN_HELP)
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument(
        "--write", action="store_true", help="write rows and report with the new scores as a run of its own, beside it"
    )
    parser.set_defaults(run=_rescore)


def _report(options: argparse.Namespace) -> int:
    from proctor._base.figures import some
    from proctor.postprocess.merge import merge, missing_shards
    from proctor.postprocess.rebuild import rebuilt_report, save_run
    from proctor.report.build import missing_cases
    from proctor.report.judges import judge_lines
    from proctor.report.score_table import score_table
    from proctor.report.summary import failed_cases
    from proctor.results.saved_run import REPORTS, SavedRun
    from proctor.statistics.answerers import doubts

    runs = [SavedRun.find(name) for name in options.runs]
    merged = merge(runs)
    manifest = merged.manifest
    same = next((run for run in runs if run.id == manifest.run["id"]), None)
    folder: Path = options.output or (same.folder if same else REPORTS / str(manifest.run["id"]))
    ids = [str(part["id"]) for part in merged.parts]
    notes = [f"Merged from {len(ids)} runs: {', '.join(ids)}."] if len(ids) > 1 else []
    shards = missing_shards(merged.parts)
    if shards:
        notes.append(f"Shards that are missing: {', '.join(shards)}. What they selected is not counted here.")
    report = rebuilt_report(
        manifest,
        merged.rows,
        duration_s=merged.duration_s,
        former=same.report if same else None,
        notes=notes,
    )
    with writing(folder):
        if same is None or folder.resolve() != same.folder.resolve():
            save_run(folder, manifest, merged.rows)
        not_made = _save_with_project(SavedRun(folder, manifest), report, [run.folder for run in runs])
        _list_among_runs(folder)
        if options.github:
            _write_comment(folder, report)
    missing = missing_cases(report)
    width = shutil.get_terminal_size().columns
    for line in [
        *score_table(report, width),
        *judge_lines(report),
        *failed_cases(report),
        *doubts(report),
        *notes,
        *not_made,
    ]:
        print(line)
    if missing:
        print(f"{len(missing)} selected cases never finished: {some(missing, SHOWN_CASES)}")
    print(f"report: {folder / 'report.md'}")
    unmeasured = any(task["status"]["error"] or task["status"]["judge_failed"] for task in report["tasks"])
    return 1 if missing or unmeasured or shards else 0


def _write_comment(folder: Path, report: Mapping[str, Any]) -> None:
    """Write what GitHub is to show: the comment into its file, annotations to the output."""
    from proctor._base.files import write_whole
    from proctor.report.github import FILE_NAME, annotated, comment

    write_whole(folder / FILE_NAME, comment(report).encode())
    for line in annotated(report):
        print(line)
    print(f"comment: {folder / FILE_NAME}")


def _save_with_project(run: SavedRun, report: dict[str, Any], sources: Sequence[Path]) -> list[str]:
    """Write the reports and result files; tables and result files take the project that the run was made in.

    Args:
        run: The run, in the folder that is written to.
        report: The content of report.json.
        sources: The folders of the runs that it was made from.

    Returns:
        Which tables and result files could not be made, and why.
    """
    from proctor._base.errors import UsageError
    from proctor.postprocess.rebuild import save_reports
    from proctor.pytest_plugin.visit import visit
    from proctor.results.prompts import SavedPrompts

    try:
        return visit(lambda project: project.save_reports(run, report, sources), sources)
    except UsageError as problem:
        save_reports(run.folder, run.manifest, report, SavedPrompts(sources))
        return [f"tables and result files are left out: {problem}"]


def _rescore(options: argparse.Namespace) -> int:
    from proctor.postprocess.rescore import as_json, as_text, rescore
    from proctor.pytest_plugin.visit import visit
    from proctor.results.saved_run import SavedRun

    run = SavedRun.find(options.name)

    def work(project: Project) -> tuple[Sequence[Rescored], Path | None]:
        tasks = rescore(project, run)
        return tasks, _write_rescored(project, run, tasks) if options.write else None

    tasks, folder = visit(work, [run.folder])
    if options.json:
        print(json.dumps(as_json(run, tasks), indent=1, ensure_ascii=False))
    else:
        print("\n".join(as_text(run, tasks)))
        if folder is not None:
            print(f"report: {folder / 'report.md'}")
    return 1 if any(task.changes or task.kept for task in tasks) else 0


def _write_rescored(project: Project, run: SavedRun, tasks: Sequence[Rescored]) -> Path:
    from proctor.postprocess.rebuild import rebuilt_report, save_run
    from proctor.postprocess.rescore import rescored_run
    from proctor.results.saved_run import SavedRun

    manifest, rows, notes = rescored_run(run, tasks, project.root)
    folder = run.folder.parent / str(manifest.run["id"])
    report = rebuilt_report(manifest, rows, duration_s=run.duration_s, notes=notes)
    with writing(folder):
        save_run(folder, manifest, rows)
        project.save_reports(SavedRun(folder, manifest), report, [run.folder])
        _list_among_runs(folder)
    return folder


def _list_among_runs(folder: Path) -> None:
    """Take a run up into the page about all runs, where it lies among such."""
    from proctor.report.many.index_page import FILE_NAME, update_index
    from proctor.results.saved_run import REPORTS

    if folder.resolve().parent == REPORTS.resolve() or (folder.parent / FILE_NAME).is_file():
        update_index(folder.parent)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn what keeps a folder from being written into what the user should know."""
    from proctor._base.errors import UsageError

    try:
        yield
    except OSError as problem:
        raise UsageError(
            f"{problem.filename or folder} cannot be written: {problem.strerror}",
            remedy="Make room or make it writable, or name another folder with --output.",
        ) from None
