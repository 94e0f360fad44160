"""Deep Research as a user runs it: the model, its parser and its judge are a stub server."""

from __future__ import annotations

import json

import pytest
from capitals import project
from judged_sgi import STEPS, Judging, judging, kind, official_shape
from stub_server import Answer

__all__ = ["judging", "official_shape", "project"]


def test_deep_research_is_parsed_judged_recorded_and_replayed(judging: Judging) -> None:
    assert judging.record("deep_research").ret == 0
    assert judging.asked == {"answer": 1, "parser": 1, "judge": 1}
    asked = {kind(request): request for request in judging.project.server.requests}
    assert asked["judge"].json["model"] == asked["parser"].json["model"] == "grader-9"
    assert asked["judge"].headers["authorization"] == "Bearer sk-graderKey0123456789"
    assert "about four" in asked["parser"].question
    assert "240 / 60 = 4 min." not in asked["parser"].question  # nothing of the reference
    row = judging.row
    assert row["scores"]["official"] == row["scores"]["strict"] == {"exact_match": 1.0, "step_level_acc": 1.0}
    assert row["evidence"] == {
        "parsed": "4",
        "parser_tries": 1,
        "steps": json.loads(STEPS),
        "published_step_level_acc": 1.0,
        "judge_tries": 1,
        "problem": "",
    }
    assert {name: role["calls"] for name, role in row["judging"].items()} == {"judge": 1, "parser": 1}

    assert judging.run("deep_research").ret == 0
    assert judging.asked == {}
    assert judging.row["evidence"] == row["evidence"]


def test_the_parser_is_not_asked_about_the_gold_answer_itself(judging: Judging) -> None:
    judging.replies["answer"] = "<answer>4</answer>"
    assert judging.record("deep_research").ret == 0
    assert judging.asked == {"answer": 1, "judge": 1}
    assert judging.row["scores"]["official"]["exact_match"] == 1


def test_a_parser_that_says_nothing_usable_leaves_the_answer_as_it_is(judging: Judging) -> None:
    judging.replies["parser"] = ""
    assert judging.record("deep_research").ret == 1
    assert judging.asked["parser"] == 5
    row = judging.row
    assert (row["status"], row["error"]) == (
        "judge_failed",
        "the parser gave no reply that can be read, asked 5 times; last reply: ''",
    )
    assert row["scores"]["official"] == row["scores"]["strict"] == {"exact_match": 0.0, "step_level_acc": 1.0}


@pytest.mark.parametrize("answer", ["So <answer>about four</answer>", "So <answer>4 </answer>, or <answer>four"])
def test_a_dead_parser_is_told_and_replayed(judging: Judging, answer: str) -> None:
    judging.replies |= {"answer": answer, "parser": Answer.error(400, "no such parameter")}
    assert judging.record("deep_research").ret == 1
    live = judging.row
    assert (live["status"], live["source"]) == ("judge_failed", "live")
    assert live["error"] == "grader-9 as parser: 400: no such parameter"
    assert live["scores"]["official"] == {"exact_match": 0.0, "step_level_acc": 1.0}

    assert judging.run("deep_research").ret == 1
    assert judging.asked == {}
    replayed = judging.row
    for name in ("status", "error", "scores", "evidence", "attempts", "calls", "response_text"):
        assert (
            [c | {"source": ""} for c in live[name]] == [c | {"source": ""} for c in replayed[name]]
            if (name == "calls")
            else live[name] == replayed[name]
        )
    assert replayed["source"] == "replayed"

    judging.replies["parser"] = '{"answer": "4"}'
    assert judging.record("deep_research").ret == 0
    assert judging.asked == {"parser": 1}
    assert judging.row["scores"]["official"]["exact_match"] == 1.0
    assert judging.run("deep_research").ret == 0


def test_an_unreadable_judge_is_asked_again_by_the_next_run_and_nobody_else(judging: Judging) -> None:
    judging.replies["judge"] = "All good."
    assert judging.record("deep_research").ret == 1
    assert judging.row["error"] == ("the judge gave no reply that can be read, asked 5 times; last reply: 'All good.'")
    temperatures = [r.json.get("temperature") for r in judging.project.server.requests if kind(r) == "judge"]
    assert temperatures == [0.0, None, None, None, None]

    assert judging.record("deep_research").ret == 1
    assert judging.asked == {"judge": 5}
    assert "temperature" not in judging.project.server.requests[0].json
    first, second = judging.replies["answer"], "another answer"
    judging.replies |= {"judge": STEPS, "answer": second}
    assert judging.record("deep_research").ret == 0
    assert judging.asked == {"judge": 1}
    live = judging.row
    assert (live["status"], live["response_text"], live["evidence"]["judge_tries"]) == ("scored", first, 11)

    assert judging.run("deep_research").ret == 0
    assert judging.asked == {}
    assert judging.row["evidence"] == live["evidence"]


def test_a_judge_is_asked_five_times_and_then_the_row_is_lost_officially(judging: Judging) -> None:
    judging.replies["judge"] = Answer("I may not.", finish="content_filter")
    judging.record("deep_research")
    assert judging.asked["judge"] == 5
    row = judging.row
    assert row["error"].endswith("asked 5 times; last reply, which declines: 'I may not.'")
    assert (row["status"], row["scores"]["official"]) == ("judge_failed", {})
    assert row["scores"]["strict"] == {"exact_match": 1.0, "step_level_acc": 0.0}
    judging.run("deep_research")
    assert judging.asked == {}
    assert judging.row["status"] == "judge_failed"
    assert judging.row["evidence"]["judge_tries"] == 5


def test_an_empty_answer_needs_no_judge(judging: Judging) -> None:
    judging.replies["answer"] = " "
    judging.record("deep_research")
    assert judging.asked == {"answer": 1}
    assert judging.row["status"] == "unparsed"


def test_built_in_models_are_judged_by_stand_ins(judging: Judging) -> None:
    assert judging.run("deep_research", model="oracle").ret == 0
    assert judging.row["scores"]["strict"] == {"exact_match": 1.0, "step_level_acc": 1.0}
    assert judging.run("deep_research", model="constant").ret == 0
    assert judging.row["scores"]["strict"] == {"exact_match": 0.0, "step_level_acc": 0.0}
    assert judging.run("idea_generation", model="oracle").ret == 0
    assert judging.row["scores"]["strict"]["feasibility_objective"] == pytest.approx(100)
    assert judging.row["scores"]["strict"]["feasibility_subjective"] == 0  # three votes of six
    assert judging.asked == {}


def test_prompts_in_the_official_shape_score_deep_research_as_ours_do(
    judging: Judging, official_shape: tuple[str, str]
) -> None:
    judging.replies["parser"] = "4"  # the bare value
    assert judging.record("deep_research", *official_shape).ret == 0
    assert judging.asked == {"answer": 1, "parser": 1, "judge": 1}
    row = judging.row
    assert row["status"] == "scored"
    assert row["scores"]["official"] == row["scores"]["strict"] == {"exact_match": 1.0, "step_level_acc": 1.0}
    assert judging.run("deep_research", *official_shape).ret == 0
    assert (judging.asked, judging.row["scores"]) == ({}, row["scores"])
