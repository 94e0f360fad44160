"""A project with the tasks of SGI-Bench that models judge; a stub server plays model, parser and judges."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from capitals import Project
from sgi_rows import deep_research_row, idea_generation_row
from stub_server import Answer, Request

from benchmarks.sgi import embeddings
from benchmarks.sgi.idea import Idea
from benchmarks.sgi.votes import ASPECTS

PROMPTS = Path(__file__).parents[2] / "prompts/sgi"
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
