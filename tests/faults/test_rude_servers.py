"""Servers that drip, lead elsewhere, send too much, or what nobody can read: each is an error of its case, and what it
may have cost is counted."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from capitals import Project, answers
from stub_server import Answer, Request, StubServer

REGISTRY = """
models:
  chat: {provider: openai, api_id: m, KEY}
  responses: {provider: openai, api: openai-responses, api_id: m, KEY}
  anthropic: {provider: anthropic, api_id: m, parameters: {max_tokens: 9}, KEY}
"""
MODELS = ("chat", "responses", "anthropic")
every_model = pytest.mark.parametrize("model", MODELS)
LIVE = ("--record-mode", "once", "--concurrency", "1")
PRICEY = (100_000, 0, 25_000, 0)
"""Tokens that cost $0.03."""


@pytest.fixture(autouse=True)
def models(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor._base.http.FIRST_DELAY", 0.01)
    monkeypatch.setenv("LOCAL_KEY", "local-distinctive-0123456789")
    options = f"base_url: '{project.server.anthropic_url}', key_env: LOCAL_KEY, price: {{input: 0.15, output: 0.60}}"
    (project.path / "models.yaml").write_text(REGISTRY.replace("KEY", options))


def only_for_peru(answer: Answer) -> Callable[[Request], str | Answer]:
    return lambda request: answer if "Peru" in request.question else answers(request)


@every_model
def test_an_answer_that_drips_is_given_up(project: Project, model: str) -> None:
    project.configure("proctor_timeout = 2")
    project.server.script = only_for_peru(Answer(drip=0.05))
    assert project.run(*LIVE, model=model).ret == 1
    row = project.rows["Peru"]
    assert (row["status"], row["attempts"]) == ("error", 2)
    assert f"no whole answer from {project.server.anthropic_url} within 2 s" in row["error"]
    assert row["cost_usd"] > 0
    assert project.report["tasks"][0]["status"]["scored"] == 4


def test_silence_has_a_limit_of_its_own(project: Project) -> None:
    project.configure("proctor_timeout = 500", "proctor_silence = 0.5")
    project.server.script = only_for_peru(Answer("[Lima]", delay=3.0))
    assert project.run(*LIVE, "-k", "Peru", model="chat").ret == 1
    row = project.rows["Peru"]
    assert "in time" in row["error"]
    assert row["attempts"] == 2  # what was answered in silence may have to be paid for each time


def test_a_limit_that_is_none_is_refused(project: Project) -> None:
    project.configure("proctor_silence = soon")
    result = project.run(*LIVE, model="chat")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*proctor_silence takes seconds, not 'soon'"])


@every_model
@pytest.mark.parametrize("status", [301, 307, 308])
def test_no_redirect_to_another_host_is_followed(project: Project, model: str, status: int) -> None:
    with StubServer() as other:
        elsewhere = f"{other.anthropic_url}/chat/completions?secret=1"
        project.server.script = only_for_peru(Answer(status=status, headers={"Location": elsewhere}, body=b""))
        assert project.run(*LIVE, model=model).ret == 1
        assert other.count == 0
        row = project.rows["Peru"]
        assert (row["status"], row["attempts"]) == ("error", 1)
        assert f"{project.server.anthropic_url} redirects to another host, {other.anthropic_url}," in row["error"]


def test_a_redirect_to_another_path_of_the_host_is_followed(project: Project) -> None:
    def script(request: Request) -> str | Answer:
        if request.path.startswith("/v2"):
            return answers(request)
        return Answer(status=307, headers={"Location": "/v2/chat/completions"}, body=b"")

    project.server.script = script
    assert project.run(*LIVE, "-k", "Peru", model="chat").ret == 0


def test_redirects_without_end_are_given_up_at_once(project: Project) -> None:
    project.server.script = Answer(status=307, headers={"Location": "/v1/chat/completions"}, body=b"")
    assert project.run(*LIVE, "-k", "Peru", model="chat").ret == 1
    assert project.rows["Peru"]["attempts"] == 1
    assert "redirects to itself without end" in project.rows["Peru"]["error"]


def test_a_byte_order_mark_is_read_and_replayed(project: Project) -> None:
    project.server.script = lambda r: Answer(body=b"\xef\xbb\xbf" + Answer(answers(r)).content(r))
    assert project.run(*LIVE, model="chat").ret == 0
    assert project.server.count == 5
    project.server.script = Answer.error(500)
    assert project.run(model="chat").ret == 0


def test_what_an_answer_that_cannot_be_read_cost_is_counted_by_its_usage(project: Project) -> None:
    project.server.script = lambda r: Answer(body=Answer("[x]", tokens=PRICEY).content(r)[:-1])
    result = project.run(*LIVE, "--max-cost", "0.07", model="chat")
    assert result.ret == 1
    assert project.server.count == 3  # two of one case and one of the next: $0.03, 0.06, 0.09
    result.stdout.fnmatch_lines(["--max-cost 0.07 reached: $0.0900 spent on live calls, 3 cases not run.*"])
    # What is paid for has a row, though there was no money to ask once more.
    assert [(row["attempts"], row["cost_usd"]) for row in project.rows.values()] == [
        (2, pytest.approx(0.06)),
        (1, pytest.approx(0.03)),
    ]
    assert project.report["tasks"][0]["cost_usd"] == pytest.approx(0.09)
    assert project.report["tasks"][0]["usage"]["input_tokens"] == 300_000


def test_what_a_web_page_cost_is_estimated(project: Project) -> None:
    project.server.script = Answer(body=b"<html>Please log in</html>")
    assert project.run(*LIVE, "-k", "Peru", model="chat").ret == 1
    assert project.server.count == 2
    question = len("What is the capital of Peru?\n")
    tokens = -(-question * 2 // 7)  # 3.5 characters a token, rounded up
    assert project.rows["Peru"]["cost_usd"] == pytest.approx(2 * (tokens * 0.15 + 100 * 0.60) / 1e6, rel=0.05)
    assert project.rows["Peru"]["usage"]["output_tokens"] is None


def test_an_answer_after_one_that_could_not_be_read_costs_as_much_as_both(project: Project) -> None:
    whole = Answer("[Lima]", tokens=PRICEY)
    seen: list[str] = []

    def script(request: Request) -> Answer:
        seen.append(request.question)
        return whole if len(seen) > 1 else Answer(body=whole.content(request)[:-1])

    project.server.script = script
    assert project.run(*LIVE, "-k", "Peru", model="chat").ret == 0
    assert project.rows["Peru"]["cost_usd"] == pytest.approx(0.06)
    assert project.run("-k", "Peru", model="chat").ret == 0
    assert project.rows["Peru"]["cost_usd"] == pytest.approx(0.03)


@pytest.mark.parametrize("word", ["error", "network_lost"])
def test_an_end_that_is_an_error_or_unknown_is_not_scored(project: Project, word: str) -> None:
    def script(request: Request) -> Answer:
        body = Answer(answers(request)).content(request)
        return Answer(body=body.replace(b'"stop"', f'"{word}"'.encode()))

    project.server.script = script
    assert project.run(*LIVE, "-k", "Peru", model="chat").ret == 1
    row = project.rows["Peru"]
    assert (row["status"], row["scores"]["strict"]) == ("error", {"accuracy": 0.0})
    assert f"'{word}'" in row["error"]
    assert not list((project.path / "cassettes").rglob("m*.jsonl"))


@pytest.mark.parametrize("count", [10**13, 10**400])
def test_an_absurd_count_of_tokens_is_an_error_of_the_case(project: Project, count: int) -> None:
    project.server.script = only_for_peru(Answer("[Lima]", tokens=(count, 0, 5, 0)))
    assert project.run(*LIVE, model="chat").ret == 1
    assert project.rows["Peru"]["status"] == "error"
    assert project.report["tasks"][0]["status"]["scored"] == 4


PEAK = """
import pathlib, re
def pytest_unconfigure():
    pathlib.Path("peak").write_text(re.search(r"VmHWM:\\s*(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""


def peak(project: Project) -> tuple[int, int]:
    """The exit code of a run in a process of its own, and the megabytes of memory it took at most."""
    (project.path / "conftest.py").write_text(PEAK)
    result = project.run_apart(*LIVE, "-k", "Peru", model="chat")
    return int(result.ret), int((project.path / "peak").read_text()) // 1024


@pytest.mark.parametrize("packed", [True, False], ids=["gzip bomb", "plain"])
def test_an_answer_that_is_too_large_takes_no_more_memory_than_twice_the_limit(project: Project, packed: bool) -> None:
    project.server.script = "[Lima]"
    code, usual = peak(project)
    assert code == 0
    for file in (project.path / "cassettes").rglob("*.jsonl"):
        file.unlink()
    body = b'{"choices": [' + b" " * 400_000_000
    body, headers = (gzip.compress(body, 1), {"Content-Encoding": "gzip"}) if packed else (body, {})
    project.server.script = Answer(body=body, headers=headers)
    code, most = peak(project)
    assert code == 1
    assert "larger than 50 MB" in project.rows["Peru"]["error"]
    assert most - usual < 110


def test_what_is_packed_more_than_once_is_not_unpacked(project: Project) -> None:
    body = gzip.compress(gzip.compress(b" " * 1000))
    project.server.script = Answer(body=body, headers={"Content-Encoding": "gzip, gzip"})
    assert project.run(*LIVE, "-k", "Peru", model="chat").ret == 1
    assert "packed more than once" in project.rows["Peru"]["error"]


def test_recordings_are_on_the_disk_when_a_run_ends(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        synced.append(Path(f"/proc/self/fd/{handle}").resolve())
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    assert project.run(*LIVE, model="chat").ret == 0
    (cassette,) = (project.path / "cassettes").rglob("*.jsonl")
    assert cassette.resolve() in synced
    assert cassette.resolve().parent in synced
    assert len([json.loads(line) for line in cassette.read_text().splitlines()]) == 5
