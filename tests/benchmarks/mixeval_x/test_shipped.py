"""The shipped entries with the oracle: its answers get all there is, from the stand-ins of the judges."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from typing import Any, cast

import pytest
from mixeval_x_project import MODULES, PRESCRIBED

from proctor import Ask, Judged, Reply, Sample, Task
from proctor.tasks.prompt import Question, Template
from proctor.tasks.samples import read_samples

ROOT = Path(__file__).parents[3]
TASKS = {
    task.short_name: task
    for name in MODULES
    for task in vars(importlib.import_module(f"benchmarks.mixeval_x.test_{name}")).values()
    if isinstance(task, Task)
}
WITHOUT_BUILTIN = "text2image"


def shipped(name: str) -> list[Sample]:
    return read_samples(ROOT / f"data/mixeval_x/{name}.jsonl", TASKS[name].samples_of)


@pytest.mark.parametrize("name", [name for name in PRESCRIBED if name != WITHOUT_BUILTIN])
def test_the_oracle_gets_all_there_is(name: str, pytestconfig: pytest.Config) -> None:
    task = TASKS[name].for_run(pytestconfig)  # with the media of this folder
    assert isinstance(task.score, Judged)

    def ask(template: str, /, *, role: str, **values: Any) -> Reply:
        assert (role, template.endswith("_judge")) == ("judge", True)
        return Reply(task.roles[role].builtin(Question(template, values).texts))

    for sample in shipped(name):
        response = task.builtin["oracle"](sample, random.Random(0))
        score = task.scored(sample, response, task.score.examine(sample, response, cast("Ask", ask)))
        best = {metric: task.best.get(metric, 1.0) for metric in task.metrics_of(sample)}
        assert score.official == score.strict == best, sample.id


@pytest.mark.parametrize("name", PRESCRIBED)
def test_every_prompt_can_be_filled_with_the_shipped_entries(name: str, pytestconfig: pytest.Config) -> None:
    task = TASKS[name].for_run(pytestconfig)  # with the media of this folder
    templates = {
        template: Template.load(ROOT / f"prompts/mixeval_x/{template}.txt", known)
        for template, known in task.prompts.items()
    }
    asked: list[str] = []

    def ask(template: str, /, *earlier: Any, role: str = "answer", **values: Any) -> Reply:
        asked.append(template)
        assert (role, earlier) == ("answer", ())
        assert not any(piece == "" for piece in templates[template].fill(values))
        return Reply("no picture")

    for sample in shipped(name):
        task.converse(sample, cast("Ask", ask))
    assert len(asked) == len(shipped(name))
    assert set(asked) <= set(templates)
