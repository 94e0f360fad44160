"""Published results beside a run's own: how far they compare is said, never assumed.

A benchmark has them in a file ``published.json`` beside its tests::

    {"source": "…", "columns": [{"title": "SGQA", "task": "sgqa", "metric": "accuracy", "factor": 100}, …],
     "models": [["GPT-4o", 84.8, …], …]}

A column may name a ``composite`` instead of a task and a metric. ``factor`` turns an own value into the published unit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor._base.markdown import inline
from proctor.results.identity import TaskModel
from proctor.results.manifest import Manifest, ManifestTask

FILE_NAME = "published.json"
WORDS = {
    "data": ("other data than the official ones", "whether the data are the official ones is not known"),
    "prompts": ("other prompts than the official ones", "whether the prompts are the official ones is not known"),
    "judges": ("other judges than the prescribed ones", ""),
}
"""By part of a run's likeness to what was published: what is said if it is another one, and if that is not known."""


def add_published(report: dict[str, Any], manifest: Manifest, root: Path) -> None:
    """Add ``published`` to a report: by benchmark ``source``, ``columns``, the ``published`` rows and ``own`` ones.

    An own row has the ``model``, its official figures as ``values``, and in ``differs`` why they do not compare. Each
    task that a column is about gets ``published``: whether its figures ``compares``, and why they do not, ``differs``.

    Args:
        report: The content of report.json.
        manifest: What the run selected.
        root: The project's folder.
    """
    report.pop("published", None)  # so that it stands in the same place in a report that is made again
    by_benchmark: dict[str, list[ManifestTask]] = {}
    for selected in manifest.tasks:
        by_benchmark.setdefault(selected.benchmark, []).append(selected)
    report["published"] = []
    for benchmark, tasks in by_benchmark.items():
        try:
            told = json.loads((root / Path(tasks[0].module).parent / FILE_NAME).read_bytes())
        except OSError:
            continue
        report["published"].append({"benchmark": benchmark, **_beside(told, report, tasks)})
        _add_to_tasks(report, told, tasks)


def _add_to_tasks(report: dict[str, Any], told: Mapping[str, Any], tasks: Sequence[ManifestTask]) -> None:
    """Say of each task whether its own figures compare."""
    reported = {(task["benchmark"], task["task"], task["model"]): task for task in report["tasks"]}
    columns = {column.get("task", column.get("composite")) for column in told["columns"]}
    for task in tasks:
        if columns & {task.task, task.composite}:
            differs = [f"{said}: {detail}" if detail else said for said, detail in _reasons(task)]
            reported[task.benchmark, task.task, task.model]["published"] = {"compares": not differs, "differs": differs}


def _beside(told: Mapping[str, Any], report: Mapping[str, Any], tasks: Sequence[ManifestTask]) -> dict[str, Any]:
    return {
        "source": told["source"],
        "columns": [column["title"] for column in told["columns"]],
        "published": told["models"],
        "own": [
            {
                "model": model,
                "values": [_own(report, tasks[0].benchmark, model, column) for column in told["columns"]],
                "differs": list(_differs(report, [task for task in tasks if task.model == model])),
            }
            for model in dict.fromkeys(task.model for task in tasks)
        ],
    }


def _own(report: Mapping[str, Any], benchmark: str, model: str, column: Mapping[str, Any]) -> float | None:
    if "composite" in column:
        entries = [
            found for found in report["composites"] if (found["name"], found["model"]) == (column["composite"], model)
        ]
        values = [None if found.get("missing") else found["official"]["value"] for found in entries]
    else:
        wanted = TaskModel(benchmark, column["task"], model)
        metrics = [part["metrics"] for part in report["tasks"] if TaskModel.of(part) == wanted]
        values = [found[column["metric"]]["official"]["value"] for found in metrics if column["metric"] in found]
    return values[0] * column["factor"] if values and values[0] is not None else None


def _reasons(task: ManifestTask) -> Iterator[tuple[str, str]]:
    """Why a task's figures do not compare with published ones, each with what there is to say beyond the reason."""
    for part, (other, unknown) in WORDS.items():
        alike = task.likeness.get(part)
        said = other if alike is False else unknown if alike is None else ""
        if said:
            yield said, ""
    selected = len({case.sample_id for case in task.cases})
    if selected < task.samples_in_data:
        yield "not all samples", f"{selected} of {task.samples_in_data}"


def _differs(report: Mapping[str, Any], tasks: Sequence[ManifestTask]) -> Iterator[str]:
    """Why a model's figures do not compare with published ones, each with the tasks that it holds for."""
    reasons: dict[str, list[str]] = {}
    for task in tasks:
        for said, detail in _reasons(task):
            reasons.setdefault(said, []).append(f"{task.task}: {detail}" if detail else task.task)
    for said, where in reasons.items():
        yield f"{said} ({', '.join(where)})"
    for found in report["composites"]:
        own = any(name.startswith(f"{tasks[0].benchmark}/") for name in found["tasks"])
        if own and found["model"] == tasks[0].model and found.get("missing"):
            yield f"{found['name']} without {', '.join(name.partition('/')[2] for name in found['missing'])}"


def verdict_on(own: Mapping[str, Any]) -> str:
    """Whether a model's own figures compare with the published ones, in a sentence."""
    if own["differs"]:
        return f"The figures of {own['model']} do not compare with the published ones: {'; '.join(own['differs'])}."
    return f"The figures of {own['model']} compare: official data and prompts, prescribed judges, all samples."


def published_section(report: Mapping[str, Any]) -> Iterator[str]:
    """The section of report.md."""
    if report.get("published"):
        yield "## Published results"
    for found in report.get("published", []):
        yield f"{found['benchmark']}: {inline(found['source'])}"
        own = [[f"**this run, official:** {inline(own['model'])}", *map(_cell, own["values"])] for own in found["own"]]
        rows = [[inline(str(name)), *map(_cell, values)] for name, *values in found["published"]]
        yield _table(["model", *found["columns"]], rows + own)
        yield from (inline(verdict_on(own)) for own in found["own"])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows))


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
