"""Entries of MixEval-X: what is read out of them, and mistakes that are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mixeval_x_project import action, drawing, free_form, multiple_choice, sample_of

from benchmarks.mixeval_x.test_audio2text import TASK as AUDIO
from benchmarks.mixeval_x.test_image2action import TASK as IMAGE2ACTION
from benchmarks.mixeval_x.test_image2text import HARD, TASK
from benchmarks.mixeval_x.test_text2action import TASK as TEXT2ACTION
from benchmarks.mixeval_x.test_text2image import TASK as TEXT2IMAGE
from proctor.errors import DataError
from proctor.samples import read_samples
from proctor.task import Task


def test_a_free_form_entry_is_read() -> None:
    sample = sample_of(TASK, free_form())
    assert (sample.id, sample.target, sample.fields["medium"]) == ("ff-1", ["a swan", "swan"], "1.png")
    assert sample.tags == {"source": "Ponds", "problem_type": "free-form"}
    assert TASK.metrics_of(sample) == {"overall": 0.0, "judge_score": 0.0}


def test_a_multiple_choice_entry_without_id_is_known_by_its_content() -> None:
    sample = sample_of(HARD, multiple_choice(target=[2, 0]))
    assert (sample.target, sample.fields["options"]) == ("C", ["red", "green", "blue"])
    assert sample.id == sample_of(HARD, multiple_choice(target=[2, 0])).id != sample_of(HARD, multiple_choice()).id
    assert sample.id.startswith("mp-")
    assert HARD.metrics_of(sample) == {"overall": 0.0, "accuracy": 0.0}


def test_entries_with_the_field_names_of_the_hub_are_read() -> None:
    asked = {"id": 3, "query": "What is it?", "input_file": ["a.png"], "reference_answer": ["a cup"], "options": None}
    sample = sample_of(TASK, asked)
    assert (sample.id, sample.target, sample.fields["prompt"], sample.fields["medium"]) == (
        "ff-3",
        ["a cup"],
        "What is it?",
        "a.png",
    )
    assert sample.tags["source"] == "not told"
    choice = sample_of(TASK, asked | {"options": ["a cup", "a jug"], "reference_answer": [1]})
    assert (choice.id, choice.target) == ("mp-3", "B")


def test_a_task_of_one_kind_has_bare_ids_and_one_metric() -> None:
    entry = free_form(audio_id="1.wav")
    sample = sample_of(AUDIO, entry)
    assert sample.id == "1"
    assert AUDIO.metrics_of(sample) == {"judge_score": 0.0}


def test_keys_with_spaces_are_read() -> None:
    sample = sample_of(TEXT2ACTION, action(**{"already executed steps": " "}))
    assert sample.fields["shown"] == {
        "task": "Water the fern.",
        "actions": "[Grasp], [Pour], [Wait]",
        "objects": "<can>, <fern>",
        "done": "nothing",
    }
    seen = sample_of(IMAGE2ACTION, action(image_id="7.jpg", **{"visible objects": None}))
    assert seen.fields["medium"] == "7.jpg"
    assert "objects" not in seen.fields["shown"]


def test_equal_published_ids_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "image2text.jsonl"
    entries = [
        free_form(),
        free_form(prompt="What sits there?"),
        multiple_choice(id="1"),
        multiple_choice(),
        multiple_choice(),
    ]
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    ids = [sample.id for sample in read_samples(file, TASK.samples_of)]
    assert len(set(ids)) == 5
    assert ids[0].startswith("ff-1-")
    assert ids[1].startswith("ff-1-")
    assert ids[2] == "mp-1"
    assert ids[4] == f"{ids[3]}-copy2"


@pytest.mark.parametrize(
    ("task", "entry", "said"),
    [
        (TASK, free_form(prompt=" "), ["'prompt'", "must not be empty"]),
        (TASK, {"id": "1", "target": ["x"]}, ["'prompt'", "is missing"]),
        (TASK, free_form(problem_type="essay"), ["'problem_type'", "'essay'", "free-form, single-choice"]),
        (TASK, free_form(problem_type=["free-form"]), ["'problem_type'"]),
        (AUDIO, multiple_choice(), ["'problem_type'", "'single-choice'"]),
        (TASK, free_form(target=[]), ["'target'", "must not be empty"]),
        (TASK, free_form(target=["a", 3]), ["'target[1]'", "(found 3)"]),
        (TASK, free_form(target={"a": 1}), ["'target'", "must be a list"]),
        (TASK, free_form(id=True), ["'id'"]),
        (TASK, free_form(id=""), ["'id'"]),
        (TASK, free_form(benchmark_name=None), ["'benchmark_name'", "must be a string"]),
        (TASK, free_form(image_id=3), ["'image_id'", "must be a string"]),
        (TASK, {"query": "?", "reference_answer": ["x"], "input_file": ["a", "b"]}, ["'input_file'", "one file"]),
        (TASK, multiple_choice(target=[3]), ["'target[0]'", "from 0 to 2", "(found 3)"]),
        (TASK, multiple_choice(target=[-1]), ["'target[0]'"]),
        (TASK, multiple_choice(target=[True]), ["'target[0]'"]),
        (TASK, multiple_choice(target=["B"]), ["'target[0]'", "'B'"]),
        (TASK, multiple_choice(target=5), ["'target[0]'", "(found 5)"]),
        (TASK, multiple_choice(options=["red"]), ["'options'", "2 to 25"]),
        (TASK, multiple_choice(options=["x"] * 26), ["'options'", "2 to 25"]),
        (TASK, multiple_choice(options=["red", 4, "blue"]), ["'options[1]'", "(found 4)"]),
        (TASK, multiple_choice(options=["red", "", "blue"]), ["'options[1]'"]),
        (TEXT2ACTION, action(**{"task description": ""}), ["'task description'", "must not be empty"]),
        (TEXT2ACTION, action(**{"visible objects": None}), ["'visible objects'", "is missing"]),
        (TEXT2ACTION, action(**{"already executed steps": None}), ["'already executed steps'", "is missing"]),
        (TEXT2ACTION, action(target=["[Pour]"]), ["'target'", "must be a string"]),
        (TEXT2IMAGE, drawing(second_turn_user_prompt=""), ["'second_turn_user_prompt'"]),
        (TEXT2IMAGE, {"id": "1"}, ["'first_turn_user_prompt'", "is missing"]),
    ],
)
def test_a_mistake_is_named_with_its_place(task: Task, entry: dict[str, Any], said: list[str]) -> None:
    with pytest.raises(DataError) as raised:
        sample_of(task, entry)
    for words in ("entries.jsonl:7", *said):
        assert words in str(raised.value)
