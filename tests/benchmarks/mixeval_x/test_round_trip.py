"""What Proctor writes for the published tools is read by them, with the same figures; and read again by Proctor."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from drawn_media import encoded, picture
from mixeval_x_grader import JudgedFiles, as_written
from mixeval_x_project import Grading, action, drawing, free_form, grading, multiple_choice, project
from stub_server import Answer, Request

__all__ = ["grading", "project"]

FOLDERS = ["first~model", "second"]
"""Of the models first/model and second."""
HUB: dict[str, Any] = {"query": "What is it?", "input_file": ["a.png", "b.png"]}


def answered(entry: dict[str, Any], response: object) -> dict[str, Any]:
    return entry | {"response": response}


def exported(grading: Grading) -> Path:
    """The official files of the newest run."""
    assert grading.project.command("export", str(grading.project.folders[-1]), "--output", "out") == 0
    return grading.path / "out/mixeval_x/official"


def written(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def some_judge(request: Request) -> str | Answer:
    """A judge that gives all kinds of replies, depending on the response it is shown."""
    response = request.question.rpartition("Response:")[2].partition("\n")[0].strip()
    if response == "blocked":
        return Answer.error(400, "filtered", code="content_filter")
    if "Picked:" in request.question:
        return {"green": "[[B]]", "none": "[[Z]]", "unclear": "Hm."}.get(response, "[A] I think")
    return {"swan": "[[1]]", "half": "so [[0.45]] or [[0.1]]", "unclear": "[[7]]"}.get(response, "[0.3]")


def test_scores_of_questions_are_those_that_the_published_reader_computes(grading: Grading) -> None:
    grading.judge = some_judge
    responses = ["swan", "half", "x", "unclear", "blocked", None, 3]
    sources = ["Ponds", "Lakes", "Ponds", None, "overall", 3, "Lakes"]
    free = [
        answered(free_form(id=str(number), benchmark_name=source, target=["", 3, None, "swan"]), response)
        for number, (response, source) in enumerate(zip(responses, sources, strict=True))
    ]
    free += [answered(HUB | {"reference_answer": "a cup"}, "swan"), answered(free_form(id="", target=[]), "half")]
    picks = ["green", "none", "unclear", "A", "blocked", None]
    choice = [
        answered(multiple_choice(id=number, options=["red", "green", 3], target=[number % 3]), response)
        for number, response in enumerate(picks)
    ]
    choice += [
        answered(HUB | {"options": ["a cup", ""], "reference_answer": 1}, "green"),
        answered(multiple_choice(target=[-1]), "unclear"),
        answered(multiple_choice(target=[True, 0]), "green"),
    ]
    grading.write_responses("image2text", FOLDERS[0], ff=free, mp=choice)
    grading.write_responses("image2text", FOLDERS[1], ff=free[2:], mp=choice[:4])
    grading.grade()
    assert len(grading.project.rows) == 18  # each entry of the first model has a row, whatever is odd in it
    official = exported(grading)
    reader = JudgedFiles(official, "image2text", FOLDERS)
    folder = official / "image2text"
    for name, scores in (
        ("score_ff.json", reader.free_form()[0]),
        ("score_mp.json", reader.multiple_choice()[0]),
        ("score.json", reader.questions()),
    ):
        assert written(folder / name) == as_written(scores), name
        assert list(written(folder / name)) == list(scores), name
    assert written(folder / "second/score.json") == as_written(reader.questions()["second"])


def test_response_files_are_whole_for_the_published_grader_also_of_rows_of_the_hub(grading: Grading) -> None:
    media = grading.path / "data/mixeval_x/media"
    picture(media / "a.png")
    picture(media / "b.png", (20, 20))
    asked = {"query": "What is it?", "input_file": ["a.png"], "reference_answer": ["a cup"]}
    choice_asked = asked | {"options": ["a cup", "a jug"], "reference_answer": [0]}
    grading.write_data("image2text", asked, choice_asked, asked | HUB)
    grading.judge = lambda request: "[[A]]" if "Picked:" in request.question else "[[1]]"
    assert grading.answered("image2text", model="gpt-4o").ret == 0
    contents = [request.json["messages"][0]["content"] for request in grading.requests]
    shown = [[part["type"] for part in content] for content in contents if isinstance(content, list)]
    assert sorted(shown) == [["image_url", "image_url", "text"], ["image_url", "text"], ["image_url", "text"]]
    base = "mixeval_x/responses/image2text/gpt-4o/gpt-4o"
    free, choice = grading.lines(f"{base}_ff.jsonl"), grading.lines(f"{base}_mp.jsonl")
    assert (len(free), len(choice)) == (2, 1)
    for entry in (*free, *choice):
        for name in ("prompt", "target", "benchmark_name", "response"):  # what the published grader reads
            assert name in entry
        assert isinstance(entry["target"], list)
    assert choice[0]["options"] == ["a cup", "a jug"]
    responses = grading.project.folders[-1] / "mixeval_x/responses"
    assert grading.run("--responses", str(responses)).ret == 0
    assert [row["scores"]["official"]["overall"] for row in grading.rows.values()] == [1, 1, 1]


def test_grades_of_plans_are_those_that_the_published_reader_computes(grading: Grading) -> None:
    replies = ["[[7]]", "Let me see.", "[[9.123456789]]", "[[0]]", "[[12]]"]
    seen: dict[str, int] = {}

    def judge(request: Request) -> str:
        plan = request.json["messages"][0]["content"].rpartition("grade: ")[2].partition("\n")[0]
        seen[plan] = seen.get(plan, 0) + 1
        return replies[int(plan)] if seen[plan] == 1 else "[[4]]"

    grading.judge = judge
    entries = [answered(action(id=str(number), target="" if number else 3), str(number)) for number in range(5)]
    for name in FOLDERS:
        grading.write_responses("text2action", name, t2a=entries[: 5 - FOLDERS.index(name)])
        seen.clear()
    grading.judge = judge
    grading.grade("--concurrency", "1")
    official = exported(grading)
    reader = JudgedFiles(official, "text2action", FOLDERS)
    assert written(official / "text2action/score_t2a.json") == as_written(reader.plans("t2a"))
    judged = reader.judged(FOLDERS[0], "t2a", "gpt-4o-2024-08-06")
    assert [entry["judge_score"] for entry in judged] == [7, 4, 9.123456789, 0, 12]
    assert judged[1]["judge_response"] == "Let me see."


def drawn(colour: str) -> str:
    return base64.b64encode(encoded(colour)).decode()


def test_pictures_lie_beside_the_response_file_and_travel_with_it(
    grading: Grading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grading.write_data("text2image", drawing(), drawing(id="2", first_turn_user_prompt="Draw a red balloon."))
    grading.answer = lambda request: drawn("green" if request.files else "red")
    grading.judge = lambda _: "[[9]]"
    assert grading.answered("text2image", model="gpt-image-1").ret == 0
    scores = {name: (row["status"], row["scores"]) for name, row in grading.rows.items()}
    official = exported(grading)
    reader = JudgedFiles(official, "text2image", ["gpt-image-1"])
    assert written(official / "text2image/score_t2i.json") == as_written(reader.pictures())

    away = tmp_path / "away"
    shutil.move(grading.project.folders[-1] / "mixeval_x/responses", away)
    shutil.rmtree(grading.path / "cassettes/mixeval_x/text2image/media")
    folder = away / "text2image/gpt-image-1"
    entries = [json.loads(line) for line in (folder / "gpt-image-1_t2i.jsonl").read_text().splitlines()]
    with monkeypatch.context() as started_there:
        started_there.chdir(folder)
        for entry in entries:
            assert Path(entry["gen_1st_turn"]).read_bytes() == encoded("red")
            assert Path(entry["gen_2nd_turn"]).read_bytes() == encoded("green")
    assert grading.run("--responses", str(away)).ret == 0
    assert grading.requests == []  # the judge has seen these very pictures
    assert {name: (row["status"], row["scores"]) for name, row in grading.rows.items()} == scores


def test_a_refused_second_turn_leaves_the_first_one_its_grade_live_and_read_again(grading: Grading) -> None:
    declined = Answer.error(400, "Your request was rejected by the safety system.", code="moderation_blocked")
    grading.write_data("text2image", drawing())
    grading.answer = lambda request: declined if request.files else drawn("red")
    grading.judge = lambda _: "[[7]]"
    assert grading.answered("text2image", model="gpt-image-1").ret == 0
    (row,) = grading.rows.values()
    assert (row["status"], row["finish_reason"]) == ("refused", "refusal")
    assert row["scores"] == {
        "official": {"overall": 6, "judge_score_1st_turn": 7, "judge_score_2nd_turn": 5},
        "strict": {"overall": 4, "judge_score_1st_turn": 7, "judge_score_2nd_turn": 1},
    }
    (entry,) = grading.lines("mixeval_x/responses/text2image/gpt-image-1/gpt-image-1_t2i.jsonl")
    assert (entry["gen_2nd_turn"], entry["finish_reason_2nd_turn"]) == ("", "refusal")
    assert "finish_reason_1st_turn" not in entry
    responses = grading.project.folders[-1] / "mixeval_x/responses"
    assert grading.run("--responses", str(responses)).ret == 0
    (again,) = grading.rows.values()
    assert grading.requests == []
    for name in ("status", "finish_reason", "scores", "error"):
        assert again[name] == row[name]


@pytest.mark.parametrize(
    ("second", "sent"),
    [
        ("<generated_image_1> Make it green.", "Make it green."),
        ("Make it green.", "Make it green."),
        ("Change the sky in <generated_image_1> to night.", "Change the sky in this picture to night."),
        ("<generated_image_1> should be at night.", "This picture should be at night."),
        (
            "<generated_image_1> Take the hat of <generated_image_1>, and put <generated_image_1> in a frame.",
            "Take the hat of this picture, and put this picture in a frame.",
        ),
    ],
)
def test_a_second_prompt_keeps_its_sentence_whole(grading: Grading, second: str, sent: str) -> None:
    grading.write_data("text2image", drawing(second_turn_user_prompt=second))
    grading.answer = lambda request: drawn("green" if request.files else "red")
    grading.judge = lambda _: "[[9]]"
    assert grading.answered("text2image", model="gpt-image-1").ret == 0
    (changed,) = (request for request in grading.requests if request.files)
    assert changed.json["prompt"].strip() == sent


def test_a_cut_answer_is_read_again_as_cut(grading: Grading) -> None:
    grading.write_data("text2action", action(), action(id="2"))
    grading.answer = lambda _: Answer("[Pour] <ca", finish="length")
    grading.judge = lambda _: "[[5]]"
    assert grading.answered("text2action", model="gpt-4o").ret == 0
    first = {name: (row["status"], row["scores"], row["response_text"]) for name, row in grading.rows.items()}
    assert first["1"] == (
        "truncated",
        {"official": {"judge_score": 5}, "strict": {"judge_score": 1}},
        "[Pour] <ca",
    )
    responses = grading.project.folders[-1] / "mixeval_x/responses"
    assert grading.run("--responses", str(responses)).ret == 0
    again = {name: (row["status"], row["scores"], row["response_text"]) for name, row in grading.rows.items()}
    assert again == first
