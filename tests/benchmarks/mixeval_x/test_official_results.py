"""The official result files: means, weights and roundings worked out by hand, quirks included."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from mixeval_x_project import action, drawing, free_form, multiple_choice

from benchmarks.mixeval_x.official_results import graded_results, question_results
from benchmarks.mixeval_x.response_files import written_responses
from benchmarks.mixeval_x.run_settings import DEFAULT

START = datetime(2026, 1, 2)  # no file tells it
results = partial(question_results, DEFAULT, "gpt-3.5-turbo-0125", START)
grades = partial(graded_results, DEFAULT, {"judge_score": "overall"}, "gpt-4o-2024-08-06", START)


def row(entry: dict[str, Any], number: int, score: float | None, *, epoch: int = 1, **changes: Any) -> dict[str, Any]:
    """A result row of Image2Text."""
    free = entry.get("problem_type") == "free-form"
    names = ("overall", "judge_score" if free else "accuracy")
    return {
        "task": "image2text",
        "epoch": epoch,
        "sample_index": number,
        "tags": {"source": entry.get("benchmark_name")},
        "scores": {} if score is None else {"official": dict.fromkeys(names, score)},
        "evidence": {"parser": "judge", "reply": f"[[{score}]]", "value": score if free else "B"},
        "prediction": None if free else "B",
        "sample_id": str(number),
        "response_text": f"answer {number}",
        "judging": {"judge": {"model": "gpt-3.5-turbo", "model_api_id": "gpt-3.5-turbo-0125"}},
        "fields": {
            "entry": entry,
            "options": entry.get("options"),
            "problem_type": "free-form" if free else "multiple-choice",
        },
    } | changes


def rows() -> dict[str, list[dict[str, Any]]]:
    """Two models; the second has answered fewer questions, and was asked twice."""
    free = [free_form(id=str(number), benchmark_name=name) for number, name in enumerate(["Ponds", "Ponds", "Lakes"])]
    choice = [multiple_choice(target=[number % 3]) for number in range(2)]
    return {
        "first/model": [
            row(choice[0], 3, 1.0),
            row(free[0], 0, 0.1),
            row(free[1], 1, 0.2),
            row(free[2], 2, 1.0),
            row(choice[1], 4, 0.0),
        ],
        "second": [
            row(free[0], 0, 0.5),
            row(free[0], 0, 1.0, epoch=2),
            row(free[1], 1, None, response_text=None),
            row(choice[0], 3, 1.0),
            row(choice[1], 4, 1.0),
        ],
    }


def test_scores_are_means_by_source_to_three_places() -> None:
    files = results(rows())
    # (0.1 + 0.2 + 1.0) / 3 = 0.4333…; of the second model one row has a score
    assert files["mixeval_x/official/image2text/score_ff.json"] == {
        "second": {"overall": 0.5, "Ponds": 0.5},  # the best first
        "first~model": {"overall": 0.433, "Ponds": 0.15, "Lakes": 1.0},
    }
    assert list(files["mixeval_x/official/image2text/score_ff.json"]) == ["second", "first~model"]
    assert files["mixeval_x/official/image2text/score_mp.json"] == {
        "first~model": {"overall": 0.5, "Boats": 0.5},
        "second": {"overall": 1.0, "Boats": 1.0},
    }


def test_the_overall_score_has_the_weights_of_the_last_model_and_rounded_means() -> None:
    files = results(rows())
    together = files["mixeval_x/official/image2text/score.json"]
    # weights 1 and 2 of the second model: (0.433 + 2 · 0.5) / 3; with its own 3 and 2 it were 0.46. It is not rounded
    assert together["first~model"]["overall score (final score)"] == (0.433 + 2 * 0.5) / 3
    assert together["second"]["overall score (final score)"] == (0.5 + 2 * 1.0) / 3
    assert together["first~model"] == files["mixeval_x/official/image2text/first~model/score.json"]
    assert list(together["first~model"])[1:] == ["Ponds (free-form)", "Lakes (free-form)", "Boats (multiple-choice)"]


def test_a_model_without_one_of_the_kinds_has_no_overall_score() -> None:
    only = {"one": [row(free_form(), 0, 0.5)]}
    assert [name.rpartition("/")[2] for name in results(only)] == [
        "judge_results_ff_model_judge_gpt-3.5-turbo-0125.jsonl",
        "score_ff.json",
    ]


def test_judgments_stand_beside_the_entries_in_the_order_of_the_data() -> None:
    files = results(rows())
    base = "mixeval_x/official/image2text/first~model/judge_results"
    judged = files[f"{base}_ff_model_judge_gpt-3.5-turbo-0125.jsonl"]
    assert [line["id"] for line in judged] == ["0", "1", "2"]
    assert judged[0] == free_form(id="0") | {"response": "answer 0", "judge_response": "[[0.1]]", "judge_score": 0.1}
    (_, last) = files[f"{base}_mp_model_judge_gpt-3.5-turbo-0125.jsonl"]
    assert last == multiple_choice() | {
        "response": "answer 4",
        "judge_response": "[[0.0]]",
        "judge_option": "B",
        "accuracy": 0.0,
    }


def test_grades_of_plans_have_one_mean_a_model() -> None:
    scores = [{"official": {"judge_score": grade}} for grade in (7, 10, 3)] + [{}]
    said = {"reply": "[[3]]", "first_reply": "Let me see."}
    plans = [
        row(action(), number, None, task="text2action", scores=score, evidence=said, fields={"entry": action()})
        for number, score in enumerate(scores)
    ]
    found = grades({"m": plans})
    assert found["mixeval_x/official/text2action/score_t2a.json"] == {"m": {"overall": 6.667}}
    (judgments,) = (content for name, content in found.items() if name.endswith(".jsonl"))
    assert [line["judge_score"] for line in judgments] == [7, 10, 3]
    assert {line["judge_response"] for line in judgments} == {"Let me see."}  # of plans the first reply is kept


def test_the_option_that_was_graded_stands_in_the_judgment() -> None:
    choice = multiple_choice(target=[0])
    unread = {"parser": "judge", "reply": "Hm.", "value": None, "failure": None}
    drawn = [row(choice, number, float(number % 2), evidence=unread) for number in range(30)]
    none = row(choice, 30, 0.0, evidence=unread | {"reply": "[[Z]]", "value": "Z"}, prediction=None)
    files = results({"m": [*drawn, none]})
    lines = files["mixeval_x/official/image2text/m/judge_results_mp_model_judge_gpt-3.5-turbo-0125.jsonl"]
    options = [line["judge_option"] for line in lines]
    assert set(options[:30]) == {"A", "B", "C"}
    assert options[30] == "Z"
    assert {line["judge_response"] for line in lines} == {"Hm.", "[[Z]]"}
    blocked = results({"m": [row(choice, 0, 1.0, evidence=unread | {"failure": "no", "blocked": True})]})
    ((line,), *_) = blocked.values()
    assert line["judge_response"] == f"[[{line['judge_option']}]]"


def test_entries_of_the_hub_get_the_published_fields() -> None:
    asked = {"id": 3, "query": "What is it?", "reference_answer": "a cup", "input_file": ["a.png"]}
    ((line,), scores) = results({"m": [row(asked | {"problem_type": "free-form"}, 0, 0.5)]}).values()
    assert asked | line == line
    assert (line["prompt"], line["target"], line["benchmark_name"]) == ("What is it?", ["a cup"], "not told")
    assert scores == {"m": {"overall": 0.5, "not told": 0.5}}


def test_response_files_hold_what_was_answered_in_the_first_epoch() -> None:
    files = written_responses(DEFAULT, START, rows())
    base = "mixeval_x/responses/image2text"
    assert set(files) == {
        f"{base}/{model}/{model}_{suffix}.jsonl" for model in ("first~model", "second") for suffix in ("ff", "mp")
    }
    assert files[f"{base}/second/second_ff.jsonl"] == [free_form(id="0") | {"response": "answer 0"}]
    assert list(files[f"{base}/second/second_ff.jsonl"][0]) == [*free_form(), "response"]


def test_models_of_similar_names_have_files_of_their_own() -> None:
    answer = row(free_form(), 0, 0.5)
    names = ["a/b", "a b", "a-b", "模型", "型模", ".."]
    files = written_responses(DEFAULT, START, {name: [answer | {"response_text": name}] for name in names})
    assert [content[0]["response"] for content in files.values()] == names
    assert [path.split("/")[3] for path in files][:3] == ["a~b", "a%20b", "a-b"]
    assert not any(".." in path for path in files)
    official = results({name: [answer] for name in names})
    assert sum(path.endswith(".jsonl") for path in official) == len(names)


def test_judgments_are_named_for_who_judged() -> None:
    def path(**changes: Any) -> str:
        return next(iter(results({"m": [row(free_form(), 0, 0.5, **changes)]}))).rpartition("/")[2]

    assert path(judging={}, evidence={"parser": "rule"}) == "judge_results_ff_rule.jsonl"
    # each request failed: nobody judged, and the file is called as the published reader wants it
    failed = {"parser": "judge", "value": None, "failure": "down"}
    assert path(judging={}, evidence=failed) == "judge_results_ff_model_judge_gpt-3.5-turbo-0125.jsonl"


def test_grades_of_pictures_have_a_mean_a_turn() -> None:
    first, second = "judge_score_1st_turn", "judge_score_2nd_turn"
    made = '{"gen_1st_turn": "a.png", "gen_2nd_turn": "", "finish_reason_2nd_turn": "refusal"}'
    graded: dict[str, Any] = {
        "task": "text2image",
        "response_text": made,
        "scores": {"official": {"overall": 6.5, first: 8.0, second: 5.0}},
        "evidence": {first: {"reply": "[[8]]", "first_reply": "Well."}, second: {"reply": None, "first_reply": None}},
        "fields": {"entry": drawing(), "folder": Path("nowhere")},
        "judging": {},
    }
    pictures = partial(graded_results, DEFAULT, {first: "1st_turn", second: "2nd_turn"}, "gpt-4o-2024-08-06", START)
    found = pictures({"m": [row(drawing(), 0, None, **graded)]})
    base = "mixeval_x/official/text2image"
    assert found[f"{base}/score_t2i.json"] == {"m": {"1st_turn": 8.0, "2nd_turn": 5.0}}
    assert found[f"{base}/m/judge_results_t2i_model_judge_gpt-4o-2024-08-06.jsonl"] == [
        drawing()
        | {"gen_1st_turn": "a.png", "gen_2nd_turn": "", "finish_reason_2nd_turn": "refusal"}
        | {"judge_response_1st_turn": "Well.", first: 8.0, "judge_response_2nd_turn": None, second: 5.0}
    ]
