"""``proctor rescore``: a run's scores, computed once more from its rows with today's scorers, without any call."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proctor._base.errors import printable
from proctor._base.json_values import encoded
from proctor.postprocess.project import Project
from proctor.results.identity import CaseKey, TaskModel
from proctor.results.manifest import Manifest, ManifestTask
from proctor.results.measured_row import scored_fields
from proctor.results.row import NOT_MEASURED, ResultRow, correctness
from proctor.results.run_info import describe
from proctor.results.saved_run import SavedRun
from proctor.run.data import Unavailable
from proctor.run.scorer_code import scorer_sha256
from proctor.tasks.metrics import Headline
from proctor.tasks.sample import Sample, case_name
from proctor.tasks.task import Task

COMPARED = ("status", "verdict", "scores", "diagnostics", "prediction", "target")
"""What of a row may change when it is scored again."""


@dataclass(frozen=True)
class Change:
    """A case whose row is another one today.

    Args:
        sample_id: The sample.
        epoch: The repetition.
        before: `COMPARED` of the row as it was.
        after: The same as it is.
    """

    sample_id: str
    epoch: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What the case is called."""
        return case_name(self.sample_id, self.epoch)


@dataclass(frozen=True)
class Rescored:
    """One task and model, scored again.

    Args:
        selected: The task and model; with the metrics that the task has today, if it could be scored.
        rows: The rows by sample and epoch, as they are today. A row that cannot be scored stays as it was.
        changes: The cases that changed.
        kept: For each reason why rows could not be scored again, the names of their cases.
    """

    selected: ManifestTask
    rows: Mapping[CaseKey, ResultRow]
    changes: Sequence[Change]
    kept: Mapping[str, Sequence[str]]

    @property
    def name(self) -> str:
        """``benchmark/task``."""
        return self.selected.name


def rescore(project: Project, run: SavedRun) -> list[Rescored]:
    """Score a run's rows again.

    Args:
        project: The project, whose scorers and data are used.
        run: The run; nothing of it is written to.

    Raises:
        DataError: If a row cannot be read.
    """
    rows: defaultdict[TaskModel, dict[CaseKey, ResultRow]] = defaultdict(dict)
    for row in run.rows():  # a case with two rows counts with the last
        rows[TaskModel.of(row)][CaseKey.of(row)] = row
    return [_rescored(project, task, rows[task.identity]) for task in run.manifest.tasks]


def _rescored(project: Project, selected: ManifestTask, rows: Mapping[CaseKey, ResultRow]) -> Rescored:
    try:
        task = project.task(selected)
        samples = {sample.id: sample for sample in project.samples(selected, task)}
    except Unavailable as problem:
        names = [case_name(*case_key) for case_key in rows]
        return Rescored(selected, rows, (), {str(problem): names} if names else {})
    scored: dict[CaseKey, ResultRow] = {}
    changes: list[Change] = []
    gone: list[str] = []
    for case_key, row in rows.items():
        sample = samples.get(row["sample_id"])
        if sample is None:
            scored[case_key] = row
            gone.append(case_name(*case_key))
            continue
        scored[case_key] = _scored_again(task, sample, row)
        before = _compared(row, selected)
        after = _compared(scored[case_key], task)
        if before != after:
            changes.append(Change(*case_key, before, after))
    reason = f"{selected.data_file} gives no sample of that id any more"
    return Rescored(
        selected=replace(selected, metrics=dict(task.metrics), best=dict(task.best), scorer_sha256=scorer_sha256(task)),
        rows=scored,
        changes=changes,
        kept={reason: gone} if gone else {},
    )


def _scored_again(task: Task, sample: Sample, row: ResultRow) -> ResultRow:
    evidence = row.get("evidence")
    if row["response_text"] is None or (row["status"] in NOT_MEASURED and task.judged and evidence is None):
        # There is nothing to score, and what was wrong is still wrong.
        scored = scored_fields(task, sample, response=None, finish_reason=None)
        scored |= {"status": row["status"], "error": row["error"]}
    else:
        scored = scored_fields(
            task,
            sample,
            response=row["response_text"],
            seen=row.get("seen_text"),
            finish_reason=row["finish_reason"],
            evidence=evidence,
        )
    # As it comes back from a file, to be compared with what came from one.
    fields: ResultRow = json.loads(encoded({**scored, "target": sample.target}))
    return {**row, **fields}


def _compared(row: ResultRow, task: Headline) -> dict[str, Any]:
    fields: dict[str, Any] = {**row, "verdict": correctness(row, task)}
    return {name: fields[name] for name in COMPARED}


def rescored_run(run: SavedRun, tasks: Sequence[Rescored], root: Path) -> tuple[Manifest, list[ResultRow], list[str]]:
    """A run that holds the new scores of another one.

    Args:
        run: The run that was scored again.
        tasks: Its tasks, scored again.
        root: The project's folder.

    Returns:
        Its selection, its rows, and what a reader of its report should know.
    """
    now = describe((), root)
    again = {"from": run.id, **{name: now[name] for name in ("started", "git_commit", "versions")}}
    description = {name: value for name, value in run.manifest.run.items() if name != "merged"}
    description |= {"id": now["id"], "rescored": again}
    rows = [
        ResultRow(**{**task.rows[case_key], "run_id": now["id"]})
        for task in tasks
        for case in task.selected.cases
        if (case_key := case.key) in task.rows
    ]
    notes = [f"Scored again from {run.id} on {now['started']}."]
    notes += [
        f"{len(names)} cases of {task.name}, {task.selected.model}, keep their former scores: {reason}."
        for task in tasks
        for reason, names in task.kept.items()
    ]
    return Manifest(description, tuple(task.selected for task in tasks)), rows, notes


def as_json(run: SavedRun, tasks: Sequence[Rescored]) -> dict[str, Any]:
    """The outcome for programs.

    Args:
        run: The run whose answers were scored again.
        tasks: What came of it, for each task and model.
    """
    return {
        "schema_version": 1,
        "run": run.id,
        "tasks": [
            {
                "benchmark": task.selected.benchmark,
                "task": task.selected.task,
                "model": task.selected.model,
                "rows": len(task.rows),
                "changed": [
                    {
                        "sample_id": change.sample_id,
                        "epoch": change.epoch,
                        "before": change.before,
                        "after": change.after,
                    }
                    for change in task.changes
                ],
                "kept": [{"reason": reason, "cases": list(names)} for reason, names in task.kept.items()],
            }
            for task in tasks
        ],
    }


def as_text(run: SavedRun, tasks: Sequence[Rescored]) -> Iterator[str]:
    """The outcome as lines of text: counts per task and model, then every case that changed.

    Args:
        run: The run whose answers were scored again.
        tasks: What came of it, for each task and model.
    """
    yield f"{run.id}, scored again:"
    for task in tasks:
        kept = sum(len(names) for names in task.kept.values())
        of_them = f"{len(task.changes)} changed" + (f", {kept} not scored again" if kept else "")
        yield f"  {task.name} {task.selected.model}: {len(task.rows)} rows, {of_them}"
    for task in tasks:
        for change in task.changes:
            told = "; ".join(_differences(change.before, change.after))
            yield f"{task.name}[{task.selected.model}-{printable(change.name)}]: {told}"
    for task in tasks:
        for reason, names in task.kept.items():
            shown = ", ".join(printable(name) for name in names)
            yield f"not scored again, {task.name} {task.selected.model}: {reason}: {shown}"


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in ("verdict", "status"):
        if before[name] != after[name]:
            yield f"{name} {before[name]} -> {after[name]}"
    old, new = _numbers(before), _numbers(after)
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield f"{name} {_told(old.get(name))} -> {_told(new.get(name))}"
    for name in ("prediction", "target"):
        if before[name] != after[name]:
            yield f"{name} {_told(before[name])} -> {_told(after[name])}"


def _numbers(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Scores by family and metric, and diagnostics, in one mapping."""
    numbers: dict[str, Any] = dict(fields["diagnostics"])
    for family, scores in fields["scores"].items():
        numbers |= {f"{family} {name}": value for name, value in scores.items()}
    return numbers


def _told(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
