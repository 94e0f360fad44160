"""SGQA: how an answer is read and scored, and the official result file."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tsg_rows import samples, sgqa_row

from benchmarks.tsg.test_sgqa import TASK, result_file, result_file_name
from proctor import Sample, Score

ANSWERS = ["mop-stick", "Mop-Stick ", "floor", "hand1, hand2", "ß", "İ"]
RESPONSES = st.lists(
    st.sampled_from(["[", "]", "[mop-stick]", " MOP-stick ", "floor", "\n", " ", "[[", "[]", "The answer is"])
).map("".join) | st.text(max_size=30)


def sample_for(answer: str) -> Sample:
    return samples(TASK, sgqa_row(qa_pairs=[{"Q": "Which?", "A": answer}]))[0]


def scored(response: str, answer: str = "mop-stick") -> Score:
    return TASK.scored(sample_for(answer), response)


def published_grader(response: str, answer: str) -> bool:
    """The lines of the published evaluation code."""
    found = re.findall(r"\[(.*?)\]", response)
    prediction: str = found[0] if found else response
    return prediction.lower().strip() == answer.lower().strip()


@pytest.mark.parametrize(
    ("response", "official", "strict", "prediction"),
    [
        ("[mop-stick]", 1, 1, "mop-stick"),
        ("[ MOP-Stick ]", 1, 1, "MOP-Stick"),
        ("  The answer is [mop-stick].", 1, 1, "mop-stick"),
        ("[floor] at first, but it is [mop-stick]", 0, 1, "mop-stick"),
        ("[mop-stick], or rather [floor]", 1, 0, "floor"),
        ("mop-stick", 1, 0, None),
        (" Mop-stick\n", 1, 0, None),
        ("mop-stick.", 0, 0, None),
        ("[mop\n-stick]", 0, 0, None),
        ("[[mop-stick]]", 0, 1, "mop-stick"),
        ("[see above: it is [mop-stick]", 0, 1, "mop-stick"),
        ("[mop-stick] []", 1, 0, None),
        ("[]", 0, 0, None),
        ("", 0, 0, None),
    ],
)
def test_official_reads_the_first_brackets_and_strict_the_last(
    response: str, official: int, strict: int, prediction: str | None
) -> None:
    score = scored(response)
    assert (score.official, score.strict) == ({"accuracy": official}, {"accuracy": strict})
    assert score.prediction == prediction
    assert score.parsed is (prediction is not None)


@given(RESPONSES, st.sampled_from(ANSWERS))
def test_official_score_is_the_published_graders(response: str, answer: str) -> None:
    assert scored(response, answer).official["accuracy"] == published_grader(response, answer)


@given(RESPONSES)
def test_a_response_without_brackets_never_scores_in_the_strict_family(response: str) -> None:
    bare = response.replace("[", "")
    assert scored(bare).strict["accuracy"] == 0
    assert not scored(bare).parsed


@pytest.mark.parametrize("answer", ANSWERS)
def test_oracle_is_right_in_both_families(answer: str) -> None:
    sample = sample_for(answer)
    score = TASK.scored(sample, TASK.builtin["oracle"](sample, random.Random(0)))
    assert (score.official["accuracy"], score.strict["accuracy"], score.parsed) == (1, 1, True)


def test_an_endless_row_of_brackets_is_read_in_one_pass() -> None:
    assert not scored("[" * 1_000_000).parsed  # the published pattern needs half a million million steps


def test_chance_answers_any_node_of_the_graphs() -> None:
    sample, generator = sample_for("floor"), random.Random(1)
    answers = {TASK.builtin["chance"](sample, generator) for _ in range(200)}
    assert answers == {f"[{node}]" for node in ("person", "pick-up", "mop-stick", "hand1", "sweep", "floor")}


def test_constant_gives_every_sample_one_answer_in_the_format() -> None:
    answers = {TASK.builtin["constant"](sample, random.Random(0)) for sample in samples(TASK, sgqa_row())}
    assert len(answers) == 1
    assert scored(answers.pop()).parsed


def result_row(index: int, response: str | None) -> dict[str, object]:
    sample = samples(TASK, sgqa_row())[index]
    return {
        "sample_index": index,
        "epoch": 0,
        "fields": sample.fields,
        "target": sample.target,
        "response_text": response,
    }


def test_result_file_is_as_the_official_script_writes_it() -> None:
    rows = [result_row(1, None), result_row(0, "[Mop-stick] or [floor]")]
    assert result_file("GPT4o", "2025-12-01T10:30:00", rows) == {
        "task": "SGQA",
        "metric": "Exact Match (EM)",
        "timestamp": "2025-12-01T10:30:00",
        "model": "GPT4o",
        "total_questions": 2,
        "correct": 1,
        "exact_match_percent": 50.0,
        "results": [
            {
                "data_id": "d1",
                "question": "What was picked up?",
                "ground_truth": "mop-stick",
                "prediction": "Mop-stick",
                "exact_match": True,
            },
            {
                "data_id": "d1",
                "question": "What was swept?",
                "ground_truth": "floor",
                "prediction": None,
                "exact_match": False,
            },
        ],
    }


def test_result_file_of_no_rows_has_no_percentage_to_divide() -> None:
    content = result_file("m", "t", [])
    assert isinstance(content, dict)
    assert (content["total_questions"], content["exact_match_percent"]) == (0, 0.0)


def test_result_file_name_cannot_leave_its_folder() -> None:
    assert result_file_name("gpt-4o", "20251201_103000") == "sgqa_gpt-4o_20251201_103000.json"
    assert result_file_name("../openai/gpt", "t") == "sgqa_..-openai-gpt_t.json"
