"""How many processes a run takes with ``-n``."""

from __future__ import annotations

import pytest
from capitals import Project

PLAIN_TEST = "def test_nothing():\n    pass\n"


@pytest.fixture
def suite(project: Project) -> Project:
    """The example with benchmarks in a folder of their own, and a test beside them."""
    ini = project.path / "pytest.ini"
    ini.write_text(f"{ini.read_text()}\nproctor_max_workers = auto\nproctor_benchmarks = benchmarks\n")
    tests = project.path / "tests"
    tests.mkdir()
    (tests / "test_plain.py").write_text(PLAIN_TEST)
    return project


def workers(project: Project, *args: str) -> int:
    """How many workers xdist said it had; 0 if it was not at work."""
    result = project.run(*args, model="oracle")
    assert result.ret == 0
    said = [line for line in result.outlines if " workers [" in line or " worker [" in line]
    return int(said[0].split()[0]) if said else 0


@pytest.mark.parametrize("asked", ["1", "2", "auto"])
@pytest.mark.parametrize("where", [["benchmarks"], ["benchmarks/geo/test_capitals.py::test_capitals[oracle-France]"]])
def test_benchmarks_run_in_one_process_and_the_header_says_so(suite: Project, asked: str, where: list[str]) -> None:
    result = suite.run("-n", asked, *where, model="oracle")
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"proctor: one process instead of -n {asked}, *(proctor_max_workers = auto)"])
    result.stdout.no_fnmatch_line("*workers*[[]*")


def test_other_tests_keep_their_workers(suite: Project) -> None:
    assert workers(suite, "-n", "1", "tests") == 1
    assert workers(suite, "-n", "1", "tests", "benchmarks") == 1
    assert workers(suite, "-n", "1", ".") == 1


def test_a_number_gives_benchmarks_workers_all_the_same(suite: Project) -> None:
    assert workers(suite, "-n", "3", "-o", "proctor_max_workers=2", "benchmarks") == 2
    assert workers(suite, "-n", "1", "-o", "proctor_max_workers=", "benchmarks") == 1


def test_a_live_run_in_one_process_has_as_many_requests_in_flight_as_asked(suite: Project) -> None:
    suite.server.latency = 0.2
    result = suite.record("-n", "2", "--concurrency", "2", "benchmarks")
    assert result.ret == 0
    assert (suite.server.count, suite.server.peak) == (5, 2)
    result.stdout.fnmatch_lines(["proctor: one process instead of -n 2, *"])
