"""SGDS: how the chosen letter is read and scored."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tsg_rows import samples, sgds_row

from benchmarks.tsg.test_sgds import TASK
from proctor import Sample, Score

FOUR = ["It was wet.", "The floor was swept.", "The wall was swept.", "Nobody swept."]
RESPONSES = st.lists(st.sampled_from(["[A]", "[B]", "B", "A ", "E.", "[F]", "b", "Best ", " ", "\n", "[", "]"])).map(
    "".join
) | st.text(max_size=20)


def sample_for(**changes: object) -> Sample:
    return samples(TASK, sgds_row(**changes))[0]


def scored(response: str, **changes: object) -> Score:
    return TASK.scored(sample_for(**changes), response)


def published_grader(response: str, position: int) -> bool:
    """The lines of the published evaluation code."""
    match = re.search(r"\[([A-E])\]|\b([A-E])\b", response)
    return match is not None and ord(match.group(1) or match.group(2)) - 65 == position


@pytest.mark.parametrize(
    ("response", "official", "strict", "prediction"),
    [
        ("[B]", 1, 1, "B"),
        ("The best description is [B].", 1, 1, "B"),
        ("B", 1, 1, "B"),
        (" B \n", 1, 1, "B"),
        ("A close look shows [B].", 0, 1, "B"),
        ("[B] at first sight, but [C]", 1, 0, "C"),
        ("[A] is wrong. [B]", 0, 1, "B"),
        ("B: The floor was swept.", 1, 0, None),
        ("Option B", 1, 0, None),
        ("[ B ]", 1, 0, None),
        ("[b]", 0, 0, None),
        ("[F]", 0, 0, None),
        ("AB", 0, 0, None),
        ("", 0, 0, None),
    ],
)
def test_official_reads_the_first_letter_and_strict_the_last_in_brackets(
    response: str, official: int, strict: int, prediction: str | None
) -> None:
    score = scored(response)
    assert (score.official, score.strict) == ({"accuracy": official}, {"accuracy": strict})
    assert score.prediction == prediction
    assert score.parsed is (prediction is not None)


def test_a_letter_beyond_the_candidates_is_a_wrong_answer() -> None:
    score = scored("[E]", variations=FOUR)
    assert (score.official["accuracy"], score.strict["accuracy"]) == (0, 0)
    assert (score.prediction, score.parsed) == ("E", True)


def test_a_wrong_choice_tells_which_kind_of_contradiction_it_fell_for() -> None:
    kinds = ["action", None, "object", "negation", "object"]
    for letter, fell_for in zip("ABCDE", kinds, strict=True):
        values = scored(f"[{letter}]", contradictions=kinds).diagnostics
        assert values == {f"fell_for_{kind}": kind == fell_for for kind in ("action", "object", "negation")}
    assert set(scored("none", contradictions=kinds).diagnostics.values()) == {0}


def test_official_rows_do_not_say_what_makes_a_candidate_wrong() -> None:
    assert scored("[A]").diagnostics == {}


@given(RESPONSES, st.integers(0, 4))
def test_official_score_is_the_published_graders(response: str, position: int) -> None:
    assert scored(response, position=position).official["accuracy"] == published_grader(response, position)


@given(RESPONSES, st.integers(0, 4))
def test_strict_never_scores_what_it_could_not_read(response: str, position: int) -> None:
    score = scored(response, position=position)
    assert score.strict["accuracy"] == (score.parsed and score.prediction == "ABCDE"[position])


@pytest.mark.parametrize("position", range(4))
def test_oracle_is_right_in_both_families(position: int) -> None:
    sample = sample_for(position=position, variations=FOUR)
    score = TASK.scored(sample, TASK.builtin["oracle"](sample, random.Random(0)))
    assert (score.official["accuracy"], score.strict["accuracy"], score.parsed) == (1, 1, True)


def test_chance_chooses_among_the_rows_own_candidates() -> None:
    sample, generator = sample_for(variations=FOUR), random.Random(1)
    assert {TASK.builtin["chance"](sample, generator) for _ in range(200)} == {"[A]", "[B]", "[C]", "[D]"}


def test_constant_always_chooses_the_first_candidate() -> None:
    assert TASK.builtin["constant"](sample_for(), random.Random(0)) == "[A]"
