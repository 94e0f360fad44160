"""``proctor check-data``: everything that is odd or unusable in the data of some tasks, at once."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from proctor._base.errors import UsageError
from proctor.tasks.names import BENCHMARK_NAME, TASK_NAME

if TYPE_CHECKING:
    from proctor.postprocess.project import Project
    from proctor.tasks.task import Task

NAMES = re.compile(rf"{BENCHMARK_NAME}(/{TASK_NAME})?")


def declare_check_data(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor check-data``."""
    parser = commands.add_parser(
        "check-data",
        help="list what is odd or unusable in data files",
        description="Read the data of a benchmark, or of one task, as a run would, and list every row that is odd (a "
        "run asks and scores it, and counts it) or unusable (a run counts each of its cases as an error), by file, "
        "line and field. Nothing is asked.",
        epilog="Exit code: 0; 1 if anything is odd or unusable; 4 for bad usage, such as a file that is not there.",
    )
    parser.add_argument("name", metavar="BENCH[/TASK]", help="such as tsg, or tsg/sgqa")
    parser.add_argument(
        "--dataset",
        action="append",
        default=[],
        metavar="BENCH/TASK=PATH",
        help="check this file for that task; repeatable",
    )
    parser.add_argument("--official", action="store_true", help="check the published data that was pulled")
    parser.set_defaults(run=_check_data)


def _check_data(options: argparse.Namespace) -> int:
    from proctor.pytest_plugin.visit import visit

    if not NAMES.fullmatch(options.name):
        raise UsageError(f"check-data takes BENCH or BENCH/TASK, not {options.name!r}", remedy="Example: tsg/sgqa")
    words = [word for text in options.dataset for word in ("--dataset", text)]
    words += ["--official"] if options.official else []
    checked = visit(lambda project: _checked(project, options.name), options=words)
    for line in checked.lines:
        print(line)
    if checked.unreadable:
        raise UsageError("\nERROR: ".join(checked.unreadable))
    return 1 if checked.found else 0


@dataclass
class _Checked:
    """What there is to tell.

    Args:
        lines: About each task.
        found: Whether anything is odd or unusable.
        unreadable: The data that cannot be read at all.
    """

    lines: list[str] = field(default_factory=list)
    found: bool = False
    unreadable: list[str] = field(default_factory=list)


def _checked(project: Project, name: str) -> _Checked:
    """Look at the data of the tasks of that name.

    Raises:
        UsageError: If there is no such task, or the options name data that there is not.
    """
    from proctor.run.option_checks import check_datasets, tasks_not_pulled

    run = project.run
    benchmark, _, short_name = name.partition("/")
    found = project.tasks_of(benchmark)
    wanted = [task for task in found if short_name in ("", task.short_name)]
    if not wanted:
        known = ", ".join(task.name for task in found)
        raise UsageError(
            f"there is no task {name}",
            remedy=f"Known: {known}." if known else "A benchmark is a folder of test modules below benchmarks/.",
        )
    not_pulled = {task.name: problem for task in wanted if (problem := run.data.not_pulled(task))}
    check_datasets(run.options, [task.name for task in wanted], not_pulled)
    checked = _Checked(tasks_not_pulled(not_pulled))
    for task in wanted:
        if task.name not in not_pulled:
            try:
                _look(project, task, checked)
            except UsageError as problem:
                checked.unreadable.append(str(problem))
    return checked


def _look(project: Project, task: Task, checked: _Checked) -> None:
    samples, findings = project.run.data.checked(task)
    odd, unusable = (len({(one.file, one.line) for one in some}) for some in (findings.odd, findings.unusable))
    file = project.run.shown(project.run.data.data_file(task))
    counts = f"rows: {findings.rows}, odd: {odd}, unusable: {unusable}; samples: {len(samples)}"
    checked.lines += [f"{task.name}: {file}: {counts}", *(f"  {one}" for one in findings.all())]
    checked.found |= bool(findings)
