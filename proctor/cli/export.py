"""The command ``proctor export``: a run's responses, or all of it in other programs' formats."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.cli.arguments import RUN_HELP
from proctor.cli.runs import SHOWN_CASES, writing

if TYPE_CHECKING:
    from proctor.postprocess.project import Project
    from proctor.results.saved_run import SavedRun

ENTRY = "entry"
FORMATS = ("csv", "parquet", "eee", "inspect")


def declare_export(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor export``."""
    parser = commands.add_parser(
        "export",
        help="write a run's responses as files that others can score, or all of it in other programs' formats",
        description="Write <model>/<task>.jsonl with the responses of a run: in Proctor's layout (sample id and "
        "response; what --responses reads), or as the entries of the data file with the field 'response' added. Beside "
        "them go result files in benchmarks' own formats. With --format, write tables of scores and cases (csv, "
        "parquet), the files of Every Eval Ever's datastore (eee), or logs for 'inspect view' (inspect).",
        epilog="Exit code: 0; 1 if a file could not be made; 4 for bad usage.",
    )
    parser.add_argument("name", metavar="RUN", help=RUN_HELP)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--layout", choices=("proctor", ENTRY), default="proctor", help="of responses; default: proctor")
    what.add_argument("--format", choices=FORMATS, help="all of the run in this format, instead of its responses")
    parser.add_argument(
        "--wide", action="store_true", help="in tables one case a row, with its texts, instead of one metric of a case"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="default: responses/ in the run's folder; with --format, a folder of the format's name there",
    )
    parser.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    from proctor._base.errors import UsageError
    from proctor.results.saved_run import SavedRun

    if options.wide and options.format not in ("csv", "parquet"):
        raise UsageError("--wide is about tables", remedy="Give --format csv or --format parquet with it.")
    run = SavedRun.find(options.name)
    folder: Path = options.output or run.folder / (options.format or "responses")
    if options.format is None:
        return _export_responses(run, folder, entries=options.layout == ENTRY)
    with writing(folder):
        for line in _converted(run, folder, options.format, wide=options.wide):
            print(line)
    return 0


def _converted(run: SavedRun, folder: Path, name: str, *, wide: bool) -> Sequence[str]:
    """Write the run in another format, and say what was written."""
    if name == "inspect":
        from proctor.postprocess.export_inspect import export_inspect

        return [f"{file}: {count} samples" for file, count in export_inspect(run, folder)]
    if name == "eee":
        from proctor.postprocess.export_eee import export_eee

        files, notes = export_eee(run, folder)
        return [
            *(f"{file}: {count} {'scores' if file.suffix == '.json' else 'cases'}" for file, count in files),
            *notes,
        ]
    from proctor.postprocess.export_tables import export_tables

    return [f"{file}: {count} rows" for file, count in export_tables(run, folder, name, wide=wide)]


def _export_responses(run: SavedRun, folder: Path, *, entries: bool) -> int:
    from proctor._base.errors import UsageError
    from proctor._base.figures import some
    from proctor.postprocess.export import Exported, export_entries, export_responses
    from proctor.pytest_plugin.visit import visit

    def with_project(project: Project) -> list[Exported | Path | str]:
        written: list[Exported | Path | str] = [*(export_entries(project, run, folder) if entries else [])]
        return [*written, *project.save_artifacts(run, folder)]

    with writing(folder):
        exported: list[Exported | Path | str] = [*([] if entries else export_responses(run, folder))]
        if entries:
            exported += visit(with_project, [run.folder])
        elif any(task.has_artifact for task in run.manifest.tasks):
            try:
                exported += visit(with_project, [run.folder])
            except UsageError as problem:  # the responses are written all the same
                exported.append(f"files in benchmarks' own formats are left out: {problem}")
    for one in exported:
        if not isinstance(one, Exported):
            print(one)
        else:
            without = f"; no response of {some(one.without, SHOWN_CASES)}" if one.without else ""
            print(f"{one.file}: {one.cases} responses{without}")
    return 1 if any(isinstance(one, str) for one in exported) else 0
