"""What an answer costs on the day of the call: whose price counts, and that a replay has it from the recording."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from typing import Any

import pytest
from capitals import Project
from stub_server import Answer

from proctor.models.prices import cost_of, is_priced
from proctor.models.registry import Registry
from proctor.tasks.call import Usage

REGISTRY = Registry.load()
DAY = datetime(2026, 11, 22, 12, tzinfo=UTC)  # a Sunday: no peak hours
MILLION = Usage(1_000_000, 0)


def cost(name: str, usage: Usage, at: datetime = DAY, *, batch: bool = False) -> float | None:
    return cost_of(REGISTRY.resolve(name), usage, at, batch=batch)


@pytest.mark.parametrize(
    ("name", "usage", "dollars"),
    [
        # by hand, from the providers' price lists: dollars a million tokens
        ("gpt-4o-mini", Usage(1_000, 100, 400), (600 * 0.15 + 400 * 0.075 + 100 * 0.60) / 1e6),
        ("gpt-6-luna", Usage(1_000, 100), (1_000 * 0.10 + 100 * 0.50) / 1e6),
        # a prompt above 272,000 tokens costs twice as much, and its answer half as much again
        ("gpt-6-luna", Usage(300_000, 1_000), (300_000 * 0.20 + 1_000 * 0.75) / 1e6),
        # what is written to the cache costs a quarter more
        ("gpt-6-luna", Usage(1_000, 0, None, None, 500), (500 * 0.10 + 500 * 0.125) / 1e6),
        ("claude-haiku-5-5", Usage(100_001, 0), 100_001 * 0.50 / 1e6),  # five times as much above 100,000
        ("claude-opus-5-5", Usage(0, 1_000), 1_000 * 20 / 1e6),
        ("o3", Usage(1_000_000, 0), 2.0),  # since June 2025, and not 10
        ("llama-3.3-70b-instruct", Usage(1_000_000, 0), 0.59),  # no price in models.yaml
        ("openrouter/anthropic/claude-sonnet-4.5", Usage(100_000, 0), 0.3),
        ("gpt-6.2-sol", Usage(1_000_000, 0), 2.0),  # in models.yaml alone
        ("gpt-audio", Usage(1_000_000, 0), 32.0),  # of audio, as models.yaml says
        ("gpt-image-1", Usage(0, 1_000_000), 40.0),
        ("smollm2-135m-instruct", Usage(5, 5), 0.0),
        ("local/another", Usage(5, 5), None),
        ("gpt-6-luna", Usage(None, 5), None),
    ],
)
def test_whose_price_counts(name: str, usage: Usage, dollars: float | None) -> None:
    assert cost(name, usage) == (None if dollars is None else pytest.approx(dollars))
    assert is_priced(REGISTRY.resolve(name), DAY) is (name != "local/another")


def test_the_day_counts() -> None:
    assert cost("gemini-4-argon", MILLION, datetime(2026, 11, 30, 12, tzinfo=UTC)) == pytest.approx(2.0)
    assert cost("gemini-4-argon", MILLION, datetime(2026, 12, 1, 12, tzinfo=UTC)) == pytest.approx(4.0)


def test_and_the_hour() -> None:
    monday = datetime(2026, 11, 23, 2, tzinfo=UTC)
    assert cost("deepseek-flash", MILLION, monday) == pytest.approx(2 * (cost("deepseek-flash", MILLION) or 0))


def test_and_the_batch() -> None:
    assert cost("claude-sonnet-5-5", MILLION, batch=True) == pytest.approx(1.0)
    assert cost("gpt-6.2-sol", MILLION, batch=True) == pytest.approx(1.0)  # by batch_discount


def test_what_openrouter_says_goes_first_and_nobody_else_is_asked() -> None:
    assert cost("llama-3.3-70b-instruct", Usage(1_000, 10, cost_usd=0.123)) == 0.123
    assert REGISTRY.resolve("openrouter/new/model").cost(Usage(cost_usd=0.5)) == 0.5
    assert cost("gpt-4o-mini", Usage(1_000_000, 0, cost_usd=7.0)) == pytest.approx(0.15)


def test_a_users_own_price_goes_before_the_library(project: Project) -> None:
    (project.path / "models.yaml").write_text(
        "models:\n  gpt-4o-mini:\n    provider: openai\n    api_id: gpt-4o-mini-2024-07-18\n"
        "    price: {input: 1000, output: 0}\n"
    )
    assert project.record("-k", "France").ret == 0
    assert project.rows["France"]["cost_usd"] == pytest.approx(100 * 1000 / 1e6)


def openrouter(cost: Any, **more: Any) -> Answer:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12, "cost": cost, **more}
    choice = {"index": 0, "message": {"role": "assistant", "content": "[Paris]"}, "finish_reason": "stop"}
    return Answer(body=json.dumps({"model": "v/m", "choices": [choice], "usage": usage}).encode())


@pytest.mark.parametrize(
    ("usage", "dollars"),
    [
        ({"cost": 0.25}, 0.25),
        ({"cost": 0}, 0.0),
        ({"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.2}}, 0.21),
        ({"cost": 0.01, "cost_details": {"upstream_inference_cost": 0.2}}, 0.01),
        ({"cost": "0.25"}, None),
        ({"cost": -1}, None),
        ({"cost": True}, None),
    ],
)
def test_openrouters_own_cost_is_that_of_row_and_recording(
    project: Project, monkeypatch: pytest.MonkeyPatch, usage: dict[str, Any], dollars: float | None
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-distinctiveKey0123456789")
    monkeypatch.setenv("OPENROUTER_BASE_URL", project.server.openai_url)
    project.server.script = openrouter(**usage)
    model = "openrouter/v/m"
    assert project.run("--record-mode", "once", "-k", "France", model=model).ret == 0
    assert project.rows["France"]["cost_usd"] == (None if dollars is None else pytest.approx(dollars))
    assert project.run("-k", "France", model=model).ret == 0
    assert project.rows["France"]["cost_usd"] == (None if dollars is None else pytest.approx(dollars))


def test_a_replay_has_the_cost_of_the_day_from_the_recording(project: Project) -> None:
    assert project.record().ret == 0
    lines = project.cassette.read_text().splitlines()
    first = json.loads(lines[0])
    assert first["cost_usd"] == pytest.approx((100 * 0.15 + 5 * 0.60) / 1e6)
    (project.path / "models.yaml").write_text(
        "models:\n  gpt-4o-mini:\n    provider: openai\n    api_id: gpt-4o-mini-2024-07-18\n"
        "    price: {input: 1000, output: 0}\n"
    )
    assert project.run().ret == 0
    assert {row["cost_usd"] for row in project.rows.values()} == {first["cost_usd"]}


def test_a_recording_from_before_costs_what_models_yaml_says(project: Project) -> None:
    assert project.record("-k", "France").ret == 0
    text = project.cassette.read_bytes().rpartition(b',"check"')[0]
    start, end = text.index(b',"cost_usd":'), text.index(b',"uri"')
    old = text[:start] + text[end:]
    project.cassette.write_bytes(old + b',"check":"%08x"}\n' % zlib.crc32(old))
    assert project.run("-k", "France").ret == 0
    assert project.rows["France"]["cost_usd"] == pytest.approx((100 * 0.15 + 5 * 0.60) / 1e6)


def test_a_replay_does_not_import_the_library(project: Project) -> None:
    assert project.record().ret == 0
    (project.path / "conftest.py").write_text(
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    print('imported:', sorted({'genai_prices', 'openai'} & set(sys.modules)))\n"
    )
    result = project.run_apart("-s")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*imported: []"])


def test_the_money_of_a_run_follows(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-distinctiveKey0123456789")
    monkeypatch.setenv("OPENROUTER_BASE_URL", project.server.openai_url)
    project.server.script = openrouter(0.03)
    arguments = ("--record-mode", "once", "--max-cost", "0.08", "--concurrency", "1")
    result = project.run(*arguments, model="llama-3.3-70b-instruct")
    assert project.server.count == 3  # $0.03, 0.06, 0.09
    result.stdout.fnmatch_lines(["--max-cost 0.08 reached: $0.0900 spent on live calls, 2 cases not run.*"])


def test_an_estimate_follows_request_by_request(project: Project) -> None:
    """Two prompts below a tier of the price that are above it together."""
    words = "x" * (3 * 200_000)
    project.write_rows([{"country": name + words, "capital": "Paris"} for name in ("A", "B")])
    result = project.run("--estimate", model="gpt-6-luna")
    assert result.ret == 0
    tokens = 2 * -(-(len("What is the capital of A?\n") + len(words)) * 2 // 7)
    line = next(line for line in result.stdout.lines if line.startswith("geo/capitals "))
    assert f"{tokens:,}"[:4] in line
    assert f"${(tokens * 0.10 + 200 * 0.50) / 1e6:.4f}" in line
