"""Scores of the Wet Experiment, each worked out by hand."""

from __future__ import annotations

import pytest
from sgi_rows import PROTOCOL, sample, wet_experiment_row

from benchmarks.sgi.protocol import (
    Step,
    actions_in_place,
    parameter_accuracy,
    parse_steps,
    sequence_similarity,
    write_steps,
)
from benchmarks.sgi.test_wet_experiment import TASK
from proctor import Score

GOLD = parse_steps(PROTOCOL)
CELLS, LYSATE, DNA = PROTOCOL.split("\n)\n")


def actions(*names: str) -> list[Step]:
    return [Step(f"v{number}", name, {}) for number, name in enumerate(names)]


def scored(response: str) -> Score:
    return TASK.scored(sample(TASK, wet_experiment_row()), response, None)


def renamed(**names: str) -> list[Step]:
    """The gold protocol with other names for its products."""
    return [
        Step(names.get(step.output, step.output), step.action, {k: names.get(v, v) for k, v in step.parameters.items()})
        for step in GOLD
    ]


def test_steps_are_read_with_values_freed_of_quotes_and_commas() -> None:
    assert parse_steps(PROTOCOL) == [
        Step("cells", "Spin down", {"sample": "culture", "time": "3 min"}),
        Step("lysate", "Lyse", {"sample": "cells", "buffer": "P2"}),
        Step("dna", "Elute", {"sample": "lysate"}),
    ]
    assert write_steps(GOLD) == PROTOCOL


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ('```\na=<X> (\n  p = "1,5" ,\n)\n```', [Step("a", "X", {"p": "1,5"})]),
        ("First:\na = <X>(\n)\nthen rest", [Step("a", "X", {})]),
        ("a = <X>(\nsome words\nequation=y=2\n)", [Step("a", "X", {"equation": "y=2"})]),
        ("a = <X>(\np=1\np=2\n)", [Step("a", "X", {"p": "2"})]),
        ("a = <X>(\np=1\nb = <Y>(\n)", [Step("b", "Y", {})]),
        ("a = <X>(\np=1)", []),
        ("a = <X>(p=1)", []),
        ("a = X(\n)", []),
        ("<X>(\n)", []),
    ],
)
def test_what_is_no_step_is_passed_over(text: str, steps: list[Step]) -> None:
    assert parse_steps(text) == steps


def test_reading_takes_time_in_proportion_to_the_text() -> None:
    # quadratic matching would take minutes here
    assert parse_steps("a" + " " * 200_000 + "\n" + "<" * 200_000 + "\n" + "x=<" * 100_000) == []


@pytest.mark.parametrize(
    ("gold", "predicted", "similarity"),
    [
        # pairs of places of A B C: AB, AC, BC, each rising; C B A: three falls of three
        ("ABC", "ABC", 1.0),
        ("ABC", "CBA", 0.0),
        # B A C: only the first pair falls: 1 - 1/3
        ("ABC", "BAC", 2 / 3),
        # unrelated actions in rising order score in full: only lexical order counts
        ("ABC", "XYZ", 1.0),
        # equal actions are ordered neither way: A A A against C B A has no inversion
        ("AAA", "CBA", 1.0),
        # B D A C has rises BD BC AC, falls BA DA DC; D B C A has rises BC, falls DB DC DA BA CA.
        # Places (1,2): rise, fall; (1,3): fall, fall; (1,4): rise, fall; (2,3): fall, rise; (2,4): fall, fall;
        # (3,4): rise, fall. Four inversions of six.
        ("BDAC", "DBCA", 1 - 4 / 6),
        # other lengths: 0, however alike
        ("ABC", "AB", 0.0),
        ("A", "", 0.0),
        # a single step: 1, whatever it is
        ("A", "Z", 1.0),
    ],
)
def test_sequence_similarity_compares_lexical_order(gold: str, predicted: str, similarity: float) -> None:
    assert sequence_similarity(actions(*gold), actions(*predicted)) == pytest.approx(similarity)


def test_upper_case_comes_before_lower_case_in_lexical_order() -> None:
    assert sequence_similarity(actions("a", "B"), actions("x", "y")) == 0.0


@pytest.mark.parametrize(
    ("predicted", "right"),
    [
        (GOLD, 3),
        # other names for the products are mapped to the gold ones, step by step
        (renamed(cells="x", lysate="y", dna="z"), 3),
        # names that are swapped between steps are still names
        (renamed(cells="lysate", lysate="cells"), 3),
        # other values that are no products do not matter
        (parse_steps(PROTOCOL.replace("3 min", "3 h").replace("P2", "P9")), 3),
        # another action: its product stays unmapped, so the step that takes it is wrong as well, and so on
        (parse_steps(PROTOCOL.replace("<Spin down>", "<Filter>")), 0),
        (parse_steps(PROTOCOL.replace("<Elute>", "<Wash>")), 2),
        # another name of a parameter in step 3
        (parse_steps(PROTOCOL.replace("    sample=lysate", "    sample_in=lysate")), 2),
        # one more parameter in step 2 makes it wrong, and step 3 takes its product
        (parse_steps(PROTOCOL.replace('buffer="P2"', 'buffer="P2",\n    speed="1"')), 1),
        # step 2 takes the culture instead of the product of step 1
        (parse_steps(PROTOCOL.replace("sample=cells", 'sample="culture"')), 1),
        # step 1 takes a product (of a later step) where gold takes a thing; then steps 2 and 3 follow
        (parse_steps(PROTOCOL.replace('sample="culture"', "sample=dna")), 0),
        # step 3 takes the product of step 1 instead of step 2
        (parse_steps(PROTOCOL.replace("sample=lysate", "sample=cells")), 2),
        # a product in quotes is the product
        (parse_steps(PROTOCOL.replace("sample=lysate", 'sample="lysate"')), 3),
    ],
)
def test_parameter_accuracy_counts_steps_that_take_the_right_products(predicted: list[Step], right: int) -> None:
    assert parameter_accuracy(GOLD, predicted) == pytest.approx(right / 3)


def test_missing_and_surplus_steps_are_wrong() -> None:
    assert parameter_accuracy(GOLD, GOLD[:2]) == 1 - 1 / 3 != 2 / 3  # as published, to the last digit
    assert parameter_accuracy(GOLD, [*GOLD, *GOLD]) == pytest.approx(3 / 6)
    assert parameter_accuracy(GOLD, []) == 0.0


def test_actions_in_place_tells_what_lexical_order_does_not() -> None:
    assert actions_in_place(actions(*"ABC"), actions(*"XBZ")) == pytest.approx(1 / 3)
    assert actions_in_place(actions(*"ABC"), actions(*"AB")) == pytest.approx(2 / 3)


def test_both_families_are_the_mean_of_the_two_scores() -> None:
    # Spin down, Lyse, Elute falls in all three pairs; in Spin down, Lyse, Wash only the first pair falls: two
    # inversions of three. Two of three steps are right.
    score = scored("<answer>" + PROTOCOL.replace("<Elute>", "<Wash>") + "</answer>")
    for family in (score.official, score.strict):
        assert family == pytest.approx(
            {
                "final_score": (1 / 3 + 2 / 3) / 2,
                "action_sequence_similarity": 1 / 3,
                "parameter_accuracy": 2 / 3,
            }
        )
    assert score.diagnostics == pytest.approx({"actions_in_place": 2 / 3, "step_count_accuracy": 1.0})


def test_only_the_final_answer_counts() -> None:
    assert scored(f"<answer>{PROTOCOL}</answer>").official["final_score"] == 1.0
    assert scored(f"{PROTOCOL}\n<answer>{CELLS}\n)</answer>").diagnostics["step_count_accuracy"] == 0.0
    assert scored(PROTOCOL).official["final_score"] == 1.0  # without tags the whole response is the answer


@pytest.mark.parametrize("response", ["", "<answer></answer>", "Mix, then wait.", "<answer>a = <X>(p=1)</answer>"])
def test_an_answer_without_steps_is_unparsed_and_scores_nothing(response: str) -> None:
    score = scored(response)
    assert not score.parsed
    assert set(score.official.values()) == set(score.strict.values()) == {0.0}
