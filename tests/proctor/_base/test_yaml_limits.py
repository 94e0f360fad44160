"""YAML that would take all time or memory to read ends with a message: models.yaml, gate files, official.yaml."""

from __future__ import annotations

import pytest
from capitals import Project

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
FILES = [
    (LAUGHS, ":5: more than 50,000 values, what aliases stand for included"),
    ("a: &a [*a]\n", ":1: the alias *a contains itself"),
    ("&x {a: {b: *x}}\n", ":1: the alias *x contains itself"),
    ("a: &a {x: 1}\nb: &a {y: *a}\n", ":2: the alias *a contains itself"),
    ("[" * 100_000, ":1: nested too deeply"),
    ("{a: " * 100_000, ":1: nested too deeply"),
    ("- " * 100_000, ":1: nested too deeply"),
    ("models: !!python/object/apply:os.system ['touch executed']\n", "python/object/apply:os.system' is not allowed"),
    ("models: !!set {x}\n", ":1: field 'models': tag 'tag:yaml.org,2002:set' is not allowed"),
    ("models: " + "1:" * 400_000 + "1\n", ":1: field 'models': longer than 200 characters, and no text"),
    ("models: " + "9" * 5_000 + "\n", ":1: field 'models': longer than 200 characters, and no text"),
    ("? " + "k" * 500_000 + "\n: 1\n", ":1: a key is longer than 200 characters"),
    ("[" + "a," * 60_000 + "]", ":1: more than 50,000 values"),
    ("a: " + "x" * 1_000_000, ": larger than 1,000,000 bytes"),
]


@pytest.mark.parametrize(("text", "problem"), FILES)
def test_yaml_that_is_made_to_be_a_burden_is_refused(
    project: Project, capsys: pytest.CaptureFixture[str], text: str, problem: str
) -> None:
    for name in ("models.yaml", "gate.yaml"):
        file = project.path / name
        file.write_text(text)
        result = project.run(*(["--gate", name] if name == "gate.yaml" else []), model="oracle-of-mine")
        assert result.ret == 4
        assert f"ERROR: {file}" in str(result.stderr)
        assert problem in str(result.stderr)
        file.unlink()
    catalogue = project.path / "benchmarks/geo/official.yaml"
    catalogue.write_text(text)
    capsys.readouterr()
    assert project.command("pull", "--list") == 4
    assert problem in capsys.readouterr().err
    assert not (project.path / "executed").exists()


def test_an_alias_that_stands_for_little_is_none(project: Project) -> None:
    (project.path / "models.yaml").write_text(
        "models:\n"
        "  one: {provider: openai, api_id: gpt-4o-mini, price: &price {input: 1, output: 2}}\n"
        "  two: {provider: openai, api_id: gpt-4o, price: *price}\n"
    )
    result = project.run("--estimate", "--model", "two", model="one")
    assert result.ret == 0
