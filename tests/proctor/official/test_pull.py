"""``proctor pull``: published files, fetched from a server that misbehaves."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from capitals import Project
from file_server import Fault, FileServer
from published import (
    DATA,
    PART,
    PLACE,
    PROMPT,
    PROMPT_ENTRY,
    REVISION,
    catalogue,
    git_blob,
    publish,
    pull,
    sha256,
)
from waiting import LIMIT, wait_until

from proctor.cli.main import main

# ---- fetching


def test_a_pull_fetches_checks_and_says_how_to_run(
    home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(home, catalogue(f"url: {publisher.url}/{{revision}}/{{path}}") + PROMPT_ENTRY)
    assert pull() == 0
    out = capsys.readouterr().out
    assert "pytest benchmarks/geo --official --model NAME --record-mode once" in out
    assert PLACE.read_bytes() == DATA
    assert Path("data/official/geo/prompts/geo/capitals.txt").read_bytes() == PROMPT
    source = json.loads(Path("data/official/geo/SOURCE.json").read_bytes())
    assert source["licence"] == "CC0-1.0"
    assert source["revision"] == REVISION
    assert list(source["files"]) == ["capitals.jsonl", "prompts/geo/capitals.txt"]
    entry = source["files"]["capitals.jsonl"]
    assert entry["from"] == f"{publisher.url}/{REVISION}/set/data.jsonl"
    assert (entry["sha256"], entry["bytes"]) == (sha256(DATA), len(DATA))
    assert source["files"]["prompts/geo/capitals.txt"]["git_blob"] == git_blob(PROMPT)


def test_a_second_pull_asks_for_nothing(home: Project, publisher: FileServer) -> None:
    assert pull() == 0
    before = PLACE.stat().st_ino, PLACE.stat().st_mtime_ns
    assert pull() == 0
    assert len(publisher.requests) == 1
    assert (PLACE.stat().st_ino, PLACE.stat().st_mtime_ns) == before


def test_a_changed_file_is_replaced(home: Project, capsys: pytest.CaptureFixture[str]) -> None:
    pull()
    PLACE.write_bytes(DATA.replace(b"Suva", b"Nadi"))
    assert pull() == 0
    assert "not the published file" in capsys.readouterr().out
    assert PLACE.read_bytes() == DATA


@pytest.mark.parametrize(
    ("faults", "ranges"),
    [
        ([Fault(cut=40)], [None, "bytes=40-"]),
        ([Fault(cut=40), Fault(cut=30)], [None, "bytes=40-", "bytes=70-"]),
        ([Fault(cut=40), Fault(ignore_range=True)], [None, "bytes=40-"]),
        ([Fault(cut=40), Fault(ignore_range=True, cut=60)], [None, "bytes=40-", "bytes=60-"]),
        ([Fault(cut=40), Fault(shifted=7)], [None, "bytes=40-", None]),
        ([Fault(length=len(DATA) + 5)], [None]),
        ([Fault(length=50)], [None, "bytes=50-"]),
        ([Fault(no_length=True, cut=50)], [None, "bytes=50-"]),
        ([Fault(status=503), Fault(status=429, headers={"Retry-After": "0.01"})], [None, None, None]),
        ([Fault(cut=40), Fault(status=416)], [None, "bytes=40-", None]),
        ([Fault(cut=40, body=b"x" * len(DATA))], [None, "bytes=40-", None]),
    ],
    ids=[
        "cut",
        "cut twice",
        "range ignored",
        "range ignored and cut",
        "another range",
        "length too large",
        "length too small",
        "no length, cut",
        "busy",
        "no such range",
        "first part wrong",
    ],
)
def test_an_interrupted_download_resumes_or_restarts(
    faults: list[Fault], ranges: list[str | None], home: Project, publisher: FileServer
) -> None:
    publisher.faults = faults
    assert pull() == 0
    assert PLACE.read_bytes() == DATA
    assert publisher.ranges == ranges
    assert not PART.exists()


@pytest.mark.parametrize(
    "faults",
    [
        [Fault(cut=40, body=b"x" * len(DATA)), Fault()],
        [Fault(cut=40), Fault(status=416)],
        [Fault(cut=40), Fault(shifted=7)],
    ],
    ids=["not the file", "no such range", "another range"],
)
def test_a_download_that_has_to_begin_anew_each_time_is_given_up(
    faults: list[Fault], home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    publisher.faults = faults * 15
    assert pull() == 1
    assert "(begun anew 5 times)" in capsys.readouterr().out
    assert len(publisher.requests) == 10
    assert not PLACE.exists()


def test_a_server_that_falls_silent_is_asked_again(
    home: Project, publisher: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.official.download.STALLED_SECONDS", 0.2)
    publisher.faults = [Fault(hang=30)]
    assert pull() == 0
    assert PLACE.read_bytes() == DATA
    assert publisher.ranges == [None, f"bytes={len(DATA) // 2}-"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(body=DATA.replace(b"Suva", b"Nadi")), "it is not the published file, and was removed: SHA-256 "),
        (Fault(body=b"<html>Please log in</html>"), "it is a web page, perhaps of a proxy or a login"),
        (Fault(body=DATA + b"more"), f"the server sends more than the {len(DATA)} bytes"),
        (Fault(status=404), "the server answered 404"),
        (Fault(status=302, headers={"Location": f"/{REVISION}/set/data.jsonl"}), "leads nowhere"),
    ],
    ids=["wrong bytes", "web page", "too long", "not there", "redirects without end"],
)
def test_what_is_not_the_file_is_refused_and_removed(
    fault: Fault, said: str, home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(home, catalogue(f"url: {publisher.url}/{{revision}}/{{path}}", size=said.startswith("the server sends")))
    publisher.faults = [fault] * 30
    assert pull() == 1
    out = capsys.readouterr().out
    assert said in out
    assert "1 of 1 files could not be had" in out
    assert not PLACE.exists()
    assert not PART.exists()


def test_a_server_that_is_down_is_given_up_and_the_rest_is_fetched(
    home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(home, catalogue(f"url: {publisher.url}/{{revision}}/{{path}}") + PROMPT_ENTRY)
    publisher.faults = [Fault(status=503)] * 5
    assert pull() == 1
    assert "the server answered 503" in capsys.readouterr().out
    assert len(publisher.requests) == 6
    assert Path("data/official/geo/prompts/geo/capitals.txt").exists()
    assert pull() == 0
    assert len(publisher.requests) == 7


def test_what_a_killed_pull_left_is_not_fetched_again(home: Project, publisher: FileServer) -> None:
    PART.parent.mkdir(parents=True)
    PART.write_bytes(DATA[:33])
    assert pull() == 0
    assert publisher.ranges == ["bytes=33-"]
    PLACE.rename(PART)  # killed between the last byte and the renaming
    assert pull() == 0
    assert len(publisher.requests) == 1
    assert PLACE.read_bytes() == DATA


def test_two_pulls_at_once_fetch_each_file_once(home: Project, publisher: FileServer) -> None:
    publisher.faults = [Fault(hang=0.3)]
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(pull())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0, 0]
    assert len(publisher.requests) == 1
    assert PLACE.read_bytes() == DATA


def test_a_proxy_of_the_environment_is_used(
    home: Project, publisher: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(home, catalogue("url: http://data.example.invalid/{revision}/{path}"))
    publisher.files[f"http://data.example.invalid/{REVISION}/set/data.jsonl"] = DATA
    monkeypatch.setenv("HTTP_PROXY", publisher.url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert pull() == 0
    assert PLACE.read_bytes() == DATA


# ---- other sources


def test_the_hub_is_asked_at_the_pinned_revision(
    home: Project, publisher: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(home, catalogue("hub: owner/capitals"))
    monkeypatch.setenv("HF_ENDPOINT", f"{publisher.url}/mirror/")
    publisher.files[f"/mirror/datasets/owner/capitals/resolve/{REVISION}/set/data.jsonl"] = DATA
    assert pull() == 0
    assert PLACE.read_bytes() == DATA


def test_the_account_at_a_hub_is_neither_shown_nor_kept(
    home: Project, publisher: FileServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(home, catalogue("hub: owner/capitals"))
    monkeypatch.setenv("HF_ENDPOINT", publisher.url.replace("://", "://someone:distinctive@"))
    publisher.files[f"/datasets/owner/capitals/resolve/{REVISION}/set/data.jsonl"] = DATA
    assert pull() == 0
    assert publisher.requests[0].headers["authorization"].startswith("Basic ")
    source = Path("data/official/geo/SOURCE.json").read_text()
    assert f'"from": "{publisher.url}/datasets/owner/' in source
    assert "distinctive" not in source + capsys.readouterr().out


# ---- from a folder


@pytest.mark.parametrize("place", ["set/data.jsonl", "capitals.jsonl", "data.jsonl"])
def test_a_clone_or_a_download_takes_the_place_of_the_network(
    place: str, home: Project, publisher: FileServer, tmp_path: Path
) -> None:
    file = tmp_path / "clone" / place
    file.parent.mkdir(parents=True)
    file.write_bytes(DATA)
    assert pull("--from", str(tmp_path / "clone")) == 0
    assert PLACE.read_bytes() == DATA
    assert publisher.requests == []
    kept = json.loads(Path("data/official/geo/SOURCE.json").read_text())
    assert kept["files"]["capitals.jsonl"]["from"] == str(file)


def test_a_folder_with_something_else(home: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    assert pull("--from", str(clone)) == 1
    assert f"{clone} has neither set/data.jsonl nor capitals.jsonl" in capsys.readouterr().out
    (clone / "data.jsonl").write_bytes(DATA.replace(b"\n", b"\r\n"))
    assert pull("--from", str(clone)) == 1
    assert "with line ends as they were committed?" in capsys.readouterr().out
    (clone / "data.jsonl").write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256(DATA)}\n")
    assert pull("--from", str(clone)) == 1
    assert "run `git lfs pull` in the clone" in capsys.readouterr().out
    assert not PLACE.exists()
    assert pull("--from", str(clone / "nowhere")) == 4


def test_the_command_that_is_shown_for_another_folder_can_be_given(
    home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pull("--dest", "official data") == 0
    (shown,) = (line for line in capsys.readouterr().out.splitlines() if "--dataset" in line)
    assert "geo/capitals=official data/geo/capitals.jsonl" in shlex.split(shown)


# ---- what there is


def test_the_list_says_what_there_is(home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pull", "--list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "geo: Capitals of the world",
        "  source    https://example.org/capitals",
        f"  revision  {REVISION}",
        "  licence   CC0-1.0",
        "  pulled    0 of 1 files, in data/official/geo",
        f"  capitals.jsonl  4 rows, {len(DATA)} bytes",
    ]
    assert publisher.requests == []
    pull()
    capsys.readouterr()
    main(["pull", "--list", "geo"])
    assert "  pulled    1 of 1 files, in data/official/geo" in capsys.readouterr().out


def test_a_wrong_name_and_no_name(home: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pull", "goe"]) == 4
    assert "no published files of 'goe'\n  Known: geo." in capsys.readouterr().err
    assert main(["pull"]) == 4
    assert "There is: geo." in capsys.readouterr().err
    (home.path / "benchmarks/geo/official.yaml").unlink()
    assert pull() == 4
    assert "no benchmark in benchmarks/ names published files" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("licence:", "license:", 3, "unknown key\n  did you mean 'licence'?"),
        ("    task: capitals", "    rows: 4", 9, "this key was given before"),
        ("    task: capitals\n", "", 7, "a file is either the data of a task or a prompt"),
        ("set/data.jsonl", "../data.jsonl", 7, "not a path inside the source"),
        ("    sha256:", "    git_blob:", 10, "expected 40 hex digits, in quotes"),
        ("{path}", "path", 5, "the pattern lacks {path}"),
    ],
)
def test_a_mistake_in_the_catalogue_is_named(
    old: str, new: str, line: int, said: str, home: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    file = home.path / "benchmarks/geo/official.yaml"
    file.write_text(file.read_text().replace(old, new, 1))
    assert pull() == 4
    err = capsys.readouterr().err
    assert f"official.yaml:{line}: " in err
    assert said in err


def test_ctrl_c_leaves_what_has_arrived(home: Project, publisher: FileServer) -> None:
    publisher.faults = [Fault(hang=30)]
    command = [sys.executable, "-m", "proctor", "pull", "geo"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    heeded = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # which tests that run in the background inherit not
    with subprocess.Popen(command, env=environment, text=True, stderr=subprocess.PIPE, preexec_fn=heeded) as pulling:
        wait_until(lambda: pulling.poll() is not None or (PART.exists() and PART.stat().st_size))
        assert pulling.poll() is None
        pulling.send_signal(signal.SIGINT)
        _, err = pulling.communicate(timeout=LIMIT)
    assert pulling.returncode == 130
    assert "Traceback" not in err
    assert PART.read_bytes() == DATA[: len(DATA) // 2]
    publisher.faults = ()
    assert pull() == 0
    assert publisher.ranges[-1] == f"bytes={len(DATA) // 2}-"
