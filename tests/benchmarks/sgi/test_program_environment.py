"""What a program of the Dry Experiment finds around it: as on any machine, in the sandbox and without it."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from hostile_programs import IN_SANDBOX, OWN, Run, run, run_text, sandboxed

from benchmarks.sgi.interpreter import warm_home
from benchmarks.sgi.sandbox import Limits, bubblewrap

__all__ = ["run", "sandboxed"]

USUAL = Limits(seconds=60)


def test_an_account_a_home_and_a_place_for_temporary_files(run: Run) -> None:
    ended = run(
        """
        import getpass, os, pathlib, pwd, tempfile
        print(getpass.getuser(), pathlib.Path.home() == pathlib.Path(os.path.expanduser("~")))
        print(bool(pwd.getpwuid(os.getuid()).pw_name))
        with tempfile.NamedTemporaryFile() as file:
            print(os.path.dirname(file.name) == tempfile.gettempdir())
        pathlib.Path.home().joinpath("x").write_text("x")
        print(os.listdir("."))
        """
    )
    assert ended.stderr == ""
    assert ended.stdout.splitlines()[:3] == ["user True", "True", "True"]
    assert "x" not in ended.stdout.splitlines()[3].replace(".py", "").split("'")  # the home is not the folder


def test_locale_time_zone_and_local_host(run: Run) -> None:
    ended = run(
        """
        import locale, socket, time
        locale.setlocale(locale.LC_ALL, "")
        print(locale.getpreferredencoding(), bool(time.tzname[0]), socket.gethostbyname("localhost"))
        """
    )
    assert (ended.stdout, ended.stderr) == ("utf-8 True 127.0.0.1\n", "")


def test_processes_work_together(run: Run) -> None:
    ended = run(
        """
        import multiprocessing as mp

        def square(x):
            return x * x

        if __name__ == "__main__":
            for method in ("fork", "spawn"):
                with mp.get_context(method).Pool(2) as pool:
                    print(pool.map(square, range(4)))
            with mp.Manager() as manager:
                print(list(manager.list([1])))
        """,
        USUAL,
    )
    assert (ended.stdout, ended.stderr) == ("[0, 1, 4, 9]\n[0, 1, 4, 9]\n[1]\n", "")


@pytest.mark.skipif(shutil.which("fc-list") is None, reason="fontconfig is not installed")
def test_fontconfig_finds_its_settings(run: Run) -> None:
    ended = run("import subprocess; subprocess.run(['fc-list'], stdout=subprocess.DEVNULL)")
    assert (ended.exit_code, ended.stderr) == (0, "")


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")
def test_matplotlib_says_nothing(tmp_path: Path, sandboxed: bool) -> None:
    home = warm_home(OWN.executable)
    assert home is not None
    assert list(home.rglob("fontlist-*.json"))
    text = "import matplotlib.pyplot as p, os; p.plot([1]); p.savefig('a.png'); print(sorted(os.listdir('.'))[-1])"
    ended = run_text(tmp_path, text, USUAL, sandboxed=sandboxed)
    assert (ended.exit_code, ended.stderr) == (0, "")


def test_outputs_are_read_in_text_mode(run: Run) -> None:
    ended = run(r"import sys; sys.stdout.buffer.write(b'1\r\n2\r3\n'); sys.stderr.buffer.write(b'a\r\n')")
    assert (ended.stdout, ended.stderr, ended.is_text) == ("1\n2\n3\n", "a\n", True)


def test_what_is_no_text_is_told(run: Run) -> None:
    assert not run(r"import sys; sys.stdout.buffer.write(b'\xff')").is_text


@IN_SANDBOX
def test_what_the_sandbox_says_is_no_error_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a bwrap that has something to say, as some versions do, and then does its work
    talking = tmp_path / "bin/bwrap"
    talking.parent.mkdir()
    talking.write_text(f'#!/bin/sh\necho "bwrap: by the way" >&2\nexec {shutil.which("bwrap")} "$@"\n')
    talking.chmod(0o755)
    monkeypatch.setenv("PATH", str(talking.parent), prepend=":")
    assert bubblewrap.wrapped(OWN.executable, [], folder=tmp_path, visible=[], size=None)[0] == str(talking)
    folder = tmp_path / "test"
    folder.mkdir()
    ended = run_text(folder, "import sys; print(1); print(2, file=sys.stderr)", sandboxed=True)
    assert (ended.stdout, ended.stderr) == ("1\n", "2\n")
