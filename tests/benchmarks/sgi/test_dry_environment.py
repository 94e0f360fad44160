"""What programs run in: the interpreter, their inputs, the cores they share."""

from __future__ import annotations

import os
import sys
import tempfile
import textwrap
import threading
import venv
from pathlib import Path

import pytest
from filelock import FileLock

from benchmarks.sgi import environment, interpreter
from benchmarks.sgi.interpreter import conda_python, described, find_interpreter, missing_modules, python_in
from benchmarks.sgi.needs import imports
from benchmarks.sgi.unit_test_input import DataProgramFailed, InputsMade, UnitTest, fixture_of
from proctor._base.errors import UsageError
from proctor.programs import cores

OWN = described(Path(sys.executable))


@pytest.fixture(autouse=True)
def no_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the machine that the tests run on has a say."""
    for name in ("SGI_CONDA_ENV", "CONDA_ENVS_PATH", "CONDA_EXE", "MAMBA_ROOT_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(interpreter, "DEFAULT_ENVIRONMENT", tmp_path / "default")


def make_environment(folder: Path) -> Path:
    venv.create(folder, with_pip=False, symlinks=True)
    return python_in(folder)


def test_the_named_python_goes_before_the_conda_environment_and_that_before_the_created_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert find_interpreter(None) == OWN
    created = make_environment(tmp_path / "default")
    assert find_interpreter(None).executable == created
    conda = make_environment(tmp_path / "envs/dryexp")
    monkeypatch.setenv("CONDA_ENVS_PATH", str(tmp_path / "envs"))
    monkeypatch.setenv("SGI_CONDA_ENV", "dryexp")
    assert find_interpreter(None).executable == conda == conda_python(str(tmp_path / "envs/dryexp"))
    assert find_interpreter(Path(sys.executable)) == OWN
    assert (tmp_path / "envs/dryexp") in find_interpreter(None).prefixes
    assert find_interpreter(None).numpy is None


def test_an_unknown_conda_environment_is_said_with_where_it_was_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGI_CONDA_ENV", "nowhere")
    with pytest.raises(UsageError, match=r"SGI_CONDA_ENV=nowhere: .*(?s:.)*conda create -n nowhere python=3.10"):
        find_interpreter(None)


def test_what_is_no_python_is_refused(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho not a python >&2\nexit 3\n")
    fake.chmod(0o755)
    with pytest.raises(UsageError, match="cannot be used as a Python: not a python"):
        find_interpreter(fake)
    for says in ("exit 1", "echo >&2; exit 1", "echo Python 3.11", "exit 0"):
        another = tmp_path / says.replace(" ", "-").replace(">", "")
        another.write_text(f"#!/bin/sh\n{says}\n")
        another.chmod(0o755)
        with pytest.raises(UsageError, match="cannot be used as a Python"):
            find_interpreter(another)


def test_modules_that_cannot_be_imported_are_found_without_importing_any() -> None:
    names = frozenset({"json", "numpy", "no_such_module_1", "no_such_module_2", "antigravity"})
    assert missing_modules(OWN.executable, names) == ("no_such_module_1", "no_such_module_2")


def test_the_imports_that_count_are_those_a_program_cannot_do_without() -> None:
    program = """
    import numpy.linalg as la, json
    from scipy.stats import norm
    from . import sibling
    from data_en import X
    try:
        import torch
    except ImportError:
        torch = None
    def f():
        import pandas
    """
    assert imports([textwrap.dedent(program), "def broken(:"]) == {"numpy", "json", "scipy"}


def test_the_command_installs_into_an_environment_that_is_then_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pip = pytest.importorskip("pip")
    made = make_environment(tmp_path / "made")
    (packages,) = (tmp_path / "made/lib").glob("python*/site-packages")
    # an environment with pip: making one takes many seconds
    (packages / "pip.pth").write_text(str(Path(pip.__file__).parents[1]))
    wanted = tmp_path / "requirements.txt"
    wanted.write_text("# nothing\n")
    assert environment.main(["create", str(tmp_path / "made"), "--requirements", str(wanted)]) == 0
    assert str(made) in capsys.readouterr().out
    assert find_interpreter(made).python == OWN.python
    wanted.write_text("no-such-package-of-any-kind @ file:///nowhere\n")
    assert environment.main(["create", str(tmp_path / "made"), "--requirements", str(wanted)]) == 1
    assert "could not be made" in capsys.readouterr().err


def counting(tmp_path: Path, rest: str) -> UnitTest:
    """A data program that leaves a mark, outside its folder, each time it runs."""
    return UnitTest(f"open({str(tmp_path / 'runs')!r}, 'a').write('x')\n{rest}\n", None)


def put(made: InputsMade, test: UnitTest, folder: Path) -> bytes:
    made.put(test, folder, OWN, sandboxed=False)
    return (folder / "data/x").read_bytes()


def test_an_input_that_comes_out_the_same_twice_is_copied_from_then_on(tmp_path: Path) -> None:
    test = counting(tmp_path, "open('data/x', 'w').write('same')")
    made = InputsMade(tmp_path / "kept")
    contents = [put(made, test, tmp_path / str(number)) for number in range(4)]
    assert contents == [b"same"] * 4
    assert (tmp_path / "runs").read_text() == "xx"


def test_a_random_input_is_made_anew_each_time(tmp_path: Path) -> None:
    test = counting(tmp_path, "import os; open('data/x', 'wb').write(os.urandom(8))")
    made = InputsMade(tmp_path / "kept")
    contents = {put(made, test, tmp_path / str(number)) for number in range(4)}
    assert len(contents) == 4
    assert (tmp_path / "runs").read_text() == "xxxx"


def test_a_copied_input_is_not_the_one_that_programs_change(tmp_path: Path) -> None:
    test = counting(tmp_path, "open('data/x', 'w').write('same')")
    made = InputsMade(tmp_path / "kept")
    for number in range(4):
        assert put(made, test, tmp_path / str(number)) == b"same"
        (tmp_path / str(number) / "data/x").write_text("changed")


def test_a_data_program_that_fails_is_named_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(DataProgramFailed, match=r"exit code 1\): ModuleNotFoundError: No module named 'astroquery'"):
        InputsMade(tmp_path / "kept").put(UnitTest("import astroquery", None), tmp_path / "x", OWN, sandboxed=False)


@pytest.mark.parametrize(
    ("idx", "fixture"),
    [
        ("SGI_DryExperiment_0206", "SGI_DryExperiment_0206"),
        ("0206", None),
        ("SGI_DryExperiment_0236", "SGI_DryExperiment_0236"),
        ("dry-0200", None),
        ("dry_0001", None),
        ("10200", None),
        ("200", None),
        ("../0200", None),
        ("0200/..", None),
    ],
)
def test_the_official_rows_that_need_files_are_known_by_their_number(idx: str, fixture: str | None) -> None:
    assert fixture_of(idx) == fixture


def test_as_many_programs_run_as_there_are_cores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cores, "core_numbers", lambda: [0])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cores._own_cores.cache_clear()
    inside: list[int] = []
    peaks: list[int] = []
    ready = threading.Barrier(4)

    def program() -> None:
        ready.wait()
        with cores.one_core():
            inside.append(1)
            peaks.append(len(inside))
            inside.pop()

    folder = tmp_path / f"proctor-{os.getuid()}"
    folder.mkdir(mode=0o700)
    other_worker = FileLock(folder / "core-0.lock")
    other_worker.acquire()
    threads = [threading.Thread(target=program) for _ in range(3)]
    for thread in threads:
        thread.start()
    ready.wait()
    assert peaks == [], "another process has the only core"
    other_worker.release()
    for thread in threads:
        thread.join()
    cores._own_cores.cache_clear()
    assert peaks == [1, 1, 1]
