"""Scores from verdicts: what judges' replies say, and what counts where there is no verdict."""

from __future__ import annotations

from typing import Any, cast

import pytest
from mixeval_x_project import action, drawing, free_form, multiple_choice, sample_of

from benchmarks.mixeval_x.report_tables import kappa
from benchmarks.mixeval_x.test_image2text import TASK
from benchmarks.mixeval_x.test_text2action import TASK as TEXT2ACTION
from benchmarks.mixeval_x.test_text2image import FIRST, SECOND
from benchmarks.mixeval_x.test_text2image import TASK as TEXT2IMAGE
from benchmarks.mixeval_x.verdicts import asked_on, letter_in_brackets, number_in_brackets, share_in_brackets
from proctor import Ask, Question, Reply, Score


@pytest.mark.parametrize(
    ("reply", "number", "share"),
    [
        ("[[0.5]]", 0.5, 0.5),
        ("so [[1]] it is, not [[0]]", 1, 1),  # the first
        ("[0.2] or rather [[0.7]]", 0.7, 0.7),  # double brackets go before single ones
        ("[0.3]", 0.3, 0.3),
        ("[[7]]", 7, None),
        ("[[7]] or [[0.5]]", 7, None),  # the first counts, whatever it is
        ("[[-0.5]]", None, None),
        ("0.5", None, None),
        ("[[half]]", None, None),
        ("[[1.]]", 1, 1),
        ("[[" + "9" * 400 + "]]", None, None),
        ("[[0.12345678]]", 0.12345678, 0.12345678),  # any number of decimals
        ("[[07]] or [[8]]", None, None),  # the published grader reads the first, and crashes at it
        ("[[07.5]]", 7.5, None),
        ("[[00]]", 0, 0),
        ("[[٣]]", None, None),
        ("", None, None),
    ],
)
def test_numbers_are_read_out_of_brackets(reply: str, number: float | None, share: float | None) -> None:
    assert number_in_brackets(reply) == number
    assert share_in_brackets(reply) == share


def test_letters_are_read_out_of_brackets() -> None:
    assert letter_in_brackets("[A] and [[B]]") == "B"
    assert letter_in_brackets("[A]") == "A"
    assert letter_in_brackets("[[b]] [AB] C") is None


def verdict(value: Any, *, failure: str | None = None, rounds: int = 1) -> dict[str, Any]:
    return {"parser": "judge", "value": value, "reply": "", "rounds": rounds, "failure": failure}


def free(response: str, evidence: dict[str, Any], **changes: Any) -> Score:
    return TASK.scored(sample_of(TASK, free_form(**changes)), response, evidence)


def choice(response: str, evidence: dict[str, Any], **changes: Any) -> Score:
    return TASK.scored(sample_of(TASK, multiple_choice(**changes)), response, evidence)


def test_a_free_form_answer_has_the_score_of_the_judge() -> None:
    score = free("a swan", verdict(0.4, rounds=3))
    assert score.official == score.strict == {"overall": 0.4, "judge_score": 0.4}
    # 0.4 is wrong where 0.5 is right, and the rules say right
    assert score.diagnostics == {"rule_score": 1, "rule_agrees": 0, "fallback": 0, "judge_retries": 2}
    assert score.judged


def test_an_unreadable_judge_gives_a_free_form_answer_a_random_score_that_can_be_reproduced() -> None:
    scores = [free("x", verdict(None, rounds=10), id=str(number)) for number in range(200)]
    drawn = [score.official["judge_score"] for score in scores]
    assert set(drawn) == {tenth / 10 for tenth in range(11)}  # in 200 draws a tenth is missing once in 10^7 times
    again = free("y", verdict(None, rounds=10), id="17")
    assert again.official["judge_score"] == drawn[17]
    for score in scores:
        assert (score.judged, score.strict["judge_score"], score.diagnostics["fallback"]) == (False, 0, 1)
        assert score.diagnostics["rule_agrees"] is None


def test_a_case_that_is_not_judged_says_why() -> None:
    unread = verdict(None, rounds=10) | {"reply": "Well, " * 50}
    said = "the judge gave no verdict that can be read, asked 10 times; last reply: 'Well, Well"
    assert free("x", unread).problem.startswith(said)
    assert choice("x", unread).problem.startswith(said)
    assert len(choice("x", unread).problem) < 150
    plan = TEXT2ACTION.scored(sample_of(TEXT2ACTION, action()), "[Pour]", verdict(17.0))
    assert plan.problem == "the judge gave 17, which is not from 1 to 10"
    pictures = TEXT2IMAGE.scored(
        sample_of(TEXT2IMAGE, drawing()), "{}", {FIRST: verdict(0.0), SECOND: verdict(None, rounds=11)}
    )
    assert pictures.problem.startswith("the judge gave 0, which is not from 1 to 10; the judge gave no verdict")
    assert free("x", verdict(0.4)).problem == choice("x", verdict("B")).problem == ""


def test_a_blocked_request_gives_a_free_form_answer_nothing_and_a_failed_one_a_random_score() -> None:
    blocked = free("a swan", verdict(None, failure="filtered") | {"blocked": True})
    assert blocked.official == blocked.strict == {"overall": 0, "judge_score": 0}
    assert (blocked.judged, blocked.problem) == (False, "filtered")
    failed = [free("a swan", verdict(None, failure="no server"), id=str(number)) for number in range(20)]
    assert len({score.official["judge_score"] for score in failed}) > 3
    assert {score.strict["judge_score"] for score in failed} == {0}


def test_a_multiple_choice_answer_is_right_if_the_judge_reads_the_right_letter() -> None:
    right = choice("green, of course", verdict("B"))
    assert right.official == right.strict == {"overall": 1, "accuracy": 1}
    assert right.diagnostics["rule_agrees"] == 0  # three words and no letter
    assert right.prediction == "B"
    wrong = choice("A", verdict("A"))
    assert wrong.official == wrong.strict == {"overall": 0, "accuracy": 0}
    assert (wrong.parsed, wrong.diagnostics["rule_agrees"]) == (True, 1)


@pytest.mark.parametrize("letter", ["Z", "D"])
def test_a_letter_that_no_option_has_picks_none(letter: str) -> None:
    score = choice("I cannot tell", verdict(letter))
    assert score.official == score.strict == {"overall": 0, "accuracy": 0}
    assert (score.parsed, score.judged, score.prediction, score.diagnostics["rule_agrees"]) == (False, True, None, 1)


@pytest.mark.parametrize("failure", [None, "blocked"])
def test_without_a_verdict_a_multiple_choice_answer_gets_a_random_option_officially(failure: str | None) -> None:
    scores = [choice("B", verdict(None, failure=failure), id=str(number)) for number in range(300)]
    right = sum(score.official["accuracy"] for score in scores)
    assert 60 < right < 140  # a third of 300, within 5 standard deviations
    assert {score.strict["accuracy"] for score in scores} == {0}
    assert {(score.judged, score.parsed) for score in scores} == {(False, True)}


def test_rules_score_without_a_judge() -> None:
    found = free("It is a swan", {"parser": "rule"})
    assert found.official == found.strict == {"overall": 1, "judge_score": 1}
    none = choice("no idea", {"parser": "rule"})
    assert none.official == none.strict == {"overall": 0, "accuracy": 0}
    assert (none.parsed, none.judged) == (False, True)  # no dice: nothing was read, and that is wrong


@pytest.mark.parametrize(
    ("value", "official", "strict", "judged"),
    [(7.0, 7, 7, True), (10.0, 10, 10, True), (15.0, 15, 1, False), (0.0, 0, 1, False), (None, None, 1, False)],
)
def test_the_grade_of_a_plan_is_checked_by_the_strict_family_alone(
    value: float | None, official: float | None, strict: float, judged: bool
) -> None:
    score = TEXT2ACTION.scored(sample_of(TEXT2ACTION, action()), "[Pour]", verdict(value))
    assert score.official == ({} if official is None else {"judge_score": official})
    assert score.strict == {"judge_score": strict}
    assert score.judged == judged


def test_a_picture_without_a_grade_is_neutral_officially_and_worst_strictly() -> None:
    evidence = {FIRST: verdict(9.0, rounds=2), SECOND: verdict(None, failure="no picture 'b.png'", rounds=0)}
    score = TEXT2IMAGE.scored(sample_of(TEXT2IMAGE, drawing()), "{}", evidence)
    assert score.official == {"overall": 7, FIRST: 9, SECOND: 5}
    assert score.strict == {"overall": 5, FIRST: 9, SECOND: 1}
    assert (score.judged, score.problem) == (False, "no picture 'b.png'")
    assert score.diagnostics == {"fallback": 1, "judge_retries": 1}
    failed = TEXT2IMAGE.scored(
        sample_of(TEXT2IMAGE, drawing()), "{}", {FIRST: verdict(9.0), SECOND: verdict(None, failure="no server")}
    )
    assert failed.official == {FIRST: 9}  # the published grader crashes
    assert failed.strict == {"overall": 5, FIRST: 9, SECOND: 1}
    outside = TEXT2IMAGE.scored(sample_of(TEXT2IMAGE, drawing()), "{}", {FIRST: verdict(11.0), SECOND: verdict(3.0)})
    assert outside.official[FIRST] == 11
    assert outside.strict == {"overall": 2, FIRST: 1, SECOND: 3}
    assert not outside.judged


class Asked:
    """Gives these replies in order, in a run that records."""

    def __init__(self, *replies: str) -> None:
        self._replies = iter(replies)
        self.seen: list[tuple[str, tuple[Question | Reply, ...], str]] = []

    def __call__(self, template: str, /, *earlier: Question | Reply, role: str, **_: Any) -> Reply:
        self.seen.append((template, earlier, role))
        return Reply(next(self._replies))

    def again(self, _: str, tries: int, /) -> bool:
        return len(self.seen) < tries


def test_a_judge_goes_on_after_the_prompt_and_its_last_reply() -> None:
    asked = Asked("well", "hm", "[[6]]")
    assert asked_on(cast("Ask", asked), "grade", role="judge/x", plan="p") == {
        "value": 6,
        "reply": "[[6]]",
        "first_reply": "well",
        "rounds": 3,
        "failure": None,
        "blocked": False,
    }
    first = Question("grade", {"plan": "p"})
    assert asked.seen == [
        ("grade", (), "judge/x"),
        ("judge_continue", (first, Reply("well")), "judge/x"),
        ("judge_continue", (first, Reply("hm")), "judge/x"),
    ]


def test_a_judge_is_asked_to_continue_ten_times() -> None:
    asked = Asked(*["no"] * 20)
    assert asked_on(cast("Ask", asked), "grade")["value"] is None
    assert [template for template, *_ in asked.seen] == ["grade", *["judge_continue"] * 10]


def test_kappa_is_agreement_beyond_chance() -> None:
    # A textbook table: 20 both A, 5 A/B, 10 B/A, 15 both B. Observed 0.7; expected 0.5·0.6 + 0.5·0.4 = 0.5; kappa 0.4.
    pairs = [("A", "A")] * 20 + [("A", "B")] * 5 + [("B", "A")] * 10 + [("B", "B")] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([("A", "A")] * 3) is None
    assert kappa([("A", None), (None, "A")]) == pytest.approx(-1)
