"""The project's own MixEval-X data: what ships is whole, small, and in the official fields."""

from __future__ import annotations

import json
import re
import wave
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from mixeval_x_media import MEDIA_FIELDS, SHIPPED, Entry, clip, entries_of, right_option, sound

QUESTION_TASKS = [task + hard for task in MEDIA_FIELDS for hard in ("", "_hard")]
CHOICE_TASKS = QUESTION_TASKS[:4]


def names(folder: Path, pattern: str) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob(pattern))


@pytest.mark.parametrize(
    ("pattern", "count"), [("*.jsonl", 9 + 2 * 11), ("*.png", 7 + 8 + 8), ("*.wav", 8 + 8), ("*.mp4", 6 + 6)]
)
def test_all_of_it_ships(pattern: str, count: int) -> None:
    assert len(names(SHIPPED, pattern)) == count


def test_media_are_small_and_in_the_formats_promised() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) < 3_000_000
    for name in names(SHIPPED, "*.wav"):
        with wave.open(str(SHIPPED / name)) as file:
            assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 8000)
            assert 1.4 <= file.getnframes() / 8000 <= 4
        assert 0.3 < np.abs(sound(SHIPPED / name)).max() < 0.95, "loud enough, and nowhere clipped"
    for name in names(SHIPPED, "*.mp4"):
        frames = clip(SHIPPED / name)
        assert frames.shape[1:] == (192, 256, 3)
        assert 25 <= len(frames) <= 70


@pytest.mark.parametrize("task", [*QUESTION_TASKS, "image2action"])
def test_each_medium_is_there_and_asked_about(task: str) -> None:
    field = MEDIA_FIELDS.get(task.removesuffix("_hard"), "image_id")
    asked = {entry[field] for entry in entries_of(task)}
    assert asked == {path.name for path in (SHIPPED / "media" / task).iterdir()}


def test_there_are_no_media_of_other_tasks() -> None:
    assert {path.name for path in (SHIPPED / "media").iterdir()} == {*QUESTION_TASKS, "image2action"}


@pytest.mark.parametrize("task", QUESTION_TASKS)
def test_questions_have_the_official_fields_in_their_order(task: str) -> None:
    field = MEDIA_FIELDS[task.removesuffix("_hard")]
    free = [entry for entry in entries_of(task) if entry["problem_type"] == "free-form"]
    choices = [entry for entry in entries_of(task) if entry["problem_type"] == "single-choice"]
    assert (len(free), len(choices)) == ((6, 6) if task in CHOICE_TASKS else (8, 0))
    for number, found in enumerate(free, 1):
        assert list(found) == ["id", "problem_type", field, "prompt", "target", "benchmark_name"]
        assert found["id"] == str(number)
        assert found["target"]
        assert all(isinstance(wording, str) and wording for wording in found["target"])
    for number, found in enumerate(choices, 1):
        named = [] if field == "image_id" else ["id"]
        assert list(found) == [*named, "problem_type", field, "prompt", "options", "target", "benchmark_name"]
        assert found.get("id", str(number)) == str(number)
        assert right_option(found)
        assert len(set(found["options"])) == len(found["options"])
    assert 2 <= len({found["benchmark_name"] for found in (*free, *choices)}) <= 5


def test_the_right_option_is_given_away_neither_by_its_place_nor_by_its_length() -> None:
    choices = [found for task in CHOICE_TASKS for found in entries_of(task) if "options" in found]
    places = Counter(found["target"][0] for found in choices)
    assert places == {0: 6, 1: 6, 2: 6, 3: 6}
    for extreme in (max, min):
        lengths = [[len(option) for option in found["options"]] for found in choices]
        telling = [found for found, sizes in zip(choices, lengths, strict=True) if sizes.count(extreme(sizes)) == 1]
        hits = sum(len(right_option(found)) == extreme(map(len, found["options"])) for found in telling)
        assert hits <= len(choices) / 4, "no better than guessing, taken over all questions"


def test_action_tasks_have_the_official_fields_and_possible_plans() -> None:
    for task, seen, count in (("text2action", "visible objects", 12), ("image2action", "image_id", 8)):
        entries = entries_of(task)
        assert [found["id"] for found in entries] == [str(number) for number in range(1, count + 1)]
        described = ["task description", "allowed actions"]
        middle = [*described, seen] if task == "text2action" else [seen, *described]
        for found in entries:
            assert list(found) == ["id", *middle, "already executed steps", "target"]
            for plan in (found["already executed steps"], found["target"]):
                for step in plan.split(", "):
                    assert re.fullmatch(r"\[\w+\]( <[\w -]+>){0,2}", step)
                    assert step.split()[0] in found["allowed actions"].split(", ")
                    if task == "text2action":
                        assert set(re.findall("<.*?>", step)) <= set(found[seen].split(", "))


def test_image_tasks_change_what_the_second_caption_says() -> None:
    entries = entries_of("text2image")
    assert len(entries) == 8
    fields = ["first_turn_user_prompt", "first_turn_caption", "second_turn_user_prompt", "second_turn_caption"]
    for number, found in enumerate(entries, 1):
        assert list(found) == ["id", *fields]
        assert found["id"] == str(number)
        assert found["second_turn_user_prompt"].startswith("<generated_image_1> ")
        assert found["first_turn_caption"] != found["second_turn_caption"]


@pytest.mark.parametrize("task", [*QUESTION_TASKS, "text2action"])
@pytest.mark.parametrize("model", ["written-by-hand-a", "written-by-hand-b"])
def test_responses_repeat_their_entries(task: str, model: str) -> None:
    given: list[Entry] = []
    kinds = ["t2a"] if task == "text2action" else ["ff", "mp"] if task in CHOICE_TASKS else ["ff"]
    for kind in kinds:
        text = (SHIPPED / "responses" / task / model / f"{model}_{kind}.jsonl").read_text("utf-8")
        is_array = (task, model) == ("audio2text", "written-by-hand-b")
        assert text.startswith("[\n" if is_array else "{")
        given += json.loads(text) if is_array else [json.loads(line) for line in text.splitlines()]
    assert all(list(found)[-1] == "response" and isinstance(found["response"], str) for found in given)
    without = [{name: value for name, value in found.items() if name != "response"} for found in given]
    assert without == entries_of(task)
