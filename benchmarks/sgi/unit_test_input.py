"""The inputs of unit tests: made by the programs that the rows give for it, and from the files that some rows need."""

from __future__ import annotations

import atexit
import filecmp
import functools
import os
import shutil
import tempfile
import threading
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sgi.interpreter import Interpreter
from benchmarks.sgi.sandbox import Limits, run_program
from proctor import UsageError

SECONDS_FOR_DATA = 600.0
FIXTURES_VARIABLE = "SGI_DRY_EXPERIMENT_DATA_DIR"
FIXTURE_PLACES = {
    "SGI_DryExperiment_0200": "data",
    "SGI_DryExperiment_0206": "data/mnist_raw",
    "SGI_DryExperiment_0236": "data/em_3d_user_study",
}
"""Where the official rows that need files of their own expect them, by their ``idx``."""

DATA_SCRIPT = "data_en.py"


class DataProgramFailed(Exception):
    """The program that writes a unit test's input failed, which is no fault of the answer."""


@dataclass(frozen=True)
class UnitTest:
    """One unit test of a row.

    Args:
        data: The program that writes its input.
        fixture: The row's ``idx``, if it needs files of its own.
    """

    data: str
    fixture: str | None


def fixture_of(idx: str) -> str | None:
    """The row's ``idx`` if it is one of the official rows that need files of their own."""
    return idx if idx in FIXTURE_PLACES else None


def fixture_folder(idx: str) -> Path:
    """Where the files are that an official row needs.

    Raises:
        UsageError: If they are not there.
    """
    folder = given_fixture(idx)
    if folder is None or not folder.is_dir():
        problem = f"{FIXTURES_VARIABLE} is not set" if folder is None else f"{folder} is not a folder"
        raise UsageError(
            f"row {idx} needs files that the data set does not hold: {problem}",
            remedy=f"Get them from the official repository; set {FIXTURES_VARIABLE} to the folder that holds {idx}/.",
        )
    return folder


def given_fixture(idx: str | None) -> Path | None:
    """Where the files of an official row should be, if it has any and the environment says where."""
    given = os.environ.get(FIXTURES_VARIABLE, "").strip()
    return Path(given).expanduser() / idx if given and idx is not None else None


class InputsMade:
    """The inputs of unit tests, made by their programs, for all models and epochs of a run.

    A program is run anew for every use until two of its runs have written the same: only then is its input known to be
    the same each time, and copied from there on. So nothing runs more often than in the published grader, and what is
    random stays so.

    Args:
        folder: Where to keep them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._locks: defaultdict[UnitTest, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()
        self._made: dict[UnitTest, Path] = {}
        self._same: dict[UnitTest, bool] = {}

    def put(
        self, test: UnitTest, folder: Path, interpreter: Interpreter, *, sandboxed: bool, files: Path | None = None
    ) -> None:
        """Make *folder*, with the unit test's input in it.

        Args:
            test: The unit test.
            folder: The folder, which does not exist.
            interpreter: Runs its program.
            sandboxed: Whether in a sandbox.
            files: Where the row's own files are, if it has any.

        Raises:
            DataProgramFailed: If its program fails.
        """
        with self._lock:
            lock = self._locks[test]
        with lock:
            if self._same.get(test):
                shutil.copytree(self._made[test], folder, symlinks=True)
                return
            make_input(test, folder, interpreter, sandboxed=sandboxed, files=files)
            if test not in self._made:
                self._folder.mkdir(parents=True, exist_ok=True)
                kept = Path(tempfile.mkdtemp(dir=self._folder), "input")
                copy_input(folder, kept)
                self._made[test] = kept
            elif test not in self._same:
                self._same[test] = same_files(folder, self._made[test])
                if not self._same[test]:
                    shutil.rmtree(self._made[test])


def make_input(test: UnitTest, folder: Path, interpreter: Interpreter, *, sandboxed: bool, files: Path | None) -> None:
    """Run a unit test's data program in *folder*, which it makes."""
    (folder / "data").mkdir(parents=True)
    if test.fixture is not None:
        shutil.copytree(
            files or fixture_folder(test.fixture), folder / FIXTURE_PLACES[test.fixture], dirs_exist_ok=True
        )
    write_script(folder / DATA_SCRIPT, test.data)
    finished = run_program(
        interpreter.executable,
        DATA_SCRIPT,
        folder=folder,
        visible=interpreter.prefixes,
        limits=Limits(SECONDS_FOR_DATA),
        sandboxed=sandboxed,
        keeps_files=True,
    )
    if finished.exit_code or finished.stopped:
        said = finished.stderr.strip().splitlines()
        why = f"stopped at its limit of {finished.stopped}" if finished.stopped else f"exit code {finished.exit_code}"
        raise DataProgramFailed(
            f"the program that writes a unit test's input failed ({why}): {said[-1] if said else 'it says nothing'}\n"
            f"  It ran with Python {interpreter.python}; the official rows need the packages of their environment."
        )


def copy_input(folder: Path, copy: Path) -> None:
    """Copy an input.

    Raises:
        DataProgramFailed: If it holds what cannot be copied.
    """
    try:
        shutil.copytree(folder, copy, symlinks=True)
    except (shutil.Error, RecursionError) as problem:
        raise DataProgramFailed(
            f"the program that writes a unit test's input left what cannot be copied: {str(problem)[:200]}"
        ) from None


def write_script(path: Path, program: str) -> None:
    """Write a program in place of what a data program, or a row's files, may have left under its name.

    That can be a link to any file of the user, so nothing is written through it.

    Raises:
        DataProgramFailed: If it is a folder.
    """
    if path.is_dir() and not path.is_symlink():
        raise DataProgramFailed(f"the program that writes a unit test's input made a folder {path.name}")
    path.unlink(missing_ok=True)
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(program)


def same_files(one: Path, other: Path) -> bool:
    """Whether two folders hold the same files with the same contents, in any depth.

    Links are not followed, since they can lead out of the folder or round in it: a folder with one is like no other.
    """
    if any(entry.is_symlink() for entry in os.scandir(one)):
        return False
    compared = filecmp.dircmp(one, other, ignore=[], hide=[])
    if compared.left_only or compared.right_only or compared.funny_files or compared.common_funny:
        return False
    _, different, unreadable = filecmp.cmpfiles(one, other, compared.common_files, shallow=False)
    return not different and not unreadable and all(same_files(one / name, other / name) for name in compared.subdirs)


@functools.cache
def inputs_made() -> InputsMade:
    """The inputs made in this process; they go when it ends."""
    folder = tempfile.TemporaryDirectory(prefix="proctor-inputs-")
    atexit.register(folder.cleanup)
    return InputsMade(Path(folder.name))
