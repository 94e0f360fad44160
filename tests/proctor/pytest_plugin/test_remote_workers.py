"""xdist workers in other folders, as on other machines: what they find out reaches the controller's report."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from pathlib import Path

import execnet
import pytest
from capitals import Project

from proctor.recordings.carried import Receiver
from proctor.recordings.leak_detector import Detector

CHECKOUT = ("benchmarks", "data", "prompts", "cassettes", "pytest.ini")


def workers(project: Project, folders: list[Path]) -> list[str]:
    """The options for a worker in each of these folders, with an interpreter of its own."""
    for folder in folders:
        for name in CHECKOUT:
            source = project.path / name
            if source.is_dir():
                shutil.copytree(source, folder / name)
            elif source.exists():
                shutil.copy(source, folder / name)
    return ["--dist", "load", *(f"--tx=popen//python={sys.executable}//chdir={folder}" for folder in folders)]


def test_workers_in_other_folders_report_to_the_controller(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    project.record()
    project.run()
    here = project.report
    elsewhere = [tmp_path_factory.mktemp("elsewhere") for _ in range(2)]
    result = project.run(*workers(project, elsewhere))
    assert result.ret == 0
    assert project.report["tasks"][0]["metrics"] == here["tasks"][0]["metrics"]
    assert project.report["tasks"][0]["expected"] == 5
    manifest = json.loads((project.folders[-1] / "selection.json").read_text())
    assert manifest["run"]["id"] == project.folders[-1].name
    assert not any((folder / "reports").exists() for folder in elsewhere)


def test_a_usage_error_of_workers_in_other_folders_is_said_once(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    result = project.run(*workers(project, [tmp_path_factory.mktemp("elsewhere")]))
    assert result.ret == 4
    assert str(result.stdout).count("no recordings of geo/capitals for gpt-4o-mini") == 1


def test_a_limit_of_costs_needs_workers_that_see_one_another(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folders = [tmp_path_factory.mktemp("elsewhere")]
    result = project.run(*workers(project, folders), "--disable-recording", "--max-cost", "1")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --max-cost cannot be kept by workers in other folders*"])
    assert project.server.count == 0


def recorded(file: Path) -> dict[str, int]:
    """How often each sample stands in a cassette."""
    return Counter(json.loads(line)["sample"] for line in file.read_text().splitlines())


ONCE_EACH = dict.fromkeys(("France", "Japan", "Peru", "Kenya", "Cuba"), 1)


def test_what_workers_in_other_folders_record_comes_to_the_controller(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folders = [tmp_path_factory.mktemp("elsewhere") for _ in range(2)]
    result = project.run(*workers(project, folders), "--record-mode", "once")
    assert result.ret == 0
    assert recorded(project.cassette) == ONCE_EACH
    assert project.server.count == 5
    # It replays here; and workers without any recordings of their own ask nothing.
    assert project.run().ret == 0
    for mode in ("once", "new_episodes"):
        anew = [tmp_path_factory.mktemp("anew") for _ in range(2)]
        for folder in anew:
            workers(project, [folder])
            shutil.rmtree(folder / "cassettes")
        options = [f"--tx=popen//python={sys.executable}//chdir={folder}" for folder in anew]
        assert project.run("--dist", "load", *options, "--record-mode", mode).ret == 0
    assert project.server.count == 5
    assert recorded(project.cassette) == ONCE_EACH


def test_a_project_that_is_copied_to_workers_has_its_recordings_where_the_command_was_given(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    result = project.run(
        str(project.path / "benchmarks"), "--dist", "load", f"--rsyncdir={project.path}", "--record-mode", "once",
        *(f"--tx=popen//python={sys.executable}//chdir={elsewhere}" for _ in range(2)),
    )  # fmt: skip
    assert result.ret == 0
    assert recorded(project.cassette) == ONCE_EACH
    assert project.server.count == 5


def test_what_a_worker_elsewhere_had_recorded_before_comes_to_the_controller(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """As after a run whose controller was killed before it could write."""
    project.record()
    folder = tmp_path_factory.mktemp("elsewhere")
    options = workers(project, [folder])
    project.cassette.unlink()
    result = project.run(*options, "--record-mode", "new_episodes")
    assert result.ret == 0
    assert project.server.count == 5
    assert recorded(project.cassette) == ONCE_EACH


def test_a_worker_elsewhere_that_dies_costs_no_more_than_what_was_in_flight(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    died = project.path / "died"
    project.benchmark(
        test="import os, pathlib\nfrom waiting import wait_until\n"
        f"here, died = pathlib.Path({str(project.cassette)!r}), pathlib.Path({str(died)!r})\n"
        "if case.sample.id == 'Peru' and not died.exists():\n"
        # until all that was asked ahead has come, and has been carried to the controller
        "    wait_until(lambda: here.exists() and here.read_bytes().count(b'\\n') == 5)\n"
        "    died.touch()\n    os._exit(9)\n"
        "case.measure()\n"
    )
    folder = tmp_path_factory.mktemp("elsewhere")
    options = workers(project, [folder])
    project.run(*options, "--record-mode", "once", "--max-worker-restart", "0")
    assert died.exists()
    assert project.server.count == 5
    assert recorded(project.cassette) == ONCE_EACH
    shutil.rmtree(folder / "cassettes")
    result = project.run(*options, "--record-mode", "once")
    assert result.ret == 0
    assert project.server.count == 5
    assert project.report["tasks"][0]["status"]["scored"] == 5


def test_without_recordings_workers_elsewhere_carry_nothing(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    result = project.run(*workers(project, [tmp_path_factory.mktemp("elsewhere")]), "--disable-recording")
    assert result.ret == 0
    assert not project.cassette.exists()


@pytest.mark.parametrize(
    "message",
    [
        ("recorded", "../../outside.jsonl", b"{}"),
        ("recorded", "geo/capitals/.hidden.jsonl", b"{}"),
        ("recorded", "geo/capitals/m.jsonl", b"not a recording"),
        ("computed", "geo/capitals/computed/../../x.jsonl", b"{}"),
        ("picture", "geo/capitals", "../x.png", b""),
        ("picture", "../..", f"{64 * '0'}.png", b""),
        ("what?",),
        "x",
    ],
)
def test_what_a_worker_sends_is_not_trusted(tmp_path: Path, message: object) -> None:
    receiver = Receiver(tmp_path / "cassettes", lambda: Detector({}))
    gateway = execnet.makegateway("popen")
    channel = gateway.remote_exec("channel.send(channel.receive())")
    channel.send(message)
    receiver.listen(channel)
    channel.waitclose(timeout=60)
    gateway.exit()
    assert receiver.problem is not None
    assert list(tmp_path.rglob("*.*")) == []
