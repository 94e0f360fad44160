"""Idea Generation as a user runs it: the model and its judges are a stub server."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from capitals import project
from judged_sgi import IDEA, Judging, judging, kind, official_shape
from sgi_rows import idea_generation_row

from benchmarks.sgi import embeddings
from benchmarks.sgi.votes import ASPECTS

__all__ = ["judging", "official_shape", "project"]


def test_six_votes_are_cast_recorded_and_replayed(judging: Judging) -> None:
    judging.replies["answer"] = json.dumps(IDEA.parts)
    assert judging.record("idea_generation").ret == 0
    assert judging.asked == {"answer": 1, "vote": 6}
    ballots = [request for request in judging.project.server.requests if kind(request) == "vote"]
    assert Counter(request.json["model"] for request in ballots) == {"critic-1": 2, "critic-2": 2, "critic-3": 2}
    assert {request.json["temperature"] for request in ballots} == {0.1}
    first = Counter(request.question.partition("Idea A\nIdea: ")[2][:5] for request in ballots)
    assert first == {"A cup": 3, "A lid": 3}
    row = judging.row
    # Whoever is shown second wins: three votes each, a tie, and every judge flips with the order.
    assert {name: role["calls"] for name, role in row["judging"].items()} == {"judge_1": 2, "judge_2": 2, "judge_3": 2}
    assert row["scores"]["official"]["effectiveness_subjective"] == 0
    told = row["diagnostics"]
    assert (told["tie_overall"], told["judge_agreement"], told["position_flip"], told["vote_retries"]) == (1, 1, 1, 0)


def test_texts_are_embedded_once_and_a_replay_needs_no_library(
    judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    judging.replies["answer"] = json.dumps(IDEA.parts)
    judging.record("idea_generation")
    # the idea, which is its only sentence too; three texts of the work told of, one of the work not told of; keywords
    assert set(judging.embedded) == {
        "A lid that boils.",
        "A lid that boils",
        *("A jug with a cosy.", "A flask with a vacuum.", "A heated plate.", "Mug: A mug with a battery."),
        "wax, latent heat",
    }
    assert set(judging.embedded.values()) == {1}
    row = judging.row
    monkeypatch.setattr(embeddings, "LIBRARY", "no_such_library")
    monkeypatch.setattr(embeddings, "encoded", None)
    assert judging.run("idea_generation").ret == 0
    assert judging.row["scores"] == row["scores"]
    assert judging.row["evidence"] == row["evidence"]


def test_cosines_are_those_of_the_vectors(judging: Judging) -> None:
    judging.replies["answer"] = json.dumps({"Idea": "ab"})
    judging.project.path.joinpath("data/sgi/idea_generation.jsonl").write_text(
        json.dumps(
            idea_generation_row(
                related_work="{'x': 'a'}", existing_solutions="{'y': 'bbb'}", related_work_test="{'c': 'c'}"
            )
            | {"keywords": ["ab", "aab"]}
        )
        + "\n"
    )
    judging.record("idea_generation")
    # (1, 1) against (1, 0) and (0, 3): both cos 45°; against c: c = (0, 0, 2): 0; against ab, aab = (3, 2): 5/sqrt(26)
    cosines = judging.row["evidence"]["cosines"]
    assert cosines == pytest.approx(
        {"related": 0.5**0.5, "related_test": 0.0, "keywords": 5 / 26**0.5, "sentences": None}, nan_ok=True
    )


def test_later_work_that_is_an_empty_dict_gives_its_half_of_novelty_officially(judging: Judging) -> None:
    # the published code clips 10 * (1 - NaN), the mean of nothing, to 10
    judging.replies["answer"] = json.dumps({"Idea": "ab"})
    row = idea_generation_row(related_work="{'x': 'c'}", existing_solutions="{}", related_work_test="{}")
    judging.project.path.joinpath("data/sgi/idea_generation.jsonl").write_text(json.dumps(row) + "\n")
    judging.record("idea_generation")
    scores = judging.row["scores"]
    assert scores["official"]["novelty_objective"] == pytest.approx(100)
    assert scores["official"]["novelty_objective"] - scores["strict"]["novelty_objective"] == pytest.approx(50)


def test_a_vote_that_cannot_be_read_is_asked_again_and_then_failed(judging: Judging) -> None:
    judging.replies["answer"] = json.dumps(IDEA.parts)
    judging.replies["vote"] = "Both are good."
    judging.record("idea_generation")
    assert judging.asked["vote"] == 30
    row = judging.row
    assert row["status"] == "judge_failed"
    assert row["diagnostics"]["vote_retries"] == 24
    assert row["scores"]["official"]["novelty_objective"] > 0
    assert set(row["scores"]["strict"].values()) == {0.0}
    assert row["error"].count("asked 5 times; last reply: 'Both are good.'") == 6


def test_an_empty_idea_is_not_put_to_the_vote(judging: Judging) -> None:
    judging.replies["answer"] = "I have no idea."
    judging.record("idea_generation")
    assert judging.asked == {"answer": 1}
    assert judging.row["status"] == "unparsed"


def test_a_missing_library_is_said_before_the_first_call(judging: Judging, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "LIBRARY", "no_such_library")
    result = judging.record("idea_generation")
    assert result.ret == 1
    assert judging.asked == {}
    assert "pip install -e '.[sgi]'" in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize("line", ["{aspect}: [Win B] because it is later", "**{aspect}**: Win B, as it is later"])
def test_prompts_in_the_official_shape_score_ideas_as_ours_do(
    judging: Judging, official_shape: tuple[str, str], line: str
) -> None:
    judging.replies["answer"] = json.dumps(IDEA.parts)
    assert judging.record("idea_generation").ret == 0
    ours = judging.row
    judging.replies["vote"] = "\n".join(line.format(aspect=aspect.title()) for aspect in ASPECTS)
    assert judging.record("idea_generation", *official_shape, "--cassettes-dir", "cassettes-2").ret == 0
    assert judging.asked == {"answer": 1, "vote": 6}
    ballot = next(request.question for request in judging.project.server.requests if kind(request) == "vote")
    assert "{'Jug': 'A jug with a cosy.'" in ballot
    assert judging.row["scores"] == ours["scores"]
    winners = {
        role: {aspect: told["winner"] for aspect, told in vote.items()}
        for role, vote in judging.row["evidence"]["votes"].items()
    }
    assert winners == {
        role: {aspect: told["winner"] for aspect, told in vote.items()}
        for role, vote in ours["evidence"]["votes"].items()
    }


@pytest.mark.parametrize(
    ("answer", "idea"),
    [
        ("Here it is:\n" + json.dumps(IDEA.parts), "A lid that boils."),
        (str(IDEA.parts), "A lid that boils."),  # as Python writes it
        (
            "1. Idea: A lid that boils.\n2. Implementation Steps: {'1': 'Boil'}\n3. Implementation Order: ['1']\n"
            "4. Dataset: Pots\n5. Evaluation Metrics: {'m': 'n'}\n6. Expected Outcome: Steam",
            "A lid that boils.",
        ),
        ("```\n" + json.dumps(IDEA.parts) + "\n```", "A lid that boils."),
    ],
    ids=["after prose", "Python", "headings", "a block without a language"],
)
def test_ideas_in_other_shapes_are_read_and_voted_on(judging: Judging, answer: str, idea: str) -> None:
    judging.replies["answer"] = answer
    assert judging.record("idea_generation").ret == 0
    row = judging.row
    assert (row["status"], row["prediction"]["Idea"]) == ("scored", idea)
    assert judging.asked == {"answer": 1, "vote": 6}
    assert row["scores"]["official"]["detailedness_objective"] > 0


@pytest.mark.parametrize(
    ("answer", "official", "strict"),
    [
        ('{"Idea": null, "Dataset": "D"}', "lost", "unparsed"),
        ('{"Idea": 5}', "lost", "unparsed"),
        ('["Idea"]', "lost", "unparsed"),
        ('{"Idea": ["a", "b"], "ImplementationSteps": ["x"]}', "scored", "unparsed"),
        ('{"Idea": "A lid.", "Dataset": null, "ImplementationOrder": "1-2"}', "scored", "scored"),
        ("What a lid: Idea: 'It's a lid that boils.'", "scored", "scored"),
    ],
)
def test_parts_of_any_type_are_scored_as_officially(judging: Judging, answer: str, official: str, strict: str) -> None:
    judging.replies["answer"] = answer
    assert judging.record("idea_generation").ret == 0
    row = judging.row
    assert row["status"] == strict
    assert bool(row["scores"]["official"]) is (official == "scored")
    assert judging.run("idea_generation").ret == 0
    assert (judging.asked, judging.row["scores"]) == ({}, row["scores"])
