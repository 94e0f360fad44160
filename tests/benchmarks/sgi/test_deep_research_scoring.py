"""Scores of Deep Research, each worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from sgi_rows import deep_research_row, sample

from benchmarks.sgi.test_deep_research import TASK, read_steps
from proctor import Score

RIGHT = {"solution_step": "1.", "reason": "as the reference", "judge": "correct"}
WRONG = {"solution_step": "2.", "reason": "not so", "judge": "incorrect"}


def step(name: str, judge: str) -> dict[str, str]:
    return {"solution_step": name, "reason": "", "judge": judge}


def scored(
    response: str, gold: str = "T cell", *, parsed: str | None = None, steps: list[dict[str, str]] | None
) -> Score:
    evidence: dict[str, Any] = {"parsed": parsed, "parser_tries": 1, "steps": steps, "judge_tries": 3}
    return TASK.scored(sample(TASK, deep_research_row(answer=gold)), response, evidence)


@pytest.mark.parametrize(
    ("response", "parsed", "official", "strict"),
    [
        ("<answer>T cell</answer>", None, 1, 1),
        ("T cell", None, 1, 1),  # without tags the whole response is the answer
        ("T cell\n", None, 0, 1),  # officially with its blanks
        ("It is <answer>the T cell</answer>", "T cell", 1, 1),
        ("<answer>T cell</answer>", "B cell", 1, 1),  # either is enough
        ("<answer>t cell</answer>", None, 0, 1),  # the official match minds case
        ("<answer>x</answer>", "T CELL", 0, 1),
        ("<answer>T cells</answer>", "T cells", 0, 0),
        ("T cell, so <answer>B cell</answer>", "B cell", 0, 0),
    ],
)
def test_exact_match_of_the_final_or_the_parsed_answer(
    response: str, parsed: str | None, official: float, strict: float
) -> None:
    score = scored(response, parsed=parsed, steps=[RIGHT])
    assert (score.official["exact_match"], score.strict["exact_match"]) == (official, strict)
    assert score.parsed


def test_numbers_are_compared_as_strings() -> None:
    assert scored("<answer>0.250</answer>", "0.25", steps=[RIGHT]).strict["exact_match"] == 0


def test_step_level_accuracy_is_the_share_of_listed_steps_that_are_correct() -> None:
    score = scored("x", steps=[RIGHT, WRONG, WRONG, RIGHT, RIGHT])
    assert score.official["step_level_acc"] == score.strict["step_level_acc"] == 3 / 5
    assert score.diagnostics == {"steps_judged": 5.0, "parser_retries": 0.0, "judge_retries": 2.0}


def test_without_a_judgment_the_official_family_loses_the_row_and_the_strict_one_counts_the_match() -> None:
    score = scored("<answer>T cell</answer>", steps=None)
    assert not score.judged
    assert score.official == {}
    assert score.strict == {"exact_match": 1.0, "step_level_acc": 0.0}


def test_an_empty_answer_is_unparsed() -> None:
    for response in ("", "Well. <answer> </answer>"):
        assert not scored(response, steps=[]).parsed


@pytest.mark.parametrize(
    ("reply", "steps"),
    [
        (f"[{RIGHT}, {WRONG}]", ([RIGHT, WRONG], 0.5)),
        # the published code wants just the word, and the strict family does not
        ('[{"solution_step": 1, "judge": "Correct "}]', ([step("1", "Correct ")], 0.0)),
        ('[{"solution_step": "1.", "judge": "partially correct"}]', ([step("1.", "partially correct")], 0.0)),
        # and it loses a list that is not closed, or holds a null
        ('[{"solution_step": "1.", "judge": "correct"', ([step("1.", "correct")], None)),
        ('[{"solution_step": null, "judge": "correct"}]', ([step("None", "correct")], None)),
        # its list goes to the last bracket
        ('Steps [1]: [{"solution_step": "1.", "judge": "correct"}]', None),
        ('[{"solution_step": "1."}]', None),
        ('["correct"]', None),
        ("[]", None),
        ("All steps are correct.", None),
    ],
)
def test_a_judgment_is_a_list_of_steps_each_correct_or_incorrect(reply: str, steps: Any) -> None:
    assert read_steps(reply) == steps
