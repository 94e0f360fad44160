"""Batches of the small project in capitals.py: what the tests of ``proctor batch`` share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from batch_server import BatchServer
from capitals import CAPITALS, Project, answers

from proctor.cli.main import main

CLAUDE = "claude-3-5-haiku"
MODELS = ["gpt-4o-mini", "o1-pro", CLAUDE]
"""One for each API: chat completions, Responses, Anthropic's messages."""

TESTS = "benchmarks/geo"


@pytest.fixture
def provider(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    """A server with batches; the keys in the environment are the project's."""
    monkeypatch.chdir(project.path)
    with BatchServer(answers) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.openai_url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.anthropic_url)
        yield provider


def submit(*arguments: str, model: str = "gpt-4o-mini") -> int:
    return main(["batch", "submit", "--", TESTS, "--model", model, *arguments])


def fetch() -> int:
    return main(["batch", "fetch"])


def lines_of(project: Project, model: str = "gpt-4o-mini") -> list[dict[str, Any]]:
    text = (project.path / f"cassettes/geo/capitals/{model}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def countries(batch: Any) -> list[str]:
    """The country that each request of a batch asks about."""
    texts = [json.dumps(request) for request in batch.requests]
    return sorted(next(country for country in CAPITALS if country in text) for text in texts)


def samples(lines: Iterable[dict[str, Any]]) -> list[str]:
    return sorted(line["sample"] for line in lines)


FIVE = ["Cuba", "France", "Japan", "Kenya", "Peru"]
