"""Scores of Idea Generation, each worked out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sgi_rows import idea_generation_row, sample

from benchmarks.sgi import idea_scores
from benchmarks.sgi.idea import Idea, read_idea
from benchmarks.sgi.test_idea_generation import METRICS, TASK
from benchmarks.sgi.votes import ASPECTS, ROLES, agreement, outcome, position_flips, read_vote
from proctor import Score

WHOLE = Idea("An idea.", {"1": "Do it"}, ("1",), "Data", {"m": "how"}, "Success")
GOLD = Idea("Gold.", {"1": "Melt wax", "2": "Fill the wall", "3": "Measure the tea"}, ("1-2", "2-3"))
COSINES = {"related": 0.3, "related_test": 0.5, "keywords": 0.45, "sentences": None}


def vote(winner: str) -> dict[str, dict[str, str]]:
    return {aspect: {"winner": winner, "reason": "so"} for aspect in ASPECTS}


def votes(winners: str) -> dict[str, Any]:
    """Votes by role in the order of `ROLES`: g for the generated idea, o for the original one, x for a failed vote."""
    names = {"g": vote("generated"), "o": vote("original"), "x": None}
    return {role: names[winner] for role, winner in zip(ROLES, winners, strict=True)}


def scored(response: str, winners: str = "gggggg", cosines: Any = COSINES) -> Score:
    cast = votes(winners) if winners else {}
    evidence = {"cosines": cosines, "votes": cast, "tries": dict.fromkeys(cast, 1)}
    return TASK.scored(sample(TASK, idea_generation_row()), response, evidence)


@pytest.mark.parametrize(
    ("response", "idea"),
    [
        (json.dumps(WHOLE.parts), WHOLE),
        ("My idea {\n```json\n" + json.dumps(WHOLE.parts, indent=1) + "\n```\nGood?", WHOLE),
        ("Here: " + json.dumps(WHOLE.parts) + " and {that} is all", WHOLE),
        ('{"Idea": " Short. "}', Idea("Short.")),
        # cut off, so what stands whole is fished out
        (json.dumps(WHOLE.parts)[:-4], Idea("An idea.", {"1": "Do it"}, ("1",), "Data", {"m": "how"})),
        ('{"Idea": "with "inner" quotes", "Dataset": "D"}', Idea("with", dataset="D")),
        ('{"Idea": "two\nlines", "ImplementationOrder": ["1-2", "2-3"]', Idea("two\nlines", order=("1-2", "2-3"))),
        ('"Idea": "caf\\u00e9 \\"x\\""', Idea('café "x"')),
        # parts of another type are missing
        ('{"Idea": ["a"], "ImplementationSteps": ["b"], "ImplementationOrder": "1-2", "Dataset": 3}', Idea()),
        ('{"ImplementationSteps": {"1": 5}, "ImplementationOrder": [1, 2]}', Idea(steps={"1": "5"}, order=("1", "2"))),
        ("I have no idea.", Idea()),
        ("", Idea()),
        ("{" * 50_000, Idea()),
    ],
)
def test_an_idea_is_read_as_json_else_fished_out(response: str, idea: Idea) -> None:
    assert read_idea(response) == idea


@pytest.mark.parametrize(
    ("related", "related_test", "novelty"),
    [(0.3, 0.5, 0.5 * 7 + 0.5 * 5), (-0.2, 1.0, 0.5 * 10 + 0), (None, 0, 5), (0, None, 5)],
)
def test_novelty_is_half_each_of_unlikeness_to_both_kinds_of_work(
    related: float | None, related_test: float | None, novelty: float
) -> None:
    assert idea_scores.novelty(related, related_test) == pytest.approx(novelty)


@pytest.mark.parametrize(("cosine", "value"), [(0.45, 4.5), (-0.1, 0.0), (1.0, 10.0)])
def test_effectiveness_is_ten_times_the_cosine_with_the_keywords(cosine: float, value: float) -> None:
    assert idea_scores.effectiveness(cosine) == pytest.approx(value)


@pytest.mark.parametrize(("likeness", "penalty"), [(None, 0), (0.1, 0), (0.2, 0), (0.5, 3), (1.0, 8)])
def test_repetition_costs_beyond_a_likeness_of_two_tenths(likeness: float | None, penalty: float) -> None:
    assert idea_scores.repetition_penalty(likeness) == pytest.approx(penalty)


@pytest.mark.parametrize(("length", "penalty"), [(300, 0), (700, 0), (750, 0.5), (1800, 10), (250, 0.5), (1, 2.99)])
def test_length_costs_outside_300_to_700_characters(length: int, penalty: float) -> None:
    assert idea_scores.length_penalty(length) == pytest.approx(penalty)


def test_missing_parts_are_not_there() -> None:
    assert idea_scores.completeness(WHOLE) == 10
    assert idea_scores.completeness(Idea("x", dataset="D")) == pytest.approx(10 * 2 / 6)


def test_detailedness_weighs_completeness_repetition_and_length() -> None:
    assert idea_scores.detailedness(10, 3, 0) == pytest.approx(0.2 * 10 + 0.4 * 7 + 0.4 * 10)
    assert idea_scores.detailedness(10 / 6, 0, 2) == pytest.approx(1 / 3 + 4 + 3.2)


def test_sentences_end_with_stops_of_two_scripts_and_are_longer_than_ten_characters() -> None:
    text = "Eleven char. Ten chars! Is this one? No。 这是一个超过十个字的句子！ Without end it counts"
    assert idea_scores.sentences(text) == [
        "Eleven char",
        "Is this one",
        "这是一个超过十个字的句子",
        "Without end it counts",
    ]


@pytest.mark.parametrize(
    ("steps", "order", "told"),
    [
        ("1 2 3", ["1-2", "2-3"], "12 23"),
        ("1 2 3", ["1 - 3", "3-9", "2>3", "1-2-3"], "13"),  # only two known steps make an edge
        ("1 2 3", ["3", "1"], "13"),  # numbers alone: a chain of those that are steps, sorted
        ("1 2 3", ["2", "7"], "12 23"),  # one step makes no edge, so all are chained
        ("1 2 3", ["first", "then"], "12 23"),
        ("1 2 3", ["1", "2-3"], "23"),
        ("1 2 10", ["1", "2", "10"], "12 2:10"),
        ("1", ["1"], ""),
    ],
)
def test_edges_come_from_the_order(steps: str, order: list[str], told: str) -> None:
    idea = Idea("x", dict.fromkeys(steps.split(), "do"), tuple(order))
    edges = {tuple(edge.split(":")) if ":" in edge else tuple(edge) for edge in told.split()}
    assert idea_scores.step_edges(idea) == edges


@pytest.mark.parametrize(
    ("steps", "order", "similarity"),
    [
        (GOLD.steps, GOLD.order, 1.0),
        # edges: 1 of 2; words melt, wax, the of melt wax fill the wall measure tea pour: 0.6 * 1/2 + 0.4 * 3/8
        ({"1": "Melt WAX", "2": "Pour the wax"}, ["1-2"], 0.45),
        # a single step has no edge: the words alone
        ({"1": "melt wax"}, ["1"], 2 / 7),
        ({}, ["1-2"], 0.0),
        ({"1": "Melt wax"}, [], 0.0),
    ],
)
def test_graph_similarity_weighs_edges_and_words(steps: Any, order: Any, similarity: float) -> None:
    idea = Idea("x", steps, tuple(order))
    assert idea_scores.graph_similarity(GOLD, idea) == pytest.approx(similarity)


def test_two_graphs_without_an_edge_are_compared_by_words_alone() -> None:
    first, second = Idea("x", {"1": "melt wax"}, ("1",)), Idea("y", {"9": "Melt butter"}, ("9",))
    assert idea_scores.graph_similarity(first, second) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("winners", "usual", "novelty"),
    [
        ("gggggg", "win", "win"),
        ("gggggo", "win", "win"),
        ("ggggoo", "win", "tie"),
        ("gggooo", "tie", "tie"),
        ("ggoooo", "lose", "lose"),
        ("oooooo", "lose", "lose"),
        ("gggxxx", "tie", "tie"),
        ("ggxxxx", "lose", "lose"),  # failed votes count for nobody, and so against the idea
    ],
)
def test_votes_that_win_tie_and_lose(winners: str, usual: str, novelty: str) -> None:
    assert [outcome(votes(winners), aspect) for aspect in ASPECTS] == [usual, novelty, usual, usual, usual]


@pytest.mark.parametrize(
    ("winners", "agreeing", "flipping"),
    [
        ("gggggg", 1, 0),
        # pairs of judges: ggo agrees in 1 of 3, goo in 1 of 3; the second judge alone changes with the order
        ("ggogoo", 1 / 3, 1 / 3),
        ("gggooo", 1, 1),
        # three judges first, one pair after; only the third judge has voted twice and alike
        ("ggoxxo", 1 / 3, 0),
        ("xxxxxx", None, None),
    ],
)
def test_agreement_of_judges_and_position_bias(winners: str, agreeing: float | None, flipping: float | None) -> None:
    assert agreement(votes(winners)) == (agreeing if agreeing is None else pytest.approx(agreeing))
    assert position_flips(votes(winners)) == (flipping if flipping is None else pytest.approx(flipping))


def test_a_vote_names_a_winner_in_every_aspect() -> None:
    told = {aspect: {"vote": "Win A", "reason": "r"} for aspect in ASPECTS}
    shown = ("original", "generated")
    assert read_vote(json.dumps(told), shown) == {a: {"winner": "original", "reason": "r"} for a in ASPECTS}
    told["novelty"] = {"vote": " win  b"}
    assert (read_vote(json.dumps(told), shown) or {})["novelty"] == {"winner": "generated", "reason": ""}
    assert read_vote(
        json.dumps(told | {"overall": "Win A"}), shown
    )  # all of it on one line, as the published reader has it
    for wrong in ({"vote": "Tie"}, {"vote": "A"}, {}, None):
        assert read_vote(json.dumps(told | {"overall": wrong}), shown) is None


def test_the_dimensions_are_the_mean_of_both_scores_and_the_final_one_is_theirs() -> None:
    # objective: effectiveness 4.5, novelty 6, feasibility 10; detailedness with 8 characters:
    # official 0.2 * 10 + 0.4 * 10 + 0.4 * (10 - 2.92) = 8.832; strict 0.2 * 10 * 3/6 + the same = 7.832
    response = json.dumps(Idea("An idea.", GOLD.steps, GOLD.order).parts)
    score = scored(response, "ggggoo")  # four votes win, but not in novelty
    assert score.official["effectiveness"] == pytest.approx((45 + 100) / 2)
    assert score.official["novelty"] == pytest.approx((60 + 0) / 2)
    assert score.official["detailedness"] == pytest.approx((88.32 + 100) / 2)
    assert score.strict["detailedness"] == pytest.approx((78.32 + 100) / 2)
    assert score.official["feasibility"] == pytest.approx((100 + 100) / 2)
    assert score.official["final_score"] == pytest.approx((72.5 + 30 + 94.16 + 100) / 4)
    assert score.strict["final_score"] == pytest.approx((72.5 + 30 + 89.16 + 100) / 4)
    assert (score.official["novelty_objective"], score.official["novelty_subjective"]) == (pytest.approx(60), 0)
    assert set(score.official) == set(score.strict) == set(METRICS)
    assert (score.diagnostics["win_effectiveness"], score.diagnostics["tie_novelty"]) == (1, 1)


def test_a_failed_vote_works_against_the_idea_officially_and_is_no_judgment_strictly() -> None:
    score = scored(json.dumps(WHOLE.parts), "gggxoo")
    assert score.official["effectiveness_subjective"] == 0
    assert score.official["effectiveness_objective"] == pytest.approx(45)
    assert not score.judged
    assert set(score.strict.values()) == {0.0}


def test_an_empty_idea_is_unparsed_and_has_lost() -> None:
    score = scored("Sorry.", "")
    assert (score.parsed, score.judged) == (False, True)
    assert score.official["effectiveness_subjective"] == 0
    # 0.2 * 10 + 0.4 * 10 + 0.4 * 10: officially nothing is missing in an empty idea
    assert score.official["detailedness_objective"] == pytest.approx(100)
    assert score.diagnostics["lose_overall"] == 1
    assert score.diagnostics["vote_retries"] is None
