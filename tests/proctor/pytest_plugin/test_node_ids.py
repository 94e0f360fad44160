"""Cases named by their node ids: whatever pytest would select is selected, whoever leaves the others out."""

from __future__ import annotations

import re

import pytest
from capitals import Project

FILE = "benchmarks/geo/test_capitals.py"
OTHER_TESTS = """

import pytest

class TestAgain:
    @TASK.cases
    def test_capitals(self, case): ...

@pytest.mark.parametrize("letter", ["x", "y"])
@TASK.cases
def test_letters(case, letter): ...
"""


def selected(project: Project, *arguments: str) -> list[str]:
    """The tests of the file that pytest selects, in their order."""
    result = project.run(*arguments, "--collect-only", "-q", model="oracle")
    return [line.partition("::")[2] for line in result.outlines if line.startswith(FILE)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["test_capitals[oracle-Peru]"], ["test_capitals[oracle-Peru]"]),
        (
            ["test_capitals[oracle-Peru]", "test_capitals[oracle-Cuba]"],
            ["test_capitals[oracle-Peru]", "test_capitals[oracle-Cuba]"],
        ),
        (
            ["TestAgain::test_capitals[oracle-Peru]", "test_capitals[oracle-Cuba]"],
            ["TestAgain::test_capitals[oracle-Peru]", "test_capitals[oracle-Cuba]"],
        ),
        (
            ["test_capitals[oracle-Peru]", "TestAgain"],
            [
                "test_capitals[oracle-Peru]",
                *(f"TestAgain::test_capitals[oracle-{name}]" for name in ("France", "Japan", "Peru", "Kenya", "Cuba")),
            ],
        ),
        (["test_letters[oracle-Peru-y]"], ["test_letters[oracle-Peru-y]"]),
    ],
    ids=lambda value: None if isinstance(value, str) else " ".join(value)[:40],
)
def test_named_cases_are_selected(project: Project, arguments: list[str], expected: list[str]) -> None:
    project.benchmark(after=OTHER_TESTS)
    assert selected(project, *(f"{FILE}::{argument}" for argument in arguments)) == expected


def test_a_case_is_named_from_any_folder(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.module.parent)
    result = project.run("../geo/test_capitals.py::test_capitals[oracle-Mali-x]", model="oracle")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: not found: *"])
    result = project.run("../geo/test_capitals.py::test_capitals[oracle-Peru]", model="oracle")
    result.stdout.fnmatch_lines(["*1 correct in *"])


def test_other_letters_than_ascii_are_named_as_pytest_writes_them(project: Project) -> None:
    project.write_rows([{"country": name, "capital": "Paris"} for name in ("Côte d'Ivoire", "Peru [south]", "Perú")])
    every = selected(project, FILE)
    assert len(every) == 3
    for name in every:
        assert selected(project, f"{FILE}::{name}") == [name]
    assert re.fullmatch(r"test_capitals\[oracle-Per\\xfa\]", every[2])


def test_only_the_items_of_named_cases_are_made(project: Project) -> None:
    """pytest itself would make all five, and leave four of them out again."""
    (project.path / "conftest.py").write_text(
        "import pytest\n\n@pytest.hookimpl(trylast=True)\ndef pytest_generate_tests(metafunc):\n"
        "    print('items made:', len(metafunc._calls))\n"
    )
    project.run(f"{FILE}::test_capitals[oracle-Peru]", "-s", model="oracle").stdout.fnmatch_lines(["items made: 1"])
    project.run(FILE, "-s", model="oracle").stdout.fnmatch_lines(["items made: 5"])
