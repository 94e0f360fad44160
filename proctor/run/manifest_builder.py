"""What a run is about to measure, put into the words of `proctor.results.manifest`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor._base.errors import UsageError
from proctor.conversations.context import TaskContext
from proctor.conversations.response_files import entries_sha256
from proctor.models.builtin import API as BUILTIN
from proctor.models.registry import Model
from proctor.official.comparable import likeness
from proctor.results.manifest import ManifestCase, ManifestTask
from proctor.run.case import Case, grouped
from proctor.run.run import Run
from proctor.run.scorer_code import scorer_sha256
from proctor.tasks.oddities import as_fields
from proctor.tasks.samples import notes_on


def manifest_tasks(
    run: Run, cases: Sequence[Case], modules: Mapping[str, Path], tests: Mapping[str, str]
) -> tuple[ManifestTask, ...]:
    """The cases by task and model, with what they are made from.

    Args:
        run: The run.
        cases: The cases that it selected.
        modules: The test module of each task, by its name.
        tests: The test function of each, as node ids name it behind the module.
    """
    selected = []
    scorers = {task: scorer_sha256(task) for task in {case.task for case in cases}}
    for task, model, group in grouped(cases):
        context = run.context(task, model)
        data_file, samples = run.data.data_file(task), run.data.samples(task, model)
        findings = run.data.findings(task, model)
        entries = run.data.entry_files(task, model)
        prescribed = _prescribed(run, context)
        selected.append(
            ManifestTask(
                benchmark=task.benchmark,
                task=task.short_name,
                model=model.name,
                model_api_id=model.api_id,
                metrics=dict(task.metrics),
                data_file=run.shown(entries[0].parent if entries else data_file),
                data_sha256=entries_sha256(samples) if entries else run.data.hashes(data_file).sha256,
                entry_files=tuple(map(run.shown, entries)),
                cassette_file=run.shown(context.cassette.file) if _makes_calls(context) else None,
                responses=_responses(run, context),
                role_models={role: found.name for role, found in context.role_models.items()},
                prompt_sha256={name: template.sha256 for name, template in context.templates.items()},
                module=run.shown(modules[task.name]),
                test=tests[task.name],
                has_artifact=bool(task.artifacts or task.tables),
                samples_in_data=len(samples),
                data_notes=notes_on(samples),
                likeness=likeness(
                    modules[task.name].parent,
                    task.short_name,
                    None if entries else run.data.hashes(data_file),
                    [run.data.hashes(template.file) for template in context.templates.values()],
                    judges=all(role["used"] for role in prescribed.values()) if prescribed else None,
                ),
                odd_rows=as_fields(findings.odd),
                unusable_rows=as_fields(findings.unusable),
                composite=task.composite,
                composite_tasks=tuple(task.composite_tasks),
                best=dict(task.best),
                prescribed=prescribed,
                scorer_sha256=scorers[task],
                cases=tuple(
                    ManifestCase(
                        c.sample.id, c.sample.index, c.epoch, c.sample.cluster, c.sample.tags, c.sample.metrics
                    )
                    for c in group
                ),
            )
        )
    return tuple(selected)


def _makes_calls(context: TaskContext) -> bool:
    return context.model.api != BUILTIN and (context.provided is None or bool(context.task.roles))


def _responses(run: Run, context: TaskContext) -> Mapping[str, Any] | None:
    provided = context.provided
    if provided is None:
        return None
    return {
        "file": run.shown(provided.file),
        "sha256": provided.sha256,
        "entries": provided.entries,
        "extra": list(provided.extra),
        "duplicates": list(provided.duplicates),
    }


def _prescribed(run: Run, context: TaskContext) -> Mapping[str, Mapping[str, Any]]:
    """By role, whom the benchmark prescribes and whether that one plays it; a built-in model is judged by nobody."""
    judged = context.model.api != BUILTIN
    return {
        name: {
            "model": context.task.roles[name].model,
            "used": judged and _is_model(run, context.task.roles[name].model, model),
        }
        for name, model in context.role_models.items()
    }


def _is_model(run: Run, prescribed: str, model: Model) -> bool:
    try:
        return model.api_id in (prescribed, run.registry.resolve(prescribed).api_id)
    except UsageError:
        return model.api_id == prescribed
