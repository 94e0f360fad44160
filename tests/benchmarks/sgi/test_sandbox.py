"""Programs that misbehave, in the sandbox and as plain processes: all are contained, and nothing is left of them.

Every program here also ends by itself, or stays small, should the containment fail.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.sgi.interpreter import described
from benchmarks.sgi.sandbox import Finished, Limits, SandboxFailed, bubblewrap, run_program, running

MEGABYTE = 1 << 20
SMALL = Limits(seconds=30, memory=256 * MEGABYTE, processes=16, disk=8 * MEGABYTE, files=50, output=MEGABYTE)
OWN = described(Path(sys.executable))
NO_SANDBOX = bubblewrap.problem()
MODES = [
    pytest.param(True, id="bubblewrap", marks=pytest.mark.skipif(NO_SANDBOX is not None, reason=str(NO_SANDBOX))),
    pytest.param(False, id="plain"),
]
IN_SANDBOX = pytest.mark.skipif(NO_SANDBOX is not None, reason=str(NO_SANDBOX))
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
GONE_WITHIN = 20.0  # seconds; looked for every few milliseconds

Run = Callable[..., Finished]


@pytest.fixture(params=MODES)
def sandboxed(request: pytest.FixtureRequest) -> bool:
    value: bool = request.param
    return value


@pytest.fixture
def run(tmp_path: Path, sandboxed: bool) -> Run:
    """Runs a program's text in a folder of its own."""

    def run(text: str, limits: Limits = SMALL, **others: bool) -> Finished:
        return run_text(tmp_path, text, limits, sandboxed=sandboxed, **others)

    return run


def run_text(
    folder: Path, text: str, limits: Limits = SMALL, *, sandboxed: bool, keeps_files: bool = False
) -> Finished:
    script = script_in(folder)
    script.write_text(textwrap.dedent(text))
    return run_program(
        OWN.executable,
        script.name,
        folder=folder,
        visible=OWN.prefixes,
        limits=limits,
        sandboxed=sandboxed,
        keeps_files=keeps_files,
    )


def script_in(folder: Path) -> Path:
    """A script of a name that no other test's processes have in their command line."""
    return folder / f"{folder.parent.name}_{folder.name}.py"


def processes_of(folder: Path) -> list[int]:
    """The processes that run, or watch, the script in that folder."""
    name = script_in(folder).name.encode()
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                if name in (process / "cmdline").read_bytes():
                    found.append(int(process.name))
    return found


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
    assert names - {"PWD"} == {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONHASHSEED", "MPLBACKEND"} | threads
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
        time.sleep(60)
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
                time.sleep(60)
            os._exit(0)
        os.wait()
        print("done")
        """
    )
    assert (ended.exit_code, ended.stopped, ended.stdout) == (0, None, "done\n")
    assert processes_of(tmp_path) == []


@ON_LINUX
def test_a_process_that_holds_the_outputs_open_does_not_hold_up_the_run(run: Run, tmp_path: Path) -> None:
    ended = run("import os, time\nif os.fork() == 0: time.sleep(60)\nprint('done')")
    assert (ended.exit_code, ended.stopped, ended.stdout) == (0, None, "done\n")
    assert processes_of(tmp_path) == []


def test_a_program_may_close_its_outputs_and_go_on(run: Run) -> None:
    ended = run("import os, time; os.write(1, b'a'); os.close(1); os.close(2); time.sleep(0.2); os._exit(5)")
    assert (ended.exit_code, ended.stopped, ended.stdout) == (5, None, "a")


@ON_LINUX
@pytest.mark.parametrize("leave_group", ["", "os.setsid()"], ids=["", "each in a session of its own"])
def test_a_fork_bomb_is_stopped_and_nothing_of_it_stays(run: Run, tmp_path: Path, leave_group: str) -> None:
    # nine rounds make 512 processes, so that a broken containment costs a minute and not the machine
    ended = run(f"import os, time\nfor _ in range(9):\n    if os.fork() == 0: {leave_group or 'pass'}\ntime.sleep(60)")
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
        time.sleep(60)
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
    script_in(folder).write_text("import time; time.sleep(60)")
    return subprocess.Popen([sys.executable, "-c", waiting], cwd=Path(__file__).parents[3])


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + GONE_WITHIN
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


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
        print("file", os.path.exists({str(secret_file)!r}), os.path.exists("/etc/passwd"))
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
    run_text(tmp_path, "import os, time; os.kill(os.getppid(), 9); time.sleep(60)", sandboxed=False)
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


@ON_LINUX
def test_an_interrupt_ends_the_program_and_is_not_held_up(tmp_path: Path, sandboxed: bool) -> None:
    process = waiting_for(tmp_path, sandboxed=sandboxed)
    try:
        wait_until(lambda: bool(set(processes_of(tmp_path)) - {process.pid}))
        process.send_signal(signal.SIGINT)
        process.wait(GONE_WITHIN)
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: processes_of(tmp_path) == [])


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
