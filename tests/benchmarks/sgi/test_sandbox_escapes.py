"""Programs that try to get out of their folder, at what watches them, or at more rights than they have."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_programs import IN_SANDBOX, ON_LINUX, SMALL, Run, processes_of, run, run_text, sandboxed
from waiting import wait_until

from benchmarks.sgi.interpreter import described
from benchmarks.sgi.sandbox import Limits, SandboxFailed, run_program, running

__all__ = ["run", "sandboxed"]


@pytest.fixture
def secret_file() -> Iterator[Path]:
    """A file that this user can read and that lies outside what a program needs."""
    file = Path.home() / f".proctor-test-{os.getpid()}"
    file.write_text("distinctive")
    yield file
    file.unlink()


@IN_SANDBOX
def test_the_sandbox_hides_files_processes_and_network(
    tmp_path: Path, secret_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-distinctive")
    ended = run_text(
        tmp_path,
        f"""
        import glob, os, socket
        print("file", os.path.exists({str(secret_file)!r}), os.path.exists("/etc/shadow"))
        processes = glob.glob("/proc/[0-9]*/environ")
        print("processes", len(processes), any(b"distinctive" in open(each, "rb").read() for each in processes))
        print("interfaces", [name for _, name in socket.if_nameindex() if name != "lo"])
        try:
            socket.create_connection(("127.0.0.1", {listening_port()}), 2)
        except OSError as problem:
            print("refused")
        """,
        sandboxed=True,
    )
    assert ended.stderr == ""
    lines = ended.stdout.splitlines()
    assert lines[0] == "file False False"
    assert lines[1] in ("processes 1 False", "processes 2 False")  # its own, and that of the sandbox
    assert lines[2:] == ["interfaces []", "refused"]


def listening_port() -> int:
    """A port of this machine that takes connections, as long as the tests run."""
    import socket

    listener = socket.create_server(("127.0.0.1", 0))
    LISTENERS.append(listener)
    return int(listener.getsockname()[1])


LISTENERS: list[object] = []


@IN_SANDBOX
@pytest.mark.parametrize("where", ["/", "/etc", "/usr", "/dev", "/given", "HOME", "PREFIX"])
def test_the_sandbox_writes_nowhere_but_in_its_folder(tmp_path: Path, where: str) -> None:
    place = {"HOME": str(Path.home()), "PREFIX": sys.base_prefix}.get(where, where)
    name = f"{place.rstrip('/')}/proctor-test-{os.getpid()}"
    ended = run_text(tmp_path, f"open({name!r}, 'w').write('x')", sandboxed=True)
    assert ended.exit_code == 1
    assert "Error" in ended.stderr
    assert not Path(name).exists()


@IN_SANDBOX
def test_the_sandbox_sets_nothing_of_the_kernel(tmp_path: Path) -> None:
    """Without this, the superuser's programs can open all of them for writing, and so rule the machine."""
    ended = run_text(
        tmp_path,
        """
        import os, pathlib
        for file in pathlib.Path("/proc/sys").rglob("*"):
            try:
                os.close(os.open(file, os.O_WRONLY))
                print(file)
            except OSError:
                pass
        print("done")
        """,
        sandboxed=True,
    )
    assert (ended.exit_code, ended.stdout) == (0, "done\n")


@IN_SANDBOX
def test_the_sandbox_cannot_end_what_watches_it(tmp_path: Path) -> None:
    ended = run_text(
        tmp_path,
        """
        import os, signal
        for pid in (1, os.getppid(), -1):
            try:
                os.kill(pid, signal.SIGTERM)
            except OSError:
                pass
        print("alive")
        """,
        sandboxed=True,
    )
    assert ended.stopped is None


def test_a_plain_program_that_ends_what_watches_it_has_failed(tmp_path: Path) -> None:
    ended = run_text(tmp_path, "import os; os.kill(os.getppid(), 9)", sandboxed=False)
    assert (ended.exit_code, ended.stopped) == (137, "guard")
    assert ended.seconds > 0


@ON_LINUX
def test_a_plain_program_does_not_outlive_what_watches_it(tmp_path: Path) -> None:
    run_text(tmp_path, "import os, time; os.kill(os.getppid(), 9); time.sleep(1000)", sandboxed=False)
    wait_until(lambda: processes_of(tmp_path) == [])


@ON_LINUX
def test_a_program_cannot_gain_privileges(run: Run) -> None:
    assert "NoNewPrivs:\t1" in run("print(open('/proc/self/status').read())").stdout


@ON_LINUX
def test_a_program_is_the_first_that_the_kernel_ends_when_memory_is_short(run: Run) -> None:
    assert run("print(open('/proc/self/oom_score_adj').read())").stdout == "1000\n\n"


def test_a_plain_program_that_writes_what_only_its_watcher_should_is_an_error(tmp_path: Path) -> None:
    text = "import os; open(f'/proc/{os.getppid()}/fd/1', 'w').write('[' * 100_000)"
    with pytest.raises(SandboxFailed):
        run_text(tmp_path, text, sandboxed=False)


def test_a_plain_program_that_stops_what_watches_it_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "GRACE_SECONDS", 1.0)
    text = "import os, signal; os.kill(os.getppid(), signal.SIGSTOP)"
    ended = run_text(tmp_path, text, Limits(seconds=1), sandboxed=False)
    assert (ended.exit_code, ended.stopped, ended.seconds) == (137, "guard", 1)


@IN_SANDBOX
@pytest.mark.parametrize("start", ["link", "environment", "script", "/bin/python3"])
def test_the_sandbox_finds_a_python_wherever_it_is_started_from(tmp_path: Path, start: str) -> None:
    (tmp_path / "bin").mkdir()
    link, script = tmp_path / "bin/some-python", tmp_path / "bin/script"
    link.symlink_to(os.path.realpath(sys.executable))
    script.write_text(f'#!/bin/sh\nexec {link} "$@"\n')
    script.chmod(0o755)
    subprocess.run([link, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    paths = {"link": link, "environment": tmp_path / "venv/bin/python", "script": script}
    path = paths.get(start, Path(start))
    if not path.exists():
        pytest.skip(f"there is no {path}")
    python = described(path)
    assert not any(tmp_path.is_relative_to(shown) for shown in python.prefixes)
    assert tmp_path / "bin" not in python.prefixes
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "main.py").write_text("import json, sys; print(sys.version_info[0])")
    ended = run_program(
        python.executable, "main.py", folder=folder, visible=python.prefixes, limits=SMALL, sandboxed=True
    )
    assert (ended.stdout, ended.stderr) == ("3\n", "")


def test_a_python_that_cannot_be_started_is_no_fault_of_the_program(tmp_path: Path, sandboxed: bool) -> None:
    (tmp_path / "main.py").write_text("")
    missing = tmp_path / "no-python"
    with pytest.raises(SandboxFailed):
        run_program(missing, "main.py", folder=tmp_path, visible=[], limits=SMALL, sandboxed=sandboxed)
