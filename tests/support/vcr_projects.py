"""Projects with recordings or with cassettes of vcrpy, and the command that makes one of the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from capitals import Project

from proctor.cli.main import main

CLAUDE = "claude-3-5-haiku"
SAME = ("--temperature", "0", "--max-tokens", "100")
"""The parameters of OWN_TESTS."""

OWN_TESTS = """
import anthropic, openai, pytest

COUNTRIES = ["France", "Japan", "Peru"]

@pytest.fixture
def vcr_config():
    return {"filter_headers": ["authorization", "x-api-key"]}

@pytest.mark.vcr
@pytest.mark.parametrize("country", COUNTRIES)
def test_mine(country):
    reply = openai.OpenAI(max_retries=0).chat.completions.create(
        model="gpt-4o-mini-2024-07-18", temperature=0, max_tokens=100,
        messages=[{"role": "user", "content": [{"type": "text", "text": f"What is the capital of {country}?"}]}],
    )
    assert reply.choices[0].message.content.startswith("[")

@pytest.mark.vcr
def test_other():
    reply = anthropic.Anthropic(max_retries=0).messages.create(
        model="claude-3-5-haiku-20241022", max_tokens=100, extra_body={"temperature": 0.0},
        messages=[{"role": "user", "content": "What is the capital of Kenya?"}],
    )
    assert reply.content[0].text == "[Nairobi]"
"""


def convert(*arguments: object) -> int:
    return main(["cassettes", "convert", *map(str, arguments)])


def files(folder: Path) -> dict[str, bytes]:
    """What is in a folder but locks."""
    found = (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    return {str(file.relative_to(folder)): file.read_bytes() for file in found}


def chat_completion(text: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"id": text, "model": "gpt-4o-mini-2024-07-18", "choices": [choice]}


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(project.path)
    project.prompt.write_text("What is the capital of {country}?")
    return project


@pytest.fixture
def own(here: Project) -> Project:
    """A project with tests of pytest-recording that have their cassettes, and a benchmark that has none."""
    file = here.path / "tests/test_mine.py"
    file.parent.mkdir()
    file.write_text(OWN_TESTS)
    assert here.pytester.runpytest_inprocess("tests", "--record-mode", "once").ret == 0
    assert here.server.count == 4
    return here
