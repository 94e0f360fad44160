"""Grading response files as a user does it: the judge is a stub server, the files are those that models left."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from drawn_media import picture
from mixeval_x_project import (
    MODULES,
    PRESCRIBED,
    Grading,
    action,
    drawing,
    free_form,
    grading,
    judges,
    multiple_choice,
    project,
)
from stub_server import Answer, Request

from proctor import Task

__all__ = ["grading", "project"]


def by_content(request: Request) -> str:
    """A judge that knows swans and green."""
    if "Picked:" in request.question:
        return "[[B]]" if "Response: green" in request.question.rpartition("Now read")[2] else "[[Z]]"
    return "[[1.0]]" if "swan" in request.question.rpartition("Response:")[2] else "[[0.3]]"


def answered(entry: dict[str, Any], response: str) -> dict[str, Any]:
    return entry | {"response": response}


def test_files_of_several_models_and_kinds_are_judged_recorded_and_replayed(grading: Grading) -> None:
    grading.judge = by_content
    free = [answered(free_form(), "A swan!"), answered(free_form(id="2", prompt="Und wo? ☂"), "über dem Teich")]
    choice = [answered(multiple_choice(), "green"), answered(multiple_choice(target=[0]), "none of them")]
    grading.write_responses("image2text", "one", ff=free, mp=choice)
    grading.write_responses("image2text", "two", ff=free[:1])
    result = grading.grade("--model", "one", "--model", "two")
    assert result.ret == 0
    assert len(grading.requests) == 5
    assert {request.json["model"] for request in grading.requests} == {"gpt-3.5-turbo-0125"}
    assert {request.json["temperature"] for request in grading.requests} == {0}
    report = grading.project.report
    metrics = {entry["model"]: entry["metrics"] for entry in report["tasks"]}
    # one: free-form 1.0 and 0.3, choice 1 and 0
    assert metrics["one"]["overall"]["strict"]["value"] == pytest.approx(2.3 / 4)
    assert metrics["one"]["judge_score"]["strict"]["value"] == pytest.approx(0.65)
    assert metrics["one"]["accuracy"]["official"]["value"] == pytest.approx(0.5)
    assert metrics["two"]["overall"]["strict"]["value"] == 1
    tables = grading.tables("image2text")
    assert tables["Scores by source"][:3] == [
        ["one", "free-form", "all", 2, pytest.approx(0.65), pytest.approx(0.65)],
        ["one", "free-form", "Ponds", 2, pytest.approx(0.65), pytest.approx(0.65)],
        ["one", "multiple-choice", "all", 2, 0.5, 0.5],
    ]
    assert tables["Scores that the judge gave to free-form answers"][0] == ["one", *(0, 0, 0, 1, *[0] * 6, 1), 0, 0]
    # rules: "A swan!" holds a gold answer, the other none; "green" has no letter, and "none of them" neither
    assert tables["Judge and rule parser"][:2] == [
        ["one", "free-form", 2, 1, None],
        ["one", "multiple-choice", 2, 0.5, 0],
    ]
    assert tables["Asking the judge"] == [["one", 4, 0, 0, 0, 0], ["two", 1, 0, 0, 0, 0]]
    assert ["GPT-4o", "published", 76.6] in tables["Beside the leaderboard"]
    assert ["one", "this run, strict", pytest.approx(57.5)] in tables["Beside the leaderboard"]

    replayed = grading.run("--responses", "given")
    assert replayed.ret == 0
    assert grading.requests == []
    assert [entry["metrics"] for entry in grading.project.report["tasks"]] == [*metrics.values()]


def test_the_judges_are_those_of_the_leaderboard() -> None:
    modules = [importlib.import_module(f"benchmarks.mixeval_x.test_{name}") for name in MODULES]
    tasks = [task for module in modules for task in vars(module).values() if isinstance(task, Task)]
    assert {task.short_name: task.roles["judge"].model for task in tasks} == PRESCRIBED


def test_node_ids_and_keywords_select(grading: Grading) -> None:
    grading.write_responses("image2text", "one", ff=[answered(free_form(), "x")], mp=[answered(multiple_choice(), "B")])
    grading.write_responses("image2text_hard", "one", ff=[answered(free_form(id="9"), "x")])
    listed = grading.run("--responses", "given", "--collect-only", "-q", "-k", "image2text and not hard").stdout.str()
    assert "test_image2text.py::test_image2text[one-ff-1]" in listed
    assert "[one-mp-" in listed
    assert "hard" not in listed.partition("[one-")[0] + listed.rpartition("[one-")[2]
    assert "ff-9]" in grading.run("--responses", "given", "--collect-only", "-q", "-k", "Ponds and ff-9").stdout.str()


def test_the_layout_without_a_folder_of_the_task_and_a_json_array(grading: Grading) -> None:
    folder = grading.write_files(grading.path / "given/one", "one", ff=[], mp=[answered(multiple_choice(), "B")])
    (folder / "one_ff.jsonl").write_text(
        json.dumps([answered(free_form(), "swan"), answered(free_form(id="2"), "x")], indent=4)
    )
    grading.write_files(grading.path / "given/one", "one", t2a=[answered(action(), "[Pour]")])
    grading.judge = lambda request: "[[B]]" if "Picked:" in request.question else "[[1]]"
    assert grading.grade().ret == 0
    asked = Counter((entry["task"], entry["expected"]) for entry in grading.project.report["tasks"])
    assert asked == {("image2text", 3): 1, ("text2action", 1): 1}


@pytest.mark.parametrize(
    ("suffix", "entry", "said"),
    [
        ("ff", free_form(), "field 'response': is missing"),
        ("ff", answered(free_form(), "x") | {"response": 3}, "field 'response': must be a string (found 3)"),
        ("mp", answered(multiple_choice(target=[7]), "B"), "field 'target[0]': must be the index of an option"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named(grading: Grading, suffix: str, entry: dict[str, Any], said: str) -> None:
    good = answered(free_form(id="0") if suffix == "ff" else multiple_choice(), "B")
    grading.write_responses("image2text", "one", **{suffix: [good, entry]})
    result = grading.grade()
    assert result.ret == 4
    output = result.stdout.str() + result.stderr.str()
    assert f"one_{suffix}.jsonl:2: {said}" in output
    assert grading.requests == []


def test_rules_grade_without_a_call(grading: Grading) -> None:
    choice = [answered(multiple_choice(), "(B)"), answered(multiple_choice(target=[0]), "no idea")]
    grading.write_responses("image2text", "one", ff=[answered(free_form(), "It is a swan")], mp=choice)
    grading.write_responses("text2action", "one", t2a=[answered(action(), "[Pour] <can> <fern>")])
    result = grading.run("--responses", "given", "--parser", "rule", "-k", "image2text")
    assert result.ret == 0
    assert Counter(row["status"] for row in grading.rows.values()) == {"scored": 2, "unparsed": 1}
    assert sum(row["scores"]["strict"]["overall"] for row in grading.rows.values()) == 2
    assert set(grading.tables("image2text")) == {"Scores by source", "Beside the leaderboard"}
    (note,) = [table["note"] for table in grading.project.report["tables"] if table["title"] == "Scores by source"]
    assert note == "Rules have read the answers; no judge was asked."

    assert grading.run("--responses", "given", "--parser", "rule", "-k", "text2action").ret == 1
    (row,) = grading.rows.values()
    assert row["status"] == "judge_failed"
    assert "graded by a judge alone" in row["error"]
    assert (row["scores"]["official"], row["scores"]["strict"]) == ({}, {"judge_score": 1})
    assert grading.requests == []


def test_rules_do_not_make_verdicts_prunable(grading: Grading) -> None:
    result = grading.run("--parser", "rule", "--prune", model="oracle")
    assert result.ret == 4
    assert "--parser rule and --prune exclude each other" in result.stdout.str() + result.stderr.str()


def test_a_judge_that_cannot_be_read_is_asked_the_same_ten_times(grading: Grading) -> None:
    grading.judge = lambda _: "I would say so."
    grading.write_responses("audio2text", "one", ff=[answered(free_form(audio_id="1.wav"), "a swan")])
    assert grading.grade().ret == 1
    assert len(grading.requests) == 10
    assert len({json.dumps(request.json) for request in grading.requests}) == 1
    (row,) = grading.rows.values()
    assert (row["status"], row["scores"]["strict"]) == ("judge_failed", {"judge_score": 0})
    official = row["scores"]["official"]["judge_score"]
    assert grading.tables("audio2text")["Asking the judge"] == [["one", 1, 9, 1, 0, 0]]
    grading.run("--responses", "given")
    assert grading.requests == []
    assert next(iter(grading.rows.values()))["scores"]["official"]["judge_score"] == official


def test_a_judge_of_plans_is_asked_to_continue(grading: Grading) -> None:
    replies = iter(["Let me think.", "Still thinking.", "[[8]] fine"])
    grading.judge = lambda _: next(replies)
    grading.write_responses("text2action", "one", t2a=[answered(action(), "[Pour] <can>")])
    assert grading.grade().ret == 0
    assert [[message["role"] for message in request.json["messages"]] for request in grading.requests] == [
        ["user"],
        ["user", "user"],
        ["user", "user", "assistant", "user"],
    ]
    assert grading.requests[2].json["messages"][2]["content"] == "Still thinking."
    assert {request.json["model"] for request in grading.requests} == {"gpt-4o-2024-08-06"}
    (row,) = grading.rows.values()
    assert row["scores"]["strict"] == row["scores"]["official"] == {"judge_score": 8}
    assert grading.tables("text2action")["Grades that the judge gave"] == [["one", *[0] * 7, 1, 0, 0, 0, 0]]


def test_a_judge_out_of_reach_fails_the_case_and_says_why(grading: Grading) -> None:
    grading.judge = lambda _: Answer.error(400, "content was filtered", code="content_filter")
    grading.write_responses("image2text", "one", ff=[answered(free_form(), "a swan")])
    assert grading.grade().ret == 1
    (row,) = grading.rows.values()
    assert row["status"] == "judge_failed"
    assert "content was filtered" in row["error"]
    assert row["scores"]["official"] == {"overall": 0, "judge_score": 0}


def test_an_empty_response_goes_to_the_judge(grading: Grading) -> None:
    grading.judge = lambda _: "[[0.0]]"
    grading.write_responses("image2text", "one", ff=[answered(free_form(), "")])
    assert grading.grade().ret == 0
    assert len(grading.requests) == 1
    assert grading.project.report["tasks"][0]["metrics"]["overall"]["strict"]["value"] == 0


def test_a_judge_of_plans_with_a_picture_sees_it(grading: Grading) -> None:
    picture(grading.path / "data/mixeval_x/media/7.png")
    seen = answered(action(image_id="7.png", **{"visible objects": None}), "[Pour] <can> <fern>")
    gone = answered(action(id="2", image_id="../8.png", **{"visible objects": None}), "[Pour]")
    grading.judge = lambda _: "[[9]]"
    grading.write_responses("image2action", "one", i2a=[seen, gone])
    (grading.path / "data/mixeval_x/8.png").write_bytes((grading.path / "data/mixeval_x/media/7.png").read_bytes())
    assert grading.grade().ret == 1
    (request,) = grading.requests
    assert [part["type"] for part in request.json["messages"][0]["content"]] == ["image_url", "text"]
    rows = grading.rows
    assert rows["1"]["scores"]["strict"] == {"judge_score": 9}
    assert (rows["2"]["status"], rows["2"]["scores"]["strict"]) == ("judge_failed", {"judge_score": 1})
    assert (
        "image2action, entry 2: no image '../8.png'" in rows["2"]["error"]
    )  # what leads out of the folder is not there


def test_pictures_of_response_files_are_graded_in_two_turns(grading: Grading, tmp_path: Path) -> None:
    outside = picture(tmp_path / "outside.png")
    made = {"gen_1st_turn": "pictures/1.png", "gen_2nd_turn": "pictures/2.png"}
    entries = [
        drawing() | made,
        drawing(id="2") | made | {"gen_2nd_turn": "pictures/3.png"},
        drawing(id="3") | made | {"gen_1st_turn": str(outside)},
    ]
    folder = grading.write_responses("text2image", "one", t2i=entries)
    (folder / "pictures").mkdir()
    picture(folder / "pictures/1.png")
    picture(folder / "pictures/2.png", (32, 32))
    grading.judge = lambda request: "[[8]]" if "how a picture was changed" in str(request.json) else "[[6]]"
    assert grading.grade().ret == 1
    kinds = Counter(
        tuple(part["type"] for part in request.json["messages"][0]["content"]) for request in grading.requests
    )
    # entry 1 in both turns, entry 2 in the first; entry 3 lacks the picture that both need
    assert kinds == {("text", "image_url", "text"): 2, ("text", "image_url", "text", "image_url", "text"): 1}
    rows = grading.rows
    assert rows["1"]["scores"]["strict"] == {"overall": 7, "judge_score_1st_turn": 6, "judge_score_2nd_turn": 8}
    assert rows["2"]["scores"]["official"] == {"overall": 5.5, "judge_score_1st_turn": 6, "judge_score_2nd_turn": 5}
    assert rows["2"]["scores"]["strict"] == {"overall": 3.5, "judge_score_1st_turn": 6, "judge_score_2nd_turn": 1}
    assert "text2image, entry 2: no picture 'pictures/3.png'" in rows["2"]["error"]
    assert rows["3"]["status"] == "judge_failed"
    assert "outside.png" in rows["3"]["error"]
    assert grading.tables("text2image")["Asking the judge"] == [["one", 3, 0, 0, 0, 3]]
    assert judges(grading.requests[0])


def test_official_result_files_are_written_on_request(grading: Grading) -> None:
    grading.judge = by_content
    grading.write_responses(
        "image2text", "one", ff=[answered(free_form(), "swan")], mp=[answered(multiple_choice(), "?")]
    )
    grading.grade()
    run = grading.project.folders[-1]
    assert not list(run.rglob("score*.json"))
    assert (run / "mixeval_x/responses/image2text/one/one_ff.jsonl").exists()
    assert grading.project.command("export", str(run), "--output", "out") == 0
    score = json.loads((grading.path / "out/mixeval_x/official/image2text/one/score.json").read_text())
    assert score == {
        "overall score (final score)": 0.5,
        "Ponds (free-form)": 1.0,
        "Boats (multiple-choice)": 0.0,
    }
