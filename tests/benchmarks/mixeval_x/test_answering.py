"""Asking models about pictures and having them made: what the server gets, and the response files that come of it."""

from __future__ import annotations

import base64

import pytest
from drawn_media import encoded, picture
from mixeval_x_project import Grading, action, drawing, free_form, grading, multiple_choice, project
from stub_server import Answer, Request

__all__ = ["grading", "project"]


def test_a_model_is_shown_the_picture_and_asked_and_the_answers_can_be_graded_again(grading: Grading) -> None:
    file = grading.path / "data/mixeval_x/media/image2text/1.png"
    file.parent.mkdir()
    picture(file)
    grading.write_data("image2text", free_form(), multiple_choice())
    grading.answer = lambda request: "B." if "B. green" in request.question else "a swan"
    grading.judge = lambda request: "[[B]]" if "Picked:" in request.question else "[[0.9]]"
    assert grading.answered("image2text", model="gpt-4o").ret == 0
    asked = [
        request.json["messages"][0]["content"] for request in grading.requests if "Reply with the" in str(request.json)
    ]
    shown = [content for content in asked if isinstance(content, list)]
    assert len(shown) == 2
    for content in shown:
        sent = base64.b64decode(content[0]["image_url"]["url"].partition("base64,")[2])
        assert sent == file.read_bytes()
    (choice,) = (content[1]["text"] for content in shown if "A. red" in content[1]["text"])
    assert "What colour is the boat?\nA. red\nB. green\nC. blue" in choice

    base = "mixeval_x/responses/image2text/gpt-4o/gpt-4o"
    assert grading.lines(f"{base}_ff.jsonl") == [free_form() | {"response": "a swan"}]
    assert grading.lines(f"{base}_mp.jsonl") == [multiple_choice() | {"response": "B."}]
    scores = {name: row["scores"] for name, row in grading.rows.items()}

    responses = grading.project.folders[-1] / "mixeval_x/responses"
    assert grading.run("--responses", str(responses)).ret == 0  # the same calls to the judge
    assert grading.requests == []
    assert {name: row["scores"] for name, row in grading.rows.items()} == scores


def test_a_picture_that_is_not_there_costs_its_own_case(grading: Grading) -> None:
    grading.write_data("image2text", free_form(), free_form(id="2", image_id="2.png"))
    picture(grading.path / "data/mixeval_x/media/2.png")
    assert grading.answered("image2text", model="gpt-4o").ret == 1
    rows = grading.rows
    assert rows["ff-2"]["status"] == "scored"
    assert rows["ff-1"]["status"] == "error"
    assert "image2text, entry ff-1: no image '1.png' in data/mixeval_x/media/image2text" in rows["ff-1"]["error"]


def test_media_are_found_in_another_folder(grading: Grading) -> None:
    elsewhere = grading.path / "elsewhere"
    elsewhere.mkdir()
    picture(elsewhere / "1.png")
    grading.write_data("image2text", free_form())
    assert grading.answered("image2text", "--media-dir", "elsewhere", model="gpt-4o").ret == 0
    refused = grading.answered("image2text", "--media-dir", "nowhere", model="gpt-4o")
    assert refused.ret == 4
    assert "--media-dir nowhere: no such folder" in refused.stdout.str() + refused.stderr.str()


def test_a_plan_is_asked_for_with_its_lists(grading: Grading) -> None:
    grading.write_data("text2action", action())
    grading.answer = lambda _: "[Pour] <can> <fern>"
    grading.judge = lambda _: "[[10]]"
    assert grading.answered("text2action", model="gpt-4o").ret == 0
    question = grading.requests[0].question
    for line in (
        "Task: Water the fern.",
        "Actions: [Grasp], [Pour], [Wait]",
        "Objects: <can>, <fern>",
        "Done: [Grasp] <can>",
    ):
        assert f"\n{line}\n" in question
    assert "[Pour] <can> <fern>" not in question
    assert grading.lines("mixeval_x/responses/text2action/gpt-4o/gpt-4o_t2a.jsonl") == [
        action() | {"response": "[Pour] <can> <fern>"}
    ]


def drawn(colour: str) -> str:
    """A picture of one colour, in base64."""
    return base64.b64encode(encoded(colour)).decode()


def test_pictures_are_made_changed_graded_and_written_down(grading: Grading) -> None:
    grading.write_data("text2image", drawing())
    grading.answer = lambda request: drawn("green" if request.files else "red")
    grading.judge = lambda _: "[[9]]"
    assert grading.answered("text2image", model="gpt-image-1").ret == 0
    made, changed = (request for request in grading.requests if request.api == "openai-images")
    assert made.json["prompt"].strip() == "Draw a red kite."
    assert changed.json["prompt"] == "Make it green."
    (upload,) = changed.files
    assert upload.content == encoded("red")
    (row,) = grading.rows.values()
    assert row["scores"]["strict"] == {"overall": 9, "judge_score_1st_turn": 9, "judge_score_2nd_turn": 9}
    (entry,) = grading.lines("mixeval_x/responses/text2image/gpt-image-1/gpt-image-1_t2i.jsonl")
    responses = grading.project.folders[-1] / "mixeval_x/responses"
    files = [responses / "text2image/gpt-image-1" / entry[name] for name in ("gen_1st_turn", "gen_2nd_turn")]
    assert [file.read_bytes() for file in files] == [encoded(colour) for colour in ("red", "green")]
    assert entry | drawing() == entry

    assert grading.run(tasks=["text2image"], model="gpt-image-1").ret == 0  # replayed
    assert grading.run("--responses", str(responses)).ret == 0  # graded again, from files
    assert grading.requests == []


def test_written_responses_are_graded_from_any_folder(grading: Grading, monkeypatch: pytest.MonkeyPatch) -> None:
    grading.write_data("text2image", drawing())
    grading.answer = lambda request: drawn("green" if request.files else "red")
    grading.judge = lambda _: "[[9]]"
    grading.answered("text2image", model="gpt-image-1")
    responses = grading.project.folders[-1] / "mixeval_x/responses"
    monkeypatch.chdir(grading.path / "data")
    module = grading.path / "suite/test_text2image.py"
    plugin = ("-p", "benchmarks.mixeval_x.plugin")
    ended = grading.project.run(str(module), *plugin, "--responses", str(responses), model=None)
    assert ended.ret == 0
    (row,) = grading.rows.values()
    assert (row["status"], row["scores"]["strict"]["overall"]) == ("scored", 9)


def test_a_model_that_declines_the_first_picture_is_not_asked_to_change_it(grading: Grading) -> None:
    def declines(request: Request) -> Answer:
        assert request.api == "openai-images"
        return Answer.error(400, "Your request was rejected by the safety system.", code="moderation_blocked")

    grading.write_data("text2image", drawing())
    grading.answer = declines
    grading.answered("text2image", model="gpt-image-1")
    assert len(grading.requests) == 1
    (row,) = grading.rows.values()
    assert row["scores"]["strict"] == {"overall": 1, "judge_score_1st_turn": 1, "judge_score_2nd_turn": 1}
    assert row["status"] == "refused"


def test_a_model_that_declines_the_change_has_refused_and_its_first_picture_is_graded(grading: Grading) -> None:
    declined = Answer.error(400, "Your request was rejected by the safety system.", code="moderation_blocked")
    grading.write_data("text2image", drawing())
    grading.answer = lambda request: declined if request.files else drawn("red")
    grading.judge = lambda _: "[[9]]"
    assert grading.answered("text2image", model="gpt-image-1").ret == 0
    (row,) = grading.rows.values()
    assert (row["status"], row["finish_reason"]) == ("refused", "refusal")
    assert row["scores"]["official"] == {"overall": 7, "judge_score_1st_turn": 9, "judge_score_2nd_turn": 5}


def test_an_estimate_says_that_judges_of_pictures_to_be_made_are_not_counted(grading: Grading) -> None:
    grading.write_data("text2image", drawing())
    ended = grading.run("--estimate", tasks=["text2image"], model="gpt-image-1")
    ended.stdout.fnmatch_lines(["*1 conversations go on about pictures that are not made yet; what judges are asked*"])


def test_a_link_that_leads_to_itself_is_no_picture(grading: Grading) -> None:
    (grading.path / "data/mixeval_x/media/1.png").symlink_to("1.png")
    grading.write_data("image2text", free_form())
    grading.answered("image2text", model="gpt-4o")
    (row,) = grading.rows.values()
    assert row["status"] == "error"
    assert "entry ff-1: no image '1.png' in " in row["error"]


def test_built_in_models_show_what_scores_mean(grading: Grading) -> None:
    grading.write_data("image2text", free_form(), multiple_choice())
    grading.write_data("text2action", action())
    assert grading.run("--model", "oracle", "--model", "constant", tasks=["image2text", "text2action"]).ret == 0
    found = {(entry["task"], entry["model"]): entry["metrics"] for entry in grading.project.report["tasks"]}
    assert found["image2text", "oracle"]["overall"]["strict"]["value"] == 1
    assert found["image2text", "constant"]["overall"]["strict"]["value"] == 0
    assert found["text2action", "oracle"]["judge_score"]["official"]["value"] == 10
    assert found["text2action", "constant"]["judge_score"]["strict"]["value"] == 1
    grading.write_data("text2image", drawing())
    refused = grading.run(tasks=["text2image"], model="oracle")
    assert refused.ret == 4
    assert "does not define the built-in model 'oracle'" in refused.stdout.str() + refused.stderr.str()
