"""The temporary folder in which everything happens: a copy of the suite with generated data and recorded answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from perf.asked import MODEL, Asked, asked_in
from perf.empty_cases import write_empty_cases
from perf.many_questions import DIFFERENT_ROWS, multiply
from perf.processes import CommandFailed, Cost, Costs, measured
from perf.scale import Scale
from perf.server_process import ServerProcess

ROOT = Path(__file__).resolve().parent.parent
COPIED = (
    "pytest.ini",
    ".gitignore",
    "benchmarks/__init__.py",
    "benchmarks/tsg",
    "prompts/tsg",
)
CONFTEST = 'pytest_plugins = ["proctor.plugin"]\n'
"""The plugins of other benchmarks, which the suite's own conftest.py names, are not measured."""
SEED = "7"
UNWANTED = ("PYTEST_", "PYTHON", "OPENAI_", "ANTHROPIC_", "OPENROUTER_", "LOCAL_BASE_URL", "COV_", "COVERAGE_")
"""Beginnings of the names of variables that could change what is measured."""


class Workplace:
    """A suite of its own in *folder*; a context manager that ends the model server.

    Args:
        folder: An empty folder.
        scale: How much is measured.
    """

    def __init__(self, folder: Path, scale: Scale) -> None:
        self.folder = folder
        self.scale = scale
        self.runs: dict[str, dict[str, list[dict[str, float]]]] = {}
        self._closing = ExitStack()

    def __enter__(self) -> Workplace:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    @cached_property
    def environment(self) -> dict[str, str]:
        """The environment of all commands: that of the user without what could change a measurement."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(UNWANTED)}
        return kept | {"PYTHONPATH": str(ROOT)}

    @cached_property
    def server(self) -> ServerProcess:
        """The model server, started when it is first needed."""
        return self._closing.enter_context(ServerProcess(ROOT, self.environment))

    @cached_property
    def project(self) -> Path:
        """The suite, with data of the sizes asked for, in a git repository like the user's own."""
        return self._suite("project", self.scale.rows)

    @cached_property
    def recorded(self) -> Path:
        """`project`, once all its cases were asked of the model server and recorded by Proctor itself."""
        self.say(f"recording {self.scale.cases:,} cases")
        self.server.reset(latency_s=0.0)
        self.pytest("benchmarks", "--record-mode", "new_episodes", folder=self.project, environment=self.online)
        if self.server.stats.requests != self.scale.cases:
            raise CommandFailed(f"{self.server.stats.requests} requests were made for {self.scale.cases} cases")
        return self.project

    def sgqa_suite(self, name: str, rows: int) -> Path:
        """A suite of its own with a data file of sgqa alone, and recordings of it."""
        self.say(f"writing {rows:,} rows of sgqa and their recordings")
        suite = self._suite(name, {"sgqa": min(rows, DIFFERENT_ROWS)}, sgqa_rows=rows)
        self.make([sys.executable, "-m", "perf.many_questions", str(suite), str(self.cassette("sgqa"))], suite)
        return suite

    @cached_property
    def asked(self) -> dict[str, list[Asked]]:
        """What the cases of `project` ask, by task."""
        return {task: list(asked_in(task, self.project)) for task in self.scale.rows}

    @cached_property
    def empty(self) -> Path:
        """Test modules in `project` with as many cases as the tasks, of the same names, that do nothing."""
        return write_empty_cases(
            self.project / "empty", {task: [a.case_id for a in asked] for task, asked in self.asked.items()}
        )

    def cassette(self, task: str) -> Path:
        """The recordings of a task in `recorded`."""
        return self.recorded / f"cassettes/tsg/{task}/{MODEL}.jsonl"

    @property
    def online(self) -> Mapping[str, str]:
        """Variables by which the OpenAI SDK finds the model server."""
        return {"OPENAI_BASE_URL": self.server.url, "OPENAI_API_KEY": "perf"}

    def pytest(self, *arguments: str, folder: Path, environment: Mapping[str, str] | None = None) -> Cost:
        """Run pytest with the stub model and *arguments* in *folder*."""
        command = [sys.executable, "-m", "pytest", *arguments, "--model", MODEL]
        return measured(command, folder=folder, environment={**self.environment, **(environment or {})})

    def plain_pytest(self, *arguments: str, folder: Path, environment: Mapping[str, str] | None = None) -> Cost:
        """Run pytest without Proctor's plugin."""
        command = [sys.executable, "-m", "pytest", "-p", "no:proctor.plugin", *arguments]
        return measured(command, folder=folder, environment={**self.environment, **(environment or {})})

    def thread_pool(self, in_flight: int) -> Cost:
        """Ask all questions of sgqa with a script that does nothing else; see `perf.thread_pool`."""
        questions, answers = self.folder / "questions.jsonl", self.folder / "answers.jsonl"
        if not questions.exists():
            questions.write_text("".join(f"{json.dumps(asked.prompt)}\n" for asked in self.asked["sgqa"]), "utf-8")
        command = [sys.executable, "-m", "perf.thread_pool", MODEL, str(questions), str(in_flight), str(answers)]
        return measured(command, folder=self.folder, environment={**self.environment, **self.online})

    def keep(self, part: str, costs: Mapping[str, Costs]) -> None:
        """Keep the cost of every single run of a part for the JSON report."""
        self.runs[part] = {name: [run.numbers() for run in of_name.runs] for name, of_name in costs.items()}

    def say(self, what: str) -> None:
        """Tell what is being done."""
        print(what, file=sys.stderr, flush=True)

    def make(self, command: list[str], folder: Path) -> None:
        """Run a command that prepares something.

        Raises:
            CommandFailed: If it ends with another exit code than 0.
        """
        made = subprocess.run(
            command, cwd=folder, env=self.environment, capture_output=True, text=True, errors="replace", check=False
        )
        if made.returncode != 0:
            raise CommandFailed(f"{' '.join(command)}\nended with exit code {made.returncode}:\n{made.stderr}".rstrip())

    def _suite(self, name: str, rows: Mapping[str, int], *, sgqa_rows: int | None = None) -> Path:
        suite = self.folder / name
        for part in COPIED:
            target = suite / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / part, target)
        (suite / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        counts = [word for task, count in rows.items() for word in (f"--{task}", str(count))]
        # Rows of the official length for the official sizes; the large file is long enough with short rows.
        size = ["--size", "official"] if set(rows) == set(self.scale.rows) else []
        generate = [sys.executable, "-m", "benchmarks.tsg.generate", "--seed", SEED, *size, *counts]
        self.make([*generate, "--out", "data/tsg"], suite)
        if sgqa_rows is not None:
            multiply(suite / "data/tsg/sgqa.jsonl", sgqa_rows)
        if shutil.which("git"):
            author = ["-c", "user.name=perf", "-c", "user.email=perf@localhost"]
            self.make(["git", "init", "--quiet"], suite)
            self.make(["git", "add", "--all"], suite)
            self.make(["git", *author, "commit", "--quiet", "--message", "measured"], suite)
        return suite
