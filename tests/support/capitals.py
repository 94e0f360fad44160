"""A small project with one benchmark, in which tests run pytest as a user would."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import quick_runs  # noqa: F401  # before the first run in this process
from benchmark_module import benchmark_module
from stub_server import Request, StubServer

from proctor.cli.main import main

CAPITALS = {"France": "Paris", "Japan": "Tokyo", "Peru": "Lima", "Kenya": "Nairobi", "Cuba": "Havana", "Mali": "Bamako"}
CONTINENTS = {"France": "europe", "Japan": "asia", "Peru": "america", "Kenya": "africa", "Cuba": "america"}
OTHER_PLUGINS = ("hypothesispytest", "anyio", "rerunfailures", "repeat")
"""Plugins that are installed to test with: loading them takes a third of the time of a run in a process of its own."""


def answers(request: Request) -> str:
    """The right capital, for every country."""
    return next(f"[{capital}]" for country, capital in CAPITALS.items() if country in request.question)


class Project:
    """A project folder with the benchmark ``geo/capitals``, and a model server that knows the answers."""

    def __init__(self, pytester: pytest.Pytester, server: StubServer) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.server = server
        self.module = self.path / "benchmarks/geo/test_capitals.py"
        self.prompt = self.path / "prompts/geo/capitals.txt"
        self.data = self.path / "data/geo/capitals.jsonl"
        self.cassette = self.path / "cassettes/geo/capitals/gpt-4o-mini.jsonl"
        for file, text in ((self.module, benchmark_module()), (self.prompt, "What is the capital of {country}?\n")):
            file.parent.mkdir(parents=True)
            file.write_text(text)
        self.data.parent.mkdir(parents=True)
        self.write_rows(
            [{"country": c, "capital": CAPITALS[c], "continent": CONTINENTS[c]} for c in list(CAPITALS)[:5]]
        )
        self.configure()

    def configure(self, *settings: str, other_plugins: bool = False) -> None:
        """Write pytest.ini, with *settings*; without them, plugins that only cost time do not load."""
        left_out = "" if other_plugins else "".join(f" -p no:{name}" for name in OTHER_PLUGINS)
        lines = ["[pytest]", f"addopts = --import-mode=importlib{left_out}", *settings]
        (self.path / "pytest.ini").write_text("".join(f"{line}\n" for line in lines))

    def write_rows(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.data.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def benchmark(self, **parts: str) -> None:
        """Write the benchmark anew, with other parts; see `benchmark_module`."""
        self.module.write_text(benchmark_module(**parts))

    def second_benchmark(self, name: str, /, **parts: str) -> Path:
        """Write another benchmark beside it, ``geo/<name>``, of the same prompt if no other is named; its module."""
        module = self.module.with_name(f"test_{name}.py")
        module.write_text(benchmark_module(**{"name": f'"geo/{name}"', "function": f"test_{name}", **parts}))
        return module

    def run(self, *args: str, model: str | None = "gpt-4o-mini") -> pytest.RunResult:
        """Run pytest as a user would type it, but in this process: several times as fast."""
        return self.pytester.runpytest_inprocess(*args, *(["--model", model] if model else []))

    def command(self, *arguments: str) -> int:
        """Run the command ``proctor`` as a user would in the project's folder, but in this process; its exit code."""
        known = set(sys.modules)
        try:
            return main(arguments)
        finally:
            for name in set(sys.modules) - known:  # the next command is to import the project's modules anew
                del sys.modules[name]

    def run_apart(self, *args: str, model: str = "gpt-4o-mini") -> pytest.RunResult:
        """Run pytest in a process of its own."""
        return self.pytester.runpytest_subprocess(*args, "--model", model)

    def record(self, *args: str) -> pytest.RunResult:
        return self.run("--record-mode", "once", *args)

    @property
    def folders(self) -> list[Path]:
        """The report folders, oldest first."""
        found = (entry for entry in (self.path / "reports").iterdir() if entry.is_dir() and not entry.is_symlink())
        return sorted(found, key=lambda folder: folder.stat().st_mtime_ns)

    @property
    def report(self) -> dict[str, Any]:
        """report.json of the newest run."""
        content: dict[str, Any] = json.loads((self.folders[-1] / "report.json").read_text())
        return content

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        """The rows of the newest run by sample id."""
        lines = (self.folders[-1] / "results.jsonl").read_text().splitlines()
        return {row["sample_id"]: row for row in map(json.loads, lines)}


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    with StubServer(answers) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-distinctiveKey0123456789")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.anthropic_url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-distinctiveKey0123456789")
        # A module that a test changes within a second, to one as long, would be taken for the one that was compiled.
        monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        # Its plugin would take a run within this process for the start of the process, where strategies are expensive.
        monkeypatch.setenv("HYPOTHESIS_EXTEND_INITIALIZATION", "1")
        yield Project(pytester, server)
