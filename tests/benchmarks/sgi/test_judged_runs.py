"""Deep Research and Idea Generation as a user runs them: models, parser and judges are a stub server."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from capitals import Project, project
from sgi_rows import deep_research_row, idea_generation_row
from stub_server import Answer, Request

from benchmarks.sgi import embeddings
from benchmarks.sgi.idea import Idea
from benchmarks.sgi.votes import ASPECTS

__all__ = ["project"]

PROMPTS = Path(__file__).parents[3] / "prompts/sgi"
TASKS = ("deep_research", "idea_generation")
SUITE = """
from benchmarks.sgi.test_{name} import TASK

@TASK.cases
def test_{name}(case):
    case.measure()
"""
BEGINS = {
    "You grade the solution": "judge",
    "You compare two research ideas": "vote",
    "<text>": "parser",
}
STEPS = json.dumps([{"solution_step": "1.", "reason": "right", "judge": "correct"}] * 3)
IDEA = Idea("A lid that boils.", {"1": "Boil"}, ("1",), "Pots", {"m": "n"}, "Steam")
VOTES = json.dumps({aspect: {"vote": "Win B", "reason": "later"} for aspect in ASPECTS})


class Judging:
    """A project with the two tasks, and replies by what they are replies to."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.replies: dict[str, str | Answer] = {
            "answer": "1. So <answer>about four</answer>",
            "parser": '{"answer": "4"}',
            "judge": STEPS,
            "vote": VOTES,
        }
        self.embedded: Counter[str] = Counter()
        project.server.script = lambda request: self.replies[kind(request)]

    def encoded(self, model: str, text: str) -> embeddings.Vector:
        """How often each letter stands in the text."""
        assert model == "all-MiniLM-L6-v2"
        self.embedded[text] += 1
        return [float(text.count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"]

    @property
    def asked(self) -> Counter[str]:
        return Counter(map(kind, self.project.server.requests))

    def run(self, task: str, *args: str, model: str = "gpt-4o-mini") -> pytest.RunResult:
        self.project.server.requests.clear()
        return self.project.run(f"suite/test_{task}.py", *args, model=model)

    def record(self, task: str, *args: str) -> pytest.RunResult:
        return self.run(task, "--record-mode", "once", *args)

    @property
    def row(self) -> dict[str, Any]:
        (row,) = self.project.rows.values()
        return row


def kind(request: Request) -> str:
    return next((name for words, name in BEGINS.items() if request.question.startswith(words)), "answer")


@pytest.fixture
def judging(project: Project, monkeypatch: pytest.MonkeyPatch) -> Judging:
    for name in [name for name in os.environ if name.startswith(("SGI_", "GRADER_"))]:
        monkeypatch.delenv(name)
    for folder in ("suite", "data/sgi", "prompts/sgi"):
        (project.path / folder).mkdir(parents=True)
    for task, row in zip(TASKS, (deep_research_row(), idea_generation_row()), strict=True):
        (project.path / f"suite/test_{task}.py").write_text(SUITE.format(name=task))
        (project.path / f"data/sgi/{task}.jsonl").write_text(json.dumps(row) + "\n")
    for prompt in PROMPTS.glob("*.txt"):
        (project.path / "prompts/sgi" / prompt.name).write_text(prompt.read_text())
    judging = Judging(project)
    monkeypatch.setattr(embeddings, "LIBRARY", "json")  # as if it were installed
    monkeypatch.setattr(embeddings, "encoded", judging.encoded)
    # The one endpoint for everybody, and a judge of its own name where one is to be told from the others.
    monkeypatch.setenv("GRADER_BASE_URL", project.server.openai_url)
    monkeypatch.setenv("GRADER_API_KEY", "sk-graderKey0123456789")
    monkeypatch.setenv("SGI_DR_GRADER_MODEL", "grader-9")
    for number in (1, 2, 3):
        monkeypatch.setenv(f"SGI_JUDGE_MODEL_{number}", f"critic-{number}")
    return judging


def test_deep_research_is_parsed_judged_recorded_and_replayed(judging: Judging) -> None:
    assert judging.record("deep_research").ret == 0
    assert judging.asked == {"answer": 1, "parser": 1, "judge": 1}
    asked = {kind(request): request for request in judging.project.server.requests}
    assert asked["judge"].json["model"] == asked["parser"].json["model"] == "grader-9"
    assert asked["judge"].headers["authorization"] == "Bearer sk-graderKey0123456789"
    assert "about four" in asked["parser"].question
    assert "240 / 60 = 4 min." not in asked["parser"].question  # nothing of the reference
    row = judging.row
    assert row["scores"]["official"] == row["scores"]["strict"] == {"exact_match": 1.0, "step_level_acc": 1.0}
    assert row["evidence"] == {
        "parsed": "4",
        "parser_tries": 1,
        "steps": json.loads(STEPS),
        "published_step_level_acc": 1.0,
        "judge_tries": 1,
        "problem": "",
    }
    assert {name: role["calls"] for name, role in row["judging"].items()} == {"judge": 1, "parser": 1}

    assert judging.run("deep_research").ret == 0
    assert judging.asked == {}
    assert judging.row["evidence"] == row["evidence"]


def test_the_parser_is_not_asked_about_the_gold_answer_itself(judging: Judging) -> None:
    judging.replies["answer"] = "<answer>4</answer>"
    assert judging.record("deep_research").ret == 0
    assert judging.asked == {"answer": 1, "judge": 1}
    assert judging.row["scores"]["official"]["exact_match"] == 1


def test_a_parser_that_says_nothing_usable_leaves_the_answer_as_it_is(judging: Judging) -> None:
    judging.replies["parser"] = ""
    assert judging.record("deep_research").ret == 1
    assert judging.asked["parser"] == 5
    row = judging.row
    assert (row["status"], row["error"]) == (
        "judge_failed",
        "the parser gave no reply that can be read, asked 5 times; last reply: ''",
    )
    assert row["scores"]["official"] == row["scores"]["strict"] == {"exact_match": 0.0, "step_level_acc": 1.0}


@pytest.mark.parametrize("answer", ["So <answer>about four</answer>", "So <answer>4 </answer>, or <answer>four"])
def test_a_dead_parser_is_told_and_replayed(judging: Judging, answer: str) -> None:
    judging.replies |= {"answer": answer, "parser": Answer.error(400, "no such parameter")}
    assert judging.record("deep_research").ret == 1
    live = judging.row
    assert (live["status"], live["source"]) == ("judge_failed", "live")
    assert live["error"] == "grader-9 as parser: 400: no such parameter"
    assert live["scores"]["official"] == {"exact_match": 0.0, "step_level_acc": 1.0}

    assert judging.run("deep_research").ret == 1
    assert judging.asked == {}
    replayed = judging.row
    for name in ("status", "error", "scores", "evidence", "attempts", "calls", "response_text"):
        assert (
            [c | {"source": ""} for c in live[name]] == [c | {"source": ""} for c in replayed[name]]
            if (name == "calls")
            else live[name] == replayed[name]
        )
    assert replayed["source"] == "replayed"

    judging.replies["parser"] = '{"answer": "4"}'
    assert judging.record("deep_research").ret == 0
    assert judging.asked == {"parser": 1}
    assert judging.row["scores"]["official"]["exact_match"] == 1.0
    assert judging.run("deep_research").ret == 0


def test_an_unreadable_judge_is_asked_again_by_the_next_run_and_nobody_else(judging: Judging) -> None:
    judging.replies["judge"] = "All good."
    assert judging.record("deep_research").ret == 1
    assert judging.row["error"] == ("the judge gave no reply that can be read, asked 5 times; last reply: 'All good.'")
    temperatures = [r.json.get("temperature") for r in judging.project.server.requests if kind(r) == "judge"]
    assert temperatures == [0.0, None, None, None, None]

    assert judging.record("deep_research").ret == 1
    assert judging.asked == {"judge": 5}
    assert "temperature" not in judging.project.server.requests[0].json
    first, second = judging.replies["answer"], "another answer"
    judging.replies |= {"judge": STEPS, "answer": second}
    assert judging.record("deep_research").ret == 0
    assert judging.asked == {"judge": 1}
    live = judging.row
    assert (live["status"], live["response_text"], live["evidence"]["judge_tries"]) == ("scored", first, 11)

    assert judging.run("deep_research").ret == 0
    assert judging.asked == {}
    assert judging.row["evidence"] == live["evidence"]


def test_a_judge_is_asked_five_times_and_then_the_row_is_lost_officially(judging: Judging) -> None:
    judging.replies["judge"] = Answer("I may not.", finish="content_filter")
    judging.record("deep_research")
    assert judging.asked["judge"] == 5
    row = judging.row
    assert row["error"].endswith("asked 5 times; last reply, which declines: 'I may not.'")
    assert (row["status"], row["scores"]["official"]) == ("judge_failed", {})
    assert row["scores"]["strict"] == {"exact_match": 1.0, "step_level_acc": 0.0}
    judging.run("deep_research")
    assert judging.asked == {}
    assert judging.row["status"] == "judge_failed"
    assert judging.row["evidence"]["judge_tries"] == 5


def test_an_empty_answer_needs_no_judge(judging: Judging) -> None:
    judging.replies["answer"] = " "
    judging.record("deep_research")
    assert judging.asked == {"answer": 1}
    assert judging.row["status"] == "unparsed"


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


def test_built_in_models_are_judged_by_stand_ins(judging: Judging) -> None:
    assert judging.run("deep_research", model="oracle").ret == 0
    assert judging.row["scores"]["strict"] == {"exact_match": 1.0, "step_level_acc": 1.0}
    assert judging.run("deep_research", model="constant").ret == 0
    assert judging.row["scores"]["strict"] == {"exact_match": 0.0, "step_level_acc": 0.0}
    assert judging.run("idea_generation", model="oracle").ret == 0
    assert judging.row["scores"]["strict"]["feasibility_objective"] == pytest.approx(100)
    assert judging.row["scores"]["strict"]["feasibility_subjective"] == 0  # three votes of six
    assert judging.asked == {}


IN_THE_OFFICIAL_SHAPE = {
    "deep_research": "{question}\nReason in steps. Put the final answer between <answer> and </answer>.",
    "answer_parser": "<text>\n{answer}\n</text>\nIn the shape of {example}, and nothing but that.",
    "deep_research_judge": "You grade the solution of {question} by {steps} and {answer}: {response}, {extracted}\n"
    '[{{"solution_step": "…", "reason": "…", "judge": "correct or incorrect"}}]',
    "idea_generation": "{question}\nA JSON object as in the example.",
    "idea_generation_vote": "You compare two research ideas by what is known: {related_work} {challenge}\n"
    "A: {idea_a}\nB: {idea_b}\nEffectiveness: [Win A/Win B] because …, and so on.",
}
"""Templates that have the published ones' placeholders and ask for replies in their shape, in words of their own."""


@pytest.fixture
def official_shape(judging: Judging) -> tuple[str, str]:
    folder = judging.project.path / "official/sgi"
    folder.mkdir(parents=True)
    for name, text in IN_THE_OFFICIAL_SHAPE.items():
        (folder / f"{name}.txt").write_text(text)
    return "--prompts-dir", "official"


def test_prompts_in_the_official_shape_score_deep_research_as_ours_do(
    judging: Judging, official_shape: tuple[str, str]
) -> None:
    judging.replies["parser"] = "4"  # the bare value
    assert judging.record("deep_research", *official_shape).ret == 0
    assert judging.asked == {"answer": 1, "parser": 1, "judge": 1}
    row = judging.row
    assert row["status"] == "scored"
    assert row["scores"]["official"] == row["scores"]["strict"] == {"exact_match": 1.0, "step_level_acc": 1.0}
    assert judging.run("deep_research", *official_shape).ret == 0
    assert (judging.asked, judging.row["scores"]) == ({}, row["scores"])


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
