"""Entries of MixEval-X: what is read out of them, and mistakes that are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mixeval_x_project import FILE, action, drawing, free_form, multiple_choice, sample_of

from benchmarks.mixeval_x.entries import in_published_words
from benchmarks.mixeval_x.test_audio2text import TASK as AUDIO
from benchmarks.mixeval_x.test_image2action import TASK as IMAGE2ACTION
from benchmarks.mixeval_x.test_image2text import HARD, TASK
from benchmarks.mixeval_x.test_text2action import TASK as TEXT2ACTION
from benchmarks.mixeval_x.test_text2image import TASK as TEXT2IMAGE
from proctor import Row
from proctor.tasks.samples import read_samples, samples_of_row
from proctor.tasks.task import Task


def test_a_free_form_entry_is_read() -> None:
    sample = sample_of(TASK, free_form())
    assert (sample.id, sample.target, sample.fields["media"]) == ("ff-1", ["a swan", "swan"], ["1.png"])
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
    assert (sample.id, sample.target, sample.fields["prompt"], sample.fields["media"]) == (
        "ff-3",
        ["a cup"],
        "What is it?",
        ["a.png"],
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
    assert seen.fields["media"] == ["7.jpg"]
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
    ("task", "entry", "field"),
    [
        (TASK, free_form(prompt=" "), "prompt"),
        (TASK, free_form(prompt=["What?"]), "prompt"),
        (TASK, free_form(problem_type="essay"), "problem_type"),
        (TASK, free_form(problem_type=["free-form"]), "problem_type"),
        (TASK, free_form(target=[]), "target"),
        (TASK, free_form(target="a swan"), "target"),
        (TASK, free_form(target=["a", 3]), "target[1]"),
        (TASK, free_form(id=True), "id"),
        (TASK, free_form(id=""), "id"),
        (TASK, free_form(benchmark_name=None), "benchmark_name"),
        (TASK, free_form(image_id=3), "image_id"),
        (TASK, free_form(image_id=["1.png", "2.png"]), "image_id"),
        (TASK, {"query": "?", "reference_answer": ["x"], "input_file": []}, "input_file"),
        (TASK, multiple_choice(target=[-1]), "target[0]"),
        (TASK, multiple_choice(target=[True]), "target[0]"),
        (TASK, multiple_choice(target=1), "target"),
        (TASK, multiple_choice(target=[2, 0]), "target"),
        (TASK, multiple_choice(options=["red", "blue"] * 13), "options"),
        (TASK, multiple_choice(options=["red", 4, "blue"]), "options[1]"),
        (TASK, multiple_choice(options=["red", "", "blue"]), "options[1]"),
        (TEXT2ACTION, action(**{"task description": ""}), "task description"),
        (TEXT2ACTION, action(**{"allowed actions": ["[Pour]"]}), "allowed actions"),
        (TEXT2ACTION, action(target=["[Pour]"]), "target"),
        (TEXT2IMAGE, drawing(second_turn_user_prompt=""), "second_turn_user_prompt"),
        (TEXT2IMAGE, drawing(second_turn_caption=None), "second_turn_caption"),
    ],
)
def test_what_is_odd_is_noted_with_its_place(task: Task, entry: dict[str, Any], field: str) -> None:
    row = Row(entry, FILE, 7)
    (sample,) = task.samples_of(row)
    assert sample.error is None
    assert [(oddity.line, oddity.field) for oddity in row.oddities] == [(7, field)]


@pytest.mark.parametrize(
    ("task", "entry", "said"),
    [
        (TASK, {"id": "1", "target": ["x"]}, ["'prompt'", "is missing"]),
        (AUDIO, multiple_choice(), ["'problem_type'", "'single-choice'", "Known: free-form"]),
        (TASK, free_form(target={"a": 1}), ["'target'", "must be a list"]),
        (TASK, multiple_choice(target=[3]), ["'target[0]'", "from 0 to 2", "(found 3)"]),
        (TASK, multiple_choice(target=[-4]), ["'target[0]'"]),
        (TASK, multiple_choice(target=["B"]), ["'target[0]'", "'B'"]),
        (TASK, multiple_choice(target=[]), ["'target'"]),
        (TASK, multiple_choice(target=5), ["'target[0]'", "(found 5)"]),
        (TASK, multiple_choice(options=[]), ["'options'", "must not be empty"]),
        (TASK, multiple_choice(options="red, green"), ["'options'", "must be a list"]),
        (TEXT2ACTION, action(**{"visible objects": None}), ["'visible objects'", "is missing"]),
        (TEXT2ACTION, action(**{"already executed steps": None}), ["'already executed steps'", "is missing"]),
        (TEXT2IMAGE, {"id": "1"}, ["'first_turn_user_prompt'", "is missing"]),
    ],
)
def test_what_cannot_be_graded_is_named_with_its_place(task: Task, entry: dict[str, Any], said: list[str]) -> None:
    (sample,) = samples_of_row(Row(entry, FILE, 7), task.samples_of)
    for words in ("entries.jsonl:7", *said):
        assert words in str(sample.error)


def test_the_kind_of_a_question_is_that_of_its_file_of_responses() -> None:
    row = Row(free_form(options=["a", "b"], problem_type="single-choice"), Path("one/one_ff.jsonl"), 1)
    (sample,) = TASK.samples_of(row)
    assert (sample.id, sample.fields["problem_type"]) == ("ff-1", "free-form")


def test_an_entry_of_the_hub_has_the_same_id_in_published_words() -> None:
    asked = {"query": "What is it?", "input_file": ["a.png"], "reference_answer": "a cup"}
    published = in_published_words(asked, "free-form")
    assert published == asked | {"prompt": "What is it?", "target": ["a cup"], "benchmark_name": "not told"}
    assert sample_of(TASK, published).id == sample_of(TASK, asked).id
    assert sample_of(TASK, published | {"prompt": "What else?"}).id != sample_of(TASK, asked).id
