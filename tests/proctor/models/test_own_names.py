"""The model that a user names: own providers and entries go before built-in ids, and what a name means is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.cli.main import main
from proctor.models.registry import Registry

OWN = """
providers:
  deepseek: {base_url: 'https://mine.example/v1?api-version=3', headers: {X-Team: 'is ${TEAM}'}, query: {route: eu}}
models:
  variant: {provider: openai, api_id: gpt-4o-mini-2024-07-18, parameters: {seed: 7}}
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    file = tmp_path / "models.yaml"
    file.write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return Registry.load(file)


def test_a_provider_of_ones_own_goes_before_a_built_in_id(own: Registry) -> None:
    assert Registry.load().resolve("deepseek/deepseek-chat").provider == "openrouter"
    found = own.resolve("DeepSeek/deepseek-chat")
    assert (found.name, found.api_id, found.url({})) == (
        "deepseek/deepseek-chat",
        "deepseek-chat",
        "https://mine.example/v1?api-version=3",
    )
    assert own.resolve("openrouter/deepseek/deepseek-chat").name == "deepseek-chat"


def test_an_entry_of_ones_own_goes_before_a_built_in_one_with_its_id(own: Registry) -> None:
    assert own.resolve("gpt-4o-mini-2024-07-18").name == "variant"
    assert own.resolve("gpt-4o-mini").name == "gpt-4o-mini"


def test_what_a_name_means_is_shown(own: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "deepseek/deepseek-chat"]) == 0
    shown = dict(line.strip().split(maxsplit=1) for line in capsys.readouterr().out.splitlines()[1:])
    assert shown["entry"] == "none: it is asked as its provider's others are"
    assert shown["provider"] == "deepseek (yours, models.yaml:3)"
    assert (shown["endpoint"], shown["query"]) == ("https://mine.example/v1", "route: eu")
    assert shown["headers"] == "X-Team: is ${TEAM}"
    assert (shown["price"], shown["lifecycle"]) == ("not known", "no end is known")
    assert main(["models", "variant"]) == 0
    shown = dict(line.strip().split(maxsplit=1) for line in capsys.readouterr().out.splitlines()[1:])
    assert shown["entry"] == "yours, models.yaml:5"
    assert shown["provider"].startswith("openai (built in, ")
    assert shown["parameters"] == "seed=7"


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("base_url: []", "no address"),
        ("base_url: ['http://one/v1', two]", "not an address"),
        ("headers: {authorization: very-secret}", "name the environment variable that holds it, as ${MY_KEY}"),
        ("headers: {a b: c}", "not a header that can be set"),
        ("headers: {Content-Type: c}", "not a header that can be set"),
        ("query: 5", "expected a mapping"),
        ("parameters: {extra_body: {n: 2}}", "not a parameter: the call itself decides it"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], field: str, words: str) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(f"models:\n  m:\n    provider: local\n    api_id: x\n    {field}\n")
    assert main(["models", "m", "--models-file", str(file)]) == 4
    said = capsys.readouterr().err
    assert f"{file}:5: " in said
    assert words in said
    assert "very-secret" not in said
