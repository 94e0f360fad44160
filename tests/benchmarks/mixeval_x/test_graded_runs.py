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


def answered(entry: dict[str, Any], response: str | None) -> dict[str, Any]:
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
        ("ff", answered(free_form(target={"a": 1}), "x"), "field 'target': must be a list"),
        ("ff", answered({"id": "1", "target": ["x"]}, "x"), "field 'prompt': is missing"),
        ("mp", answered(multiple_choice(target=[7]), "B"), "field 'target[0]': must be the index of an option"),
        ("mp", answered(multiple_choice(options="A, B"), "B"), "field 'options': must be a list"),
    ],
)
def test_an_entry_that_cannot_be_graded_costs_its_own_case(
    grading: Grading, suffix: str, entry: dict[str, Any], said: str
) -> None:
    grading.judge = lambda request: "[[B]]" if "Picked:" in request.question else "[[1]]"
    good = answered(free_form(id="0") if suffix == "ff" else multiple_choice(id="0"), "B")
    grading.write_responses("image2text", "one", **{suffix: [good, entry]})
    result = grading.grade()
    assert result.ret == 1
    rows = grading.rows
    assert rows.pop(f"{suffix}-0")["scores"]["strict"]["overall"] == 1
    (row,) = rows.values()
    assert row["status"] == "error"
    assert f"one_{suffix}.jsonl:2: {said}" in row["error"]
    assert row["scores"] == {
        "official": {},
        "strict": {"overall": 0, "judge_score" if suffix == "ff" else "accuracy": 0},
    }
    assert grading.project.report["tasks"][0]["expected"] == 2
    tables = grading.tables("image2text")
    assert tables["Scores by source"][0][2:] == ["all", 2, 1, 0.5]
    assert len(grading.requests) == 1
    result.stdout.fnmatch_lines(["1 row of mixeval_x/image2text cannot be used, 1 case: *(line 2)"])


ODD_QUESTIONS = {
    "response": answered(free_form(), None),
    "target": answered(free_form(target=["", 3, None]), "x"),
    "image_id": answered(free_form(image_id=None), "x"),
    "image_id list": answered(free_form(image_id=["1.png", "2.png"]), "x"),
    "problem_type": answered(free_form(problem_type=None), "x"),
    "id": answered(free_form(id=""), "x"),
    "benchmark_name": answered(free_form(benchmark_name=None), "x"),
    "prompt": answered(free_form(prompt=""), "x"),
    "finish_reason": answered(free_form(), "x") | {"finish_reason": "eof"},
}
UNREMARKABLE = {
    "finish_reason": "STOP",
    "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7, "prompt_tokens_details": None},
}


@pytest.mark.parametrize("field", ODD_QUESTIONS)
def test_an_odd_entry_is_graded_and_named(grading: Grading, field: str) -> None:
    grading.write_responses("image2text", "one", ff=[answered(free_form(id="0"), "a swan"), ODD_QUESTIONS[field]])
    result = grading.grade()
    assert result.ret == 0
    assert [row["scores"]["official"]["judge_score"] for row in grading.rows.values()] == [1, 1]
    result.stdout.fnmatch_lines([f"1 row of mixeval_x/image2text has * in {field.split()[0]} (line 2)"])


def test_what_others_say_of_ends_and_tokens_is_understood(grading: Grading) -> None:
    entries = [
        answered(free_form(), "a swan") | UNREMARKABLE,
        answered(free_form(id="2"), "a sw") | {"finish_reason": "MAX_TOKENS", "usage": "many"},
    ]
    grading.write_responses("image2text", "one", ff=entries)
    result = grading.grade()
    assert result.ret == 0
    rows = grading.rows
    assert rows["ff-1"]["status"] == "scored"
    assert (rows["ff-1"]["usage"]["input_tokens"], rows["ff-1"]["usage"]["output_tokens"]) == (5, 2)
    assert rows["ff-2"]["status"] == "truncated"
    result.stdout.no_fnmatch_line("* of mixeval_x/image2text has *")


def test_options_that_are_numbers_or_empty_are_graded(grading: Grading) -> None:
    grading.judge = lambda _: "[[B]]"
    entries = [
        answered(multiple_choice(options=[1, 2, 3]), "2"),
        answered(multiple_choice(options=["red", "", "blue"]), "none"),
        answered(multiple_choice(options=["red"] * 27, target=[1]), "B"),
        answered(multiple_choice(options=["red", "green"], target=[-1]), "B"),
        answered(multiple_choice(options=["yes"], target=[0]), "B"),
    ]
    grading.write_responses("image2text", "one", mp=entries)
    assert grading.grade().ret == 0
    rows = sorted(grading.rows.values(), key=lambda row: int(row["sample_index"]))
    assert [row["scores"]["official"]["accuracy"] for row in rows] == [1, 1, 1, 1, 0]
    assert any("Options:\nA. 1\nB. 2\nC. 3\n" in request.question for request in grading.requests)


def test_plans_and_pictures_need_what_the_judge_is_shown_and_no_more(grading: Grading) -> None:
    grading.judge = lambda _: "[[6]]"
    bare = drawing(id=None)
    del bare["first_turn_caption"], bare["second_turn_caption"]
    made = {"gen_1st_turn": "1.png", "gen_2nd_turn": None}
    folder = grading.write_responses("text2image", "one", t2i=[bare | made])
    picture(folder / "1.png")
    odd = action(**{"already executed steps": 0, "target": "", "id": 1.5})
    grading.write_responses("text2action", "one", t2a=[answered(odd, "[Pour]"), action(id="2")])
    assert grading.grade("-k", "text2image or text2action").ret == 1
    scores = {(row["task"], row["status"]): row["scores"]["official"] for row in grading.rows.values()}
    assert scores["text2action", "scored"] == {"judge_score": 6}
    assert scores["text2action", "error"] == {}
    turns = scores["text2image", "judge_failed"]
    assert turns == {"overall": 5.5, "judge_score_1st_turn": 6, "judge_score_2nd_turn": 5}


def test_a_jpg_is_looked_for_in_capitals_and_a_link_that_leads_out_is_named(grading: Grading, tmp_path: Path) -> None:
    media = grading.path / "data/mixeval_x/media"
    picture(media / "7.JPG", format="JPEG")
    (media / "8.jpg").symlink_to(picture(tmp_path / "8.jpg"))
    entries = [
        answered(action(id=name, image_id=f"{name}.jpg", **{"visible objects": None}), "[Pour]") for name in ("7", "8")
    ]
    grading.judge = lambda _: "[[9]]"
    grading.write_responses("image2action", "one", i2a=entries)
    assert grading.grade().ret == 1
    assert len(grading.requests) == 1
    rows = grading.rows
    assert rows["7"]["scores"]["official"] == {"judge_score": 9}
    leads = f"image '8.jpg' is a link that leads out of the folder of media, to {(tmp_path / '8.jpg').resolve()}"
    assert leads in rows["8"]["error"]


@pytest.mark.parametrize("linked", [False, True])
def test_a_folder_that_is_called_as_a_task_holds_that_task_alone(grading: Grading, linked: bool) -> None:
    entries = [answered(free_form(id=str(number)), "a swan") for number in range(4)]
    choice = [answered(multiple_choice(id=str(number)), "B") for number in range(4)]
    grading.judge = lambda request: "[[B]]" if "Picked:" in request.question else "[[1]]"
    grading.write_files(grading.path / "given/image2text_hard/one", "one", ff=entries, mp=choice)
    named = "given/image2text_hard"
    if linked:
        (grading.path / "latest").symlink_to(grading.path / named)
        named = "latest"
    assert grading.run("--responses", named, "--record-mode", "once").ret == 0
    report = grading.project.report
    assert [(task["task"], task["expected"]) for task in report["tasks"]] == [("image2text_hard", 8)]


def test_rules_grade_without_a_call(grading: Grading) -> None:
    choice = [answered(multiple_choice(), "(B)"), answered(multiple_choice(target=[0]), "no idea")]
    grading.write_responses("image2text", "one", ff=[answered(free_form(), "It is a swan")], mp=choice)
    grading.write_responses("text2action", "one", t2a=[answered(action(), "[Pour] <can> <fern>")])
    result = grading.run("--responses", "given", "--parser", "rule", "-k", "image2text")
    assert result.ret == 0
    assert Counter(row["status"] for row in grading.rows.values()) == {"scored": 2, "unparsed": 1}
    assert sum(row["scores"]["strict"]["overall"] for row in grading.rows.values()) == 2
    assert set(grading.tables("image2text")) == {"Scores by source"}
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


def test_a_judge_that_cannot_be_read_is_asked_for_ten_samples(grading: Grading) -> None:
    grading.judge = lambda _: "I would say so."
    grading.write_responses("audio2text", "one", ff=[answered(free_form(audio_id="1.wav"), "a swan")])
    assert grading.grade().ret == 1
    assert len(grading.requests) == 10
    assert len({json.dumps(request.json["messages"]) for request in grading.requests}) == 1
    assert [request.json.get("temperature") for request in grading.requests] == [0.0, *[None] * 9]
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
        ["user", "assistant", "user"],
        ["user", "assistant", "user"],
    ]
    assert [request.json["messages"][1]["content"] for request in grading.requests[1:]] == [
        "Let me think.",
        "Still thinking.",
    ]
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
    assert row["scores"]["official"] == {"overall": 0, "judge_score": 0}  # blocked, not failed: no dice
    grading.run("--responses", "given")
    assert grading.requests == []
    (again,) = grading.rows.values()
    assert (again["status"], again["scores"], again["error"]) == (row["status"], row["scores"], row["error"])


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
    assert "image2action, entry 2: no image '../8.png' in" in rows["2"]["error"]


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
    assert "text2image, entry 2: gen_2nd_turn: no picture 'pictures/3.png'" in rows["2"]["error"]
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
