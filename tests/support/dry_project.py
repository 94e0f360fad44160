"""A project with the Dry Experiment: model and judge are a stub server, the programs really run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from capitals import Project
from stub_server import Answer, Request

from benchmarks.sgi import interpreter
from benchmarks.sgi.sandbox import bubblewrap

PATH = os.environ["PATH"]
PROMPTS = Path(__file__).parents[2] / "prompts/sgi"
SUITE = """
from benchmarks.sgi.test_dry_experiment import TASK

@TASK.cases
def test_dry_experiment(case):
    case.measure()
"""
PROGRAM = '''\
from data_en import X


def double(x):
    """Twice x."""
    return 2 * x


print("double:", double(X))
'''
INPUTS = (0, 2, 2, 2, 2)
ROW: dict[str, Any] = {
    "idx": "dry_1",
    "question": "Double a number.",
    "incomplete_functions": ["double"],
    "incomplete_main_code": PROGRAM.replace("return 2 * x", "pass"),
    "main_code": PROGRAM,
    # equal tests are run once: two programs to run instead of five
    **{f"unit_test_{n}_data": f"X = {x}\n" for n, x in enumerate(INPUTS)},
    **{f"unit_test_{n}_output": f"double: {2 * x}" for n, x in enumerate(INPUTS)},
    "function_type": "Numerical Calculation",
    "discipline": "mathematics",
}
RIGHT = "<answer>\ndef double(x):\n    return x + x\n</answer>"
# right for 0 alone; the four other outputs differ, and the programs succeed
WRONG = "<answer>\ndef double(x):\n    return 3 * x\n</answer>"
JUDGED = '{"reason": "another number", "judgment": "incorrect"}'


class Dry:
    """A project with the Dry Experiment, and the model's replies by what they are replies to."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.answer: str | Callable[[Request], str | Answer] = RIGHT
        self.judge: str | Answer = JUDGED
        self.parser = "NONE"
        project.server.script = self.reply

    def reply(self, request: Request) -> str | Answer:
        if request.question.startswith("A program was completed"):
            return self.judge
        if "Functions asked for:" in request.question:
            return self.parser
        return self.answer if isinstance(self.answer, str) else self.answer(request)

    @property
    def asked(self) -> dict[str, int]:
        """Requests by what was asked."""
        count = {"answer": 0, "judge": 0, "parser": 0}
        for request in self.project.server.requests:
            judges = request.question.startswith("A program was completed")
            parses = "Functions asked for:" in request.question
            count["judge" if judges else "parser" if parses else "answer"] += 1
        return count

    def write_rows(self, *rows: dict[str, Any]) -> None:
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (self.project.path / "data/sgi/dry_experiment.jsonl").write_text(text)

    def run(self, *args: str, model: str = "gpt-4o-mini") -> pytest.RunResult:
        return self.project.run("suite", *args, model=model)

    def record(self, *args: str) -> pytest.RunResult:
        return self.run("--record-mode", "once", *args)

    @property
    def row(self) -> dict[str, Any]:
        (row,) = self.project.rows.values()
        return row


def passes(row: dict[str, Any]) -> bool:
    """Whether the answer passes all five tests, by the strict rule."""
    return bool(row["scores"]["strict"]["PassAll@5"] == 1)


@pytest.fixture
def dry(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dry]:
    for folder in ("suite", "data/sgi", "prompts/sgi"):
        (project.path / folder).mkdir(parents=True)
    (project.path / "conftest.py").write_text('pytest_plugins = ["benchmarks.sgi.plugin"]\n')
    (project.path / "suite/test_dry.py").write_text(SUITE)
    for prompt in PROMPTS.glob("dry_experiment*.txt"):
        (project.path / "prompts/sgi" / prompt.name).write_text(prompt.read_text())
    for name in [name for name in os.environ if name.startswith(("SGI_", "GRADER_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SGI_DE_GRADER_MODEL", "gpt-4o")
    monkeypatch.setattr(interpreter, "DEFAULT_ENVIRONMENT", project.path / "none")
    (project.path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(project.path / "empty"))
    bubblewrap.problem.cache_clear()
    dry = Dry(project)
    dry.write_rows(ROW)
    yield dry
    bubblewrap.problem.cache_clear()


@pytest.fixture
def bubblewrap_found(dry: Dry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the machine has it; the other tests do without, which is faster."""
    monkeypatch.setenv("PATH", PATH)
