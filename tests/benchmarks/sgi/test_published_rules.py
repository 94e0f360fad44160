"""The official family gives what the published rules give, also for odd rows, answers and replies of judges."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sgi_rules
from hypothesis import given, settings
from hypothesis import strategies as st
from sgi_rows import PROTOCOL, deep_research_row, idea_generation_row, sample, wet_experiment_row

from benchmarks.sgi.final_answer import published_answer
from benchmarks.sgi.published_idea import published_parts
from benchmarks.sgi.test_deep_research import TASK as DEEP_RESEARCH
from benchmarks.sgi.test_deep_research import read_steps
from benchmarks.sgi.test_dry_experiment import read_judgment
from benchmarks.sgi.test_dry_experiment import score as dry_score
from benchmarks.sgi.test_idea_generation import TASK as IDEA_GENERATION
from benchmarks.sgi.test_wet_experiment import TASK as WET_EXPERIMENT
from benchmarks.sgi.votes import ASPECTS, read_vote
from proctor import Sample

PROPERTY = settings(max_examples=300, deadline=None, derandomize=True, database=None)


def pieces(*texts: str, most: int = 16) -> st.SearchStrategy[str]:
    """Texts put together from these pieces, in which odd cases are likely."""
    return st.lists(st.sampled_from(texts) | st.text(max_size=2), max_size=most).map("".join)


PROTOCOLS = pieces(
    *("cells = <Spin down>(\n", "  x=<Lyse> (\n", "1. dna = <Elute>(", "- **b** = <Mix>(sample=cells,\n", "\n)\n", ")"),
    *(
        "sample=cells,\n",
        'buffer="P2"\n',
        'p="',
        "q=1,,\n",
        "<",
        ">(",
        "(",
        "=",
        "\n",
        " # why\n",
        "a = <B>(\n)\n",
        "\r",
    ),
    *(PROTOCOL, "```\n"),
)
STEP_LISTS = pieces(
    *(
        "[",
        "]",
        '{"solution_step": "1.", "judge": "correct"}',
        '{"judge": "Correct"}',
        '{"judge": "partially correct"}',
    ),
    *(
        ", ",
        "Steps [1]: ",
        '{"judge": null}',
        '{"reason": "a [3] b", "judge": "incorrect"}',
        "{",
        "}",
        '"',
        "true",
        "x",
    ),
    most=8,
)
JUDGMENTS = pieces(
    *(
        "{",
        "}",
        '"judgment": "correct"',
        '"judgment": "Correct"',
        "'judgment': 'incorrect'",
        ", ",
        '"reason": "so {x}"',
    ),
    *('"reason": null', "It is {", "```json\n", '"judgment": true', '"judgment": 1', "\n"),
    most=8,
)
RUNS = st.tuples(
    st.sampled_from([0, 0, 0, 1, 137]),  # exit code
    st.sampled_from([None, None, None, "time"]),  # the limit that it was stopped at
    st.sampled_from([-1.0, 0.25, 2.0]),  # seconds
    st.booleans(),  # whether it printed what was expected
    st.sampled_from(["correct", "correct", "incorrect", "Correct", "mostly correct", None]),  # the judge
)
VOTE = st.sampled_from(
    ["[Win A]", "[WinB]", "Win  A", "win a.", "[Win A/Win B]", "Win B because Win A", "neither", "[ Win\nB ]"]
)
BALLOTS = st.lists(
    st.tuples(st.sampled_from(["", "**", "Overall "]), st.sampled_from([": ", ":** ", " - ", ":\n"]), VOTE),
    min_size=5,
    max_size=5,
).map(
    lambda told: "\n".join(
        f"{before}{aspect.title()}{between}{vote} because so"
        for (before, between, vote), aspect in zip(told, ASPECTS, strict=True)
    )
)
IDEAS = pieces(
    *('{"Idea": "A cup', "'Idea': 'It''s", "1. Idea: ", "\n2. Implementation Steps: ", "{'1': 'do', \"2\": \"don't\"}"),
    *(
        '"ImplementationSteps": {',
        '"ImplementationOrder": [',
        '"1-2"',
        "]",
        "}",
        ", ",
        '"',
        "'",
        "\n3. Implementation Order -",
    ),
    *(
        "\n\n4. Dataset:\n",
        "\n5. Evaluation Metrics: ",
        "\n 6. Expected Outcome:\n",
        '"Dataset": "D", ',
        "```json\n",
        "```",
    ),
    *('"EvaluationMetrics": {', "'m': 'n'", '"ExpectedOutcome": "O"', "Implementation", "\n", ":", "[1]", "null", "5."),
    most=24,
)
ODD = st.none() | st.integers(-2, 9) | st.text(max_size=8) | st.lists(st.text("12-x", max_size=4), max_size=3)
STEP_TEXT = st.sampled_from(["Melt wax", "fill the wall", "", "a", "wax"]) | st.none() | st.integers(0, 3)
STEPS = st.dictionaries(st.sampled_from(["1", "2", "3", "10", "a"]), STEP_TEXT, max_size=4) | ODD
ORDER_ITEM = st.sampled_from(["1-2", "2-3", "1 - 2", "1-10", "1", "2", "10", "a", "1-2-3", "1-1"]) | st.none() | ODD
ORDER = st.lists(ORDER_ITEM, max_size=4) | ODD
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "Idea": st.text("ab. ", max_size=9)
        | st.integers(200, 1900).map("x".__mul__)
        | ODD
        | st.dictionaries(st.text(), ODD),
        "ImplementationSteps": STEPS,
        "ImplementationOrder": ORDER,
        "Dataset": ODD,
        "EvaluationMetrics": ODD,
        "ExpectedOutcome": ODD,
    },
)
COSINES = st.none() | st.floats(-1, 1)


@PROPERTY
@given(PROTOCOLS, PROTOCOLS)
def test_protocols(gold: str, response: str) -> None:
    score = WET_EXPERIMENT.scored(sample(WET_EXPERIMENT, wet_experiment_row(answer=gold)), response, None)
    similarity, accuracy = sgi_rules.wet_scores(
        sgi_rules.wet_steps(gold), sgi_rules.wet_steps(sgi_rules.answer(response))
    )
    assert score.official == {  # to the last digit
        "action_sequence_similarity": similarity,
        "parameter_accuracy": accuracy,
        "final_score": (similarity + accuracy) / 2,
    }


@pytest.mark.parametrize(
    ("change", "read"),
    [
        (
            lambda text: "\n".join(f"{n}. {line}" if "<" in line else line for n, line in enumerate(text.split("\n"))),
            True,
        ),
        (lambda text: text.replace("cells = <", "- **cells = <"), True),
        (lambda text: text.replace("<Lyse>(\n    ", "<Lyse>("), True),
        (lambda text: text.replace("<Lyse>(", "<Lyse>( # on ice"), True),
        (lambda text: text.replace("<Lyse>(", "<Lyse> ("), False),
        (lambda text: text.replace("dna = <", "[dna] = <"), False),
    ],
    ids=["numbered", "dashed and bold", "on the bracket line", "comment", "blank before the bracket", "in brackets"],
)
def test_protocols_in_other_shapes(change: Any, read: bool) -> None:
    one = sample(WET_EXPERIMENT, wet_experiment_row())
    score = WET_EXPERIMENT.scored(one, change(PROTOCOL), None)
    wanted = sgi_rules.wet_scores(sgi_rules.wet_steps(PROTOCOL), sgi_rules.wet_steps(change(PROTOCOL)))
    assert score.official["final_score"] == pytest.approx(sum(wanted) / 2)
    assert (score.official["final_score"] == 1.0) is read
    assert score.strict["final_score"] == 1.0


@PROPERTY
@given(pieces("<answer>", "</answer>", " 4 ", "4", "\n", "none", "None", "[Error]", "four"), ODD)
def test_exact_match(response: str, gold: Any) -> None:
    assert published_answer(response) == sgi_rules.answer(response)
    evidence: dict[str, Any] = {
        "parsed": "4",
        "parser_tries": 1,
        "steps": [],
        "published_step_level_acc": 0.5,
        "judge_tries": 1,
    }
    for answer in ("4", gold):
        one = sample(DEEP_RESEARCH, deep_research_row(answer=answer))
        official = DEEP_RESEARCH.scored(one, response, evidence).official
        assert official == {"exact_match": float(answer in (sgi_rules.answer(response), "4")), "step_level_acc": 0.5}


@PROPERTY
@given(STEP_LISTS)
def test_judged_steps(reply: str) -> None:
    read = read_steps(reply)
    assert (read[1] if read else None) == sgi_rules.step_level_accuracy(reply)


@PROPERTY
@given(JUDGMENTS)
def test_judged_outputs(reply: str) -> None:
    read, wanted = read_judgment(reply), sgi_rules.dry_judgment(reply)
    assert (None if read is None or read.published is None else read.published == "correct") == wanted


@PROPERTY
@given(st.lists(RUNS, min_size=5, max_size=5))
def test_unit_tests(runs: list[tuple[Any, ...]]) -> None:
    tests = []
    for exit_code, stopped, seconds, same, judgment in runs:
        judged = not (same or exit_code or stopped)
        tests.append(
            {
                "exit_code": exit_code,
                "stopped": stopped,
                "seconds": 300.0 if stopped else seconds,
                "same": {"official": same, "strict": same},
                "judgment": judgment if judged else None,
                "published_judgment": judgment if judged else None,
                "judge_tries": int(judged),
            }
        )
    evidence = {"functions": {"f": "answer"}, "tests": tests, "environments": []}
    official = dry_score(Sample("dry", {}, []), "", evidence).official
    assert official == pytest.approx(sgi_rules.dry_scores(runs) or {})


@PROPERTY
@given(BALLOTS)
def test_votes_in_lines(reply: str) -> None:
    vote = read_vote(reply, ("A", "B"))
    winners = None if vote is None else [vote[aspect].get("official", vote[aspect]["winner"]) for aspect in ASPECTS]
    assert winners == sgi_rules.votes(reply)


@PROPERTY
@given(IDEAS)
def test_ideas_are_read(response: str) -> None:
    wanted = sgi_rules.idea_parts(response)
    assert published_parts(response) == (wanted if isinstance(wanted, dict) else None)


@PROPERTY
@given(PARTS, STEPS, ORDER, COSINES, COSINES, COSINES)
def test_ideas_are_scored(
    parts: dict[str, Any],
    steps: Any,
    order: Any,
    related: float | None,
    sentences: float | None,
    keywords: float | None,
) -> None:
    row = idea_generation_row(implementation_steps=steps, implementation_order=order)
    one = sample(IDEA_GENERATION, row)
    cosines: dict[str, Any] = {"related": related, "related_test": None, "keywords": keywords, "sentences": sentences}
    official = IDEA_GENERATION.scored(one, json.dumps(parts), {"cosines": cosines, "votes": {}, "tries": {}}).official
    detailedness = sgi_rules.detailedness(parts, sentences)
    if detailedness is None:
        assert official == {}
        return
    told = parts.get("ImplementationSteps", {}), parts.get("ImplementationOrder", {})
    gold = one.fields["published_gold"]
    raw = {
        "effectiveness": max(0.0, min(10.0, 10 * (keywords or 0.0))),
        "novelty": 0.0 if related is None else 0.5 * max(0.0, min(10.0, 10 * (1 - related))),
        "detailedness": detailedness,
        "feasibility": sgi_rules.feasibility(gold["steps"], gold["order"], *told),
    }
    assert {name: official[f"{name}_objective"] for name in raw} == pytest.approx({k: 10 * v for k, v in raw.items()})
    assert official["final_score"] == pytest.approx(sum(10 * value / 2 for value in raw.values()) / 4)
