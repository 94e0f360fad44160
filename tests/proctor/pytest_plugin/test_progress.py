"""Progress of live runs, seen on a terminal and in a pipe."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from capitals import Project, answers
from half_way import HalfWay, half_way
from stub_server import Answer
from terminal import OnTerminal
from waiting import LIMIT, wait_until

from proctor._base.figures import duration
from proctor.live.request_counts import RequestCounter, RequestCounts, published_counts
from proctor.pytest_plugin.progress import ProgressDisplay
from proctor.pytest_plugin.progress_state import RunProgress, block_lines, facts, plain_line
from proctor.results.manifest import Manifest, ManifestCase, ManifestTask

__all__ = ["half_way"]

LIVE = ("--record-mode", "once")
NO_LINE = "from proctor.pytest_plugin import progress\nprogress.FIRST_LINE_AFTER = float('inf')\n"
"""A conftest.py in whose runs, however slow the machine, none is over so late that it writes a plain line."""
LINE_AT_ONCE = "from proctor.pytest_plugin import progress\nprogress.FIRST_LINE_AFTER = 0\nprogress.LINE_EVERY = 0\n"


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "--model", "gpt-4o-mini", *args]


def line_with(*parts: str) -> Any:
    return lambda lines: next((line for line in lines if all(part in line for part in parts)), None)


# One answer of the stub server is 100 tokens in and 5 out: 100 x $0.15 + 5 x $0.60 a million = $0.000018.
HALF = "2/5 done, 3 in flight, 1 retry (the last: gpt-4o-mini: 503: stub error), $0.000036"
DONE = "5/5 done, geo/capitals gpt-4o-mini accuracy 0.8000, 1 retry, $0.000090"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_terminal_shows_counts_score_requests_and_spending(project: Project, half_way: HalfWay, workers: str) -> None:
    with OnTerminal(command(*LIVE, "-n", workers), project.path) as run:
        assert run.wait_for(line_with(HALF)) == HALF
        assert "2/5  40%  accuracy 0.5000  geo/capitals gpt-4o-mini" in run.lines
        half_way.go.set()
        assert run.wait() == 0
    lines = run.lines
    assert any(re.fullmatch(r"proctor: after .* s: " + re.escape(DONE), line) for line in lines), lines
    assert line_with("1 incorrect", "4 correct", " in ")(lines) or line_with("4 correct, 1 incorrect in ")(lines)
    assert line_with("  accuracy  0.8000 [0.376, 0.964]  0.8000 [0.376, 0.964]")(lines)
    assert line_with("[100%]")(lines)
    assert not [line for line in lines if "in flight" in line or "40%" in line]
    assert not list((project.path / "reports").glob("*/.traffic-*"))


def test_verbose_lines_scroll_above_the_block(project: Project, half_way: HalfWay) -> None:
    with OnTerminal(command(*LIVE, "-v"), project.path, rows=12) as run:
        run.wait_for(line_with(HALF))
        assert run.lines[-2:] == ["2/5  40%  accuracy 0.5000  geo/capitals gpt-4o-mini", HALF]
        half_way.go.set()
        assert run.wait() == 0
    cases = [line for line in run.lines if "::test_capitals[" in line]
    assert [line.partition("-")[2].split()[:2] for line in cases[:2]] == [
        ["4o-mini-France]", "INCORRECT"],
        ["4o-mini-Japan]", "CORRECT"],
    ]
    assert len(cases) == 5
    assert all(line.endswith("%]") for line in cases)


def test_ctrl_c_removes_the_block_and_leaves_the_terminal_as_it_was(project: Project, half_way: HalfWay) -> None:
    with OnTerminal(command(*LIVE), project.path) as run:
        run.wait_for(line_with(HALF))
        run.process.send_signal(signal.SIGINT)
        run.wait_for(line_with("2/5 done, 3 in flight", "stopping"))
        half_way.go.set()
        assert run.wait() == 2
        assert run.settings == run.settings_before
    assert "\x1b[?" not in run.output
    assert line_with("KeyboardInterrupt !!!")(run.lines)
    assert not [line for line in run.lines if "stopping" in line or "in flight" in line]
    assert re.search(r"proctor: after .*: 2/5 done, .*, 1 retry .*, \$0.000036, stopped", run.output)
    assert run.lines[-1] == ""
    assert run.screen.column == 0


def test_quiet_shows_the_whole_run_alone(project: Project, half_way: HalfWay) -> None:
    with OnTerminal(command("-q", *LIVE), project.path) as run:
        run.wait_for(line_with(HALF))
        assert run.lines[-1] == HALF
        assert not line_with("accuracy")(run.lines)
        half_way.go.set()
        assert run.wait() == 0


def test_a_dumb_terminal_gets_no_control_sequences(project: Project) -> None:
    (project.path / "conftest.py").write_text(NO_LINE)
    with OnTerminal(command(*LIVE), project.path, environment={"TERM": "dumb"}) as run:
        assert run.wait() == 0
    assert "\x1b" not in run.output
    assert line_with("test_capitals.py .....", "[100%]")(run.lines)


@pytest.mark.parametrize("args", [("-qq",), ("-p", "no:terminal")])
def test_nothing_is_shown_to_who_asks_for_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch, args: Sequence[str]
) -> None:
    monkeypatch.setattr("proctor.pytest_plugin.progress.FIRST_LINE_AFTER", 0)
    result = project.record(*args)
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*proctor: after*")


@pytest.mark.parametrize(
    ("args", "refreshes"), [((), True), (("-v", "--color=no"), True), (("-s",), False), (("--pdb",), False)]
)
def test_lines_refresh_only_where_nobody_but_pytest_writes(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, args: Sequence[str], refreshes: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    progress = ProgressDisplay(pytester.parseconfig(*args), SimpleNamespace())  # type: ignore[arg-type]
    assert progress.may_refresh(SimpleNamespace(isatty=lambda: True)) == refreshes  # type: ignore[arg-type]
    assert not progress.may_refresh(SimpleNamespace(isatty=lambda: False))  # type: ignore[arg-type]


def test_a_replay_keeps_pytests_own_output(project: Project) -> None:
    project.record()
    with OnTerminal(command(), project.path) as run:
        assert run.wait() == 0
    assert line_with("test_capitals.py .....", "[100%]")(run.lines)
    assert not re.search(r"\x1b\[\d*[AGJ]", run.output)
    assert not line_with("proctor: after")(run.lines)


def progress_lines(output: str) -> list[str]:
    """The plain lines, each with one more case done and the last one twice, and the last without its time."""
    lines = [line for line in output.splitlines() if "proctor:" in line]
    done = [re.match(r"proctor: after .* s: (\d)/5 done, geo/capitals gpt-4o-mini ", line) for line in lines]
    assert [match and match[1] for match in done] == ["1", "2", "3", "4", "5", "5"], output
    return [line.partition(" s: ")[2] for line in lines]


def test_a_pipe_gets_plain_lines_between_pytests_own(project: Project, half_way: HalfWay) -> None:
    half_way.go.set()
    (project.path / "conftest.py").write_text(LINE_AT_ONCE)
    run = subprocess.run(command(*LIVE), cwd=project.path, capture_output=True, text=True, timeout=LIMIT)
    assert run.returncode == 0
    assert progress_lines(run.stdout)[-1] == DONE
    assert "\x1b" not in run.stdout
    assert len(re.findall(r"^benchmarks/geo/test_capitals.py [.i]", run.stdout, re.MULTILINE)) == 5
    assert "4 correct, 1 incorrect in " in run.stdout or "1 incorrect, 4 correct in " in run.stdout


def test_workers_tell_what_is_in_flight_and_the_lines_stand_alone(
    project: Project, half_way: HalfWay, monkeypatch: pytest.MonkeyPatch
) -> None:
    half_way.go.set()
    monkeypatch.setattr("proctor.pytest_plugin.progress.FIRST_LINE_AFTER", 0)
    monkeypatch.setattr("proctor.pytest_plugin.progress.LINE_EVERY", 0)
    result = project.record("-n", "2")
    assert result.ret == 0
    assert progress_lines(str(result.stdout))[-1] == DONE


def test_a_short_run_in_a_pipe_writes_no_line(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.pytest_plugin.progress.FIRST_LINE_AFTER", float("inf"))
    result = project.record()
    result.stdout.fnmatch_lines(["*test_capitals.py .....*"])
    result.stdout.no_fnmatch_line("*proctor: after*")


def test_sessions_without_benchmarks_are_left_alone(project: Project) -> None:
    (project.path / "test_plain.py").write_text("def test_one(): assert 1\n")
    with OnTerminal(command(*LIVE, "test_plain.py"), project.path) as run:
        assert run.wait() == 0
    assert line_with("test_plain.py .", "[100%]")(run.lines)
    assert not line_with("proctor:")(run.lines)
    assert not (project.path / "reports").exists()


def manifest(**totals: int) -> Manifest:
    return Manifest(
        {"id": "run"},
        tuple(
            ManifestTask(
                "geo", name, "m", "m", {"f1": 0.0}, "d", "0", "c", {}, "t.py", False,
                cases=tuple(ManifestCase(str(number), number, 1, str(number), {}) for number in range(total)),
            )
            for name, total in totals.items()
        ),
    )  # fmt: skip


def row(task: str, number: int, value: float = 1.0, **more: Any) -> Any:
    fields = {"source": "recorded", "status": "scored", "cost_usd": 0.01, "scores": {"strict": {"f1": value}}}
    return {"benchmark": "geo", "task": task, "model": "m", "sample_id": str(number), "epoch": 1, **fields, **more}


def test_time_left_follows_the_last_minute_and_asked_cases_alone() -> None:
    tallies = RunProgress(manifest(a=1000), 0.0)
    for number in range(300):
        tallies.add(row("a", number, source="replayed"), 0.5)
    assert tallies.seconds_left(0.5) is None
    for second in range(1, 101):  # 1 a second
        tallies.add(row("a", 300 + second), float(second))
    assert tallies.seconds_left(100.0) == pytest.approx(600, rel=0.03)
    for second in range(101, 181):  # 5 a second
        for number in range(5):
            tallies.add(row("a", 401 + 5 * (second - 101) + number), float(second))
    assert tallies.done == 800
    assert tallies.seconds_left(180.0) == pytest.approx(40, rel=0.05)


def test_a_case_that_runs_again_counts_once() -> None:
    tallies = RunProgress(manifest(a=2), 0.0)
    tallies.add(row("a", 0, 0.0, status="error"), 1.0)
    tallies.add(row("a", 0, 1.0), 2.0)
    assert (tallies.done, tallies.tasks[0].score) == (1, "f1 1.0000")


def test_spending_without_a_price_is_not_guessed() -> None:
    tallies = RunProgress(manifest(a=5), 0.0)
    tallies.add(row("a", 0, source="replayed"), 1.0)
    assert tallies.spent == "$0.00"
    tallies.add(row("a", 1, cost_usd=None), 1.0)
    assert tallies.spent == "cost unknown"
    tallies.add(row("a", 2), 1.0)
    assert tallies.spent == "more than $0.0100"


def test_a_plain_line_names_the_tasks_that_move() -> None:
    tallies = RunProgress(manifest(a=2, b=2, c=2), 0.0)
    for number, name in ((0, "a"), (1, "a"), (0, "b")):
        tallies.add(row(name, number, 0.5), 1.0)
    known = facts(tallies, RequestCounts(2, 0), 42.0)
    assert plain_line(tallies, known[:-1], 42.0) == (
        "proctor: after 42 s: 3/6 done, geo/b m 1/2 f1 0.5000, 2 in flight, 0 retries, $0.0300"
    )


def test_limits_that_are_found_out_stand_beside_what_is_in_flight() -> None:
    tallies = RunProgress(manifest(a=2), 0.0)
    assert facts(tallies, RequestCounts(3, 0, limits={"m": 8}), 1.0)[0] == "3 in flight of at most 8"
    both = facts(tallies, RequestCounts(9, 0, limits={"m": 8, "judge": 4}), 1.0)[0]
    assert both == "9 in flight of at most 8 m + 4 judge"


def test_a_block_fits_the_terminal() -> None:
    tallies = RunProgress(manifest(**{f"t{number:02}": 2 for number in range(20)}), 0.0)
    tallies.add(row("t05", 0), 1.0)
    tallies.add(row("t06", 0), 1.0)
    tallies.add(row("t06", 1), 1.0)
    lines = block_lines(tallies, ["15 in flight", "$0.03"], columns=30, rows=10, tasks=True)
    assert lines == [
        "1/2  50%  f1 1.0000  geo/t05 ",
        "0/2   0%  f1 -       geo/t00 ",
        "0/2   0%  f1 -       geo/t01 ",
        "0/2   0%  f1 -       geo/t02 ",
        "and 16 more tasks, 1 of them ",
        "3/40 done, 15 in flight,",
        "$0.03",
    ]
    assert block_lines(tallies, ["$0.03"], columns=30, rows=3, tasks=True) == ["3/40 done, $0.03"]


def test_names_cannot_steer_a_terminal() -> None:
    tallies = RunProgress(manifest(**{"a\x1b[2J\n": 1}), 0.0)
    assert tallies.tasks[0].name == "geo/a?[2J? m"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (59.6, "1 min 0 s"), (100, "1 min 40 s"), (7500, "2 h 5 min")]
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_counts_of_an_ended_worker_have_nothing_in_flight(tmp_path: Any) -> None:
    assert published_counts(tmp_path, ended=()) is None
    (tmp_path / ".traffic-gw0").write_bytes(
        b'{"in_flight": 3, "retries": 2, "limits": {"m": 4}, "waiting": 1, "longest_wait": 9}'
    )
    (tmp_path / ".traffic-gw1").write_bytes(b'{"in_flight": 4, "retries": 1, "limits": {"m": 2, "judge": 8}}')
    (tmp_path / ".traffic-gw2").write_bytes(b"")
    assert published_counts(tmp_path, ended=()) == RequestCounts(
        7, 3, limits={"m": 6, "judge": 8}, waiting=1, longest_wait=9
    )
    assert published_counts(tmp_path, ended={"gw0"}) == RequestCounts(4, 3, limits={"m": 2, "judge": 8})


def test_counting_costs_next_to_nothing() -> None:
    requests = RequestCounter()
    with requests.request(), requests.request():
        requests.retried("m: 503")
        assert requests.counts == RequestCounts(2, 1, sent=2, last_retry="m: 503")
    assert requests.counts == RequestCounts(0, 1, sent=2, last_retry="m: 503")


QUIET = "from proctor.pytest_plugin import progress\nprogress.SILENT_FOR = 0\nprogress.LOOK_EVERY = 0.05\n"
"""A conftest.py: a log is silent for a moment only."""


def said_in_a_log(project: Project, *parts: str, workers: str = "0") -> str:
    """The first line of a live run's log with all these parts; the run is then ended."""
    (project.path / "conftest.py").write_text(QUIET)
    log = project.path / "log.txt"
    with log.open("wb") as file:
        run = subprocess.Popen(command(*LIVE, "-n", workers), cwd=project.path, stdout=file, stderr=subprocess.STDOUT)
        try:
            return str(wait_until(lambda: line_with(*parts)(log.read_text().splitlines()), otherwise=log.read_text))
        finally:
            run.kill()
            run.wait(LIMIT)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_log_says_what_is_in_flight_though_no_answer_comes(project: Project, workers: str) -> None:
    ended = threading.Event()
    project.server.script = lambda r: "" if ended.wait(LIMIT) else answers(r)
    try:
        line = said_in_a_log(project, "0/5 done", "5 in flight", workers=workers)
    finally:
        ended.set()
    assert line.startswith("proctor: after ")


def test_a_log_says_for_how_long_a_provider_asks_to_wait(project: Project) -> None:
    project.server.script = Answer.error(429, "Rate limit reached", retry_after="120")
    line = said_in_a_log(
        project, "0 in flight", "5 waiting for up to ", " retr"
    )  # of as many as left before the first 429 came
    assert "(the last: gpt-4o-mini: 429: Rate limit reached (asks to wait 2 min 0 s))" in line
    assert re.search(r"waiting for up to (1 min \d+ s|2 min 0 s),", line)


def test_what_waits_stands_beside_what_is_in_flight() -> None:
    tallies = RunProgress(manifest(a=2), 0.0)
    waits = RequestCounts(0, 7, waiting=1, longest_wait=84, last_retry="m: 503: busy\x1b[2J")
    assert facts(tallies, waits, 1.0)[:3] == [
        "0 in flight",
        "1 waiting for 1 min 24 s",
        "7 retries (the last: m: 503: busy?[2J)",
    ]
