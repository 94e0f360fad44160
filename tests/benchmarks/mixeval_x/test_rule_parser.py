"""The rule parser, against answers whose reading was decided by hand."""

from __future__ import annotations

import pytest

from benchmarks.mixeval_x.rule_parser import free_form_score, option_letter

OPTIONS = ["a cat", "a dog", "a doghouse", "no animal"]


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        *[(form, "B") for form in ("B", "B.", "(B)", "**B**", "B)", "B: a dog", " B\n", "[B]", "Option B")],
        ("The answer is (C) because A is wrong.", "C"),  # the first by position
        ("D or B", "D"),
        ("E", None),  # there are four options
        ("b", None),  # a small letter is none
        ("Bob", None),
        ("A's", None),
        ("a dog", None),  # three words fewer than a text needs
        ("I think it must be a dog.", "B"),
        ("I think that this is a DogHouse, really", "B"),  # the earlier option of two that begin at the same place
        ("'B'", "B"),
        ("It is 'B'", "B"),
        ("Not D, but C", "C"),  # the published rules know no letter before a comma …
        ("B, surely", "B"),  # … and where they would throw dice, it counts
        ("B, which I take to be a doghouse", "B"),
        ("There is no animal, neither a cat nor another", "D"),
        ("A cat sits on the wall there", "A"),  # the article is read as a letter
        ("", None),
        ("It cannot be told from what is shown", None),
    ],
)
def test_an_option_is_read_from_its_letter_else_from_its_text(response: str, letter: str | None) -> None:
    assert option_letter(response, OPTIONS) == letter


@pytest.mark.parametrize(
    ("response", "targets", "score"),
    [
        ("Paris", ["paris"], 1),
        ("The answer is: Paris.", ["Paris"], 1),
        ("It was London once. Therefore Paris", ["Paris"], 1),
        ("Paris is what I would not say; the answer is London", ["Paris"], 0),  # only the tail counts
        ("London", ["Paris"], 0),
        ("in the city of Paris, France", ["Paris"], 1),  # containment
        ("a hat and a coat", ["a hat", "gloves"], 1),  # any gold answer
        ("know", ["no"], 1),  # containment knows no words
        ("3", ["3"], 1),
        ("There are 3 of them", ["3"], 1),
        ("13", ["3"], 0),  # numbers are compared, not contained
        ("3.001", ["3"], 1),  # to two places
        ("3.01", ["3"], 0),
        ("1,200 people", ["1200"], 1),
        ("-5", ["5"], 0),
        ("x = 7", ["7"], 1),
        (".5", ["0.5"], 1),
        ("It is .50.", [".5"], 1),
        ("5", [".5"], 0),
        ("half of it, .5", ["5"], 0),
        ("abc", ["b"], 0),  # a single character stands alone
        ("a b c", ["b"], 1),
        ("", ["x"], 0),
        ("9" * 400, ["9"], 0),
        ("Answer:", ["answer"], 1),  # nothing behind the word: all of the response counts
    ],
)
def test_a_free_form_answer_is_right_if_it_holds_a_gold_one(response: str, targets: list[str], score: float) -> None:
    assert free_form_score(response, targets) == score


@pytest.mark.parametrize("hostile", ["=" * 200_000, "is " * 70_000, "1," * 100_000, "A" * 200_000, "-" * 200_000])
def test_hostile_responses_are_read_in_one_pass(hostile: str) -> None:
    assert free_form_score(hostile, ["x"]) == 0  # a second or less; what is not linear would take minutes
    assert option_letter(hostile, OPTIONS) is None
