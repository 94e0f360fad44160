"""What a run is about to measure, put into the words of `proctor.selection`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor.builtin import API as BUILTIN
from proctor.case import Case, grouped
from proctor.conversation import Place
from proctor.entries import entries_sha256
from proctor.run import Run
from proctor.samples import notes_on
from proctor.selection import SelectedCase, SelectedTask


def selected_tasks(run: Run, cases: Sequence[Case], modules: Mapping[str, Path]) -> tuple[SelectedTask, ...]:
    """The cases by task and model, with what they are made from.

    Args:
        run: The run.
        cases: The cases that it selected.
        modules: The test module of each task, by its name.
    """
    selected = []
    for task, model, group in grouped(cases):
        place = run.place(task, model)
        data_file, samples = run.data.data_file(task), run.data.samples(task, model)
        entries = run.data.entry_files(task, model)
        selected.append(
            SelectedTask(
                benchmark=task.benchmark,
                task=task.short_name,
                model=model.name,
                model_api_id=model.api_id,
                metrics=dict(task.metrics),
                data_file=run.shown(entries[0].parent if entries else data_file),
                data_sha256=entries_sha256(samples) if entries else hashlib.sha256(data_file.read_bytes()).hexdigest(),
                entry_files=tuple(map(run.shown, entries)),
                cassette_file=run.shown(place.cassette.file) if _makes_calls(place) else None,
                responses=_responses(run, place),
                role_models={role: found.name for role, found in place.role_models.items()},
                prompt_sha256={name: template.sha256 for name, template in place.templates.items()},
                module=run.shown(modules[task.name]),
                has_artifact=bool(task.artifacts or task.tables),
                samples_in_data=len(samples),
                data_notes=notes_on(samples),
                composite=task.composite,
                best=dict(task.best),
                cases=tuple(
                    SelectedCase(
                        c.sample.id, c.sample.index, c.epoch, c.sample.cluster, c.sample.tags, c.sample.metrics
                    )
                    for c in group
                ),
            )
        )
    return tuple(selected)


def _makes_calls(place: Place) -> bool:
    return place.model.api != BUILTIN and (place.given is None or bool(place.task.roles))


def _responses(run: Run, place: Place) -> Mapping[str, Any] | None:
    given = place.given
    if given is None:
        return None
    return {
        "file": run.shown(given.file),
        "sha256": given.sha256,
        "entries": given.entries,
        "extra": list(given.extra),
        "duplicates": list(given.duplicates),
    }
