"""A random sample of a run's answers, to be labelled by a person who sees neither the model nor the judge."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor._base.errors import UsageError
from proctor._base.files import write_whole
from proctor._base.json_values import encoded
from proctor.media.medium import Media
from proctor.postprocess.labels import READ_FIELDS, JudgedAnswer, answer_key, judged_answers
from proctor.postprocess.project import Project
from proctor.results.manifest import ManifestTask
from proctor.results.saved_run import SavedRun
from proctor.run.data import Unavailable
from proctor.tasks.prompt import Piece


@dataclass(frozen=True)
class Drawn:
    """What was drawn of one task.

    Args:
        task: The task's name.
        metric: The metric that labels are to be given for.
        scale: Its worst and its best value.
        samples: How many samples were drawn.
        of: Out of how many.
        answers: The answers to them, of all models, in a random order.
    """

    task: str
    metric: str
    scale: tuple[float, float]
    samples: int
    of: int
    answers: Sequence[JudgedAnswer]


def draw(run: SavedRun, number: int, seed: int, *, task: str | None = None, metric: str | None = None) -> list[Drawn]:
    """Draw samples at random; all models' answers to each are to be labelled, so that models are compared on the same.

    Of a sample that was asked several times one epoch is drawn.

    Args:
        run: The run.
        number: How many samples of each task.
        seed: The same one draws the same ones.
        task: The task's name; default: all that are judged.
        metric: The metric that labels are to be given for; default: each task's headline.

    Raises:
        UsageError: If there is nothing to draw from.
    """
    by_task: dict[str, list[JudgedAnswer]] = {}
    for answer in judged_answers(run):
        if task == answer.task.name or (task is None and answer.task.role_models):
            by_task.setdefault(answer.task.name, []).append(answer)
    if not by_task:
        names = sorted({one.name for one in run.manifest.tasks})
        raise UsageError(
            f"the run {run.id} has no measured answer to {task}"
            if task
            else f"no answer of the run {run.id} is judged",
            remedy=f"Its tasks: {', '.join(names)}."
            if task
            else f"Name a task with --task to label answers that a formula scored: {', '.join(names)}.",
        )
    return [_of_task(answers, number, seed, metric) for answers in by_task.values()]


def _of_task(answers: Sequence[JudgedAnswer], number: int, seed: int, metric: str | None) -> Drawn:
    selected = answers[0].task
    wanted = metric or selected.headline
    if wanted not in selected.metrics:
        raise UsageError(
            f"{selected.name} has no metric {wanted!r}", remedy=f"Its metrics: {', '.join(selected.metrics)}."
        )
    by_sample: dict[str, dict[int, list[JudgedAnswer]]] = {}
    for answer in answers:
        if answer.case.measured_by(wanted) and wanted in answer.scores:
            by_sample.setdefault(answer.case.sample_id, {}).setdefault(answer.case.epoch, []).append(answer)
    generator = random.Random(f"{seed} {selected.name} {wanted}")
    samples = generator.sample(sorted(by_sample), min(number, len(by_sample)))
    drawn = [answer for name in samples for answer in by_sample[name][generator.choice(sorted(by_sample[name]))]]
    generator.shuffle(drawn)
    scale = (selected.metrics[wanted], selected.best.get(wanted, 1.0))
    return Drawn(selected.name, wanted, scale, len(samples), len(by_sample), drawn)


def write_labels(file: Path, run: SavedRun, drawn: Sequence[Drawn], project: Project) -> list[str]:
    """Write the file that is to be filled in; no line says whose answer it holds, or what a judge made of it.

    Args:
        file: The file. One that is there is never replaced: labels are made by hand.
        run: The run.
        drawn: What was drawn.
        project: The project, which has the questions.

    Returns:
        What the user should know.

    Raises:
        UsageError: If the file is there, or an answer is a picture, whose path names the model.
        OSError: If it cannot be written.
    """
    if file.exists():
        raise UsageError(f"{file} is there already", remedy="Name another file with --output.")
    lines: dict[str, Mapping[str, Any]] = {}
    unasked = 0
    rows = _rows(run, {answer.key for one in drawn for answer in one.answers})
    prompts = project.prompts([run.folder])
    for one in drawn:
        _check_texts(project, one.answers[0].task)
        for answer in one.answers:
            prompt = prompts.first(answer.task.name, answer.case.sample_id, None)
            unasked += prompt is None
            lines[f"{one.metric} {answer.key}"] = {
                "key": answer.key,
                "task": one.task,
                "metric": one.metric,
                "scale": list(one.scale),
                "question": None if prompt is None else "".join(_shown(piece, project) for piece in prompt.pieces),
                **rows[answer.key],
                "label": None,
            }
    write_whole(file, b"".join(encoded(line) + b"\n" for line in lines.values()))
    if unasked:
        return [f"{unasked} questions cannot be told any more (question: null): see the run's report.html"]
    return []


def _rows(run: SavedRun, keys: set[str]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for row in run.rows(only=(*READ_FIELDS, "target")):
        key = answer_key(row)
        if key in keys:
            found[key] = {"answer": row["response_text"], "target": row["target"]}
    return found


def _check_texts(project: Project, selected: ManifestTask) -> None:
    try:
        task = project.task(selected)
    except Unavailable as problem:
        raise UsageError(f"{selected.name}: {problem}", remedy="Give the command in the project's folder.") from None
    if task.response_media is not None:
        raise UsageError(
            f"the answers to {selected.name} are media, whose files are named after the models",
            remedy="Name another task with --task; what is labelled without seeing the model must be text.",
        )


def _shown(piece: Piece, project: Project) -> str:
    return f"[{piece.kind}: {project.run.shown(piece.file)}]" if isinstance(piece, Media) else piece


def drawn_lines(drawn: Sequence[Drawn]) -> Iterator[str]:
    """What was drawn, in words, and how labels are given."""
    for one in drawn:
        models = len({answer.task.model for answer in one.answers})
        few = "; all there are" if one.samples == one.of else f" of {one.of}"
        yield (
            f"{one.task}: {len(one.answers)} answers to {one.samples} samples{few}, of {models} "
            f"{'model' if models == 1 else 'models'}. label: {one.metric}, from {one.scale[0]:g} (worst) to "
            f"{one.scale[1]:g} (best), or true or false"
        )
