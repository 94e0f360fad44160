"""Scores of the Dry Experiment, each worked out by hand from what five runs gave."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.sgi.test_dry_experiment import read_judgment, score, shown_to_judge
from proctor import Sample, Score

SAMPLE = Sample("dry_1", {}, [])
PASSED = {"exit_code": 0, "stopped": None, "seconds": 0.5, "same": {"official": True, "strict": True}, "judge_tries": 0}
PASSED |= {"judgment": None}
DIFFERENT = PASSED | {"same": {"official": False, "strict": False}, "judge_tries": 1}
RIGHT, WRONG = DIFFERENT | {"judgment": "correct"}, DIFFERENT | {"judgment": "incorrect"}
WARNED = DIFFERENT | {"same": {"official": False, "strict": True}, "judgment": "incorrect"}
CRASHED = PASSED | {"exit_code": 1, "seconds": 0.25, "same": {"official": False, "strict": False}}
ENDED_EARLY = CRASHED | {"same": {"official": True, "strict": True}}
TIMED_OUT = CRASHED | {"exit_code": 137, "stopped": "time", "seconds": 300.0}
UNJUDGED = DIFFERENT | {"judge_tries": 5}
FOUND = {"f": "answer"}


def scored(*tests: dict[str, Any], functions: dict[str, str] | None = None) -> Score:
    return score(SAMPLE, "", {"functions": functions or FOUND, "tests": list(tests), "environments": []})


@pytest.mark.parametrize(
    ("passed", "official"),
    [(5, (1, 1, 1)), (4, (0, 1, 1)), (3, (0, 1, 1)), (2, (0, 0, 1)), (1, (0, 0, 1)), (0, (0, 0, 0))],
)
def test_passall_counts_the_tests_that_pass(passed: int, official: tuple[float, ...]) -> None:
    result = scored(*[PASSED] * passed, *[WRONG] * (5 - passed))
    for family in (result.official, result.strict):
        assert tuple(family[f"PassAll@{least}"] for least in (5, 3, 1)) == official
        assert family["SER"] == 1.0
    assert result.diagnostics["tests_passed"] == passed / 5


def test_a_difference_that_the_judge_accepts_passes() -> None:
    result = scored(RIGHT, PASSED, PASSED, PASSED, PASSED)
    assert result.official["PassAll@5"] == result.strict["PassAll@5"] == 1.0
    assert (result.diagnostics["tests_judged"], result.diagnostics["judged_correct"]) == (0.2, 1.0)


def test_a_warning_spoils_the_official_match_and_not_the_strict_one() -> None:
    result = scored(*[WARNED] * 5)
    assert (result.official["PassAll@1"], result.strict["PassAll@5"]) == (0.0, 1.0)


def test_the_right_output_of_a_failed_run_passes_officially_and_not_strictly() -> None:
    result = scored(*[ENDED_EARLY] * 5)
    assert (result.official["PassAll@5"], result.strict["PassAll@1"]) == (1.0, 0.0)
    assert result.official["SER"] == result.strict["SER"] == 0.0


def test_ser_counts_runs_with_exit_code_0() -> None:
    assert scored(PASSED, WRONG, CRASHED, TIMED_OUT, PASSED).official["SER"] == 0.6


def test_aet_is_the_mean_runtime_and_a_timeout_counts_its_limit() -> None:
    # (0.5 + 0.5 + 0.5 + 0.25 + 300) / 5
    assert scored(PASSED, PASSED, WRONG, CRASHED, TIMED_OUT).official["AET"] == pytest.approx(60.35)


def test_a_program_that_is_stopped_fails_whatever_it_printed() -> None:
    result = scored(*[TIMED_OUT | {"same": {"official": True, "strict": True}}] * 5)
    for family in (result.official, result.strict):
        assert family == {"PassAll@5": 0.0, "PassAll@3": 0.0, "PassAll@1": 0.0, "AET": 300.0, "SER": 0.0}


def test_without_a_program_every_test_fails() -> None:
    result = scored(functions={"f": "missing"})
    nothing = {"PassAll@5": 0.0, "PassAll@3": 0.0, "PassAll@1": 0.0, "SER": 0.0}
    assert (result.official, result.strict) == (nothing, nothing | {"AET": 300.0})


def test_the_judges_word_may_be_in_capitals_strictly() -> None:
    result = scored(*[DIFFERENT | {"judgment": "Correct", "published_judgment": "Correct"}] * 5)
    assert (result.official["PassAll@1"], result.strict["PassAll@5"]) == (0.0, 1.0)


def test_aet_leaves_runs_without_runtime_out() -> None:
    lost = CRASHED | {"seconds": 0.0}
    assert scored(PASSED, lost, lost, lost, lost).strict["AET"] == 0.5
    without = scored(*[lost] * 5)
    assert "AET" not in without.official  # the published mean leaves such a row out
    assert without.strict["AET"] == 300.0


def test_an_unjudged_difference_loses_the_row_officially_and_does_not_pass_strictly() -> None:
    result = scored(UNJUDGED, PASSED, PASSED, PASSED, PASSED)
    assert not result.judged
    assert result.official == {}  # as in Deep Research
    assert (result.strict["PassAll@5"], result.strict["PassAll@3"]) == (0.0, 1.0)
    assert result.diagnostics["judge_retries"] == 4.0
    assert scored(PASSED, WRONG, CRASHED, RIGHT, TIMED_OUT).judged


def test_an_answer_without_any_of_the_functions_is_unparsed() -> None:
    missing = scored(*[CRASHED] * 5, functions={"f": "missing", "g": "missing"})
    assert not missing.parsed
    assert missing.diagnostics["functions_found"] == 0.0
    half = scored(*[CRASHED] * 5, functions={"f": "missing", "g": "parser"})
    assert half.parsed
    assert (half.diagnostics["functions_found"], half.diagnostics["parser_needed"]) == (0.5, 1.0)


@pytest.mark.parametrize(
    ("reply", "judgment"),
    [
        ('{"reason": "same", "judgment": "correct"}', ("correct", "same", "correct")),
        ('```json\n{"judgment": "Incorrect "}\n```', ("Incorrect ", "", "Incorrect ")),
        ("{'reason': 'quotes', 'judgment': 'correct'}", ("correct", "quotes", "correct")),
        ('{"judgment": "maybe"}', ("maybe", "", "maybe")),
        ('{"judgment": "correct"', ("correct", "", None)),
        ('{"judgment": "correct", "reason": null}', ("correct", "None", None)),
        ('{"judgment": true}', None),
        ("It is correct.", None),
        ("__import__('os').system('true')", None),
        ("", None),
    ],
)
def test_a_judgment_is_read_as_json(reply: str, judgment: tuple[str | None, ...] | None) -> None:
    assert read_judgment(reply) == judgment


def test_the_judge_sees_short_outputs_whole() -> None:
    assert shown_to_judge("a\nb", "a\nc") == ("a\nb", "a\nc")


def test_the_judge_sees_little_more_of_an_output_than_the_length_of_the_expected_one() -> None:
    expected, output = shown_to_judge("x" * 10, "y" * 1000)
    assert expected == "x" * 10
    assert output == "y" * 210 + "\n[790 characters after this are left out]"


def test_the_judge_sees_long_outputs_where_they_differ() -> None:
    same = "".join(f"{number:09}\n" for number in range(1000))  # 10,000 characters
    expected, output = shown_to_judge(same + "right" + "a" * 9000, same + "wrong" + "b" * 9000)
    assert expected.startswith("[9500 characters before this are left out]\n000000950\n")
    assert "000000999\nright" in expected
    assert "000000999\nwrong" in output
    assert expected.endswith("[5505 characters after this are left out]")  # 19,005 - 9,500 - 4,000
