"""Programs that misbehave, in the sandbox and as plain processes: all are contained, and nothing is left of them.

Every program here also ends by itself, or stays small, should the containment fail.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from venv import EnvBuilder

import pytest
from hostile_programs import (
    IN_SANDBOX,
    MEGABYTE,
    ON_LINUX,
    OWN,
    SMALL,
    Run,
    processes_of,
    run,
    sandboxed,
    script_in,
)
from waiting import LIMIT, wait_until

from benchmarks.sgi.sandbox import Limits, bubblewrap

__all__ = ["run", "sandboxed"]


def test_a_program_gives_its_exit_code_and_what_it_prints(run: Run) -> None:
    ended = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (ended.exit_code, ended.stopped, ended.stdout, ended.stderr) == (3, None, "out\n", "err\n")
    assert 0 < ended.seconds < SMALL.seconds


def test_the_environment_holds_no_key_and_the_input_is_empty(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-distinctive")
    monkeypatch.setenv("PYTHONPATH", "/distinctive")
    ended = run("import os, sys; print(*sorted(os.environ)); print(dict(os.environ), sys.path, repr(sys.stdin.read()))")
    names = set(ended.stdout.splitlines()[0].split())
    threads = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}
    own = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "PYTHONHASHSEED", "MPLBACKEND"}
    assert names - {"PWD", "TMPDIR"} == own | threads
    assert "distinctive" not in ended.stdout
    assert ended.stdout.endswith("''\n")


def test_a_key_that_a_program_got_hold_of_is_not_passed_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "distinctive-value-0123456789")
    ended = run(
        "import sys; print('a distinctive-value-0123456789'); print('distinctive-value-0123456789', file=sys.stderr)"
    )
    assert (ended.stdout, ended.stderr) == ("a <SOME_API_KEY>\n", "<SOME_API_KEY>\n")


def test_paths_in_what_it_prints_are_those_seen_from_its_folder(run: Run, tmp_path: Path) -> None:
    ended = run("import json; json.loads('{')")
    assert f'File "{script_in(tmp_path).name}", line 1' in ended.stderr
    assert 'File "<python>/lib/' in ended.stderr or OWN.prefixes == ()
    assert str(tmp_path) not in ended.stderr


def test_other_paths_in_what_it_prints_stay_as_they_are(run: Run, tmp_path: Path) -> None:
    ended = run(f"print('train/test/val', 'GET /test/1', 'a{tmp_path}/b', 'a{sys.prefix}/b')")
    assert ended.stdout == f"train/test/val GET /test/1 a{tmp_path}/b a{sys.prefix}/b\n"


def test_text_that_is_no_utf8_is_read_with_replacements(run: Run) -> None:
    assert run(r"import os; os.write(1, b'\xff ok \xc3')").stdout == "\ufffd ok \ufffd"


def test_a_crash_gives_128_and_the_signal(run: Run) -> None:
    ended = run("import ctypes; ctypes.string_at(0)")
    assert (ended.exit_code, ended.stopped) == (128 + signal.SIGSEGV, None)


@ON_LINUX
def test_the_time_limit_ends_a_program_that_ignores_signals(run: Run, tmp_path: Path) -> None:
    ended = run(
        """
        import signal, sys, time
        for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        print("begun", flush=True)
        time.sleep(1000)
        """,
        Limits(seconds=2),
    )
    assert (ended.exit_code, ended.stopped, ended.seconds) == (137, "time", 2)
    assert ended.stdout == "begun\n"
    assert processes_of(tmp_path) == []


@ON_LINUX
def test_a_daemon_ends_with_the_program(run: Run, tmp_path: Path) -> None:
    ended = run(
        """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for descriptor in range(3):
                    os.close(descriptor)
                time.sleep(1000)
            os._exit(0)
        os.wait()
        print("done")
        """
    )
    assert (ended.exit_code, ended.stopped, ended.stdout) == (0, None, "done\n")
    assert processes_of(tmp_path) == []


@ON_LINUX
def test_a_process_that_holds_the_outputs_open_does_not_hold_up_the_run(run: Run, tmp_path: Path) -> None:
    ended = run("import os, time\nif os.fork() == 0: time.sleep(1000)\nprint('done')")
    assert (ended.exit_code, ended.stopped, ended.stdout) == (0, None, "done\n")
    assert processes_of(tmp_path) == []


def test_a_program_may_close_its_outputs_and_go_on(run: Run) -> None:
    ended = run("import os, time; os.write(1, b'a'); os.close(1); os.close(2); time.sleep(0.2); os._exit(5)")
    assert (ended.exit_code, ended.stopped, ended.stdout) == (5, None, "a")


@ON_LINUX
@pytest.mark.parametrize("leave_group", ["", "os.setsid()"], ids=["", "each in a session of its own"])
def test_a_fork_bomb_is_stopped_and_nothing_of_it_stays(run: Run, tmp_path: Path, leave_group: str) -> None:
    # nine rounds make 512 processes, so that a broken containment costs a minute and not the machine
    ended = run(
        f"import os, time\nfor _ in range(9):\n    if os.fork() == 0: {leave_group or 'pass'}\ntime.sleep(1000)"
    )
    assert (ended.exit_code, ended.stopped) == (137, "processes")
    assert processes_of(tmp_path) == []


@ON_LINUX
def test_threads_are_limited_as_well(run: Run) -> None:
    ended = run(
        """
        import threading, time
        threading.stack_size(64 << 10)
        for _ in range(60):
            threading.Thread(target=time.sleep, args=[20], daemon=True).start()
        time.sleep(20)
        """,
        replace(SMALL, threads=40),
    )
    assert (ended.exit_code, ended.stopped) == (137, "processes")


def test_a_huge_allocation_fails(run: Run) -> None:
    ended = run("bytearray(100 * 10**9)")
    assert (ended.exit_code, ended.stopped) == (1, None)
    assert ended.stderr.endswith("MemoryError\n")


@ON_LINUX
def test_memory_is_limited_for_all_processes_together(run: Run, tmp_path: Path) -> None:
    ended = run(
        """
        import os, time
        for _ in range(2):
            os.fork()
        kept = os.urandom(96 << 20)  # each far below the limit, the four of them above it
        time.sleep(1000)
        """
    )
    assert (ended.exit_code, ended.stopped) == (137, "memory")
    assert processes_of(tmp_path) == []


@ON_LINUX
def test_memory_held_in_files_without_a_name_counts(run: Run) -> None:
    ended = run(
        """
        import os, time
        held = [os.memfd_create("x") for _ in range(70)]
        for file in held:
            os.write(file, bytes(4 << 20))
        time.sleep(20)
        """
    )
    assert (ended.exit_code, ended.stopped) == (137, "memory")


@ON_LINUX
def test_memory_that_processes_share_counts_once(run: Run) -> None:
    ended = run(
        """
        import os, time
        kept = os.urandom(96 << 20)  # four times as much would be above the limit
        children = [os.fork() for _ in range(2)]
        time.sleep(0.5)
        print(len(kept) >> 20)
        """
    )
    assert (ended.exit_code, ended.stopped) == (0, None)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("open('big', 'wb').write(bytes(9 << 20))", id="one file"),
        pytest.param("for n in range(20): open(f'f{n}', 'wb').write(bytes(1 << 20))", id="several"),
        pytest.param("for n in range(10**4): open(f'f{n}', 'wb').close()", id="empty ones"),
        pytest.param("for n in range(10**4): os.symlink('x', f'f{n}')", id="links"),
    ],
)
def test_what_a_program_writes_in_its_folder_is_limited(run: Run, tmp_path: Path, text: str, sandboxed: bool) -> None:
    ended = run(f"import os, time\n{text}\ntime.sleep(20)")
    assert ended.exit_code == 1 or ended.stopped == "disk"
    assert ended.exit_code != 0
    if sandboxed:
        assert list(tmp_path.iterdir()) == [script_in(tmp_path)], "what it writes must not reach the disk"


@ON_LINUX
def test_deleted_files_that_are_still_open_count_as_well(run: Run) -> None:
    ended = run(
        """
        import os, time
        held = []
        for number in range(20):
            file = open(f"f{number}", "wb", buffering=0)
            os.unlink(file.name)
            file.write(bytes(1 << 20))
            held.append(file)
        time.sleep(20)
        """
    )
    assert ended.exit_code == 1 or ended.stopped == "disk"
    assert ended.exit_code != 0


def test_output_is_limited(run: Run) -> None:
    ended = run("while True: print('x' * 1000)")
    assert (ended.exit_code, ended.stopped) == (137, "output")
    assert MEGABYTE < len(ended.stdout) < 4 * MEGABYTE


def test_files_that_are_wanted_stay(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    assert run("open('data/x.txt', 'w').write('made')", keeps_files=True).exit_code == 0
    assert (tmp_path / "data/x.txt").read_text() == "made"


def test_a_program_finds_what_is_in_its_folder_and_may_change_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/x.txt").write_text("given")
    (tmp_path / "data_en.py").write_text("X = 7\n")
    text = "import data_en; f = open('data/x.txt', 'r+'); print(f.read(), data_en.X, f.write('!'))"
    assert run(text).stdout == "given 7 1\n"


@ON_LINUX
def test_a_program_dies_with_whoever_waits_for_it(tmp_path: Path, sandboxed: bool) -> None:
    process = waiting_for(tmp_path, sandboxed=sandboxed)
    try:
        wait_until(lambda: bool(set(processes_of(tmp_path)) - {process.pid}))
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: processes_of(tmp_path) == [])


def waiting_for(folder: Path, *, sandboxed: bool) -> subprocess.Popen[bytes]:
    """A process that waits for a program of a minute."""
    waiting = textwrap.dedent(
        f"""
        import signal
        from pathlib import Path
        from benchmarks.sgi.sandbox import Limits, run_program
        signal.signal(signal.SIGINT, signal.default_int_handler)
        run_program(Path({str(OWN.executable)!r}), {script_in(folder).name!r}, folder=Path({str(folder)!r}),
                    visible=[Path(p) for p in {[str(prefix) for prefix in OWN.prefixes]!r}], limits=Limits(60),
                    sandboxed={sandboxed})
        """
    )
    script_in(folder).write_text("import time; time.sleep(1000)")
    return subprocess.Popen([sys.executable, "-c", waiting], cwd=Path(__file__).parents[3])


@ON_LINUX
def test_an_interrupt_ends_the_program_and_is_not_held_up(tmp_path: Path, sandboxed: bool) -> None:
    process = waiting_for(tmp_path, sandboxed=sandboxed)
    try:
        wait_until(lambda: bool(set(processes_of(tmp_path)) - {process.pid}))
        process.send_signal(signal.SIGINT)
        process.wait(LIMIT)
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: processes_of(tmp_path) == [])


@IN_SANDBOX
def test_an_environment_with_a_copy_of_the_interpreter_has_a_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    EnvBuilder(symlinks=False).create(tmp_path)
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin/python"))
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert bubblewrap.problem.__wrapped__() is None
    (tmp_path / "bin/python").unlink()
    assert "No such file" in str(bubblewrap.problem.__wrapped__())  # what went wrong, and not the sandbox's status
