"""Several runs made into one: shards, retries of what failed, and runs of other models or machines.

The outcome depends on the set of runs alone: not on their order, and not on whether some of them were merged before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from proctor._base.errors import UsageError, excerpt
from proctor._base.json_values import encoded
from proctor.results.identity import CaseKey, TaskModel
from proctor.results.manifest import Manifest, ManifestCase, ManifestTask, in_order
from proctor.results.row import NOT_MEASURED, NOT_NEEDED, ResultRow
from proctor.results.saved_run import SavedRun

SHOWN_SHARDS = 100
SAME_FOR_A_TASK = ("prompt_sha256", "metrics")
SAME_FOR_ITS_DATA = ("data_sha256",)
SAME_FOR_A_MODEL = ("model_api_id", "role_models", "responses_sha256", *SAME_FOR_ITS_DATA)
SAME_FOR_A_CASE = ("sample_index", "cluster", "tags", "metrics")
"""What runs must agree on, or one report could not speak of all of them."""


@dataclass(frozen=True)
class Merged:
    """What came of merging.

    Args:
        manifest: The union of what the runs selected.
        rows: One row for each case that any of them finished, in the order of the selection.
        parts: What is known of each run, the oldest first.
    """

    manifest: Manifest
    rows: Sequence[ResultRow]
    parts: Sequence[Mapping[str, Any]]

    @property
    def duration_s(self) -> float | None:
        """How many seconds the runs took together, if all of them tell."""
        durations = [part.get("duration_s") for part in self.parts]
        known = [seconds for seconds in durations if seconds is not None]
        return round(sum(known), 3) if len(known) == len(durations) else None


def merge(runs: Sequence[SavedRun]) -> Merged:
    """Merge runs, some of which may be merged ones or copies of one another.

    Of several rows of a case, one that says something about the model counts before one that does not (``error``,
    ``judge_failed``), and then that of the latest run.

    Args:
        runs: At least one run.

    Raises:
        UsageError: If two runs disagree on the data, prompts, metrics, models or cases of a task.
        DataError: If a row cannot be read.
    """
    parts: dict[str, Mapping[str, Any]] = {}
    for run in runs:
        for part in _parts(run):
            parts.setdefault(str(part["id"]), part)
    ordered = sorted(parts.values(), key=_age)
    latest_last = sorted(runs, key=lambda run: max(map(_age, _parts(run))))
    tasks = _merged_tasks(latest_last, [model for part in ordered for model in part["models"]])
    return Merged(
        Manifest(_merged_description(ordered, tasks), tasks),
        _merged_rows(latest_last, tasks, {str(part["id"]): number for number, part in enumerate(ordered)}),
        ordered,
    )


def missing_shards(parts: Iterable[Mapping[str, Any]]) -> list[str]:
    """The shards, as ``3/8``, that do not exist among these runs, though others of the same number of shards do.

    Of a large number of shards the first that are missing, and how many more.
    """
    there: dict[int, set[int]] = {}
    for part in parts:
        if isinstance(part.get("shard"), str):
            number, _, count = part["shard"].partition("/")
            there.setdefault(int(count), set()).add(int(number))
    missing: list[str] = []
    for count, numbers in sorted(there.items()):
        of_these = (f"{number}/{count}" for number in range(1, count + 1) if number not in numbers)
        missing += islice(of_these, SHOWN_SHARDS)
        more = count - len(numbers) - SHOWN_SHARDS
        missing += [f"{more} more of {count}"] if more > 0 else []
    return missing


def _parts(run: SavedRun) -> list[Mapping[str, Any]]:
    """The runs that a merged run was made from; a run itself, with its models and, if its report says it, duration."""
    description = run.manifest.run
    if "merged" in description:
        return list(description["merged"])
    measured = list(dict.fromkeys(task.model for task in run.manifest.tasks))
    return [{**description, "models": description.get("models", measured), "duration_s": run.duration_s}]


def _age(part: Mapping[str, Any]) -> tuple[str, str]:
    """Sorts the older run first; a run that was scored again is as old as that."""
    return (str(part.get("rescored", part)["started"]), str(part["id"]))


def _merged_description(parts: Sequence[Mapping[str, Any]], tasks: Sequence[ManifestTask]) -> dict[str, Any]:
    if len(parts) == 1:
        return {name: value for name, value in parts[0].items() if name != "duration_s"}
    ids = [str(part["id"]) for part in parts]
    return {
        "id": f"merged-{hashlib.sha256(' '.join(sorted(ids)).encode()).hexdigest()[:12]}",
        "started": min(str(part["started"]) for part in parts),
        "command": f"proctor report {' '.join(ids)}",
        "git_commit": _joined(part.get("git_commit") for part in parts),
        "versions": _joined_fields([part.get("versions", {}) for part in parts]),
        "machine": _joined_fields([part.get("machine", {}) for part in parts]),
        "merged": list(parts),
        **({"left_out": left_out} if (left_out := _left_out(parts, tasks)) else {}),
    }


def _left_out(parts: Sequence[Mapping[str, Any]], tasks: Sequence[ManifestTask]) -> list[Mapping[str, Any]]:
    """What some runs have left out, and none has measured."""
    measured = {(task.name, model) for task in tasks for model in ("", task.model)}
    found = {(one["task"], one["model"]): one for part in parts for one in part.get("left_out", ())}
    return [one for case_key, one in sorted(found.items()) if case_key not in measured]


def _joined_fields(mappings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for mapping in mappings for name in mapping)
    return {name: _joined(mapping.get(name) for mapping in mappings) for name in names}


def _joined(values: Iterable[Any]) -> Any:
    """The value that all have in common, else all different ones in words."""
    different = list(dict.fromkeys(values))
    return different[0] if len(different) == 1 else ", ".join(str(value) for value in different)


def _merged_tasks(runs: Sequence[SavedRun], models: Sequence[str]) -> tuple[ManifestTask, ...]:
    """The tasks of all runs in the order in which one run would have them: by module, then by model as in *models*."""
    found: dict[TaskModel, list[tuple[SavedRun, ManifestTask]]] = {}
    for run in runs:
        for task in run.manifest.tasks:
            found.setdefault(task.identity, []).append((run, task))
    _check_agreement(found)
    return in_order((_merged_task(mine) for mine in found.values()), models)


def _check_agreement(found: Mapping[TaskModel, Sequence[tuple[SavedRun, ManifestTask]]]) -> None:
    of_task: dict[str, tuple[SavedRun, ManifestTask]] = {}
    for mine in found.values():
        for run, task in mine:
            first = of_task.setdefault(task.name, (run, task))
            _check_same(first, (run, task), SAME_FOR_A_TASK)
            if not (first[1].entry_files and task.entry_files):  # each model has answered entries of its own
                _check_same(first, (run, task), SAME_FOR_ITS_DATA)
            _check_same(mine[0], (run, task), SAME_FOR_A_MODEL)


def _check_same(
    one: tuple[SavedRun, ManifestTask], other: tuple[SavedRun, ManifestTask], fields: Sequence[str]
) -> None:
    for field in fields:
        values = getattr(one[1], field), getattr(other[1], field)
        if values[0] != values[1]:
            task = other[1]
            raise UsageError(
                f"{task.name}, {task.model}: {field} of {one[0].folder} is {excerpt(values[0])}, that "
                f"of {other[0].folder} {excerpt(values[1])}",
                remedy="Merge runs of the same data, prompts and models; compare others with one another instead.",
            )


def _merged_task(mine: Sequence[tuple[SavedRun, ManifestTask]]) -> ManifestTask:
    cases: dict[CaseKey, tuple[SavedRun, ManifestCase]] = {}
    for run, task in mine:
        for case in task.cases:
            first_run, first = cases.setdefault(case.key, (run, case))
            if any(getattr(first, field) != getattr(case, field) for field in SAME_FOR_A_CASE):
                raise UsageError(
                    f"{task.name}: {first_run.folder} and {run.folder} disagree on the index, "
                    f"cluster, tags or metrics of sample {case.sample_id!r}",
                    remedy="The benchmark's code has changed between them; run one of them again.",
                )
    tasks = [task for _, task in mine]
    return replace(
        tasks[0],
        cases=tuple(case for _, case in cases.values()),
        # Another machine may have had the files elsewhere.
        module=min(task.module for task in tasks),
        data_file=min(task.data_file for task in tasks),
        cassette_file=min((task.cassette_file for task in tasks if task.cassette_file is not None), default=None),
        has_artifact=any(task.has_artifact for task in tasks),
        samples_in_data=max(task.samples_in_data for task in tasks),
    )


def _merged_rows(
    runs: Sequence[SavedRun], tasks: Sequence[ManifestTask], age: Mapping[str, int]
) -> Sequence[ResultRow]:
    best: dict[tuple[TaskModel, CaseKey], ResultRow] = {}
    for run in runs:
        # Within a run a case with two rows counts with the last, as in its own report.
        mine = {(TaskModel.of(row), CaseKey.of(row)): row for row in run.rows()}
        for case_key, row in mine.items():
            if case_key not in best or _rank(row, age) > _rank(best[case_key], age):
                best[case_key] = row
    case_keys = ((task.identity, case.key) for task in tasks for case in task.cases)
    return [best[case_key] for case_key in case_keys if case_key in best]


def _rank(row: ResultRow, age: Mapping[str, int]) -> tuple[bool, int, bytes]:
    # The last part decides between copies of one run, one of which was changed by hand: any way, but always the same.
    return (row["status"] not in {*NOT_MEASURED, NOT_NEEDED}, age.get(row["run_id"], -1), encoded(row))
