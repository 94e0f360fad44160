"""``proctor pull`` of what a Git LFS server keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from capitals import Project
from file_server import Fault, FileRequest, FileServer
from published import (
    DATA,
    PLACE,
    catalogue,
    publish,
    pull,
    sha256,
)


def lfs_answer(publisher: FileServer, request: FileRequest) -> dict[str, object]:
    """What the Git LFS batch API documents: an address, with headers, for the object asked for."""
    asked = json.loads(request.body)
    assert request.path == "/repo.git/info/lfs/objects/batch"
    assert request.headers["accept"] == request.headers["content-type"] == "application/vnd.git-lfs+json"
    assert (asked["operation"], asked["transfers"]) == ("download", ["basic"])
    assert asked["objects"] == [{"oid": sha256(DATA), "size": len(DATA)}]
    action = {"href": f"{publisher.url}/store?signature=s3cret", "header": {"X-Pass": "77"}, "expires_in": 60}
    return {"transfer": "basic", "objects": [{**asked["objects"][0], "actions": {"download": action}}]}


def test_a_git_lfs_object_is_fetched_by_its_hash(
    home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(home, catalogue(f"lfs: {publisher.url}/repo.git/info/lfs"))
    publisher.post = lambda request: lfs_answer(publisher, request)
    publisher.files["/store?signature=s3cret"] = DATA
    publisher.faults = [Fault(), Fault(cut=20)]
    assert pull() == 0
    assert PLACE.read_bytes() == DATA
    posts = [request.method for request in publisher.requests]
    assert posts == ["POST", "GET", "POST", "GET"]  # an address may expire, so each attempt asks for one
    assert publisher.requests[1].headers["x-pass"] == "77"
    assert publisher.ranges[3] == "bytes=20-"
    kept = Path("data/official/geo/SOURCE.json").read_text()
    assert "s3cret" not in kept + capsys.readouterr().out
    assert f"/objects/{sha256(DATA)}" in kept


def test_redirects_are_followed_and_another_host_gets_no_header_that_was_not_for_it(
    home: Project, publisher: FileServer
) -> None:
    publish(home, catalogue(f"lfs: {publisher.url}/repo.git/info/lfs"))
    publisher.post = lambda request: lfs_answer(publisher, request)
    with FileServer({"/far": DATA}) as far:
        hops = [Fault(status=302, headers={"Location": place}) for place in ("/near", f"{far.url}/far")]
        publisher.faults = [Fault(), *hops]
        assert pull() == 0
        assert [request.headers.get("x-pass") for request in publisher.requests[1:]] == ["77", "77"]
        assert [request.headers.get("x-pass") for request in far.requests] == [None]
    assert PLACE.read_bytes() == DATA


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"objects": [{"error": {"code": 404, "message": "Object does not exist"}}]}, "Object does not exist"),
        ({"objects": [{"error": {"message": "gone\x1b[2J for org-distinctive42"}}]}, "gone�[2J for [hidden]"),
        ({"objects": [{"oid": "x"}]}, "not what its protocol promises"),
        (["what?"], "not what its protocol promises"),
    ],
)
def test_a_git_lfs_server_without_the_object(
    said: object, problem: str, home: Project, publisher: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(home, catalogue(f"lfs: {publisher.url}/repo.git/info/lfs"))
    publisher.post = lambda _: said
    assert pull() == 1
    assert problem in capsys.readouterr().out
