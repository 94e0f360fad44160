"""Proctor in projects that are not about it: options of the same names, test files of the same names, start-up."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from proctor.cli.main import main

OWN_OPTIONS = """
def pytest_addoption(parser):
    parser.addoption("--model", default="none", help="the car")
    parser.addoption("--limit", action="store_true", help="a flag of this project")
"""
OWN_TEST = """
def test_options(request):
    assert request.config.getoption("--model") == "2cv"
    assert request.config.getoption("model") == "2cv"
    assert request.config.getoption("--limit") is True
"""
MODULES = """
import sys

def pytest_unconfigure():
    print("loaded:", *sorted(name for name in sys.modules if name.partition(".")[0] in ("proctor", "yaml")))
"""


def run_pytest(folder: Path, *arguments: str, exit_code: int = 0) -> str:
    """What pytest prints that is started in a process of its own, as all that is imported here would count there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COLUMNS"))}
    command = [sys.executable, "-m", "pytest", *arguments]
    ended = subprocess.run(command, cwd=folder, env=kept | {"COLUMNS": "120"}, capture_output=True, text=True)
    assert ended.returncode == exit_code, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def counts(output: str) -> str:
    """The counts in pytest's last line."""
    return re.sub(" in [0-9.:s ()]+", "", output.strip().splitlines()[-1]).strip("= ")


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A project with a test and no benchmark."""
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    return tmp_path


def write_benchmarks(folder: Path, *names: str) -> None:
    """Add benchmarks as ``proctor init --new`` writes them, and nothing that says how test files are imported."""
    for name in names:
        assert main(["init", str(folder), "--new", name]) == 0
        for file in ("pytest.ini", "conftest.py", "requirements.txt", ".github/workflows/benchmarks.yml"):
            (folder / file).unlink()


def test_a_project_with_options_of_the_same_names_has_its_own(stranger: Path) -> None:
    (stranger / "conftest.py").write_text(OWN_OPTIONS)
    (stranger / "test_own.py").write_text(OWN_TEST)
    assert counts(run_pytest(stranger, "--model", "2cv", "--limit")) == "1 passed"
    assert counts(run_pytest(stranger, "--limit", "--model=2cv", "test_own.py", "-n", "1")) == "1 passed"
    told = run_pytest(stranger, "--help")
    assert "the car" in told
    assert "--proctor-model=NAME" in told
    assert "--proctor-limit=N" in told
    assert " --epochs=K " in told


def test_benchmarks_run_there_by_the_long_names(stranger: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_benchmarks(stranger, "dates/weekday")
    (stranger / "conftest.py").write_text(OWN_OPTIONS)
    (stranger / "test_own.py").write_text(OWN_TEST)
    long = ("--proctor-model", "oracle", "--proctor-limit", "2")
    output = run_pytest(stranger, "--model", "2cv", "--limit", *long)
    assert counts(output) == "1 passed, 2 correct"
    (report,) = stranger.glob("reports/*Z-*/report.json")
    assert "dates/weekday" in report.read_text()


def test_the_order_of_plugins_does_not_matter(stranger: Path) -> None:
    (stranger / "cars.py").write_text(OWN_OPTIONS)
    (stranger / "test_own.py").write_text(OWN_TEST)
    options = ("--model", "2cv", "--limit")
    assert counts(run_pytest(stranger, "-p", "cars", *options)) == "1 passed"
    (stranger / "conftest.py").write_text('pytest_plugins = ["cars"]')
    assert counts(run_pytest(stranger, *options)) == "1 passed"
    (stranger / "conftest.py").write_text('pytest_plugins = ["proctor.plugin", "cars"]')
    assert counts(run_pytest(stranger, *options)) == "1 passed"


def test_both_names_of_an_option_are_one_option(stranger: Path) -> None:
    write_benchmarks(stranger, "dates/weekday")
    short = run_pytest(stranger, "benchmarks", "--model", "oracle", "--limit", "1")
    long = run_pytest(stranger, "benchmarks", "--proctor-model", "oracle", "--proctor-limit", "1")
    assert counts(short) == counts(long) == "1 correct"
    assert "limit: must be a whole number from 1, not 'x'" in run_pytest(stranger, "--proctor-limit", "x", exit_code=4)


def test_the_value_of_an_option_is_not_taken_for_a_test_file(stranger: Path) -> None:
    (stranger / "pytest.ini").write_text("[pytest]\ntestpaths = more\n")
    (stranger / "more").mkdir()
    (stranger / "more" / "conftest.py").write_text('def pytest_addoption(parser):\n    parser.addoption("--colour")\n')
    (stranger / "more" / "test_more.py").write_text(
        'def test_more(request):\n    assert request.config.getoption("--colour") == "red"\n'
    )
    assert counts(run_pytest(stranger, "--limit", "5", "--colour=red")) == "1 passed"


def test_benchmarks_with_files_of_equal_names_are_collected_side_by_side(stranger: Path) -> None:
    write_benchmarks(stranger, "dates/weekday", "days/weekday")
    assert counts(run_pytest(stranger, "benchmarks", "--model", "oracle")) == "6 correct"
    assert counts(run_pytest(stranger, "benchmarks", "--model", "oracle", "-n", "2")) == "6 correct"


def test_other_tests_with_files_of_equal_names_are_pytests_affair(stranger: Path) -> None:
    write_benchmarks(stranger, "dates/weekday")
    for folder in ("a", "b"):
        (stranger / folder).mkdir()
        (stranger / folder / "test_same.py").write_text("def test_same():\n    pass\n")
    assert "import file mismatch" in run_pytest(stranger, "--model", "oracle", exit_code=1)


def test_without_a_benchmark_only_what_declares_options_is_imported(stranger: Path) -> None:
    (stranger / "conftest.py").write_text(MODULES)
    output = run_pytest(stranger, "-p", "no:cacheprovider", "-p", "no:recording")
    (loaded,) = [line.split()[1:] for line in output.splitlines() if line.startswith("loaded:")]
    assert "proctor.pytest_plugin.options" in loaded
    assert "yaml" not in loaded
    heavy = {"proctor.tasks.task", "proctor.run.run", "proctor.models.registry", "proctor.pytest_plugin.plugin"}
    assert not heavy & set(loaded)
    assert len([name for name in loaded if name.startswith("proctor.")]) < 20
    assert not (stranger / "reports").exists()


def test_at_the_first_benchmark_the_rest_is_there(stranger: Path) -> None:
    write_benchmarks(stranger, "dates/weekday")
    output = run_pytest(stranger, exit_code=4)
    assert "no model to ask" in output
    (stranger / "pytest.ini").write_text("[pytest]\nproctor_model = oracle\nproctor_timeout = soon\n")
    assert "proctor_timeout takes seconds, not 'soon'" in run_pytest(stranger, exit_code=4)
    (stranger / "pytest.ini").write_text("[pytest]\nproctor_model = oracle\naddopts = --strict-markers\n")
    output = run_pytest(stranger)
    assert counts(output) == "1 passed, 3 correct"
    assert re.search(r"dates/weekday +oracle(: n =)? +3\b", output)
    assert re.search(r" accuracy +1\.0000", output)


def test_the_public_names_are_there_and_no_others() -> None:
    import proctor

    assert all(getattr(proctor, name) is not None for name in proctor.__all__)
    assert set(proctor.__all__) <= set(dir(proctor))
    with pytest.raises(AttributeError, match="no attribute 'Tusk'"):
        proctor.Tusk  # noqa: B018
