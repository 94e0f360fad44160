"""Who judges where nobody is named, and that all who are going to be asked are reached before anything is paid for."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from capitals import Project
from judged_project import COUNTRIES, judged, models_asked, speak
from stub_server import Request, StubServer

__all__ = ["judged"]


def closed_address() -> str:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def test_a_judge_that_is_not_there_ends_the_run_before_an_answer_is_paid_for(
    judged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = closed_address()
    monkeypatch.setenv("GEO_JUDGE_URL", address)
    monkeypatch.setenv("GEO_JUDGE_KEY", "key-of-the-judge-0123456789")
    result = judged.record()
    assert result.ret == 4
    assert judged.server.count == 0
    result.stderr.fnmatch_lines(
        [
            f"ERROR: o4-mini (judge of geo/capitals) cannot be asked: no connection to {address[:-3]}:*",
            "*GEO_JUDGE_URL gives the address*--role*",
        ]
    )
    assert not (judged.path / "reports").exists() or not any((judged.path / "reports").iterdir())


def test_a_model_that_is_not_there_ends_the_run_at_once(judged: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", closed_address())
    result = judged.record()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: * (answers of geo/capitals*) cannot be asked: no connection to*"])


def test_a_replay_needs_nobody(judged: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged.record().ret == 0
    monkeypatch.setenv("OPENAI_BASE_URL", closed_address())
    assert judged.run().ret == 0
    assert judged.record().ret == 0  # all is recorded, so nobody is asked


def test_where_a_judgment_alone_is_missing_the_model_under_test_need_not_be_there(
    judged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(speak) as answers:
        monkeypatch.setenv("OPENAI_BASE_URL", answers.openai_url)
        monkeypatch.setenv("GEO_JUDGE_URL", judged.server.openai_url)
        judged.server.script = lambda request: "hm" if "Lima" in request.question else speak(request)
        assert judged.record().ret == 1
    # The task asks three times whatever happens; only what was not recorded is asked: nothing.
    cassette = judged.path / "cassettes/geo/capitals/gpt-4o-mini.jsonl"
    lines = cassette.read_bytes().splitlines(keepends=True)
    cassette.write_bytes(b"".join(line for line in lines if b'"role":"judge/second","turn":2' not in line))
    judged.server.requests.clear()
    judged.server.script = speak
    judged.record()
    assert [request.json["model"] for request in judged.server.requests] == ["o4-mini"]


def test_the_terminal_says_who_is_asked_and_where(judged: Project) -> None:
    result = judged.record("--role", "judge=gpt-4.1")
    host = judged.server.openai_url[:-3]
    result.stdout.fnmatch_lines_random(
        [f"asks gpt-4o-mini at {host}: answers of geo/capitals", f"asks gpt-4.1 at {host}: judge of geo/capitals"]
    )
    assert "asks " not in judged.run("--role", "judge=gpt-4.1").stdout.str()


def test_an_endpoint_that_knows_no_list_of_models_is_there(judged: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("http.server.BaseHTTPRequestHandler.do_GET", None, raising=False)
    monkeypatch.delattr("stub_server._Handler.do_GET")
    assert judged.record().ret == 0


LOCAL = """
models:
  small: {provider: local, api_id: small-1, inputs: []}
  weak-judge: {provider: local, api_id: weak-judge-1, inputs: []}
"""


def test_a_model_on_this_machine_is_judged_by_whom_the_benchmark_prescribes_or_who_judged_its_recordings(
    judged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (judged.path / "models.yaml").write_text(LOCAL)
    monkeypatch.setenv("LOCAL_BASE_URL", judged.server.openai_url)

    def run(*arguments: str) -> pytest.RunResult:
        return judged.run(*arguments, model="small")

    assert run("--record-mode", "once", "--limit", "1").ret == 0
    assert models_asked(judged)["o4-mini", "judge"] == 2
    assert run("--record-mode", "rewrite", "--role", "judge=weak-judge").ret == 0
    assert run().ret == 0  # the recordings of that judge replay without naming it again
    assert {row["judging"]["judge"]["model"] for row in judged.rows.values()} == {"weak-judge"}
    judged.server.requests.clear()
    assert run("--disable-recording", "--role", "judge=o4-mini").ret == 0
    assert set(models_asked(judged)) == {("small-1", "answer"), ("o4-mini", "judge")}


def test_a_hosted_model_is_judged_by_whom_the_benchmark_prescribes_whoever_judged_before(judged: Project) -> None:
    assert judged.record("--role", "judge=gpt-4.1", "-k", "France").ret == 0
    judged.server.requests.clear()
    assert judged.record("-k", "Japan").ret == 0
    assert models_asked(judged) == {("gpt-4o-mini-2024-07-18", "answer"): 1, ("o4-mini", "judge"): 2}


def test_the_shipped_registry_names_no_judge() -> None:
    text = (Path(__file__).parents[3] / "models.yaml").read_text()
    assert "\nroles:" not in text


def test_a_key_that_is_refused_is_said_before_anything_is_asked(
    judged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handler: object) -> None:
        body = json.dumps(
            {"error": {"message": "Incorrect API key provided: sk-1", "code": "invalid_api_key"}}
        ).encode()
        handler.send_response(401)  # type: ignore[attr-defined]
        handler.send_header("Content-Length", str(len(body)))  # type: ignore[attr-defined]
        handler.send_header("Content-Type", "application/json")  # type: ignore[attr-defined]
        handler.end_headers()  # type: ignore[attr-defined]
        handler.wfile.write(body)  # type: ignore[attr-defined]

    monkeypatch.setattr("stub_server._Handler.do_GET", refuse)
    result = judged.record()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *cannot be asked: 401: Incorrect API key provided*"])
    assert judged.server.count == 0


def retried(request: Request) -> str:
    return "hm" if "Judge" in request.question else speak(request)  # type: ignore[return-value]


def test_a_retry_is_a_fresh_sample_and_other_questions_are_not(judged: Project) -> None:
    judged.server.script = retried
    judged.record("-k", "France")
    sent = [r.json for r in judged.server.requests if "Judge" in r.question]
    assert len(sent) == 6
    assert all("temperature" not in body for body in sent)  # o4-mini takes none
    judged.server.requests.clear()
    judged.record("-k", "Japan", "--role", "judge=gpt-4.1")
    sent = [r.json for r in judged.server.requests if "Judge first" in r.question]
    assert [body.get("temperature") for body in sent] == [0.0, None, None]
    live = judged.rows["Japan"]
    assert judged.run("-k", "Japan", "--role", "judge=gpt-4.1").ret == 1
    assert judged.rows["Japan"]["calls"] == [{**call, "source": "replayed"} for call in live["calls"]]
    assert COUNTRIES[1] == "Japan"
