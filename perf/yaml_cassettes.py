"""The obvious way to the same end: pytest-recording's marker, the SDK, and one YAML cassette a case."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from perf.asked import Asked

INI = """[pytest]
addopts = --import-mode=importlib --strict-markers
"""

MODULE = '''"""Each question to the model is a test, recorded and replayed by pytest-recording."""

import json
from pathlib import Path

import openai
import pytest

CASES = [json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def client():
    return openai.OpenAI(max_retries=0)


@pytest.fixture(scope="session")
def vcr_config():
    return {"filter_headers": ["authorization"]}


@pytest.mark.vcr
@pytest.mark.parametrize("question", CASES, ids=[case["id"] for case in CASES])
def test_answer(question, client):
    answer = client.chat.completions.create(
        model=question["model"],
        messages=[{"role": "user", "content": question["prompt"]}],
        temperature=0.1,
    )
    assert answer.choices[0].message.content
'''


def write_yaml_suite(folder: Path, asked: Iterable[Asked]) -> Path:
    """Write the suite; its cassettes will lie in ``cassettes`` beside the module.

    Args:
        folder: Where to.
        asked: The questions.

    Returns:
        *folder*.
    """
    folder.mkdir()
    # Two workers that find no folder both make it, and one of them fails.
    (folder / "cassettes" / "test_answers").mkdir(parents=True)
    cases = [{"id": a.case_id, "model": a.call.model, "prompt": a.prompt} for a in asked]
    lines = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)
    (folder / "pytest.ini").write_text(INI, encoding="utf-8")
    (folder / "test_answers.py").write_text(MODULE, encoding="utf-8")
    (folder / "cases.jsonl").write_text(lines, encoding="utf-8")
    return folder
