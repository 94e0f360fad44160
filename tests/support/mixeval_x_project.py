"""A project with the tasks of MixEval-X, whose models and judges are a stub server; and small entries for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from capitals import Project, project
from stub_server import Answer, Request

from proctor import Row, Sample, Task

__all__ = ["grading", "project"]

PROMPTS = Path(__file__).parents[2] / "prompts/mixeval_x"
FILE = Path("entries.jsonl")
MODULES = ("image2text", "video2text", "audio2text", "text2action", "image2action", "text2image")
PRESCRIBED = {
    **dict.fromkeys((f"{name}{end}" for name in MODULES[:3] for end in ("", "_hard")), "gpt-3.5-turbo-0125"),
    **dict.fromkeys(MODULES[3:], "gpt-4o-2024-08-06"),
}
"""The leaderboard's judges by task."""

JUDGES = ("You grade", "You read which option")
"""How the prompts of judges begin, but for those that begin with a picture."""

Entry = dict[str, Any]
Judge = Callable[[Request], str | Answer]


def free_form(**changes: Any) -> Entry:
    """A free-form question about a picture."""
    return {
        "id": "1",
        "problem_type": "free-form",
        "image_id": "1.png",
        "prompt": "What floats on the pond?",
        "target": ["a swan", "swan"],
        "benchmark_name": "Ponds",
    } | changes


def multiple_choice(**changes: Any) -> Entry:
    """A multiple-choice question about a picture, without an id."""
    return {
        "problem_type": "single-choice",
        "image_id": "1.png",
        "prompt": "What colour is the boat?",
        "options": ["red", "green", "blue"],
        "target": [1],
        "benchmark_name": "Boats",
    } | changes


def action(**changes: Any) -> Entry:
    """An action task; ``image_id`` instead of ``visible objects`` makes it one with a picture."""
    entry = {
        "id": "1",
        "task description": "Water the fern.",
        "allowed actions": "[Grasp], [Pour], [Wait]",
        "visible objects": "<can>, <fern>",
        "already executed steps": "[Grasp] <can>",
        "target": "[Pour] <can> <fern>",
    } | changes
    return {name: value for name, value in entry.items() if value is not None}


def drawing(**changes: Any) -> Entry:
    """A picture to make and to change."""
    return {
        "id": "1",
        "first_turn_user_prompt": "Draw a red kite.",
        "first_turn_caption": "A red kite.",
        "second_turn_user_prompt": "<generated_image_1> Make it green.",
        "second_turn_caption": "A green kite.",
    } | changes


def sample_of(task: Task, entry: Entry) -> Sample:
    """The sample of one entry."""
    (sample,) = task.samples_of(Row(entry, FILE, 7))
    return sample


class Grading:
    """The project: its server answers judges by *judge*, and everybody else by *answer*."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.path = project.path
        self.judge: Judge = lambda _: "[[1.0]]"
        self.answer: Judge = lambda _: "a swan"
        project.server.script = lambda request: self.judge(request) if judges(request) else self.answer(request)

    def write_responses(self, task: str, model: str, **files: Sequence[Entry]) -> Path:
        """Write response files in the layout with a folder for each task; returns the folder of the model."""
        return self.write_files(self.path / "given" / task / model, model, **files)

    def write_files(self, folder: Path, model: str, **files: Sequence[Entry]) -> Path:
        """Write a model's response files by suffix."""
        folder.mkdir(parents=True, exist_ok=True)
        for suffix, entries in files.items():
            (folder / f"{model}_{suffix}.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        return folder

    def write_data(self, task: str, *entries: Entry) -> None:
        """Write a task's data file."""
        file = self.path / f"data/mixeval_x/{task}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))

    def run(self, *args: str, tasks: Sequence[str] = (), model: str | None = None) -> pytest.RunResult:
        """Run these tasks, or all."""
        self.project.server.requests.clear()
        modules = [f"suite/test_{task}.py" for task in tasks] or ["suite"]
        return self.project.run(*modules, "-p", "benchmarks.mixeval_x.plugin", *args, model=model)

    def answered(self, task: str, *args: str, model: str) -> pytest.RunResult:
        """Have a model answer a task, and record it."""
        return self.run("--record-mode", "once", *args, tasks=[task], model=model)

    def grade(self, *args: str) -> pytest.RunResult:
        """Grade the responses, and record what the judge says."""
        return self.run("--responses", "given", "--record-mode", "once", *args)

    @property
    def requests(self) -> list[Request]:
        return self.project.server.requests

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        return self.project.rows

    def lines(self, path: str) -> list[Entry]:
        """A JSONL file of the newest run."""
        return [json.loads(line) for line in (self.project.folders[-1] / path).read_text("utf-8").splitlines()]

    def tables(self, task: str) -> dict[str, list[list[Any]]]:
        """The rows of the report's tables by title."""
        return {table["title"]: table["rows"] for table in self.project.report["tables"] if table["task"] == task}


def judges(request: Request) -> bool:
    """Whether a request is to a judge."""
    return any(text.startswith(JUDGES) or "Reference plan" in text for text in texts(request))


def texts(request: Request) -> Iterable[str]:
    """All texts of a request's messages."""
    for message in request.json.get("messages", ()):
        content = message["content"]
        yield from [content] if isinstance(content, str) else (part.get("text", "") for part in content)


@pytest.fixture
def grading(project: Project) -> Grading:
    for folder in ("suite", "prompts/mixeval_x", "data/mixeval_x/media"):
        (project.path / folder).mkdir(parents=True)
    for name in MODULES:
        for task, end in (("TASK", ""), ("HARD", "_hard"))[: 2 if name.endswith("2text") else 1]:
            (project.path / f"suite/test_{name}{end}.py").write_text(
                f"from benchmarks.mixeval_x.test_{name} import {task}\n\n"
                f"@{task}.cases\ndef test_{name}{end}(case):\n    case.measure()\n"
            )
    for prompt in PROMPTS.glob("*.txt"):
        (project.path / "prompts/mixeval_x" / prompt.name).write_text(prompt.read_text())
    ini = project.path / "pytest.ini"  # commands look for tasks where it says that tests are
    ini.write_text(f"{ini.read_text()}testpaths = suite\n")
    roles = "".join(f"  mixeval_x/{task}: {{judge: {judge}}}\n" for task, judge in PRESCRIBED.items())
    (project.path / "models.yaml").write_text(f"roles:\n{roles}")  # the registry that ships has a local judge
    return Grading(project)
