"""``proctor pull`` against servers and folders that mean harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from capitals import Project
from file_server import Fault, FileServer
from published import DATA, PART, PLACE, catalogue, publish, pull, sha256

LOGIN = b"\xef\xbb\xbf\n <!DOCTYPE html><html><body>Please log in \x1b[31m</body></html>"


@pytest.mark.parametrize("size", [True, False])
@pytest.mark.parametrize("page", [LOGIN, LOGIN + b"x" * 1_000, b"<HTML>"])
def test_a_login_page_is_refused_and_removed_at_once(
    page: bytes, size: bool, home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that is shorter than the file is no beginning of it."""
    publish(home, catalogue(f"url: {publisher.url}/{{revision}}/{{path}}", size=size))
    publisher.faults = [Fault(body=page, headers={"Content-Type": "text/html"})]
    assert pull() == 1
    assert len(publisher.requests) == 1
    out = capsys.readouterr().out
    assert "it is a web page, perhaps of a proxy or a login, and was removed" in out or "the server sends more" in out
    assert "\x1b" not in out
    assert not PART.exists()
    assert pull() == 0
    assert PLACE.read_bytes() == DATA


def test_what_arrived_before_is_not_written_to_where_it_is_a_link(
    home: Project, publisher: FileServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    PART.parent.mkdir(parents=True)
    PART.symlink_to(mine)
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / "data.jsonl").write_bytes(DATA)
    for arguments in ((), ("--from", str(clone))):
        assert pull(*arguments) == 1
        assert f"FAILED: {PART} is a link, or no file; remove it" in capsys.readouterr().out
    assert mine.read_text() == "mine"
    assert not PLACE.exists()
    assert publisher.requests == []
    PART.unlink()
    note = PLACE.with_name(".SOURCE.json.part")
    note.symlink_to(mine)
    assert pull() == 0
    assert mine.read_text() == "mine"


def test_a_file_of_another_size_is_not_hashed(home: Project, publisher: FileServer) -> None:
    """A file of a terabyte without content, which would take a quarter of an hour."""
    PLACE.parent.mkdir(parents=True)
    with PLACE.open("wb") as file:
        file.truncate(1 << 40)
    assert pull() == 0
    assert PLACE.read_bytes() == DATA


def nested(depth: int) -> object:
    value: object = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (
            {"actions": {"download": {"href": "{url}/store", "header": {"X-Odd\r\nHost": "elsewhere"}}}},
            "cannot be sent",
        ),
        ({"actions": {"download": {"href": "{url}/store", "header": {"X-Odd": "a\r\nb"}}}}, "cannot be sent"),
        ({"actions": {"download": {"href": "{url}/store", "header": {"X-Odd": "\ud800"}}}}, "cannot be sent"),
        ({"actions": {"download": {"href": "{url}/store", "header": ["X"]}}}, "not what its protocol promises"),
        ({"actions": {"download": {"href": "file:///etc/passwd"}}}, "leads nowhere"),
        ({"actions": {"download": {"href": "http://[::1"}}}, "leads nowhere"),
        ({"actions": {"download": {"href": "\x1b[31m"}}}, "leads nowhere"),
        ({"error": {"message": "\x1b[2J" + "long " * 1_000}}, "�[2Jlong long"),
        ({"error": "no"}, "not what its protocol promises"),
        ({"deep": nested(900)}, "not what its protocol promises"),
        ({"long": "x" * 2_000_000}, "is longer than 1000000 bytes"),
    ],
)
def test_odd_answers_of_a_git_lfs_server_are_messages(
    said: dict[str, object], problem: str, home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(home, catalogue(f"lfs: {publisher.url}/repo.git/info/lfs"))
    publisher.files["/store"] = DATA
    download = said.get("actions", {}).get("download", {})  # type: ignore[attr-defined]
    if "href" in download:
        download["href"] = download["href"].replace("{url}", publisher.url)
    publisher.post = lambda _: {"objects": [{"oid": sha256(DATA), **said}]}
    assert pull() == 1
    out = capsys.readouterr().out
    assert problem in out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) < 500
    assert not PLACE.exists()
    assert not PART.exists()


@pytest.mark.parametrize("told", ["bytes " + "9" * 5_000 + "-/*", "bytes x-1/2", "", "\u0661-2/3"])
def test_odd_headers_of_a_resumed_download_are_no_tracebacks(home: Project, publisher: FileServer, told: str) -> None:
    odd = {"Content-Range": told.encode("utf-8").decode("latin-1")}
    publisher.faults = [Fault(cut=20), Fault(status=206, body=DATA, headers=odd)]
    assert pull() == 0
    assert PLACE.read_bytes() == DATA


def test_a_reason_that_a_server_gives_is_shown_safely(
    home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (PLACE.parent).mkdir(parents=True)
    PLACE.with_name("SOURCE.json").write_text('{"files": ' + "[" * 100_000)
    publisher.faults = [Fault(status=404, body=b"\x1b[31m")]
    assert pull() == 1
    assert "\x1b" not in capsys.readouterr().out
    assert pull() == 0
    for note in ('{"files": ' + "[" * 100_000, '{"files": [1]}', '{"files": 1}', "[]"):
        PLACE.with_name("SOURCE.json").write_text(note)
        PLACE.unlink()
        assert pull() == 0
